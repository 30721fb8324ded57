import { createTransport, type Transporter } from 'nodemailer';
import type { CodeDelivery, CodeToDeliver } from './code-delivery.ts';

export interface SmtpOptions {
  readonly host: string;
  /** 465: TLS from the start; any other: STARTTLS where the server has it, and always before a password is sent. */
  readonly port: number;
  readonly user?: string | undefined;
  readonly password?: string | undefined;
  /** The sender's address. */
  readonly from: string;
  readonly subject?: string;
}

const SUBJECT = 'Your code';
const CONNECT_MS = 5_000;
/** What an address may be: one mailbox, nothing that a header or a list of receivers could be made of. */
const ONE_ADDRESS = /^[^\s,;:<>()[\]\\"@]{1,64}@[^\s,;:<>()[\]\\"@]{1,253}$/;

/** Sends the code by mail. */
export class SmtpDelivery implements CodeDelivery {
  readonly #transport: Transporter;
  readonly #options: SmtpOptions;

  constructor(options: SmtpOptions) {
    this.#options = options;
    this.#transport = createTransport({
      host: options.host,
      port: options.port,
      secure: options.port === 465,
      requireTLS: options.user !== undefined && options.port !== 465,
      ...(options.user !== undefined && { auth: { user: options.user, pass: options.password ?? '' } }),
      connectionTimeout: CONNECT_MS,
      greetingTimeout: CONNECT_MS,
      socketTimeout: CONNECT_MS * 2,
      disableFileAccess: true,
      disableUrlAccess: true,
    });
  }

  async deliver({ code, recipient, tool, expiresAtMs }: CodeToDeliver, signal: AbortSignal): Promise<void> {
    if (!ONE_ADDRESS.test(recipient.address)) throw new Error('the look-up gave no address that mail can be sent to');
    signal.throwIfAborted();
    const minutes = Math.max(1, Math.round((expiresAtMs - Date.now()) / 60_000));
    await this.#transport.sendMail({
      from: this.#options.from,
      to: { name: '', address: recipient.address },
      subject: this.#options.subject ?? SUBJECT,
      text:
        `${code}\n\nType this code into the chat window to let "${tool}" go ahead. It is valid for ${minutes} minutes. ` +
        'If you have not asked for it, do nothing. Nobody will ever ask you to write it into the conversation.\n',
    });
  }

  close(): void {
    this.#transport.close();
  }
}
