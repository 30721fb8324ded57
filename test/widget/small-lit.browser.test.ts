import { expect } from 'chai';
import * as lit from 'lit';
import * as ownPart from '../../widget/small-lit/small-lit.ts';

/** The widget's own part of Lit is held against Lit itself. The cast: what it lacks is not asked for. */
const IMPLEMENTATIONS = { Lit: lit, 'the widget’s part of Lit': ownPart as unknown as typeof lit };

for (const [name, { css, html, LitElement, nothing, render }] of Object.entries(IMPLEMENTATIONS)) {
  describe(name, () => {
    let container: HTMLElement;
    let lastTag = 0;

    beforeEach(() => {
      container = document.createElement('div');
      document.body.append(container);
    });
    afterEach(() => container.remove());

    const text = () => container.textContent?.replace(/\s+/g, ' ').trim();

    function define<Class extends typeof LitElement>(elementClass: Class): string {
      lastTag += 1;
      const tag = `lit-probe-${lastTag}-${name.length}`;
      customElements.define(tag, elementClass as CustomElementConstructor);
      return tag;
    }

    it('writes a value between the words of a template, and another one into the same nodes', () => {
      const view = (value: unknown) => html`<p>before ${value}${value} after</p>`;
      render(view('one'), container);
      const nodes = [...(container.querySelector('p')?.childNodes ?? [])];
      render(view('two'), container);
      expect(text()).to.equal('before twotwo after');
      expect([...(container.querySelector('p')?.childNodes ?? [])]).to.deep.equal(nodes);
    });

    it('shows markup in a value as text', () => {
      render(html`<p title=${'"><b>'}>${'<img src=x>'}</p>`, container);
      expect(text()).to.equal('<img src=x>');
      expect(container.querySelector('p')?.title).to.equal('"><b>');
    });

    for (const empty of [nothing, null, undefined, '']) {
      it(`draws ${String(empty) || 'an empty text'} as nothing, also after something`, () => {
        const view = (value: unknown) => html`a${value}b`;
        render(view(empty), container);
        render(view(7), container);
        expect(text()).to.equal('a7b');
        render(view(empty), container);
        expect(text()).to.equal('ab');
        render(view(html`<i>c</i>`), container);
        render(view(empty), container);
        expect(container.children).to.have.length(0);
      });
    }

    it('grows and shrinks a list, and keeps the nodes that stay', () => {
      const view = (items: readonly string[]) => html`<ul>${items.map((item) => html`<li>${item}</li>`)}</ul>.`;
      render(view(['a']), container);
      const first = container.querySelector('li');
      render(view(['b', 'c', 'd']), container);
      expect(text()).to.equal('bcd.');
      render(view(['e', 'f']), container);
      expect(text()).to.equal('ef.');
      expect(container.querySelector('li')).to.equal(first);
      render(view([]), container);
      render(view(['g']), container);
      expect(text()).to.equal('g.');
    });

    it('puts a template in the place of a text, a list or another template', () => {
      const view = (value: unknown) => html`<p>${value}</p>!`;
      const values = [
        'text',
        html`<b>one</b>`,
        html`<i>${'two'}</i>`,
        ['list', html`<u>in</u>`],
        html`end`,
        ['x'],
        'y',
      ];
      const drawn = values.map((value) => {
        render(view(value), container);
        return text();
      });
      expect(drawn).to.deep.equal(['text!', 'one!', 'two!', 'listin!', 'end!', 'x!', 'y!']);
    });

    it('keeps templates that follow each other without a word between them apart', () => {
      const item = (value: unknown) => html`${value}`;
      const view = (one: unknown, two: unknown) => html`${item(one)}${item(two)}`;
      render(view('a', 'b'), container);
      render(view(nothing, 'c'), container);
      render(view(html`<b>d</b>`, [1, 2]), container);
      expect(text()).to.equal('d12');
    });

    it('shows a node, moves it to where it is wanted and leaves it alone while it is the same', () => {
      const node = document.createElement('input');
      const view = (value: unknown) => html`<p>${value}</p>`;
      render(view(node), container);
      node.focus();
      render(view(node), container);
      expect(document.activeElement).to.equal(node);
      render(view('gone'), container);
      expect(node.isConnected).to.equal(false);
    });

    it('writes attributes whole and in pieces, and removes them for nothing', () => {
      const view = (one: unknown, two: unknown) => html`<p class="a ${one} b ${two}" title=${one} ?hidden=${two}></p>`;
      render(view('x', 'y'), container);
      const { attributes } = container.querySelector('p') as HTMLElement;
      const drawn = () => [...attributes].map(({ name, value }) => `${name}=${value}`).sort();
      expect(drawn()).to.deep.equal(['class=a x b y', 'hidden=', 'title=x']);
      render(view(null, false), container);
      expect(drawn()).to.deep.equal(['class=a  b false', 'title=']);
      render(view(nothing, nothing), container);
      expect(drawn()).to.deep.equal([]);
    });

    it('sets a property only when its value is another one', () => {
      const view = (value: string) => html`<input .value=${value} />`;
      render(view('a'), container);
      const input = container.querySelector('input') as HTMLInputElement;
      expect(input.value).to.equal('a');
      input.value = 'typed';
      render(view('a'), container);
      expect(input.value).to.equal('typed');
      render(view('b'), container);
      expect(input.value).to.equal('b');
    });

    it('calls the newest listener, on the host', () => {
      const heard: unknown[] = [];
      function first(this: unknown) {
        heard.push('first', this);
      }
      const view = (listener: unknown) => html`<button @click=${listener}></button>`;
      const host = document.createElement('i');
      render(view(first), container, { host });
      container.querySelector('button')?.click();
      render(view(nothing), container, { host });
      container.querySelector('button')?.click();
      render(
        view(() => heard.push('second')),
        container,
        { host },
      );
      container.querySelector('button')?.click();
      expect(heard).to.deep.equal(['first', host, 'second']);
    });

    it('takes properties from attributes and writes those back that it is told to', async () => {
      class Probe extends LitElement {
        static override properties = {
          plain: {},
          isOn: { type: Boolean, attribute: 'on', reflect: true },
          words: { reflect: true },
          list: { converter: { fromAttribute: (value: string | null) => value?.split(',') } },
          hiddenOne: { attribute: false },
        };
        declare plain: string | null;
        declare isOn: boolean;
        declare words: string | null;
        declare list: string[];
        constructor() {
          super();
          this.words = 'default';
        }
      }
      const tag = define(Probe);
      container.innerHTML = `<${tag} plain="p" on list="a,b" hiddenone="x"></${tag}>`;
      const probe = container.firstElementChild as Probe;
      await probe.updateComplete;
      expect([probe.plain, probe.isOn, probe.words, probe.list]).to.deep.equal(['p', true, 'default', ['a', 'b']]);
      expect(probe.getAttribute('words')).to.equal('default');
      expect('hiddenOne' in probe && (probe as unknown as Record<string, unknown>).hiddenOne).to.equal(undefined);
      probe.isOn = false;
      probe.words = null;
      probe.plain = 'own';
      await probe.updateComplete;
      expect([probe.hasAttribute('on'), probe.hasAttribute('words')]).to.deep.equal([false, false]);
      expect(probe.getAttribute('plain')).to.equal('p');
      probe.toggleAttribute('on');
      probe.removeAttribute('plain');
      expect([probe.isOn, probe.plain]).to.deep.equal([true, null]);
    });

    it('keeps what was set before the element was defined', async () => {
      class Probe extends LitElement {
        static override properties = { words: {} };
        declare words: string;
        constructor() {
          super();
          this.words = 'default';
        }
        override render() {
          return this.words;
        }
      }
      const probe = document.createElement(`lit-early-${name.length}`) as Probe;
      probe.words = 'early';
      container.append(probe);
      customElements.define(`lit-early-${name.length}`, Probe);
      customElements.upgrade(probe);
      await probe.updateComplete;
      expect(probe.shadowRoot?.textContent).to.equal('early');
    });

    it('draws once for all changes of a moment, tells the old values, and again for a change that comes after', async () => {
      const told: unknown[] = [];
      class Probe extends LitElement {
        static override properties = { one: {}, two: {} };
        declare one: number;
        declare two: number;
        override willUpdate(changed: ReadonlyMap<PropertyKey, unknown>) {
          told.push(Object.fromEntries(changed));
          if (this.one > 0) this.two = this.one * 10;
        }
        override render() {
          return html`${this.one} ${this.two}`;
        }
        override updated() {
          if (this.one === 2) this.one = 3;
        }
      }
      const probe = document.createElement(define(Probe)) as Probe;
      probe.one = 0;
      container.append(probe);
      expect(await probe.updateComplete).to.equal(true);
      probe.one = 1;
      probe.one = 2;
      expect(await probe.updateComplete).to.equal(false);
      await probe.updateComplete;
      expect(told).to.deep.equal([{ one: undefined }, { one: 0 }, { one: 2 }]);
      expect(probe.shadowRoot?.textContent).to.equal('3 30');
      probe.one = 3;
      expect(await probe.updateComplete).to.equal(true);
      expect(told).to.have.length(3);
    });

    it('tells of a failed drawing and draws the next time', async () => {
      class Probe extends LitElement {
        static override properties = { words: {} };
        declare words: string;
        override render() {
          if (this.words === 'bad') throw new Error('a bad word');
          return this.words;
        }
      }
      const probe = document.createElement(define(Probe)) as Probe;
      container.append(probe);
      await probe.updateComplete;
      probe.words = 'bad';
      const failure = await probe.updateComplete.catch((error: Error) => error.message);
      expect(failure).to.equal('a bad word');
      window.addEventListener('unhandledrejection', (event) => event.preventDefault(), { once: true });
      probe.words = 'good';
      await probe.updateComplete;
      expect(probe.shadowRoot?.textContent).to.equal('good');
    });

    it('applies its style sheets in their order and tells controllers of coming and going', async () => {
      const told: string[] = [];
      class Probe extends LitElement {
        static override styles = [css`p { color: rgb(1, 1, 1); }`, css`p { color: rgb(2, 2, 2); }`];
        override render() {
          return html`<p></p>`;
        }
      }
      const probe = document.createElement(define(Probe)) as InstanceType<typeof Probe>;
      probe.addController({ hostConnected: () => told.push('here'), hostDisconnected: () => told.push('gone') });
      container.append(probe);
      await probe.updateComplete;
      const paragraph = probe.shadowRoot?.querySelector('p') as Element;
      expect(getComputedStyle(paragraph).color).to.equal('rgb(2, 2, 2)');
      probe.remove();
      container.append(probe);
      expect(told).to.deep.equal(['here', 'gone', 'here']);
      expect(probe.shadowRoot?.querySelector('p')).to.equal(paragraph);
    });
  });
}
