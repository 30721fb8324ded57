import { z } from 'zod';

/** Why a call had no success, in the words of whoever refused it. */
export interface Refusal {
  /** `gateway`: the API was not touched. `api`: it has answered so. */
  readonly by: 'gateway' | 'api';
  /** The gateway's code. */
  readonly code: string;
  /** A sentence for the visitor, of the API; the gateway writes for models and has none. */
  readonly detail: string | undefined;
  readonly field: string | undefined;
  readonly expected: string | undefined;
  readonly received: string | undefined;
  /** The domain that is active. */
  readonly domain: string | undefined;
}

const toolError = z.looseObject({
  code: z.string(),
  field: z.string().optional(),
  expected: z.string().optional(),
  received: z.string().optional(),
  domain: z.string().optional(),
  api: z.looseObject({ message: z.string().optional() }).optional(),
});
const apiProblem = z.looseObject({
  detail: z.string(),
  field: z.string().optional(),
  expected: z.string().optional(),
  received: z.string().optional(),
});

/** Reads the gateway's one shape of an error, and in it the problem that the API has told. */
export function readRefusal(body: unknown): Refusal {
  const { code, field, expected, received, domain, api } = toolError.parse(body);
  const problem = apiProblem.safeParse(jsonOf(api?.message)).data;
  if (problem === undefined) {
    return { by: api ? 'api' : 'gateway', code, detail: undefined, field, expected, received, domain };
  }
  const { detail } = problem;
  return {
    ...{ by: 'api', code, detail, domain },
    ...{ field: problem.field, expected: problem.expected, received: problem.received },
  };
}

function jsonOf(text: string | undefined): unknown {
  try {
    return text === undefined ? undefined : JSON.parse(text);
  } catch {
    return undefined;
  }
}
