import { html, nothing, type TemplateResult } from 'lit';
import type { PendingVerification, VerificationStatus } from '../conversation.ts';
import type { ConversationActions } from '../conversation-actions.ts';
import { fill, type Labels } from '../labels.ts';
import { type ArgumentText, argumentText, readableName } from './argument-texts.ts';
import { problemSentence } from './problem-sentence.ts';
import { durationText } from './time-texts.ts';

export interface VerificationContext {
  readonly labels: Labels;
  /** BCP 47, for `Intl`. */
  readonly language: string;
  readonly isTurnRunning: boolean;
  readonly actions: Pick<ConversationActions, 'verify' | 'approve' | 'decline' | 'continueTransaction'>;
  /** Draws the element again. */
  readonly changed: () => void;
}

const SECOND_MS = 1_000;

/**
 * Asks the visitor to release one transaction. In the browser's top layer, where nothing of the page can lie over it; made from
 * the arguments that will be used, never from the agent's words. Escape puts it away and decides nothing.
 */
export class VerificationDialog {
  /** The transaction that the visitor has put away, with what was told of it then. */
  #putAway = '';
  #clock: ReturnType<typeof setTimeout> | undefined;
  #isOpen = false;

  get isOpen(): boolean {
    return this.#isOpen;
  }

  /** Nothing while there is nothing to ask or to tell; one line while the dialog is put away. */
  view(verification: PendingVerification | undefined, context: VerificationContext): TemplateResult | typeof nothing {
    if (!verification) return nothing;
    const status = statusAt(verification, Date.now());
    if (this.#putAway === keyOf(verification, status)) return nothing;
    return html`<dialog
      class="verify"
      part="verification"
      aria-labelledby="verify-heading"
      aria-describedby="verify-text"
      @close=${() => this.#onClose(verification, context)}
      @keydown=${stopPropagation}
      @keyup=${stopPropagation}
      @keypress=${stopPropagation}
    >
      ${status === 'asked' ? askingView(verification, context) : this.#toldView(verification, status, context)}
    </dialog>`;
  }

  /** The way back to a dialog that was put away. */
  reminderView(
    verification: PendingVerification | undefined,
    context: VerificationContext,
  ): TemplateResult | typeof nothing {
    if (!verification) return nothing;
    const status = statusAt(verification, Date.now());
    const isOpenQuestion = status === 'asked' || (status === 'released' && !context.isTurnRunning);
    if (!isOpenQuestion || this.#putAway !== keyOf(verification, status)) return nothing;
    const show = () => {
      this.#putAway = '';
      context.changed();
    };
    return html`<div class="status" part="verification-reminder">
      <div>${context.labels.verifyPending}</div>
      <button class="plain" part="verification-show-button" @click=${show}>${context.labels.verifyShow}</button>
    </div>`;
  }

  /**
   * After each drawing: opens the dialog that has appeared, keeps the focus in it, and draws again while its time runs. True: it
   * has gone, and the focus with it.
   */
  updated(root: ParentNode, verification: PendingVerification | undefined, changed: () => void): boolean {
    const dialog = root.querySelector<HTMLDialogElement>('dialog.verify');
    const hasLeft = this.#isOpen && !dialog;
    this.#isOpen = dialog !== null;
    const isNew = dialog !== null && !dialog.open;
    if (isNew) dialog.showModal();
    // What had the focus may have been drawn away.
    if (dialog && (isNew || !dialog.matches(':focus-within'))) firstWanted(dialog)?.focus();
    clearTimeout(this.#clock);
    const isCounting = dialog && verification && statusAt(verification, Date.now()) === 'asked';
    if (isCounting) this.#clock = setTimeout(changed, SECOND_MS);
    return hasLeft;
  }

  disconnect(): void {
    clearTimeout(this.#clock);
  }

  #toldView(
    verification: PendingVerification,
    status: Exclude<VerificationStatus, 'asked'>,
    { labels, isTurnRunning, actions }: VerificationContext,
  ): TemplateResult {
    const isWaiting = status === 'released' && !isTurnRunning;
    const goOn = (event: Event) => {
      if (actions.continueTransaction(verification.transactionId)) close(event);
    };
    return html`<h2 id="verify-heading">${headingOf(verification, labels)}</h2>
      <p id="verify-text" role="status">${toldText(status, isTurnRunning, labels)}</p>
      ${verification.needs ? nothing : detailsView(verification, labels, undefined)}
      <div class="choices">
        ${isWaiting ? declineButton(verification, labels, actions) : nothing}
        ${
          isWaiting
            ? html`<button class="plain strong" part="continue-button" @click=${goOn}>${labels.verifyContinue}</button>`
            : html`<button class="plain" part="close-button" @click=${close}>${labels.verifyClose}</button>`
        }
      </div>`;
  }

  #onClose(verification: PendingVerification, { changed }: VerificationContext): void {
    this.#putAway = keyOf(verification, statusAt(verification, Date.now()));
    changed();
  }
}

function askingView(verification: PendingVerification, context: VerificationContext): TemplateResult {
  return verification.needs === 'consent' ? consentView(verification, context) : codeView(verification, context);
}

function codeView(
  verification: PendingVerification,
  { labels, language, actions }: VerificationContext,
): TemplateResult {
  const { transactionId, problem, attemptsLeft, expiresAtMs } = verification;
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    const input = (event.currentTarget as HTMLFormElement).querySelector('input') as HTMLInputElement;
    const code = input.value.trim();
    if (code === '') return;
    // What was typed is wrong as soon as the relay says so; a right one is not needed any more.
    input.value = '';
    input.focus();
    actions.verify(transactionId, code);
  };
  const time = durationText(expiresAtMs - Date.now(), language);
  return html`<h2 id="verify-heading">${labels.verifyHeading}</h2>
    <p id="verify-text">${labels.verifyText}</p>
    ${detailsView(verification, labels, language)}
    <form @submit=${submit}>
      <label for="verify-code">${labels.verifyCode}</label>
      <input
        id="verify-code"
        part="code-input"
        name="code"
        type="text"
        inputmode="numeric"
        autocomplete="one-time-code"
        autocapitalize="off"
        spellcheck="false"
        maxlength="24"
        dir="ltr"
        aria-describedby="verify-problem verify-left"
        aria-invalid=${problem ? 'true' : 'false'}
      />
      <div id="verify-problem" class="problem-text" role="alert">${problem ? problemSentence(problem, labels) : nothing}</div>
      <small id="verify-left"
        >${fill(labels.verifyAttempts, { count: new Intl.NumberFormat(language).format(attemptsLeft) })}
        ${fill(labels.verifyTimeLeft, { time })}</small
      >
      <div class="choices">
        ${declineButton(verification, labels, actions)}
        <button type="submit" class="plain strong" part="confirm-button">${labels.verifyConfirm}</button>
      </div>
    </form>`;
}

function consentView(verification: PendingVerification, { labels, actions }: VerificationContext): TemplateResult {
  const { transactionId, domain } = verification;
  return html`<h2 id="verify-heading">${labels.consentHeading}</h2>
    <p id="verify-text">${fill(labels.consentText, { domain: readableName(domain) })}</p>
    <div class="choices">
      ${declineButton(verification, labels, actions)}
      <button class="plain strong" part="confirm-button" @click=${() => actions.approve(transactionId)}>
        ${labels.consentYes}
      </button>
    </div>`;
}

function declineButton(
  { transactionId }: PendingVerification,
  labels: Labels,
  actions: VerificationContext['actions'],
): TemplateResult {
  return html`<button type="button" class="plain" part="decline-button" @click=${() => actions.decline(transactionId)}>
    ${labels.verifyDecline}
  </button>`;
}

/** What will happen. `language` undefined: it was shown already, and only its name stands here. */
function detailsView(
  { tool, domain, arguments: args }: PendingVerification,
  labels: Labels,
  language: string | undefined,
): TemplateResult {
  const action = readableName(tool.startsWith(`${domain}_`) ? tool.slice(domain.length + 1) : tool);
  const details = language === undefined ? undefined : argumentText(args, { yes: labels.yes, no: labels.no, language });
  return html`<dl part="verification-details">
    <div>
      <dt>${labels.verifyAction}</dt>
      <dd><bdi>${action}</bdi> · <bdi>${readableName(domain)}</bdi></dd>
    </div>
    ${details?.type === 'members' ? membersView(details) : nothing}
  </dl>`;
}

function membersView({ members }: Extract<ArgumentText, { type: 'members' }>): TemplateResult[] {
  return members.map(
    ({ name, value }) =>
      html`<div>
        <dt><bdi>${name}</bdi></dt>
        <dd>${value.type === 'text' ? html`<bdi>${value.text}</bdi>` : html`<dl>${membersView(value)}</dl>`}</dd>
      </div>`,
  );
}

function toldText(status: Exclude<VerificationStatus, 'asked'>, isTurnRunning: boolean, labels: Labels): string {
  switch (status) {
    case 'released':
      return isTurnRunning ? labels.verifyGoingOn : labels.verifyReleased;
    case 'locked':
      return labels.verifyLocked;
    case 'expired':
      return labels.verifyExpired;
    case 'undelivered':
      return labels.verifyUndelivered;
  }
}

function headingOf({ needs }: PendingVerification, labels: Labels): string {
  return needs === 'consent' ? labels.consentHeading : labels.verifyHeading;
}

/** By this page's clock, so that nobody types into a question that is over. */
function statusAt({ status, expiresAtMs }: PendingVerification, nowMs: number): VerificationStatus {
  return status === 'asked' && expiresAtMs <= nowMs ? 'expired' : status;
}

function keyOf({ transactionId }: PendingVerification, status: VerificationStatus): string {
  return `${transactionId} ${status}`;
}

/** Where the visitor most likely goes on. */
function firstWanted(dialog: HTMLDialogElement): HTMLElement | null {
  return (
    dialog.querySelector<HTMLElement>('input') ?? dialog.querySelector('.strong') ?? dialog.querySelector('button')
  );
}

function close(event: Event): void {
  (event.currentTarget as Element).closest('dialog')?.close();
}

function stopPropagation(event: Event): void {
  event.stopPropagation();
}
