/** Why a whole API description cannot be used. The message is for the owner and names file and line where there is one. */
export class ApiDescriptionError extends Error {
  override readonly name = 'ApiDescriptionError';
  readonly file: string;
  /** From 1. */
  readonly line: number | undefined;

  constructor(file: string, line: number | undefined, message: string) {
    super(`${file}${line === undefined ? '' : `:${line}`}: ${message}`);
    this.file = file;
    this.line = line;
  }
}
