/** How a one-time code gets to the visitor, past the agent and the page. */

/** Where a visitor's codes go, from the owner's look-up. */
export interface Recipient {
  /** An address of e-mail, a telephone number, or a name that the owner's own service knows. */
  readonly address: string;
  /** BCP 47; the language in which he is written to. */
  readonly language?: string;
}

export interface CodeToDeliver {
  readonly code: string;
  readonly recipient: Recipient;
  readonly transactionId: string;
  readonly tool: string;
  readonly domain: string;
  readonly arguments: Readonly<Record<string, unknown>>;
  readonly expiresAtMs: number;
}

export interface CodeDelivery {
  /** Resolves when the code is on its way; rejects when it is not, or with the signal's reason. */
  deliver(code: CodeToDeliver, signal: AbortSignal): Promise<void>;
  close(): void;
}

/** For the demo and for trying out: the code is written where the relay was started. It never goes into the log. */
export class ConsoleDelivery implements CodeDelivery {
  readonly #write: (line: string) => void;

  constructor(write: (line: string) => void = (line) => void process.stdout.write(line)) {
    this.#write = write;
  }

  async deliver({ code, tool, expiresAtMs }: CodeToDeliver): Promise<void> {
    const until = new Date(expiresAtMs).toISOString().slice(11, 19);
    this.#write(`\n  Verification code for ${tool}: ${code}  (until ${until} UTC)\n\n`);
  }

  close(): void {}
}
