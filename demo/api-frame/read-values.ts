import { ApiProblem } from './api-problem.ts';

/** The body as an object with no other members than these. Throws `ApiProblem` `invalid_request`. */
export function readMembers(
  body: unknown,
  names: readonly string[],
  example: string,
): Readonly<Record<string, unknown>> {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    throw new ApiProblem('invalid_request', {
      detail: 'The body must be a JSON object.',
      field: 'body',
      expected: 'object (application/json)',
      received: describe(body),
      example,
    });
  }
  const unknown = Object.keys(body).find((name) => !names.includes(name));
  if (unknown === undefined) return body as Record<string, unknown>;
  throw new ApiProblem('invalid_request', {
    detail: 'The body has a member that is not known.',
    field: unknown.slice(0, 60),
    expected: `only ${names.slice(0, -1).join(', ')} and ${names.at(-1)}`,
    example,
  });
}

/** A text of this form; `expected` is the form in words. Throws `ApiProblem` `invalid_request`. */
export function readText(
  field: string,
  value: unknown,
  { form, expected, example }: { readonly form: RegExp; readonly expected: string; readonly example: string },
): string {
  if (typeof value === 'string' && form.test(value)) return value;
  const detail = `The member ${field} is not valid.`;
  throw new ApiProblem('invalid_request', { detail, field, expected, received: describe(value), example });
}

/** A whole number from 1 to `most`; `unit` is what it counts. Throws `ApiProblem` `invalid_request`. */
export function readCount(field: string, value: unknown, most: number, unit: string): number {
  if (typeof value === 'number' && Number.isInteger(value) && value >= 1 && value <= most) return value;
  throw new ApiProblem('invalid_request', {
    detail: `The member ${field} is not valid.`,
    field,
    expected: `integer from 1 to ${most}, in ${unit}`,
    received: describe(value),
    example: '2',
  });
}

/** One of these. Throws `ApiProblem` `invalid_request`. */
export function readOneOf<Choice extends string>(field: string, value: unknown, choices: readonly Choice[]): Choice {
  const found = choices.find((choice) => choice === value);
  if (found !== undefined) return found;
  throw new ApiProblem('invalid_request', {
    detail: `The member ${field} is not valid.`,
    field,
    expected: `one of ${choices.join(', ')}`,
    received: describe(value),
    example: choices[0],
  });
}

function describe(value: unknown): string {
  if (value === undefined) return 'nothing';
  return `${JSON.stringify(value)}`.slice(0, 60);
}
