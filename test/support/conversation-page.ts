/**
 * A page of a real browser with a conversation and nothing to draw it: `conversation` is there for a test to steer and to look
 * at. The relay's address and what is remembered stand in the page's address.
 */
import { ConversationController } from '../../widget/conversation-controller.ts';

const settings = new URLSearchParams(location.search);
const controller = new ConversationController({ addController: () => {}, requestUpdate: () => {} });
controller.configure({
  relay: settings.get('relay') ?? '',
  persist: settings.get('persist') === 'device' ? 'device' : 'tab',
});
controller.hostConnected();
controller.start();
Object.assign(globalThis, { conversation: controller });
