import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import {
  type Answer,
  type Conversation,
  isTurnRunning,
  NO_CONVERSATION,
  runningAnswer,
} from '../../widget/conversation.ts';
import { problemOf } from '../../widget/problem.ts';
import { type ConversationAction, isGapBefore, type ReceivedEvent, reduce } from '../../widget/reduce.ts';
import { TIMESTAMP, TurnEvents } from '../support/turn-events.ts';

const NOW = Date.parse(TIMESTAMP);
const SNAPSHOT = {
  sessionId: 'session-1',
  userId: 'visitor-1',
  createdAt: TIMESTAMP,
  expiresAt: TIMESTAMP,
  initialMessage: 'Hello!',
  isHistoryGone: false,
};

function play(conversation: Conversation, ...actions: readonly ConversationAction[]): Conversation {
  return actions.reduce(reduce, conversation);
}

function receive(conversation: Conversation, ...events: readonly ReceivedEvent[]): Conversation {
  return reduce(conversation, { type: 'received', events });
}

function openConversation(): Conversation {
  const session = { ...SNAPSHOT, token: 'token-1' };
  return play(NO_CONVERSATION, { type: 'starting' }, { type: 'started', session, expiresAtMs: NOW + 3_600_000 });
}

function askedConversation(messageId = 'message-1'): Conversation {
  return play(openConversation(), { type: 'sent', messageId, text: 'Where is my order?', atMs: NOW });
}

function lastAnswer(conversation: Conversation): Answer {
  const answer = conversation.entries.findLast((entry) => entry.type === 'answer');
  assert.ok(answer, 'there is an answer');
  return answer;
}

suite('the state of a conversation', () => {
  test('a session that has started is open and begins with the initial message', () => {
    const conversation = openConversation();
    assert.deepEqual(conversation.entries, [{ type: 'greeting', id: 'greeting', text: 'Hello!' }]);
    assert.deepEqual(conversation.session, {
      type: 'open',
      sessionId: 'session-1',
      userId: 'visitor-1',
      expiresAtMs: NOW + 3_600_000,
    });
  });

  test('a message that was sent is shown at once with an answer that waits', () => {
    const conversation = askedConversation();
    assert.deepEqual(
      conversation.entries.map((entry) => entry.type),
      ['greeting', 'question', 'answer'],
    );
    assert.equal(lastAnswer(conversation).status, 'waiting');
    assert.equal(isTurnRunning(conversation), true);
  });

  test('done without an error is a complete answer', () => {
    const events = new TurnEvents();
    const conversation = receive(
      askedConversation(),
      events.question('message-1'),
      events.thinking(),
      events.chunk('On its '),
      events.chunk('way.'),
      events.complete('On its way.'),
      events.done(),
    );
    const answer = lastAnswer(conversation);
    assert.equal(answer.status, 'complete');
    assert.equal(answer.text, 'On its way.');
    assert.equal(answer.problem, undefined);
    assert.equal(answer.endedAtMs, NOW);
    assert.equal(isTurnRunning(conversation), false);
    assert.equal(conversation.entries.length, 3);
  });

  test('an error and then done is a failed answer whose text stays, also the text that came after the error', () => {
    const events = new TurnEvents();
    const conversation = receive(
      askedConversation(),
      events.question('message-1'),
      events.chunk('part '),
      events.error(),
      events.chunk('more'),
      events.done(),
    );
    const answer = lastAnswer(conversation);
    assert.equal(answer.status, 'failed');
    assert.equal(answer.text, 'part more');
    assert.deepEqual(answer.problem, {
      code: 'upstream_error',
      detail: 'It failed.',
      retryable: true,
      requestId: 'request-1',
    });
  });

  test('complete does not make a failed answer good', () => {
    const events = new TurnEvents();
    const conversation = receive(
      askedConversation(),
      events.question('message-1'),
      events.error(),
      events.complete('all'),
      events.done(),
    );
    assert.equal(lastAnswer(conversation).status, 'failed');
    assert.equal(lastAnswer(conversation).text, 'all');
  });

  test('an answer is not complete before done [S2.26]', () => {
    const events = new TurnEvents();
    const conversation = receive(askedConversation(), events.question('message-1'), events.complete('all'));
    assert.equal(lastAnswer(conversation).status, 'writing');
  });

  test('the whole answer replaces chunks that differ, and never stands beside them [S2.22]', () => {
    const events = new TurnEvents();
    const conversation = receive(
      askedConversation(),
      events.question('message-1'),
      events.chunk('wrong'),
      events.complete('right'),
      events.done(),
    );
    assert.equal(lastAnswer(conversation).text, 'right');
  });

  test('the whole answer alone gives the text', () => {
    const events = new TurnEvents();
    const conversation = receive(
      askedConversation(),
      events.question('message-1'),
      events.complete('only in complete'),
      events.done(),
    );
    assert.equal(lastAnswer(conversation).text, 'only in complete');
  });

  test('a whole answer without text leaves the chunks', () => {
    const events = new TurnEvents();
    const conversation = receive(
      askedConversation(),
      events.question('message-1'),
      events.chunk('said'),
      events.complete(''),
      events.done(),
    );
    assert.equal(lastAnswer(conversation).text, 'said');
  });

  test('what comes after done changes nothing', () => {
    const events = new TurnEvents();
    const ended = receive(askedConversation(), events.question('message-1'), events.chunk('all'), events.done());
    const conversation = receive(ended, events.chunk(' and more'), events.done(), events.error());
    assert.equal(lastAnswer(conversation), lastAnswer(ended));
  });

  test('an event that was seen before changes nothing at all', () => {
    const events = new TurnEvents();
    const [question, chunk] = [events.question('message-1'), events.chunk('once')];
    const conversation = receive(askedConversation(), question, chunk);
    assert.equal(receive(conversation, question, chunk, chunk), conversation);
  });

  test('a missing event is noticed, a repeated one is not', () => {
    const events = new TurnEvents();
    const seen = [events.question('message-1'), events.chunk('a')];
    const conversation = receive(askedConversation(), ...seen);
    const next = events.chunk('b');
    const afterNext = events.chunk('c');
    assert.equal(isGapBefore(conversation, [...seen, next, afterNext]), false);
    assert.equal(isGapBefore(conversation, [afterNext]), true);
    assert.equal(isGapBefore(conversation, [next, events.chunk('d')]), true);
  });

  test('an unknown event only counts', () => {
    const events = new TurnEvents();
    const conversation = receive(
      askedConversation(),
      events.question('message-1'),
      { type: 'unknown', turn: 1, sequence: 2 },
      { ...events.chunk('text'), sequence: 3 },
    );
    assert.equal(lastAnswer(conversation).text, 'text');
    assert.deepEqual(conversation.position, { turn: 1, sequence: 3 });
  });

  test('events that the relay could not number go to the running answer, in the order in which they come', () => {
    const events = new TurnEvents();
    const numbered = receive(askedConversation(), events.question('message-1'), events.chunk('stored, '));
    const conversation = receive(
      numbered,
      { ...events.chunk('not '), turn: 0, sequence: 0 },
      { ...events.chunk('stored'), turn: 0, sequence: 0 },
      { ...events.done(), turn: 0, sequence: 0 },
    );
    assert.equal(lastAnswer(conversation).text, 'stored, not stored');
    assert.equal(lastAnswer(conversation).status, 'complete');
    assert.deepEqual(conversation.position, numbered.position);
  });

  test('thinking is shown until text comes, and again when the agent thinks again [S2.18]', () => {
    const events = new TurnEvents();
    const thinking = receive(askedConversation(), events.question('message-1'), events.thinking('Looking'));
    assert.equal(lastAnswer(thinking).thinking, 'Looking');
    const writing = receive(thinking, events.chunk('Found'));
    assert.equal('thinking' in lastAnswer(writing), false);
    const again = receive(writing, events.thinking('Looking again'));
    assert.equal(lastAnswer(again).thinking, 'Looking again');
    assert.equal('thinking' in lastAnswer(receive(again, events.done())), false);
  });

  test('an entry that does not change keeps its identity while an answer is written', () => {
    const events = new TurnEvents();
    const first = receive(askedConversation(), events.question('message-1'), events.chunk('a'), events.done());
    const second = play(first, { type: 'sent', messageId: 'message-2', text: 'And?', atMs: NOW });
    const next = new TurnEvents(2, events.sequence);
    const conversation = receive(second, next.question('message-2'), next.chunk('b'));
    assert.deepEqual(
      conversation.entries.slice(0, -1).map((entry, index) => entry === second.entries[index]),
      [true, true, true, true],
    );
  });

  test('a line that stays as it is makes no new state', () => {
    const conversation = openConversation();
    assert.equal(reduce(conversation, { type: 'line', line: 'online' }), conversation);
  });

  test('an answer of 50 000 chunks is put together in the time that its length takes, not its square', () => {
    const build = (count: number) => {
      const events = new TurnEvents();
      const received = [events.question('message-1'), ...Array.from({ length: count }, () => events.chunk('word '))];
      const startedAtMs = performance.now();
      const text = lastAnswer(receive(askedConversation(), ...received)).text;
      assert.equal(text.length, count * 5);
      return performance.now() - startedAtMs;
    };
    build(5_000);
    const short = Math.min(build(12_500), build(12_500), build(12_500));
    const long = Math.min(build(50_000), build(50_000), build(50_000));
    assert.ok(long < short * 12, `four times the chunks took ${(long / short).toFixed(1)} times as long`);
  });
});

suite('the tool calls of an answer', () => {
  test('a call runs until its result comes [S2.19, S2.20]', () => {
    const events = new TurnEvents();
    const running = receive(
      askedConversation(),
      events.question('message-1'),
      events.toolCall({ id: 'call-1', name: 'create_order', input: { quantity: 2 } }),
    );
    assert.deepEqual(lastAnswer(running).toolCalls, [
      { id: 'call-1', name: 'create_order', status: 'running', input: '{"quantity":2}' },
    ]);
    const settled = receive(running, events.toolResult('call-1', 'create_order', '{"content":[]}'));
    assert.deepEqual(lastAnswer(settled).toolCalls, [
      { id: 'call-1', name: 'create_order', status: 'done', input: '{"quantity":2}', result: '{"content":[]}' },
    ]);
  });

  test('two calls with one id are two calls, and their results go to them in order', () => {
    const events = new TurnEvents();
    const conversation = receive(
      askedConversation(),
      events.question('message-1'),
      events.toolCall({ id: 'same', name: 'first' }),
      events.toolCall({ id: 'same', name: 'second' }),
      events.toolResult('same', 'first', '"1"'),
      events.toolResult('same', 'second', '"2"'),
    );
    assert.deepEqual(
      lastAnswer(conversation).toolCalls.map(({ name, status, result }) => [name, status, result]),
      [
        ['first', 'done', '"1"'],
        ['second', 'done', '"2"'],
      ],
    );
  });

  test('several calls in one event are as many calls', () => {
    const events = new TurnEvents();
    const conversation = receive(
      askedConversation(),
      events.question('message-1'),
      events.toolCall({ id: 'call-1', name: 'a' }, { id: 'call-2', name: 'b' }),
      events.toolResult('call-2', 'b'),
    );
    assert.deepEqual(
      lastAnswer(conversation).toolCalls.map(({ name, status }) => [name, status]),
      [
        ['a', 'running'],
        ['b', 'done'],
      ],
    );
  });

  test('a result without a call is shown as a call, and a repeated result is not', () => {
    const events = new TurnEvents();
    const conversation = receive(
      askedConversation(),
      events.question('message-1'),
      events.toolResult('call-1', 'lookup', '"1"'),
      events.toolResult('call-1', 'lookup', '"2"'),
    );
    assert.deepEqual(lastAnswer(conversation).toolCalls, [
      { id: 'call-1', name: 'lookup', status: 'done', result: '"1"' },
    ]);
  });

  test('a result that says that it is an error is a failed call, whatever its text mentions', () => {
    const failed = JSON.stringify({ isError: true, content: [] });
    const mentioned = JSON.stringify({
      content: [{ type: 'text', text: '{"isError":true}' }],
      structured: { isError: true },
    });
    const events = new TurnEvents();
    const conversation = receive(
      askedConversation(),
      events.question('message-1'),
      events.toolCall({ id: 'call-1', name: 'a' }, { id: 'call-2', name: 'b' }),
      events.toolResult('call-1', 'a', failed),
      events.toolResult('call-2', 'b', mentioned),
    );
    assert.deepEqual(
      lastAnswer(conversation).toolCalls.map(({ status }) => status),
      ['failed', 'done'],
    );
  });

  for (const [name, content] of [
    ['no JSON', '[{"toolCallId":'],
    ['null', 'null'],
    ['a list of something else', '[null]'],
    ['a hundred thousand nested lists', '['.repeat(100_000) + ']'.repeat(100_000)],
  ] as const) {
    test(`a call that is ${name} is shown as one call without a name`, () => {
      const events = new TurnEvents();
      const call = events.question('message-1');
      const broken = events.event('tool-call', { toolCall: { assistantMessage: { role: 'assistant', content } } });
      const conversation = receive(askedConversation(), call, broken);
      assert.deepEqual(lastAnswer(conversation).toolCalls, [{ id: '', name: '', status: 'running' }]);
    });
  }

  test('a call whose result did not come before the end stays without an answer', () => {
    const events = new TurnEvents();
    const conversation = receive(
      askedConversation(),
      events.question('message-1'),
      events.toolCall({ id: 'call-1', name: 'create_order' }),
      events.event('interrupted', { code: 'stream_interrupted' }),
      events.done(),
    );
    assert.equal(lastAnswer(conversation).toolCalls[0]?.status, 'unanswered');
  });

  test('a result of five megabytes is kept as the one text that came', () => {
    const content = JSON.stringify({ content: [{ type: 'text', text: 'x'.repeat(5_000_000) }] });
    const events = new TurnEvents();
    const startedAtMs = performance.now();
    const conversation = receive(
      askedConversation(),
      events.question('message-1'),
      events.toolCall({ id: 'call-1', name: 'export' }),
      events.toolResult('call-1', 'export', content),
      events.chunk('Here.'),
      events.done(),
    );
    assert.equal(lastAnswer(conversation).toolCalls[0]?.result, content);
    assert.ok(performance.now() - startedAtMs < 100, 'it was not copied or parsed');
  });
});

suite('the end of an answer that is not the usual one', () => {
  test('a stopped answer keeps its text and is marked as stopped', () => {
    const events = new TurnEvents();
    const conversation = receive(
      askedConversation(),
      events.question('message-1'),
      events.chunk('half'),
      events.event('stopped', {}),
      events.done(),
    );
    assert.equal(lastAnswer(conversation).status, 'stopped');
    assert.equal(lastAnswer(conversation).text, 'half');
  });

  test('an interrupted answer is incomplete, keeps its text and says why', () => {
    const events = new TurnEvents();
    const conversation = receive(
      askedConversation(),
      events.question('message-1'),
      events.chunk('half'),
      events.event('interrupted', { code: 'shutting_down' }),
      events.done(),
    );
    assert.equal(lastAnswer(conversation).status, 'incomplete');
    assert.equal(lastAnswer(conversation).text, 'half');
    assert.equal(lastAnswer(conversation).problem?.code, 'shutting_down');
  });

  test('an answer that is broken off is ended, and only that one', () => {
    const asked = askedConversation();
    const problem = problemOf('upstream_unreachable');
    const action = { type: 'broken-off', status: 'failed', problem, atMs: NOW + 5 } as const;
    const conversation = reduce(asked, { ...action, questionId: 'message-1' });
    assert.equal(lastAnswer(conversation).status, 'failed');
    assert.equal(lastAnswer(conversation).endedAtMs, NOW + 5);
    assert.deepEqual(lastAnswer(conversation).problem, problem);
    assert.equal(reduce(asked, { ...action, questionId: 'another' }), asked);
  });

  test('an answer that was given up and runs all the same is taken up again', () => {
    const problem = problemOf('upstream_unreachable');
    const givenUp = play(askedConversation(), {
      type: 'broken-off',
      questionId: 'message-1',
      status: 'failed',
      problem,
      atMs: NOW,
    });
    const events = new TurnEvents();
    const conversation = receive(givenUp, events.question('message-1'), events.chunk('Here'), events.done());
    assert.equal(lastAnswer(conversation).status, 'complete');
    assert.equal(lastAnswer(conversation).text, 'Here');
    assert.equal(conversation.entries.length, 3);
  });

  test('lost history is told once, and the answer with the gap is not called complete', () => {
    const events = new TurnEvents();
    const conversation = receive(
      askedConversation(),
      events.question('message-1'),
      events.chunk('The beginning'),
      { ...events.event('history-gone', {}), turn: 0, sequence: 0 },
      { ...events.chunk('the end.'), sequence: 40 },
      { ...events.done(), sequence: 41 },
    );
    const answer = lastAnswer(conversation);
    assert.equal(answer.status, 'incomplete');
    assert.equal(answer.hasGap, true);
    assert.equal(answer.problem?.code, 'stream_incomplete');
    assert.equal(conversation.entries.filter((entry) => entry.type === 'notice').length, 1);
    assert.equal(conversation.entries.at(-1), answer);
  });

  test('the whole answer heals a gap', () => {
    const events = new TurnEvents();
    const conversation = receive(
      askedConversation(),
      events.question('message-1'),
      events.chunk('The beginning'),
      { ...events.event('history-gone', {}), turn: 0, sequence: 0 },
      { ...events.chunk('the end.'), sequence: 40 },
      { ...events.complete('The beginning and the end.'), sequence: 41 },
      { ...events.done(), sequence: 42 },
    );
    assert.equal(lastAnswer(conversation).status, 'complete');
    assert.equal(lastAnswer(conversation).text, 'The beginning and the end.');
    assert.equal(lastAnswer(conversation).hasGap, undefined);
  });

  test('the end of the session ends the running answer, the verification and every later word', () => {
    const events = new TurnEvents();
    const conversation = receive(
      askedConversation(),
      events.question('message-1'),
      events.chunk('half'),
      events.event('verification', {
        transactionId: 'transaction-1',
        tool: 'pay',
        domain: 'shop',
        arguments: {},
        expiresAt: TIMESTAMP,
        attemptsLeft: 3,
      }),
      events.event('session-ended', { reason: 'deleted' }, 0),
      events.chunk(' and more'),
      events.event('session-ended', { reason: 'deleted' }, 0),
    );
    assert.deepEqual(conversation.session, { type: 'ended', reason: 'deleted' });
    assert.equal(lastAnswer(conversation).status, 'incomplete');
    assert.equal(lastAnswer(conversation).text, 'half');
    assert.equal(conversation.verification, undefined);
    assert.deepEqual(
      conversation.entries.filter((entry) => entry.type === 'notice'),
      [{ type: 'notice', id: 'session-ended', notice: 'session-ended', detail: 'deleted' }],
    );
  });
});

suite('what stands beside the transcript', () => {
  test('the use of the context is taken from the whole answer', () => {
    const events = new TurnEvents();
    const response = { tokensUsed: 1420, maxTokens: 100_000, contextPercentage: 1.42 };
    const conversation = receive(askedConversation(), events.question('message-1'), events.complete('x', response));
    assert.deepEqual(conversation.context, { tokensUsed: 1420, maxTokens: 100_000, percentage: 1.42 });
  });

  test('a host that gives tokens but no percentage has it computed, and one that gives nothing leaves it open', () => {
    const events = new TurnEvents();
    const without = receive(askedConversation(), events.question('message-1'), events.complete('x'));
    assert.equal(without.context, undefined);
    const computed = receive(without, events.complete('x', { tokensUsed: 50, maxTokens: 200 }));
    assert.equal(computed.context?.percentage, 25);
  });

  test('the first domain is only noted; a change of it is a line in the transcript before the running answer', () => {
    const events = new TurnEvents();
    const first = receive(
      askedConversation(),
      events.question('message-1'),
      events.event('domain', { active: 'bus' }, 0),
    );
    assert.equal(first.domain, 'bus');
    assert.equal(first.entries.length, 3);
    const changed = receive(
      first,
      events.event('domain', { active: 'car', previous: 'bus' }, 0),
      events.chunk('Now cars'),
    );
    assert.equal(changed.domain, 'car');
    assert.deepEqual(
      changed.entries.map((entry) => entry.type),
      ['greeting', 'question', 'notice', 'answer'],
    );
    assert.equal(lastAnswer(changed).text, 'Now cars');
    assert.equal(isTurnRunning(changed), true);
  });

  test('a verification waits for the visitor until it is settled; another transaction does not settle it', () => {
    const events = new TurnEvents();
    const asked = receive(
      askedConversation(),
      events.question('message-1'),
      events.event(
        'verification',
        {
          transactionId: 'transaction-1',
          tool: 'pay',
          domain: 'shop',
          arguments: { amount: 5 },
          expiresAt: TIMESTAMP,
          attemptsLeft: 3,
        },
        0,
      ),
    );
    assert.deepEqual(asked.verification, {
      transactionId: 'transaction-1',
      tool: 'pay',
      domain: 'shop',
      arguments: { amount: 5 },
      expiresAtMs: NOW,
      attemptsLeft: 3,
      status: 'asked',
    });
    const problem = problemOf('invalid_request');
    const refused = reduce(asked, { type: 'verification-refused', transactionId: 'transaction-1', problem });
    assert.deepEqual(refused.verification?.problem, problem);
    const other = receive(
      refused,
      events.event('verification-settled', { transactionId: 'x', outcome: 'verified' }, 0),
    );
    assert.equal(other.verification?.transactionId, 'transaction-1');
    const settled = receive(
      other,
      events.event('verification-settled', { transactionId: 'transaction-1', outcome: 'verified' }, 0),
    );
    assert.equal(settled.verification?.status, 'released');
    assert.equal(settled.verification.problem, undefined);
    const started = receive(
      settled,
      events.event('verification-settled', { transactionId: 'transaction-1', outcome: 'started' }, 0),
    );
    assert.equal(started.verification, undefined);
  });

  test('a relay that asks to wait is remembered until the next message goes out', () => {
    const busy = reduce(openConversation(), { type: 'busy', untilMs: NOW + 2_000 });
    assert.equal(busy.busyUntilMs, NOW + 2_000);
    const sent = reduce(busy, { type: 'sent', messageId: 'message-1', text: 'Hi', atMs: NOW + 3_000 });
    assert.equal('busyUntilMs' in sent, false);
  });

  test('a forgotten conversation leaves nothing', () => {
    assert.deepEqual(reduce(askedConversation(), { type: 'forgotten' }), NO_CONVERSATION);
  });
});

suite('a conversation from the relay’s memory', () => {
  const restored = (conversation: Conversation, events: readonly ReceivedEvent[], isHistoryGone = false) =>
    reduce(conversation, {
      type: 'restored',
      snapshot: { ...SNAPSHOT, events, isHistoryGone },
      expiresAtMs: NOW + 60_000,
    });

  test('questions and answers come back in order', () => {
    const first = new TurnEvents();
    const events = [first.question('message-1', 'One?'), first.chunk('One.'), first.done()];
    const second = new TurnEvents(2, first.sequence);
    events.push(second.question('message-2', 'Two?'), second.chunk('Tw'));
    const conversation = restored(NO_CONVERSATION, events);
    assert.deepEqual(
      conversation.entries.map((entry) => 'text' in entry && [entry.type, entry.text]),
      [
        ['greeting', 'Hello!'],
        ['question', 'One?'],
        ['answer', 'One.'],
        ['question', 'Two?'],
        ['answer', 'Tw'],
      ],
    );
    assert.equal(runningAnswer(conversation)?.turn, 2);
    assert.deepEqual(conversation.position, { turn: 2, sequence: 5 });
    const continued = receive(conversation, second.chunk('o.'), second.done());
    assert.equal(lastAnswer(continued).text, 'Two.');
  });

  test('chunks that the relay has joined are not written a second time behind those that were seen', () => {
    const events = new TurnEvents();
    const question = events.question('message-1');
    const seen = receive(askedConversation(), question, events.chunk('one '), events.chunk('two '));
    const joined = { ...events.chunk('one two three '), sequence: 4 };
    const conversation = restored(seen, [question, joined]);
    assert.equal(lastAnswer(conversation).text, 'one two three ');
    assert.equal(lastAnswer(conversation).status, 'writing');
    assert.equal(conversation.entries.length, 3);
    const later = receive(conversation, { ...events.chunk('four'), sequence: 5 });
    assert.equal(lastAnswer(later).text, 'one two three four');
  });

  test('a snapshot that is older than what was seen changes no entry', () => {
    const events = new TurnEvents();
    const question = events.question('message-1');
    const seen = receive(askedConversation(), question, events.chunk('one'));
    assert.equal(restored(seen, [question]).entries, seen.entries);
  });

  test('a message that waits for the session to be found stands after the restored ones and waits on', () => {
    const events = new TurnEvents();
    const early = play(
      NO_CONVERSATION,
      { type: 'sent', messageId: 'message-2', text: 'New?', atMs: NOW },
      { type: 'starting' },
    );
    const conversation = restored(early, [events.question('message-1', 'Old?'), events.chunk('Old.'), events.done()]);
    assert.deepEqual(
      conversation.entries.map((entry) => 'text' in entry && entry.text),
      ['Hello!', 'Old?', 'Old.', 'New?', ''],
    );
    assert.equal(runningAnswer(conversation)?.questionId, 'message-2');
  });

  test('events of which the beginning is gone are shown with a notice, and the cut answer as incomplete', () => {
    const events = new TurnEvents(3, 99);
    const conversation = restored(NO_CONVERSATION, [events.chunk('the end.'), events.done()], true);
    assert.deepEqual(
      conversation.entries.map((entry) => entry.type),
      ['greeting', 'notice', 'answer'],
    );
    assert.equal(lastAnswer(conversation).status, 'incomplete');
  });
});
