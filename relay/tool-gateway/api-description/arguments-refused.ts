import type { ArgumentFault } from '../../tool-policy/tool-error.ts';

/** The arguments of a call cannot be sent as the description demands; nothing was sent. */
export class ArgumentsRefused extends Error {
  override readonly name = 'ArgumentsRefused';
  readonly faults: readonly [ArgumentFault, ...ArgumentFault[]];

  constructor(faults: readonly [ArgumentFault, ...ArgumentFault[]]) {
    super(
      faults.map(({ field, expected, received }) => `${field}: expected ${expected}, received ${received}`).join('; '),
    );
    this.faults = faults;
  }
}

/** What came, in a few words for a model; long text is cut. */
export function describeReceived(value: unknown): string {
  if (value === undefined) return 'nothing';
  const text = JSON.stringify(value) ?? typeof value;
  return text.length <= 80 ? text : `${text.slice(0, 77)}…`;
}
