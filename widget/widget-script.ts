/**
 * The widget as one classic script: `<script src="https://relay.example/widget.js" async></script>`. It registers the tag, takes
 * the relay from its own address, and adds a launcher to a page that has no `<parley-chat>` of its own. The script's `data-…`
 * attributes become the attributes of that launcher.
 */
import './define.ts';
import { ParleyChat } from './parley-chat.ts';

const script = document.currentScript;
if (script instanceof HTMLScriptElement && script.src) {
  // `widget@1.2.3/widget.js` stands one folder below the relay's own address.
  ParleyChat.defaultRelay = script.src.replace(/[?#].*$/, '').replace(/(widget@[^/]+\/)?[^/]*$/, '');
}

if (document.readyState === 'loading') document.addEventListener('DOMContentLoaded', addLauncher);
else addLauncher();

function addLauncher(): void {
  if (document.querySelector('parley-chat')) return;
  const chat = document.createElement('parley-chat');
  for (const { name, value } of script?.attributes ?? []) {
    if (name.startsWith('data-')) chat.setAttribute(name.slice('data-'.length), value);
  }
  document.body.append(chat);
}
