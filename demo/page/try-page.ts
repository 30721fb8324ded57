import { html } from './html.ts';
import { pageFrame } from './page-frame.ts';

/** A plain page for trying a hosted agent. `hostUrl` is its address. */
export function tryPage(hostUrl: string, relayUrl: string): string {
  return pageFrame({
    title: 'Parley – try your agent',
    relayUrl,
    heading: 'Your agent',
    suggestions: [],
    content: html`
    <main>
      <section class="hero">
        <h1>Try your agent</h1>
        <p>The chat on this page talks to the relay at <code>${relayUrl}</code>, and the relay to the agent host at <code>${hostUrl}</code>.</p>
        <p><button type="button" class="try" data-parley-open>Open the chat</button></p>
      </section>
      <section aria-labelledby="embed">
        <h2 id="embed">On a page of your own</h2>
        <p>One line is enough, once the relay has a public address and <code>ALLOWED_ORIGINS</code> names your page:</p>
        <pre><code>&lt;script src="https://relay.example/widget.js" async&gt;&lt;/script&gt;</code></pre>
      </section>
    </main>`,
  });
}
