/**
 * Every rule of the three texts that Parley is built after, as data. A test says which rules it proves by ending its name
 * with their ids in brackets, `[S2.20]` or `[S2.20, S2.21]`; `requirements.test.ts` holds the two against each other.
 */
export interface Requirement {
  /** `S<text>.<number>`. Never given to another rule. */
  readonly id: string;
  /** The rule, in our own words. */
  readonly rule: string;
  /** The text and the section of it that states the rule. */
  readonly source: string;
  /** Present as long as nothing proves the rule; a test that cites a rule with this mark fails the suite. */
  readonly builtBy?: 'not built yet';
}

const METADATA = 'Metadata of a tool call';
const ENDPOINTS = 'Application endpoints';
const ROUTING = 'Tool routing and intent lock';

export const REQUIREMENTS: readonly Requirement[] = [
  {
    id: 'S1.1',
    rule: 'The session id in `_meta.sessionId` of a tool call reaches the API as the header `X-Session-Id`.',
    source: `${METADATA}: table of fields`,
  },
  {
    id: 'S1.2',
    rule: 'The key in `_meta.idempotencyKey` of a tool call reaches the API as the header `X-Idempotency-Key`.',
    source: `${METADATA}: table of fields`,
  },
  {
    id: 'S1.3',
    rule: 'Each of the two headers is sent where the API takes it, and only there.',
    source: `${METADATA}: introduction`,
  },
  {
    id: 'S1.4',
    rule: 'Every tool call that the agent makes in a chat carries both fields, with nothing to configure.',
    source: `${METADATA}: through the agent`,
  },
  {
    id: 'S1.5',
    rule: "The session id in a tool call of the agent is the agent host's own id of that conversation.",
    source: `${METADATA}: sessionId`,
  },
  {
    id: 'S1.6',
    rule: 'The idempotency key is a SHA-256 hash, written as 64 hexadecimal digits.',
    source: `${METADATA}: idempotencyKey`,
  },
  {
    id: 'S1.7',
    rule: 'The idempotency key is made of the session id, the message being answered, the name of the tool and its arguments.',
    source: `${METADATA}: idempotencyKey`,
  },
  {
    id: 'S1.8',
    rule: 'Arguments that are null or an empty string do not change the idempotency key.',
    source: `${METADATA}: idempotencyKey`,
  },
  {
    id: 'S1.9',
    rule: 'The order of the arguments does not change the idempotency key.',
    source: `${METADATA}: idempotencyKey`,
  },
  {
    id: 'S1.10',
    rule: 'The same tool with the same arguments gets the same key every time while one message is answered.',
    source: `${METADATA}: idempotencyKey`,
  },
  {
    id: 'S1.11',
    rule: 'Another tool, other arguments, another message or another conversation each give another key.',
    source: `${METADATA}: idempotencyKey`,
  },
  {
    id: 'S1.12',
    rule: 'A call whose key was seen before has no second effect: it is answered with the first result, or refused.',
    source: `${METADATA}: idempotencyKey, a key already seen`,
  },
  {
    id: 'S1.13',
    rule: 'A call with a new key is carried out like any other.',
    source: `${METADATA}: idempotencyKey, a new key`,
  },
  {
    id: 'S1.14',
    rule: 'A visitor who asks for the same again in a new message is not taken for a repetition.',
    source: `${METADATA}: idempotencyKey`,
  },
  {
    id: 'S1.15',
    rule: 'A client that calls the tool server directly can set either field, or both, in its own calls.',
    source: `${METADATA}: calling a generated server directly`,
  },
  {
    id: 'S1.16',
    rule: 'The `Authorization` or `X-Api-Key` header of a direct call goes to the API beside the two headers.',
    source: `${METADATA}: calling a generated server directly`,
  },
  {
    id: 'S1.17',
    rule: "A direct caller's key is taken as it is, however it was made.",
    source: `${METADATA}: calling a generated server directly`,
  },
  {
    id: 'S1.18',
    rule: 'No other field of `_meta` becomes a header.',
    source: `${METADATA}: calling a generated server directly`,
  },
  {
    id: 'S1.19',
    rule: 'A field that is absent sends no header, and a call without any `_meta` works.',
    source: `${METADATA}: calling a generated server directly`,
  },

  {
    id: 'S2.1',
    rule: 'A conversation starts with `POST <host>/stream/<application>/session`, answered by one JSON object.',
    source: `${ENDPOINTS}: session endpoint`,
  },
  {
    id: 'S2.2',
    rule: 'A message goes to `POST <host>/stream/<application>/chat`, answered by an event stream.',
    source: `${ENDPOINTS}: chat endpoint`,
  },
  {
    id: 'S2.3',
    rule: 'Every call carries `Authorization` or `X-Api-Key`.',
    source: `${ENDPOINTS}: authentication`,
  },
  {
    id: 'S2.4',
    rule: "A logged-in visitor's own credential goes to the host in `Authorization`, so that the agent acts for him.",
    source: `${ENDPOINTS}: authentication`,
  },
  {
    id: 'S2.5',
    rule: "The account's key goes in `X-Api-Key`, and only where no `Authorization` is given.",
    source: `${ENDPOINTS}: authentication`,
  },
  {
    id: 'S2.6',
    rule: 'Whichever of the two was sent, the tool server gets the credential as `Authorization: Bearer …` and not as `X-Api-Key`.',
    source: `${ENDPOINTS}: authentication, what the API receives`,
  },
  {
    id: 'S2.7',
    rule: 'The key never reaches a browser: a relay of the site owner stands between page and host and keeps it.',
    source: `${ENDPOINTS}: authentication`,
  },
  {
    id: 'S2.8',
    rule: 'The body that starts a session is `{"userId"}`.',
    source: `${ENDPOINTS}: session endpoint, body`,
  },
  {
    id: 'S2.9',
    rule: "The user id may be random or from the owner's system; it is a label and nobody looks it up.",
    source: `${ENDPOINTS}: session endpoint, body`,
  },
  {
    id: 'S2.10',
    rule: 'A started session is told by `sessionId`, `userId`, `sessionSecret`, `createdAt` and `initialMessage`.',
    source: `${ENDPOINTS}: session endpoint, answer`,
  },
  {
    id: 'S2.11',
    rule: 'Session id and session secret are kept for the whole conversation, for they cannot be fetched again.',
    source: `${ENDPOINTS}: session endpoint, answer`,
  },
  {
    id: 'S2.12',
    rule: 'The initial message is shown at once, without waiting for the agent.',
    source: `${ENDPOINTS}: session endpoint, answer`,
  },
  {
    id: 'S2.13',
    rule: 'Address, application and key come from `MCP_HOST_BASE_URL`, `APPLICATION_ID` and `TUIX_AI_AGENTS_API_KEY`.',
    source: `${ENDPOINTS}: session endpoint, example`,
  },
  {
    id: 'S2.14',
    rule: 'An answer with a status other than success is a failure, and so is a chat answer without a body.',
    source: `${ENDPOINTS}: the two examples`,
  },
  {
    id: 'S2.15',
    rule: 'The body of a message is `{"sessionId","message"}`.',
    source: `${ENDPOINTS}: chat endpoint, body`,
  },
  {
    id: 'S2.16',
    rule: 'Every message carries the session secret in `x-session-secret`.',
    source: `${ENDPOINTS}: chat endpoint, headers`,
  },
  {
    id: 'S2.17',
    rule: 'Each event of the answer has a type and a data payload: a `type:` line, a `data:` line, a blank line.',
    source: `${ENDPOINTS}: the answer stream`,
  },
  {
    id: 'S2.18',
    rule: '`thinking` says that the agent has taken up the message; it can come again after a tool call.',
    source: `${ENDPOINTS}: the answer stream`,
  },
  {
    id: 'S2.19',
    rule: '`tool-call` names the tool that the agent calls, in a JSON string that lists the calls.',
    source: `${ENDPOINTS}: the answer stream`,
  },
  {
    id: 'S2.20',
    rule: '`tool-result` says that the call with the same id has ended, and carries its result as a JSON string.',
    source: `${ENDPOINTS}: the answer stream`,
  },
  {
    id: 'S2.21',
    rule: '`chunk` is a piece of the answer and is drawn while the answer is being written.',
    source: `${ENDPOINTS}: the answer stream`,
  },
  {
    id: 'S2.22',
    rule: '`complete` brings the whole answer, the same that the chunks make up.',
    source: `${ENDPOINTS}: the answer stream`,
  },
  {
    id: 'S2.23',
    rule: '`complete` tells the tokens used, the most there can be and the percentage, to show how full the context is.',
    source: `${ENDPOINTS}: the answer stream`,
  },
  {
    id: 'S2.24',
    rule: '`error` says that something failed, for example an API behind the agent or a busy model.',
    source: `${ENDPOINTS}: the answer stream`,
  },
  {
    id: 'S2.25',
    rule: '`done` is the last event of every stream, whether the turn succeeded or not.',
    source: `${ENDPOINTS}: the answer stream`,
  },
  {
    id: 'S2.26',
    rule: 'A turn has ended when `done` has come, and not before: not with `complete`.',
    source: `${ENDPOINTS}: the answer stream`,
  },
  {
    id: 'S2.27',
    rule: 'A stream that ends without `done` is a failure and never a silent success.',
    source: `${ENDPOINTS}: the answer stream`,
  },
  {
    id: 'S2.28',
    rule: 'A piece off the wire can end anywhere: within a line, within a character.',
    source: `${ENDPOINTS}: chat endpoint, example`,
  },
  {
    id: 'S2.29',
    rule: 'The whole turn of the sample order can be read: its call, its result, its table and its context figures.',
    source: `${ENDPOINTS}: the answer stream, a typical turn`,
  },
  {
    id: 'S2.30',
    rule: 'A session is ended early with `DELETE <host>/stream/<application>/session/<session>`, with the same credential and no body.',
    source: `${ENDPOINTS}: ending a session early`,
  },
  {
    id: 'S2.31',
    rule: 'A session that was ended is answered by 204.',
    source: `${ENDPOINTS}: ending a session early`,
  },
  {
    id: 'S2.32',
    rule: 'A session and its history last one hour.',
    source: `${ENDPOINTS}: how long a session lasts`,
  },
  {
    id: 'S2.33',
    rule: 'A message to a session that has expired fails.',
    source: `${ENDPOINTS}: how long a session lasts`,
  },
  {
    id: 'S2.34',
    rule: 'After that a new session is started, and nothing of the old context goes into it.',
    source: `${ENDPOINTS}: how long a session lasts`,
  },

  {
    id: 'S3.1',
    rule: "A tool of another domain that looks alike is not run in place of the visitor's own.",
    source: `${ROUTING}: intent drift`,
  },
  {
    id: 'S3.2',
    rule: "A session's active domain is kept on the server, and every tool call is held against it.",
    source: `${ROUTING}: intent lock`,
  },
  {
    id: 'S3.3',
    rule: 'A call outside the active domain is refused with an error that says so and names the tool that switches.',
    source: `${ROUTING}: intent lock`,
  },
  {
    id: 'S3.4',
    rule: 'The domain changes by an explicit call of the switch tool, and in no other way.',
    source: `${ROUTING}: intent lock`,
  },
  {
    id: 'S3.5',
    rule: 'Every request and every answer carries its domain, and a request without one is not valid.',
    source: `${ROUTING}: domain in the schema`,
  },
  {
    id: 'S3.6',
    rule: 'A declared domain that contradicts the state of the session stops the call.',
    source: `${ROUTING}: domain in the schema`,
  },
  {
    id: 'S3.7',
    rule: 'Every tool name begins with its domain.',
    source: `${ROUTING}: names`,
  },
  {
    id: 'S3.8',
    rule: 'A description also says what the tool does not do.',
    source: `${ROUTING}: names`,
  },
  {
    id: 'S3.9',
    rule: 'Dates and times are ISO 8601; free text is refused.',
    source: `${ROUTING}: dates, times, units`,
  },
  {
    id: 'S3.10',
    rule: 'A time states its time zone.',
    source: `${ROUTING}: dates, times, units`,
  },
  {
    id: 'S3.11',
    rule: 'A number states its unit.',
    source: `${ROUTING}: dates, times, units`,
  },
  {
    id: 'S3.12',
    rule: 'A tool that starts a booking, a payment or a cancellation runs only after a verification by the visitor.',
    source: `${ROUTING}: transactions`,
  },
  {
    id: 'S3.13',
    rule: 'A verification holds for one transaction and not for a tool.',
    source: `${ROUTING}: transactions`,
  },
  {
    id: 'S3.14',
    rule: 'Nothing that the model writes authorises anything.',
    source: `${ROUTING}: transactions`,
  },
  {
    id: 'S3.15',
    rule: 'An error is structured: it names the field and the format that is expected.',
    source: `${ROUTING}: errors`,
  },
  {
    id: 'S3.16',
    rule: 'Limits and the rules for trying again are documented where the model reads them, and the error says how long to wait.',
    source: `${ROUTING}: errors`,
  },
  {
    id: 'S3.17',
    rule: 'Arguments are checked on the server; no rule is left to the client or to the model.',
    source: `${ROUTING}: domain in the schema, checklist`,
  },
  {
    id: 'S3.18',
    rule: 'A set of tools can be held against the whole checklist.',
    source: `${ROUTING}: checklist`,
  },
];
