import { html, LitElement, nothing, type PropertyValues, type TemplateResult } from 'lit';
import { type Conversation, isTurnRunning, NO_CONVERSATION } from './conversation.ts';
import { ConversationController } from './conversation-controller.ts';
import { eventsBetween } from './conversation-events.ts';
import { loadLabels } from './label-files.ts';
import { ENGLISH, type Labels } from './labels.ts';
import { baseLanguage, directionOf, languageOf } from './language.ts';
import { launcherLabel } from './launcher-labels.ts';
import { listConverter } from './list-converter.ts';
import { loadOnce } from './load-once.ts';
import { loadMarkdown, loadVerification } from './load-parts.ts';
import { ParleyAnswerEvent, ParleyCloseEvent, ParleyFeedbackEvent, ParleyOpenEvent } from './parley-chat-events.ts';
import { parleyChatStyles } from './parley-chat-styles.ts';
import type { Authorization } from './relay-client.ts';
import { Announcer, type Speak } from './views/announcer.ts';
import { Composer } from './views/composer.ts';
import { confirmNewView } from './views/confirm-view.ts';
import { contextMeterView } from './views/context-meter-view.ts';
import { deepActiveElement } from './views/deep-active-element.ts';
import { headerView } from './views/header-view.ts';
import { iconButton } from './views/icon-button.ts';
import { ICONS } from './views/icons.ts';
import { launcherView } from './views/launcher-view.ts';
import { ScrollKeeper } from './views/scroll-keeper.ts';
import { startersView } from './views/starters-view.ts';
import { type Status, statusChangesInMs, statusOf, statusView } from './views/status-view.ts';
import { download, type TranscriptFormat, transcriptFile } from './views/transcript-file.ts';
import { TranscriptView } from './views/transcript-view.ts';
import type { VerificationContext, VerificationDialog } from './views/verification-dialog.ts';
import type { ToolCallDetail, ViewContext } from './views/view-context.ts';

export type Mode = 'bubble' | 'inline' | 'fullscreen';
export type Position = 'bottom-right' | 'bottom-left' | 'top-right' | 'top-left';
export type Theme = 'auto' | 'light' | 'dark';
export type Persist = 'tab' | 'device' | 'none';

/** UTF-16 units. The relay's own limit counts bytes and is larger for every text of this length that people write. */
const MAX_MESSAGE_LENGTH = 4000;
/** On a window this small the panel covers it. */
const SMALL_WINDOW = '(max-width: 480px), (max-height: 480px)';

/**
 * A chat with an agent, behind a launcher in the corner, as a part of the page, or over the whole window.
 *
 * Until the visitor opens it, it asks nothing of the relay, stores nothing and draws its launcher only.
 *
 * @attr relay - Address of the relay. Absent: where the widget's script came from.
 * @attr application - One of the applications that the relay's owner listed. Absent: the first.
 * @attr user-id - A label for the visitor, unverified. Another one starts a new session.
 * @attr mode - `bubble` (default), `inline` or `fullscreen`.
 * @attr open - Whether the panel is open.
 * @attr position - Corner of the launcher: `bottom-right` (default), `bottom-left`, `top-right`, `top-left`.
 * @attr theme - `auto` (default), `light` or `dark`.
 * @attr accent-color - Any CSS colour. Text on it and in it is kept readable.
 * @attr heading - The panel's title.
 * @attr placeholder - What the empty composer says.
 * @attr launcher-label - Words beside the launcher's icon.
 * @attr privacy-url - Address of a privacy statement, linked below the composer.
 * @attr lang - Language of the widget's own words. Absent: that of the page, else of the browser.
 * @attr persist - How long the page remembers its session: `tab` (default), `device` or `none`.
 * @attr suggestions - Questions to begin with: parted by `|` or line breaks.
 * @attr tool-calls - `none`, `names` (default) or `full`: how much of what the relay sends about tool calls is shown.
 * @attr image-hosts - Hosts whose images an answer may show, parted by spaces or commas. All other images are links.
 * @attr speak - When a screen reader is told of an answer: `final` (default), `sentences` or `off`.
 *
 * @fires parley-open - The panel was opened.
 * @fires parley-close - The panel was closed.
 * @fires parley-send - A message was sent.
 * @fires parley-answer - An answer has ended.
 * @fires parley-error - Something failed.
 * @fires parley-session-start - A conversation has begun or was taken up again.
 * @fires parley-session-end - The conversation has ended.
 * @fires parley-feedback - The visitor judged an answer.
 *
 * @slot launcher - In place of the launcher's icon.
 * @slot header - In place of the heading.
 * @slot empty - Above the suggestions, until the first question is asked.
 * @slot footer - Below the composer.
 */
export class ParleyChat extends LitElement {
  static override styles = parleyChatStyles;
  static override properties = {
    relay: {},
    application: {},
    userId: { attribute: 'user-id' },
    mode: { reflect: true },
    isOpen: { type: Boolean, attribute: 'open', reflect: true },
    position: {},
    theme: {},
    accentColor: { attribute: 'accent-color' },
    heading: {},
    placeholder: {},
    launcherLabel: { attribute: 'launcher-label' },
    privacyUrl: { attribute: 'privacy-url' },
    lang: { reflect: true },
    persist: {},
    suggestions: { converter: listConverter(/[|\n]/) },
    toolCalls: { attribute: 'tool-calls' },
    imageHosts: { attribute: 'image-hosts', converter: listConverter(/[\s,]+/) },
    speak: {},
    authorization: { attribute: false },
    labels: { attribute: false },
  };
  /** The relay of elements that name none; the classic script sets it to its own place. */
  static defaultRelay = '';

  declare relay: string | undefined;
  declare application: string | undefined;
  declare userId: string | undefined;
  declare mode: Mode;
  /** The attribute `open`; a property of that name would hide the method. */
  declare isOpen: boolean;
  declare position: Position;
  declare theme: Theme;
  declare accentColor: string | undefined;
  declare heading: string | undefined;
  declare placeholder: string | undefined;
  declare launcherLabel: string | undefined;
  declare privacyUrl: string | undefined;
  declare persist: Persist;
  declare suggestions: readonly string[];
  declare toolCalls: ToolCallDetail;
  declare imageHosts: readonly string[];
  declare speak: Speak;
  /**
   * A logged-in visitor's credential, or a function that gets it. It is asked again after the relay refused one. The agent acts
   * with it; it is never stored.
   */
  declare authorization: Authorization | undefined;
  /** Words of the owner's own, in place of the widget's. */
  declare labels: Partial<Labels> | undefined;

  /** The state that was last drawn and told of. */
  #drawn: Conversation = NO_CONVERSATION;
  #context: ViewContext | undefined;
  #loaded: { readonly language: string; readonly labels: Labels } | undefined;
  #loading = '';
  readonly #loadMarkdown = loadOnce(() => loadMarkdown(this.#relay()));
  readonly #loadVerification = loadOnce(() => loadVerification(this.#relay()));
  /** True from the first opening on. */
  #isStarted = false;
  #isToldOpen = false;
  #hadInputFocus = false;
  #tag = '';
  #words: Labels = ENGLISH;
  #announcedStatus = '';
  #isMenuOpen = false;
  #isConfirming = false;
  /** The question is to be opened with the next drawing; drawings after that leave it as it is. */
  #isDialogDue = false;
  #unread = 0;
  #opener: Element | null = null;
  #clock: ReturnType<typeof setTimeout> | undefined;
  #scroll: ScrollKeeper | undefined;
  #inView: IntersectionObserver | undefined;
  /** Aborted when the element leaves the page; what it listens to there ends with it. */
  #presence = new AbortController();
  readonly #conversation = new ConversationController({
    addController: (controller) => this.addController(controller),
    requestUpdate: () => this.#onConversation(),
  });
  readonly #transcript = new TranscriptView();
  readonly #announcer = new Announcer();
  #verification: VerificationDialog | undefined;
  readonly #composer = new Composer({
    send: (text) => this.send(text),
    stop: () => this.stop(),
    changed: () => this.requestUpdate(),
  });

  constructor() {
    super();
    this.mode = 'bubble';
    this.isOpen = false;
    this.position = 'bottom-right';
    this.theme = 'auto';
    this.persist = 'tab';
    this.suggestions = [];
    this.toolCalls = 'names';
    this.imageHosts = [];
    this.speak = 'final';
  }

  /** Opens the panel and puts the focus into it. The first time it starts a session. */
  open(): void {
    this.#open(deepActiveElement());
  }

  /** Closes the panel; the conversation and a running answer go on. Not possible where the panel is a part of the page. */
  close(): void {
    if (!this.isOpen || this.#layout() === 'inline') return;
    const hadFocus = this.shadowRoot?.activeElement != null || document.activeElement === document.body;
    this.isOpen = false;
    if (hadFocus) void this.updateComplete.then(() => this.#returnFocus());
  }

  /**
   * Sends a message, opened or not, and starts a session if there is none. False: it was not sent, because it is blank or too
   * long, an answer is being written, the relay asked to wait, or the conversation has ended.
   */
  send(text: string): boolean {
    if (text.length > MAX_MESSAGE_LENGTH) return false;
    this.#start();
    const isSent = this.#conversation.send(text);
    if (isSent) this.#scroll?.toEnd();
    return isSent;
  }

  /** Stops the running answer, at the relay and at the host. What tools already did stands. */
  stop(): void {
    this.#conversation.stop();
  }

  /** Ends this conversation everywhere and starts a new one. */
  reset(): void {
    this.#conversation.reset();
    if (this.#isStarted) this.#conversation.start();
  }

  /** Puts the focus into the composer, or on the launcher while the panel is closed. */
  override focus(options?: FocusOptions): void {
    (this.#isPanelShown() ? this.#composer.input : this.#find('.launcher'))?.focus(options);
  }

  override connectedCallback(): void {
    super.connectedCallback();
    this.#presence = new AbortController();
    const { signal } = this.#presence;
    const update = () => this.requestUpdate();
    matchMedia(SMALL_WINDOW).addEventListener('change', update, { signal });
    visualViewport?.addEventListener('resize', update, { signal });
    visualViewport?.addEventListener('scroll', update, { signal });
    document.addEventListener('click', (event) => this.#onPageClick(event), { signal });
    this.#scroll?.connect();
    update();
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.#verification?.disconnect();
    this.#presence.abort();
    this.#scroll?.disconnect();
    this.#inView?.disconnect();
    clearTimeout(this.#clock);
  }

  protected override willUpdate(changed: PropertyValues<this>): void {
    this.#configure();
    if (changed.has('isOpen') && this.isOpen) {
      this.#unread = 0;
      this.#start();
    }
    this.#updateContext(changed);
    this.#hadInputFocus = this.shadowRoot?.activeElement === this.#composer.input;
  }

  protected override render(): TemplateResult {
    const layout = this.#layout();
    const { labels, language } = this.#context as ViewContext;
    const isShown = this.#isPanelShown();
    const position = `${this.position}`;
    const { verification } = this.#conversation.conversation;
    const corner = `${position.startsWith('top') ? 'at-top' : ''} ${position.endsWith('left') ? 'at-left' : ''}`;
    return html`<div
      class="root ${layout} ${this.theme} ${corner} ${isShown ? 'open' : ''}"
      dir=${directionOf(this.#tag)}
      lang=${this.#isStarted ? language : this.#tag}
      @keydown=${this.#onKey}
      @keyup=${stopPropagation}
      @keypress=${stopPropagation}
    >
      ${
        layout === 'inline'
          ? nothing
          : launcherView(
              {
                isOpen: isShown,
                unread: this.#unread,
                label: this.launcherLabel ?? '',
                onClick: () => this.#toggle(),
              },
              labels,
            )
      }
      ${this.#isStarted && !this.#isWaitingForLabels() ? this.#panelView(layout, isShown) : nothing}
      ${
        this.#isConfirming
          ? confirmNewView(
              labels,
              () => this.#startNew(),
              () => this.#onDialogClosed(),
            )
          : nothing
      }
      ${isShown ? this.#verification?.view(verification, this.#verificationContext()) : nothing}
      ${this.#announcer.element}
    </div>`;
  }

  protected override updated(): void {
    const { style } = this.#find('.root') as HTMLElement;
    // Not in the template: a page that forbids inline styles forbids style attributes too.
    style.setProperty('--_accent-attribute', this.accentColor || null);
    // iOS lays the keyboard over the page; a page that the reader has zoomed in is not a page with a keyboard.
    if (visualViewport && visualViewport.scale < 1.01) {
      style.setProperty('--_view-top', `${visualViewport.offsetTop}px`);
      style.setProperty('--_view-height', `${visualViewport.height}px`);
    }
    this.#keepPlace();
    if (this.#isToldOpen !== this.isOpen) {
      this.#isToldOpen = this.isOpen;
      this.dispatchEvent(this.isOpen ? new ParleyOpenEvent() : new ParleyCloseEvent());
    }
    // The composer was switched off under the visitor's hands: the way on is in the status line.
    if (this.#hadInputFocus && this.#composer.input.disabled) {
      this.#find('.status button')?.focus();
    }
    if (this.#isDialogDue) this.#showDialog();
    const { verification } = this.#conversation.conversation;
    if (verification && !this.#verification) this.#startVerification();
    const hasLeft = this.#verification?.updated(this.renderRoot, verification, () => this.requestUpdate());
    if (hasLeft) this.focus();
    this.#setClock();
    this.#watchView();
  }

  #panelView(layout: 'bubble' | 'inline' | 'cover', isShown: boolean): TemplateResult {
    const { labels, language } = this.#context as ViewContext;
    const conversation = this.#conversation.conversation;
    const heading = this.heading || labels.heading;
    const hasQuestion = conversation.entries.some((entry) => entry.type === 'question');
    const status = statusOf(conversation, Date.now(), {
      labels,
      language,
      actions: {
        onTryAgain: () => this.#conversation.start(),
        onResume: () => this.#conversation.resume(),
        onStartNew: () => this.#startNew(),
      },
    });
    this.#announceStatus(status);
    return html`<section
      class="panel"
      part="panel"
      role=${layout === 'inline' ? 'region' : 'dialog'}
      aria-modal=${layout === 'cover' ? 'true' : nothing}
      aria-label=${heading}
      tabindex="-1"
      ?hidden=${!isShown}
      @focusout=${this.#onPanelFocusOut}
    >
      ${headerView(
        {
          heading,
          domain: conversation.domain,
          isMenuOpen: this.#isMenuOpen,
          isClosable: layout !== 'inline',
          hasTranscript: hasQuestion,
          onMenu: () => this.#toggleMenu(),
          onNewConversation: () => this.#askForNew(),
          onDownload: (format) => this.#download(format),
          onClose: () => this.close(),
        },
        labels,
      )}
      <div class="frame">
        <div class="transcript" part="transcript" role="log" aria-live="off" aria-label=${labels.transcript} tabindex="0">
          <div class="content">
            ${this.#transcript.element}
            ${
              hasQuestion
                ? nothing
                : html`<slot name="empty"></slot>${startersView(this.suggestions, labels, (text) => this.#sendStarter(text))}`
            }
          </div>
        </div>
        ${
          this.#scroll?.isAway
            ? iconButton({
                icon: ICONS.newest,
                label: labels.newest,
                part: 'newest-button',
                look: 'newest',
                onClick: () => this.#toNewest(),
              })
            : nothing
        }
      </div>
      ${statusView(status)} ${this.#verification?.reminderView(conversation.verification, this.#verificationContext())}
      ${this.#composer.view({
        labels,
        placeholder: this.placeholder ?? '',
        maxLength: MAX_MESSAGE_LENGTH,
        isTurnRunning: isTurnRunning(conversation),
        isSendingBlocked: isSendingBlocked(conversation),
        isOff: conversation.session.type === 'ended',
      })}
      <footer class="footer" part="footer">
        ${contextMeterView(conversation.context, labels, language)}${this.#privacyView(labels)}<slot name="footer"></slot>
      </footer>
    </section>`;
  }

  /** Once for each thing that happens; a countdown is not read second by second. */
  #announceStatus(status: Status | undefined): void {
    const { session, line } = this.#conversation.conversation;
    const news = status && status.tone !== 'quiet' ? `${session.type} ${line}` : '';
    if (news && news !== this.#announcedStatus) this.#announcer.say(status?.text ?? '');
    this.#announcedStatus = news;
  }

  #privacyView(labels: Labels): TemplateResult | typeof nothing {
    if (!this.privacyUrl || !isWebAddress(this.privacyUrl)) return nothing;
    return html`<a part="privacy-link" href=${this.privacyUrl} target="_blank" rel="noopener">${labels.privacy}</a>`;
  }

  /** While text streams in, only the transcript changes; the rest is drawn again when something outside it does. */
  #onConversation(): void {
    const { conversation } = this.#conversation;
    const before = this.#drawn;
    this.#drawn = conversation;
    if (this.#context) this.#transcript.update(conversation.entries, this.#context);
    const last = conversation.entries.at(-1);
    if (last?.type === 'answer') this.#announcer.hear(last, this.speak, this.#labels());
    for (const event of eventsBetween(before, conversation)) {
      if (event instanceof ParleyAnswerEvent && !this.#isPanelShown()) this.#unread += 1;
      this.dispatchEvent(event);
    }
    if (!isAllTheSame(shellOf(before), shellOf(conversation))) this.requestUpdate();
  }

  #layout(): 'bubble' | 'inline' | 'cover' {
    if (this.mode === 'inline') return 'inline';
    return this.mode === 'fullscreen' || matchMedia(SMALL_WINDOW).matches ? 'cover' : 'bubble';
  }

  #isPanelShown(): boolean {
    return this.isOpen || this.mode === 'inline';
  }

  #updateContext(changed: PropertyValues<this>): void {
    const tag = languageOf(this);
    const base = baseLanguage(tag);
    if (this.#isStarted && base !== 'en') void this.#loadLabels(base);
    const words = this.#loaded?.language === base ? this.#loaded.labels : ENGLISH;
    const isSame = this.#context && this.#tag === tag && this.#words === words;
    if (isSame && !['labels', 'toolCalls', 'imageHosts'].some((name) => changed.has(name as keyof ParleyChat))) return;
    this.#tag = tag;
    this.#words = words;
    this.#context = {
      labels: { ...words, ...(words === ENGLISH && launcherLabel(base)), ...this.labels },
      // Times and numbers in the language of the words around them.
      language: words === ENGLISH && !this.labels ? 'en' : tag,
      toolCalls: this.toolCalls,
      imageHosts: this.imageHosts,
      markdown: this.#loadMarkdown,
      actions: this.#conversation,
      announce: (text) => this.#announcer.say(text),
      onFeedback: (answerId, value) => this.#onFeedback(answerId, value),
    };
    this.#transcript.update(this.#drawn.entries, this.#context);
  }

  #isWaitingForLabels(): boolean {
    return this.#loading !== '' && this.#loaded?.language !== this.#loading;
  }

  /** The panel waits for its language, so that it does not change its words while it is being read. */
  async #loadLabels(language: string): Promise<void> {
    if (this.#loading === language) return;
    this.#loading = language;
    const labels = await loadLabels(this.#relay(), language);
    if (this.#loading !== language) return;
    this.#loaded = { language, labels: labels ?? ENGLISH };
    this.requestUpdate();
  }

  #configure(): void {
    this.#conversation.configure({
      relay: this.#relay(),
      application: this.application,
      userId: this.userId,
      authorization: this.authorization,
      persist: this.persist === 'device' || this.persist === 'none' ? this.persist : 'tab',
    });
  }

  #relay(): string {
    return (this.relay || ParleyChat.defaultRelay || location.origin).replace(/\/+$/, '');
  }

  #labels(): Labels {
    return this.#context?.labels ?? ENGLISH;
  }

  #start(): void {
    if (this.#isStarted) return;
    this.#isStarted = true;
    // A script may send before the element was drawn for the first time.
    this.#configure();
    this.#conversation.start();
    // Beside the session's start; whoever shows a text also sees a failure.
    this.#loadMarkdown().catch(() => undefined);
    this.requestUpdate();
  }

  #startVerification(): void {
    this.#loadVerification().then(
      ({ VerificationDialog }) => {
        this.#verification ??= new VerificationDialog();
        this.requestUpdate();
      },
      // The next drawing tries again.
      () => undefined,
    );
  }

  #open(opener: Element | null): void {
    if (this.#layout() === 'inline' || this.isOpen) {
      this.focus();
      return;
    }
    this.#opener = opener;
    this.isOpen = true;
    void this.updateComplete.then(() => this.#focusPanel());
  }

  #toggle(): void {
    if (this.isOpen) this.close();
    else this.#open(this.#find('.launcher'));
  }

  /** A field that gets the focus opens a phone's keyboard over half of the panel; there the visitor sees the panel first. */
  #focusPanel(): void {
    const target = matchMedia('(pointer: coarse)').matches ? this.#find('.panel') : this.#composer.input;
    target?.focus({ preventScroll: true });
  }

  #returnFocus(): void {
    const launcher = this.#find('.launcher');
    const opener = this.#opener instanceof HTMLElement && this.#opener.isConnected ? this.#opener : launcher;
    opener?.focus({ preventScroll: true });
    if (deepActiveElement() !== opener) launcher?.focus({ preventScroll: true });
  }

  readonly #onKey = (event: KeyboardEvent): void => {
    // A page's shortcuts see the element as the target, and not that the visitor is typing.
    event.stopPropagation();
    // The dialog takes the key for itself.
    if (event.key !== 'Escape' || event.isComposing || this.#isConfirming || this.#verification?.isOpen) return;
    if (this.#isMenuOpen) this.#toggleMenu(true);
    else this.close();
  };

  /**
   * A panel that covers the page keeps the focus. Nothing outside is made inert: the page's own elements are not ours to change;
   * and the browser's own controls can still be reached.
   */
  readonly #onPanelFocusOut = ({ relatedTarget }: FocusEvent): void => {
    const isLeaving =
      relatedTarget instanceof Node && !this.contains(relatedTarget) && !this.shadowRoot?.contains(relatedTarget);
    if (isLeaving && this.isOpen && this.#layout() === 'cover') this.#find('.panel')?.focus();
  };

  #onPageClick(event: Event): void {
    const path = event.composedPath();
    if (this.#isMenuOpen && !path.some((at) => at instanceof Element && at.matches('.menu'))) this.#toggleMenu();
    const opener = path.find(
      (at): at is HTMLElement => at instanceof HTMLElement && at.hasAttribute('data-parley-open'),
    );
    if (!opener) return;
    const id = opener.getAttribute('data-parley-open');
    const isMeant = id ? this.id === id : document.querySelector(this.localName) === this;
    if (!isMeant) return;
    event.preventDefault();
    this.#composer.offer(opener.dataset.parleyDraft ?? '');
    this.#open(opener);
  }

  #toggleMenu(isByKey = false): void {
    this.#isMenuOpen = !this.#isMenuOpen;
    this.requestUpdate();
    if (isByKey) this.#find('.menu-button')?.focus();
  }

  #askForNew(): void {
    this.#isMenuOpen = false;
    this.#isConfirming = this.#isDialogDue = true;
    this.requestUpdate();
  }

  #showDialog(): void {
    this.#isDialogDue = false;
    const dialog = this.#find('dialog.confirm') as HTMLDialogElement;
    if (!dialog.open) dialog.showModal();
  }

  /** The browser tells it some time after the closing; by then the dialog may be open again. */
  #onDialogClosed(): void {
    if ((this.#find('dialog.confirm') as HTMLDialogElement).open) return;
    this.#isConfirming = false;
    this.requestUpdate();
    this.focus();
  }

  #startNew(): void {
    this.reset();
    this.#scroll?.toEnd();
    this.focus();
  }

  #sendStarter(text: string): void {
    if (this.send(text)) this.#composer.input.focus();
  }

  #toNewest(): void {
    this.#scroll?.toEnd();
    this.#composer.input.focus({ preventScroll: true });
  }

  #download(format: TranscriptFormat): void {
    this.#toggleMenu(true);
    download(transcriptFile(this.#conversation.conversation, format, (this.#context as ViewContext).labels));
  }

  #onFeedback(answerId: string, value: 'good' | 'bad' | 'none'): void {
    const answer = this.#drawn.entries.find((entry) => entry.type === 'answer' && entry.id === answerId);
    if (answer?.type !== 'answer') return;
    this.dispatchEvent(new ParleyFeedbackEvent({ answerId, messageId: answer.questionId, value }));
  }

  #find(selector: string): HTMLElement | null {
    return this.renderRoot.querySelector<HTMLElement>(selector);
  }

  /** The panel is made once; from then on its scroller is watched. */
  #keepPlace(): void {
    const scroller = this.#find('.transcript');
    if (this.#scroll || !scroller) return;
    this.#scroll = new ScrollKeeper(scroller, scroller.firstElementChild as HTMLElement, () => this.requestUpdate());
    this.#scroll.connect();
  }

  /** A panel that is a part of the page counts as opened when it comes into view. */
  #watchView(): void {
    if (this.mode !== 'inline' || this.#isStarted || !this.isConnected) return;
    this.#inView ??= new IntersectionObserver((entries) => {
      if (!entries.some((entry) => entry.isIntersecting)) return;
      this.#inView?.disconnect();
      this.#start();
    });
    this.#inView.observe(this);
  }

  #verificationContext(): VerificationContext {
    const { labels, language } = this.#context as ViewContext;
    return {
      ...{ labels, language, actions: this.#conversation },
      isTurnRunning: isTurnRunning(this.#conversation.conversation),
      changed: () => this.requestUpdate(),
    };
  }

  #setClock(): void {
    clearTimeout(this.#clock);
    const delayMs = this.isConnected ? statusChangesInMs(this.#conversation.conversation, Date.now()) : undefined;
    if (delayMs !== undefined) this.#clock = setTimeout(() => this.requestUpdate(), delayMs);
  }
}

function isSendingBlocked(conversation: Conversation): boolean {
  return (
    (conversation.busyUntilMs ?? 0) > Date.now() || conversation.line === 'offline' || conversation.line === 'lost'
  );
}

/** All of a conversation that is drawn outside the transcript. */
function shellOf(conversation: Conversation): readonly unknown[] {
  const { session, line, context, domain, busyUntilMs, verification, entries } = conversation;
  return [session, line, context, domain, busyUntilMs, verification, entries.length, isTurnRunning(conversation)];
}

function isAllTheSame(before: readonly unknown[], after: readonly unknown[]): boolean {
  return before.every((value, at) => value === after[at]);
}

function isWebAddress(address: string): boolean {
  try {
    return /^https?:$/.test(new URL(address, document.baseURI).protocol);
  } catch {
    return false;
  }
}

function stopPropagation(event: Event): void {
  event.stopPropagation();
}

declare global {
  interface HTMLElementTagNameMap {
    'parley-chat': ParleyChat;
  }
}
