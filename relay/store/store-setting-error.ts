/** A setting of the store or its secret cannot be used. `message` is one sentence for the operator; it repeats no secret. */
export class StoreSettingError extends Error {
  override readonly name = 'StoreSettingError';
  readonly setting: 'STORE' | 'PARLEY_SECRET';

  constructor(setting: 'STORE' | 'PARLEY_SECRET', message: string, options?: ErrorOptions) {
    super(`${setting}: ${message}`, options);
    this.setting = setting;
  }
}
