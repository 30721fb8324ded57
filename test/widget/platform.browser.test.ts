import { expect } from 'chai';
import { html, LitElement } from 'lit';

class Probe extends LitElement {
  static override properties = { heading: { type: String } };
  declare heading: string;
  constructor() {
    super();
    this.heading = 'first';
  }
  override render() {
    return html`<h1>${this.heading}</h1>`;
  }
}
customElements.define('parley-probe', Probe);

it('a declared field of an element stays reactive after the types are stripped', async () => {
  const probe = new Probe();
  document.body.append(probe);
  await probe.updateComplete;
  probe.heading = 'second';
  await probe.updateComplete;
  expect(probe.shadowRoot?.textContent).to.equal('second');
  probe.remove();
});
