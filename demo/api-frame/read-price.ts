import { ApiProblem } from './api-problem.ts';

/** The amount of `{amount, currency: 'CHF'}`. Throws `ApiProblem` `invalid_request`. */
export function readPrice(field: string, value: unknown): number {
  const { amount, currency } = (typeof value === 'object' && value !== null ? value : {}) as Record<string, unknown>;
  if (typeof amount === 'number' && amount >= 0 && currency === 'CHF') return amount;
  throw new ApiProblem('invalid_request', {
    detail: `The member ${field} is not valid.`,
    field,
    expected: 'an amount in CHF',
    received: value === undefined ? 'nothing' : `${JSON.stringify(value)}`.slice(0, 60),
    example: '{"amount":39,"currency":"CHF"}',
  });
}
