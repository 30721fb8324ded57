import 'axe-core/axe.min.js';
import type { AxeResults } from 'axe-core';
import { expect } from 'chai';
import type { CSSResult } from 'lit';
import type { MarkdownOptions } from '../../../widget/markdown/markdown-options.ts';
import { markdownStyles } from '../../../widget/markdown/markdown-styles.ts';
import { MarkdownView } from '../../../widget/markdown/markdown-view.ts';
import { theme } from '../../../widget/styles/theme.ts';
import { violation } from './support/allow-list.ts';
import { defaults, drawChunks, inSteps, outline } from './support/drawing.ts';
import { gfmExamples } from './support/gfm-examples.ts';
import { type HostileContent, readHostileCases } from './support/hostile-cases.ts';
import { longAnswers } from './support/long-answers.ts';

declare const axe: { run(context: Node): Promise<AxeResults> };

const hostile = await fetch(new URL('../../cases/hostile-content.json', import.meta.url));
const hostileCases = readHostileCases((await hostile.json()) as HostileContent);

const called: unknown[] = [];
Object.assign(globalThis, { __pwn: (value: unknown) => called.push(value) });

let host: HTMLElement;
let text: HTMLElement;

beforeEach(() => {
  host = document.createElement('div');
  host.style.width = '320px';
  const shadow = host.attachShadow({ mode: 'open' });
  shadow.adoptedStyleSheets = [theme, markdownStyles].map((sheet) => (sheet as CSSResult).styleSheet as CSSStyleSheet);
  const root = document.createElement('div');
  root.className = 'root';
  text = document.createElement('div');
  text.className = 'text';
  root.append(text);
  shadow.append(root);
  document.body.append(host);
});
afterEach(() => host.remove());

function draw(chunks: readonly string[], options: Partial<MarkdownOptions> = {}): void {
  const view = new MarkdownView(text, { ...defaults, ...options });
  for (const [index, chunk] of chunks.entries()) {
    view.append(chunk);
    // Of a very long text not every state is drawn, as in life.
    if (chunks.length < 500 || index % 25 === 0) view.flush();
  }
  view.finish();
  view.flush();
}

/** Every node with its attributes, as the stand-in page writes it. */
function browserOutline(node: Node): string {
  if (node instanceof Text) return JSON.stringify(node.data);
  const element = node as Element;
  const attributes = [...element.attributes].map(({ name, value }) => [name, value] as const).sort();
  const written = attributes.map(([name, value]) => ` ${name}=${JSON.stringify(value)}`).join('');
  return `<${element.localName}${written}>${[...element.childNodes].map(browserOutline).join('')}</>`;
}

const inBrowser = () => [...text.childNodes].map(browserOutline).join('');
const inStandIn = (chunks: readonly string[]) =>
  drawChunks(chunks, { imageHosts: ['site.example'] })
    .root.childNodes.map(outline)
    .join('');
const settled = () => new Promise((resolve) => setTimeout(resolve, 50));

async function until(isTrue: () => boolean): Promise<void> {
  while (!isTrue()) await settled();
}

it('the page that the tests in Node draw on has the same nodes as this browser', () => {
  const base = document.createElement('base');
  base.href = 'https://site.example/page';
  document.head.append(base);
  for (const answer of [...longAnswers, ...gfmExamples.map(({ markdown }) => markdown)]) {
    text.replaceChildren();
    const chunks = inSteps(answer, 33);
    draw(chunks, { imageHosts: ['site.example'] });
    expect(inBrowser()).to.equal(inStandIn(chunks));
  }
  base.remove();
});

describe('hostile text is harmless', () => {
  for (const { id, name, category, text: input } of hostileCases.filter(({ category }) => category !== 'perf')) {
    it(`${id}, ${category}: ${name}`, async () => {
      const violations: string[] = [];
      const onViolation = (event: SecurityPolicyViolationEvent) => violations.push(event.blockedURI);
      document.addEventListener('securitypolicyviolation', onViolation);
      const focused = document.activeElement;
      const content = input();
      for (const step of content.length > 20_000 ? [40, content.length] : [1, 7, 40, content.length]) {
        text.replaceChildren();
        draw([...inSteps(content, step), '\n\nEND-MARK']);
        for (const element of text.querySelectorAll('*')) {
          const attributes = [...element.attributes].map((attribute) => [attribute.name, attribute.value] as const);
          expect(violation({ localName: element.localName, attributes })).to.equal(undefined);
        }
        expect(text.textContent).to.contain('END-MARK');
        // WebKit lays out one word of 300,000 letters in a minute, whoever draws it.
        if (content.length < 20_000) expect(text.scrollWidth).to.be.at.most(text.clientWidth);
      }
      await settled();
      expect(called).to.deep.equal([]);
      expect(violations).to.deep.equal([]);
      expect(document.activeElement).to.equal(focused);
      const asked = performance
        .getEntriesByType('resource')
        .filter(({ name: address }) => address.includes('evil.test'));
      expect(asked).to.deep.equal([]);
      document.removeEventListener('securitypolicyviolation', onViolation);
    });
  }
});

describe('drawing', () => {
  it('happens without being asked for, also when the place is not displayed [W13]', async () => {
    text.style.display = 'none';
    const view = new MarkdownView(text, defaults);
    for (const chunk of inSteps(longAnswers[0] as string, 50)) {
      view.append(chunk);
      await new Promise((resolve) => setTimeout(resolve));
    }
    view.finish();
    await until(() => text.textContent?.includes('or www.shop.example') ?? false);
    text.style.display = '';
    expect(text.querySelectorAll('tbody tr')).to.have.length(3);
  });

  it('of a very long text leaves the page time in between', async () => {
    const view = new MarkdownView(text, defaults);
    let turns = 0;
    const timer = setInterval(() => turns++);
    view.append(`${`${'word '.repeat(200)}\n\n`.repeat(1000)}the end`);
    view.finish();
    await until(() => text.textContent?.endsWith('the end') ?? false);
    clearInterval(timer);
    expect(turns).to.be.greaterThan(3);
    expect(text.childNodes).to.have.length(1001);
  });

  it('stops when the view is disposed of', async () => {
    const view = new MarkdownView(text, defaults);
    view.append('never shown');
    view.dispose();
    await settled();
    expect(text.textContent).to.equal('');
  });
});

describe('what is drawn', () => {
  it('has nothing that axe finds', async () => {
    for (const answer of longAnswers.slice(0, 3)) {
      text.replaceChildren();
      draw([answer]);
      const { violations } = await axe.run(text);
      expect(violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`)).to.deep.equal([]);
    }
  });

  it('is nowhere wider than its place, long words, tables and code included', () => {
    for (const answer of longAnswers) {
      text.replaceChildren();
      draw([answer]);
      expect(text.scrollWidth).to.be.at.most(text.clientWidth);
    }
    const scroll = text.querySelector('[part=md-table-scroll]') as HTMLElement;
    expect(scroll.getBoundingClientRect().right).to.be.at.most(text.getBoundingClientRect().right);
  });

  it('leaves at most one line of space around a table [W9]', () => {
    draw(['before\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\nafter']);
    const [before, table, after] = [...text.children].map((element) => element.getBoundingClientRect());
    const em = Number.parseFloat(getComputedStyle(text).fontSize);
    expect((table?.top ?? 0) - (before?.bottom ?? 0)).to.be.within(0, em);
    expect((after?.top ?? 0) - (table?.bottom ?? 0)).to.be.within(0, em);
  });

  it('is written in the direction of each paragraph, code always from left to right', () => {
    draw(['مرحبا **عالم**\n\nHello\n\n```\nمرحبا\n```\n\n- نقطة\n\n⁧ not closed\n\nplain']);
    const direction = (selector: string) => getComputedStyle(text.querySelector(selector) as Element).direction;
    expect(direction('p')).to.equal('rtl');
    expect(direction('p:nth-of-type(2)')).to.equal('ltr');
    expect(direction('pre')).to.equal('ltr');
    expect(direction('ul')).to.equal('rtl');
  });

  it('has a button that copies a block of code as it is written', async () => {
    const copied: string[] = [];
    const copyText = async (code: string) => {
      copied.push(code);
    };
    const labels = { copy: 'Kopieren', copied: 'Kopiert', taskDone: 'Erledigt', taskOpen: 'Offen' };
    draw(['```js\nlet a = "<b>";\n', 'let c;\n```\n\n- [x] d'], { copyText, labels: () => labels });
    const button = text.querySelector('button') as HTMLButtonElement;
    expect(button.textContent).to.equal('Kopieren');
    button.click();
    await settled();
    expect(copied).to.deep.equal(['let a = "<b>";\nlet c;\n']);
    expect(button.textContent).to.equal('Kopiert');
    expect(text.querySelector('input')?.ariaLabel).to.equal('Erledigt');
    expect(text.querySelector('[part=md-code-language]')?.textContent).to.equal('js');
  });
});
