import { expect } from 'chai';
import type { ParleyChat } from '../../widget/define.ts';
import ARABIC from '../../widget/labels/ar.ts';
import GERMAN from '../../widget/labels/de.ts';
import type { Labels } from '../../widget/labels.ts';
import {
  addChat,
  ask,
  audit,
  inside,
  openChat,
  partOf,
  press,
  settled,
  shown,
  until,
} from '../support/chat-in-page.ts';
import { PageRelay, type RelayTurn } from '../support/page-relay.ts';

const BOOKING = {
  transactionId: 'AAAAAAAAAAAAAAAAAAAAAA',
  tool: 'coach_book_trip',
  domain: 'coach',
  arguments: {
    departureDate: '2026-03-14',
    pick_up: '2026-03-14T09:30:00+01:00',
    passengers: 2,
    price: { amount: 1234.5, currency: 'CHF' },
    isRefundable: true,
    seats: ['4A', '4B'],
    note: 'left\u202eright',
  },
};

let relay: PageRelay;
let chat: ParleyChat;
let turn: RelayTurn;

async function openAsking(
  attributes: Readonly<Record<string, string>> = {},
  { lifeMs = 300_000, labels = undefined as Labels | undefined } = {},
): Promise<void> {
  chat = addChat(relay, attributes);
  chat.labels = labels;
  await openChat(chat);
  turn = await ask(chat, relay, 'Book it');
  turn.send(verification(5, lifeMs));
  await shown(chat, 'dialog.verify');
}

const verification = (attemptsLeft: number, lifeMs = 300_000) =>
  turn.events.event('verification', {
    ...BOOKING,
    attemptsLeft,
    expiresAt: new Date(Date.now() + lifeMs).toISOString(),
  });

const settle = (outcome: 'verified' | 'started' | 'declined' | 'replaced' | 'locked') =>
  turn.events.event('verification-settled', { transactionId: BOOKING.transactionId, outcome });

const dialog = () => chat.shadowRoot?.querySelector<HTMLDialogElement>('dialog.verify') ?? undefined;
const input = () => inside<HTMLInputElement>(chat, '#verify-code');
const focused = () => chat.shadowRoot?.activeElement?.getAttribute('part') ?? '';

/** What the dialog lists, name by name. */
function details(): Record<string, string> {
  const rows = [...(dialog()?.querySelectorAll('dl > div') ?? [])];
  return Object.fromEntries(
    rows.map((row) => [row.querySelector('dt')?.textContent ?? '', row.querySelector('dd')?.textContent?.trim() ?? '']),
  );
}

async function type(code: string): Promise<void> {
  input().value = code;
  input().form?.requestSubmit();
  await settled();
}

const path = '/session/session-1/verification';

describe('the dialog in which a visitor releases a transaction', () => {
  beforeEach(() => {
    relay = new PageRelay();
  });
  afterEach(() => {
    document.body.replaceChildren();
    relay.close();
  });

  for (const theme of ['light', 'dark']) {
    it(`shows the exact arguments in the visitor’s formats and passes an audit, ${theme}`, async () => {
      await openAsking({ theme });
      expect(dialog()?.matches(':modal')).to.equal(true);
      expect(focused()).to.equal('code-input');
      // Not the property: Firefox does not know this value of it.
      expect(input().getAttribute('autocomplete')).to.equal('one-time-code');
      expect(input().inputMode).to.equal('numeric');
      const shownDetails = details();
      expect(shownDetails).to.deep.include({
        Action: 'Book trip · Coach',
        'Departure date': 'Saturday, March 14, 2026',
        Passengers: '2',
        'Is refundable': 'Yes',
        Seats: '4A and 4B',
        Note: 'left[U+202E]right',
      });
      expect(shownDetails['Pick up']).to.match(/March 14, 2026 at 9:30\sAM \(UTC\+01:00\)/);
      expect(shownDetails.Price).to.match(/CHF\s1,234\.50?/);
      expect(partOf(chat, 'verification').textContent).to.contain('Attempts left: 5.');
      await audit(chat);
    });
  }

  it('speaks German, and Arabic from right to left', async () => {
    await openAsking({ lang: 'de' }, { labels: GERMAN });
    await until(() => dialog()?.querySelector('h2')?.textContent === 'Diesen Schritt bestätigen', 'it is German');
    expect(details()['Departure date']).to.equal('Samstag, 14. März 2026');
    await audit(chat);
    document.body.replaceChildren();
    await openAsking({ lang: 'ar' }, { labels: ARABIC });
    await until(() => dialog()?.querySelector('h2')?.textContent === 'تأكيد هذه الخطوة', 'it is Arabic');
    expect(getComputedStyle(dialog() as Element).direction).to.equal('rtl');
    expect(getComputedStyle(input()).direction).to.equal('ltr');
    await audit(chat);
  });

  it('a right code goes to the relay and nowhere else, and the dialog leaves when the transaction starts', async () => {
    await openAsking();
    relay.onVerification = () => turn.send(settle('verified'));
    await type('493 027');
    expect(relay.callsTo('POST', path).map(({ body }) => body)).to.deep.equal([
      { transactionId: BOOKING.transactionId, code: '493 027' },
    ]);
    await until(() => dialog()?.textContent?.includes('It is being done…'), 'it says that it goes on');
    await audit(chat);
    turn.send(settle('started'));
    await until(() => !dialog(), 'the dialog has left');
    turn.complete('Booked.');
    await shown(chat, '.answer');
    expect(chat.shadowRoot?.activeElement?.localName).to.equal('textarea');
    const elsewhere = relay.calls.filter((call) => call.path !== path && JSON.stringify(call).includes('493'));
    expect(elsewhere).to.deep.equal([]);
  });

  it('a wrong code says so, counts the attempts down, and the lock is told', async () => {
    await openAsking();
    relay.refusal = { path, code: 'wrong_code', status: 422, attemptsLeft: 4 };
    await type('000000');
    await until(() => dialog()?.querySelector('[role="alert"]')?.textContent === 'This is not the right code.', 'told');
    expect(dialog()?.textContent).to.contain('Attempts left: 4.');
    expect(input().value).to.equal('');
    expect(input().getAttribute('aria-invalid')).to.equal('true');
    expect(focused()).to.equal('code-input');
    await audit(chat);
    relay.refusal = { path, code: 'verification_locked', status: 423 };
    await type('000001');
    await until(() => dialog()?.textContent?.includes('Too many wrong codes. Nothing was done.'), 'the lock is told');
    expect(focused()).to.equal('close-button');
    await audit(chat);
    partOf(chat, 'close-button').click();
    await until(() => !dialog(), 'it is closed');
  });

  it('Escape decides nothing: the conversation leads back to the dialog', async () => {
    await openAsking();
    dialog()?.close();
    await shown(chat, '[part="verification-reminder"]');
    expect(dialog()).to.equal(undefined);
    expect(relay.callsTo('POST', path)).to.deep.equal([]);
    expect(inside(chat, '.panel').checkVisibility()).to.equal(true);
    await audit(chat);
    partOf(chat, 'verification-show-button').click();
    await shown(chat, 'dialog.verify');
    expect(chat.shadowRoot?.querySelector('[part="verification-reminder"]')).to.equal(null);
  });

  it('declined is declined, in words of no agent', async () => {
    await openAsking();
    relay.onVerification = () => turn.send(settle('declined'));
    partOf(chat, 'decline-button').click();
    await until(() => !dialog(), 'the dialog has left');
    expect(relay.callsTo('POST', path)[0]?.body).to.deep.equal({ transactionId: BOOKING.transactionId, decline: true });
  });

  it('released after the turn, it goes on by the continue button, which writes nothing of the visitor’s', async () => {
    await openAsking();
    turn.complete('Please confirm.');
    await until(() => inside(chat, '.answer').textContent?.includes('Please confirm.'), 'the answer is there');
    relay.onVerification = () => relay.log.push(settle('verified'));
    await type('493027');
    await shown(chat, '[part~="continue-button"]');
    expect(focused()).to.equal('continue-button');
    await audit(chat);
    partOf(chat, 'continue-button').click();
    const next = await relay.turn();
    const sent = relay.callsTo('POST', '/chat').at(-1)?.body;
    expect(sent).to.include({ continues: BOOKING.transactionId });
    expect(sent).not.to.have.property('message');
    next.send(next.events.event('verification-settled', { transactionId: BOOKING.transactionId, outcome: 'started' }));
    next.complete('Booked.');
    await until(
      () => chat.shadowRoot?.textContent?.includes('Please continue.'),
      'what he pressed is in the transcript',
    );
    await until(() => !dialog(), 'the dialog has left');
  });

  it('time that runs out is told without anyone’s word', async () => {
    await openAsking({}, { lifeMs: 900 });
    await until(() => dialog()?.textContent?.includes('The time has run out. Nothing was done.'), 'it is told');
    expect(chat.shadowRoot?.querySelector('#verify-code')).to.equal(null);
    await audit(chat);
  });

  it('a domain that needs it is entered by a yes, without a code', async () => {
    chat = addChat(relay);
    await openChat(chat);
    turn = await ask(chat, relay, 'And a car');
    const expiresAt = new Date(Date.now() + 300_000).toISOString();
    const { transactionId } = BOOKING;
    const asked = {
      transactionId,
      needs: 'consent',
      tool: 'switch_domain',
      domain: 'car_rental',
      arguments: {},
    } as const;
    turn.send(turn.events.event('verification', { ...asked, expiresAt, attemptsLeft: 5 }));
    await shown(chat, 'dialog.verify');
    expect(dialog()?.textContent).to.contain('go on with “Car rental”');
    expect(chat.shadowRoot?.querySelector('#verify-code')).to.equal(null);
    await audit(chat);
    partOf(chat, 'confirm-button').click();
    await until(() => relay.callsTo('POST', path).length === 1, 'the yes is sent');
    expect(relay.callsTo('POST', path)[0]?.body).to.deep.equal({ transactionId, approve: true });
  });

  it('keys that are typed into the dialog are no shortcuts of the page', async () => {
    await openAsking();
    const heard: string[] = [];
    const hear = (event: KeyboardEvent) => heard.push(event.key);
    document.addEventListener('keydown', hear);
    press(input(), '4');
    document.removeEventListener('keydown', hear);
    expect(heard).to.deep.equal([]);
  });
});
