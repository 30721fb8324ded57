/**
 * One conversation of one element: its state, its session, and its life in the page. The element draws `conversation` and
 * asks through `ConversationActions`; nothing is asked of the relay, stored or listened to before `start`.
 */
import type { ReactiveController, ReactiveControllerHost } from 'lit';
import { CONTINUE_MESSAGE } from '../relay/protocol/requests.ts';
import { type Conversation, isTurnRunning, NO_CONVERSATION, runningAnswer } from './conversation.ts';
import type { ConversationActions } from './conversation-actions.ts';
import { browserEnvironment, type PageEnvironment } from './page-environment.ts';
import { problemOf } from './problem.ts';
import { type ConversationAction, reduce } from './reduce.ts';
import { RelayClient, RelayProblemError, type VerificationAnswer } from './relay-client.ts';
import { SessionLine } from './session-line.ts';
import { beginSession, type ConversationOptions, endEverywhere, ownerOf, storageKeyOf } from './session-start.ts';
import { SessionStorage } from './session-storage.ts';

/** An element that is moved in the page is removed and added again at once; only one that stays away lets go. */
const REMOVAL_GRACE_MS = 250;
const WINDOW_EVENTS = ['pagehide', 'pageshow', 'online', 'offline'];

/** A session that has begun, and what it takes to end it. */
interface Begun {
  readonly line: SessionLine;
  forgetHere(): void;
  endAtRelay(): void;
}

export class ConversationController implements ConversationActions, ReactiveController {
  readonly #host: Pick<ReactiveControllerHost, 'requestUpdate'>;
  readonly #findEnvironment: () => PageEnvironment;
  #environment: PageEnvironment | undefined;
  #options: ConversationOptions | undefined;
  #conversation = NO_CONVERSATION;
  /** Aborted when the conversation is forgotten. */
  #life = new AbortController();
  #starting: Promise<void> | undefined;
  #begun: Begun | undefined;
  #removal: ReturnType<typeof setTimeout> | undefined;
  #expiry: ReturnType<typeof setTimeout> | undefined;
  #isListening = false;
  /** The page is being left, or rests in the browser's cache. */
  #isLeft = false;
  /** How often it was: what failed meanwhile is no failure. */
  #leavings = 0;
  #onShown: (() => void) | undefined;

  constructor(
    host: Pick<ReactiveControllerHost, 'addController' | 'requestUpdate'>,
    findEnvironment: () => PageEnvironment = browserEnvironment,
  ) {
    this.#host = host;
    this.#findEnvironment = findEnvironment;
    host.addController(this);
  }

  get conversation(): Conversation {
    return this.#conversation;
  }

  /**
   * Says for whom and with which relay to talk; to be called before `start` and whenever something of it changes. A
   * conversation that has begun with another relay, application, visitor or credential ends everywhere, and a new one begins
   * in its place. A function that gives the credential may be another one each time.
   */
  configure(options: ConversationOptions): void {
    const isSame = this.#options === undefined || identityOf(this.#options) === identityOf(options);
    const { type } = this.#conversation.session;
    // The old session ends with the old credential.
    if (!isSame) this.reset();
    this.#options = options;
    if (isSame) return;
    if (type === 'starting' || type === 'open') this.start();
  }

  start(): void {
    const { type } = this.#conversation.session;
    if (this.#options === undefined || (type !== 'none' && type !== 'failed')) return;
    this.#environment ??= this.#findEnvironment();
    this.#listen(this.#environment);
    this.#starting = this.#begin(this.#options, this.#environment, this.#life.signal);
  }

  send(text: string): boolean {
    const { session, busyUntilMs = 0 } = this.#conversation;
    if (text.trim() === '' || session.type === 'ended' || isTurnRunning(this.#conversation)) return false;
    if (this.#options === undefined || busyUntilMs > Date.now()) return false;
    const messageId = newId();
    this.#dispatch({ type: 'sent', messageId, text, atMs: Date.now() });
    this.start();
    void this.#sendWhenBegun(messageId, text, this.#life.signal);
    return true;
  }

  sendAgain(answerId: string): boolean {
    const { entries } = this.#conversation;
    const answer = entries.find((entry) => entry.type === 'answer' && entry.id === answerId);
    const questionId = answer?.type === 'answer' ? answer.questionId : undefined;
    const question = entries.find((entry) => entry.type === 'question' && entry.id === questionId);
    return question?.type === 'question' && this.send(question.text);
  }

  stop(): void {
    const questionId = runningAnswer(this.#conversation)?.questionId;
    if (questionId === undefined) return;
    if (this.#begun !== undefined) void this.#begun.line.stop(questionId);
    // Nothing was sent yet, and nothing will be.
    else this.#dispatch({ type: 'broken-off', questionId, status: 'stopped', atMs: Date.now() });
  }

  resume(): void {
    this.#begun?.line.takeUp();
  }

  reset(): void {
    this.#life.abort();
    this.#life = new AbortController();
    this.#begun?.line.tellEnded('reset');
    this.#begun?.endAtRelay();
    this.#letGo();
    this.#dispatch({ type: 'forgotten' });
  }

  verify(transactionId: string, code: string): void {
    this.#answerVerification({ transactionId, code });
  }

  approve(transactionId: string): void {
    this.#answerVerification({ transactionId, approve: true });
  }

  continueTransaction(transactionId: string): boolean {
    const { session } = this.#conversation;
    if (this.#begun === undefined || session.type !== 'open' || isTurnRunning(this.#conversation)) return false;
    const messageId = newId();
    this.#dispatch({ type: 'sent', messageId, text: CONTINUE_MESSAGE, isContinuation: true, atMs: Date.now() });
    this.#begun.line.sendContinuation(messageId, transactionId);
    return true;
  }

  decline(transactionId: string): void {
    this.#answerVerification({ transactionId, decline: true });
  }

  hostConnected(): void {
    clearTimeout(this.#removal);
    const { type } = this.#conversation.session;
    if (this.#environment === undefined || this.#isListening || type === 'none' || type === 'ended') return;
    this.#listen(this.#environment);
    this.#endIfExpired();
    void this.#begun?.line.reopen();
  }

  hostDisconnected(): void {
    this.#removal = setTimeout(() => {
      this.#unlisten();
      this.#begun?.line.pause();
    }, REMOVAL_GRACE_MS);
  }

  /** For the page's own events; called by the browser. */
  handleEvent(event: Event): void {
    const line = this.#begun?.line;
    switch (event.type) {
      case 'pagehide':
        this.#isLeft = true;
        this.#leavings += 1;
        line?.pause();
        break;
      case 'pageshow':
        if (!this.#isLeft) break;
        this.#isLeft = false;
        this.#onShown?.();
        void line?.reopen();
        break;
      case 'offline':
        this.#dispatch({ type: 'line', line: 'offline' });
        break;
      case 'online':
        if (!isTurnRunning(this.#conversation)) this.#dispatch({ type: 'line', line: 'online' });
        line?.wake(true);
        break;
      case 'visibilitychange':
        if (this.#environment?.document.visibilityState === 'visible') line?.wake(false);
        break;
    }
    this.#endIfExpired();
  }

  async #begin(options: ConversationOptions, environment: PageEnvironment, life: AbortSignal): Promise<void> {
    const client = new RelayClient(options.relay, () => this.#options?.authorization, environment.fetch);
    const kept = options.persist === 'none' ? undefined : environment.storage(options.persist);
    const storage = new SessionStorage(kept, storageKeyOf(options));
    const leavings = this.#leavings;
    this.#dispatch({ type: 'starting' });
    try {
      const { session, action } = await beginSession(options, client, storage, environment.locks(), life);
      const controller = this;
      // A session that is not kept is nobody else's.
      const surroundings = kept === undefined ? { ...environment, openChannel: () => undefined } : environment;
      const line = new SessionLine(client, session, surroundings, {
        get conversation() {
          return controller.conversation;
        },
        dispatch: (action) => this.#dispatch(action),
      });
      this.#begun = {
        line,
        forgetHere: () => storage.clear(session.sessionId),
        endAtRelay: () => void endEverywhere(client, session),
      };
      this.#dispatch(action);
      // While the page rests, or once it is over, there is nothing to read.
      if (!this.#isLeft && this.#isListening) line.open();
    } catch (error) {
      if (life.aborted) return;
      if (leavings !== this.#leavings) {
        if (this.#isLeft) await new Promise<void>((resolve) => (this.#onShown = resolve));
        if (!life.aborted) await this.#begin(options, environment, life);
      } else {
        const problem = error instanceof RelayProblemError ? error.problem : problemOf('upstream_unreachable');
        this.#dispatch({ type: 'start-failed', problem });
      }
    }
  }

  async #sendWhenBegun(questionId: string, text: string, life: AbortSignal): Promise<void> {
    await this.#starting;
    const isStillWanted = !life.aborted && runningAnswer(this.#conversation)?.questionId === questionId;
    if (!isStillWanted) return;
    if (this.#begun !== undefined) return this.#begun.line.send(questionId, text);
    const { session } = this.#conversation;
    const problem = session.type === 'failed' ? session.problem : problemOf('session_expired', false);
    this.#dispatch({ type: 'broken-off', questionId, status: 'failed', problem, atMs: Date.now() });
  }

  #answerVerification(answer: VerificationAnswer): void {
    void this.#begun?.line.verify(answer);
  }

  #dispatch(action: ConversationAction): void {
    const former = this.#conversation;
    this.#conversation = reduce(former, action);
    if (this.#conversation === former) return;
    this.#host.requestUpdate();
    if (this.#conversation.session.type === 'ended') this.#letGo();
    else this.#endIfExpired();
  }

  /** Looks again when the hour ends. An answer that runs then is still read to its end. */
  #endIfExpired(): void {
    const { session } = this.#conversation;
    clearTimeout(this.#expiry);
    if (session.type !== 'open' || !this.#isListening || isTurnRunning(this.#conversation)) return;
    const leftMs = session.expiresAtMs - Date.now();
    if (leftMs > 0) this.#expiry = setTimeout(() => this.#endIfExpired(), leftMs);
    else this.#dispatch({ type: 'ended', reason: 'expired', atMs: Date.now() });
  }

  /** Nothing is read, kept or listened to any more. */
  #letGo(): void {
    this.#unlisten();
    if (this.#begun === undefined) return;
    const { line, forgetHere } = this.#begun;
    this.#begun = undefined;
    forgetHere();
    line.close();
  }

  #listen({ window, document }: PageEnvironment): void {
    this.#isListening = true;
    for (const type of WINDOW_EVENTS) window.addEventListener(type, this);
    document.addEventListener('visibilitychange', this);
  }

  #unlisten(): void {
    this.#isListening = false;
    clearTimeout(this.#expiry);
    for (const type of WINDOW_EVENTS) this.#environment?.window.removeEventListener(type, this);
    this.#environment?.document.removeEventListener('visibilitychange', this);
  }
}

/** 128 random bits, also in pages without a secure origin, where browsers make no UUID. */
function newId(): string {
  return crypto.getRandomValues(new Uint32Array(4)).join('-');
}

/** What makes a conversation another one. */
function identityOf(options: ConversationOptions): string {
  const credential = typeof options.authorization === 'string' ? options.authorization : '';
  return [storageKeyOf(options), ownerOf(options), credential].join('\n');
}
