/** Registers `<parley-chat>`. On a server, and where it is registered already, it does nothing. */
import { ParleyChat } from './parley-chat.ts';

export * from './index.ts';

if (globalThis.customElements && !customElements.get('parley-chat')) customElements.define('parley-chat', ParleyChat);
