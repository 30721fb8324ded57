import { plusDays } from '../api-frame/travel-date.ts';
import type { ToolOutcome } from './agent-tools.ts';
import { callInDomain } from './call-in-domain.ts';
import { correctedDate, dateArgument } from './date-words.ts';
import type { PendingBooking } from './host-sessions.ts';
import { PHRASES } from './phrases.ts';
import { readRefusal } from './refusal.ts';
import { readCarBooking, readCars, readCoachBooking, readConnections } from './tool-answers.ts';
import { RENTAL_DAYS, TRAVEL_PHRASES } from './travel-phrases.ts';
import type { TravelIntent } from './travel-words.ts';
import type { Turn } from './turn.ts';
import type { Language } from './understand.ts';

/** Plays what a message about coaches and cars asks for, up to the end of the answer's text. Rejects when the turn is stopped. */
export async function playTravel(turn: Turn, intent: TravelIntent, language: Language, nowMs: number): Promise<void> {
  switch (intent.type) {
    case 'find-coach':
      return playCoachSearch(turn, intent, language, nowMs);
    case 'find-car':
      return playCarSearch(turn, intent, language, nowMs);
    case 'book':
      return playBooking(turn, intent, language);
  }
}

/** The visitor has released what was asked for: the same call again, to the letter. */
export async function playContinuation(turn: Turn): Promise<void> {
  const { pending } = turn.session;
  if (pending === undefined) return turn.say(TRAVEL_PHRASES.en.nothingToContinue);
  return makeBooking(turn, pending);
}

async function playCoachSearch(
  turn: Turn,
  { from, to, date }: TravelIntent & { type: 'find-coach' },
  language: Language,
  nowMs: number,
): Promise<void> {
  const phrases = TRAVEL_PHRASES[language];
  if (from === undefined || to === undefined) return turn.say(phrases.whichRoute);
  if (date === undefined) return turn.say(phrases.whichDay);
  let departureDate = dateArgument(date, nowMs);
  let outcome = await callInDomain(turn, 'coach', 'search_connections', { from, to, departureDate });
  await turn.think();
  let preface = '';
  const refusal = outcome.isError ? readRefusal(outcome.body) : undefined;
  const correction = refusal?.field === 'departureDate' ? correctedDate(departureDate) : undefined;
  // A call that was right already is not made again.
  if (refusal?.code === 'invalid_arguments' && correction && correction.date !== departureDate) {
    departureDate = correction.date;
    preface = phrases.corrected(refusal, correction);
    outcome = await callInDomain(turn, 'coach', 'search_connections', { from, to, departureDate });
    await turn.think();
  }
  if (outcome.isError) return sayRefused(turn, outcome, language, preface);
  const connections = readConnections(outcome.body);
  turn.session.coachOffer = { type: 'coach', departureDate, connections };
  turn.session.newestOffer = 'coach';
  await turn.say(preface + phrases.coaches(departureDate, connections));
}

async function playCarSearch(
  turn: Turn,
  { city: named, date }: TravelIntent & { type: 'find-car' },
  language: Language,
  nowMs: number,
): Promise<void> {
  const phrases = TRAVEL_PHRASES[language];
  const { coachOffer } = turn.session;
  // “There” is where the coach arrives, and “then” the day on which it does.
  const city = named ?? coachOffer?.connections[0]?.to;
  if (city === undefined) return turn.say(phrases.whichCity);
  const pickUpDate = date ? dateArgument(date, nowMs) : coachOffer?.departureDate;
  if (pickUpDate === undefined) return turn.say(phrases.whichDay);
  const isDay = correctedDate(pickUpDate)?.date === pickUpDate;
  const returnDate = isDay ? plusDays(pickUpDate, RENTAL_DAYS - 1) : pickUpDate;
  const outcome = await callInDomain(turn, 'car', 'search_cars', { city, pickUpDate, returnDate });
  await turn.think();
  if (outcome.isError) return sayRefused(turn, outcome, language);
  const cars = readCars(outcome.body);
  turn.session.carOffer = { type: 'car', pickUpDate, returnDate, cars };
  turn.session.newestOffer = 'car';
  await turn.say(phrases.cars({ pickUpDate, returnDate }, cars));
}

async function playBooking(
  turn: Turn,
  { what, index }: TravelIntent & { type: 'book' },
  language: Language,
): Promise<void> {
  const { coachOffer, carOffer, newestOffer } = turn.session;
  const domain = what ?? newestOffer;
  const input =
    domain === 'coach' ? seatInput(coachOffer, index) : domain === 'car' ? carInput(carOffer, index) : undefined;
  const phrases = TRAVEL_PHRASES[language];
  if (domain === undefined || input === undefined) return turn.say(phrases.nothingToBook);
  await turn.say(`${phrases.askingForRelease}\n\n`);
  await makeBooking(turn, { domain, input, language });
}

function seatInput(offer: Turn['session']['coachOffer'], index: number) {
  const connection = offer?.connections[index];
  if (!offer || !connection) return undefined;
  const { connectionId, pricePerSeat: amount, currency } = connection;
  return { connectionId, departureDate: offer.departureDate, seats: 1, price: { amount, currency } };
}

function carInput(offer: Turn['session']['carOffer'], index: number) {
  const car = offer?.cars[index];
  if (!offer || !car) return undefined;
  const { pickUpDate, returnDate } = offer;
  return { carId: car.carId, pickUpDate, returnDate, price: { amount: car.total, currency: car.currency } };
}

async function makeBooking(turn: Turn, booking: PendingBooking): Promise<void> {
  const { domain, input, language } = booking;
  const phrases = TRAVEL_PHRASES[language];
  const outcome = await callInDomain(turn, domain, domain === 'coach' ? 'book_seats' : 'book_car', input);
  await turn.think();
  turn.session.pending = undefined;
  if (!outcome.isError) {
    const booked =
      domain === 'coach'
        ? phrases.coachBooked(readCoachBooking(outcome.body))
        : phrases.carBooked(readCarBooking(outcome.body));
    return turn.say(booked);
  }
  switch (readRefusal(outcome.body).code) {
    case 'verification_required':
      turn.session.pending = booking;
      return turn.say(phrases.releasePending);
    case 'verification_declined':
      return turn.say(phrases.declined);
    default:
      return sayRefused(turn, outcome, language);
  }
}

async function sayRefused(turn: Turn, outcome: ToolOutcome, language: Language, preface = ''): Promise<void> {
  await turn.say(preface + PHRASES[language].refused(readRefusal(outcome.body)));
}
