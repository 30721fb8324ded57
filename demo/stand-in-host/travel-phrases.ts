import { table } from './markdown-table.ts';
import type { Refusal } from './refusal.ts';
import type { CarBooking, CoachBooking, Connection, FreeCar } from './tool-answers.ts';
import type { Language } from './understand.ts';

/** What the stand-in says about coaches and cars, as markdown. */
export interface TravelPhrases {
  readonly whichRoute: string;
  readonly whichDay: string;
  readonly whichCity: string;
  readonly nothingToBook: string;
  readonly nothingToContinue: string;
  /** Said before the call, because the call waits for the visitor. */
  readonly askingForRelease: string;
  readonly releasePending: string;
  readonly declined: string;
  coaches(date: string, connections: readonly Connection[]): string;
  cars(days: { readonly pickUpDate: string; readonly returnDate: string }, cars: readonly FreeCar[]): string;
  coachBooked(booking: CoachBooking): string;
  carBooked(booking: CarBooking): string;
  /** The first call had a wrong date, the second one this. */
  corrected(refusal: Refusal, correction: { readonly date: string; readonly isSameDay: boolean }): string;
}

/** How long a car is wanted when no return is named. */
export const RENTAL_DAYS = 2;

export const TRAVEL_PHRASES: Readonly<Record<Language, TravelPhrases>> = {
  en: {
    whichRoute: 'From where to where? For example “find me a coach from Bern to Milan tomorrow”.',
    whichDay: 'On which day? For example “tomorrow”, or a date such as 2027-03-14.',
    whichCity: 'A car in which city? For example “find me a car in Milan tomorrow”.',
    nothingToBook:
      'I have found nothing yet that I could book. Try “find me a coach from Bern to Milan tomorrow” first.',
    nothingToContinue: 'There is nothing that I could go on with.',
    askingForRelease:
      'I am making the booking now. It needs your release: the chat asks you for a code. In this demo the code appears in the terminal where `npm start` runs. I get to see neither the code nor what you type.',
    releasePending:
      'The call was given back without a booking, because it could not wait any longer. **Nothing is booked yet.** Type the code into the dialog and press “Continue”; I then make exactly the same call again.',
    declined: 'You have declined, so **nothing was booked**.',
    coaches: (date, connections) =>
      connections.length === 0
        ? `No direct coach runs there on ${date}.`
        : `### Coaches on ${date}\n\n${coachTable(connections, ['From', 'To', 'Departure', 'Arrival', 'Price', 'Seats left'])}\n\nSay “book it” for one seat on the first, or “book the second”. “And a car there” works too.`,
    cars: ({ pickUpDate, returnDate }, cars) =>
      cars.length === 0
        ? `No car is free there from ${pickUpDate} to ${returnDate}.`
        : `### Cars in ${cars[0]?.city} from ${pickUpDate} to ${returnDate}\n\n${carTable(cars, ['Car', 'Kind', 'Seats', 'Price'])}\n\nYou named no return, so I took ${RENTAL_DAYS} days. Say “book it” for the first car, or “book the coach”.`,
    coachBooked: (booking) =>
      `### Coach booked\n\n${coachBookingTable(booking, ['Field', 'Value', 'Booking', 'From', 'To', 'Departure', 'Seats', 'Total'])}`,
    carBooked: (booking) =>
      `### Car booked\n\n${carBookingTable(booking, ['Field', 'Value', 'Booking', 'Car', 'City', 'From', 'Until', 'Total'])}`,
    corrected: (refusal, { date, isSameDay }) =>
      `> My first call was refused by the tool gateway, before the coach line was asked: \`${refusal.field}\` was \`${refusal.received}\`, expected was ${refusal.expected}.\n>\n> ${isSameDay ? `I wrote the same day as ${date} and called again.` : `There is no such day. I took the last one of that month, ${date}, and called again.`}\n\n`,
  },
  de: {
    whichRoute: 'Von wo nach wo? Zum Beispiel „finde einen Bus von Bern nach Mailand morgen“.',
    whichDay: 'An welchem Tag? Zum Beispiel „morgen“ oder ein Datum wie 14.03.2027.',
    whichCity: 'Ein Mietwagen in welcher Stadt? Zum Beispiel „finde einen Mietwagen in Mailand morgen“.',
    nothingToBook:
      'Ich habe noch nichts gefunden, was ich buchen könnte. Versuche zuerst „finde einen Bus von Bern nach Mailand morgen“.',
    nothingToContinue: 'Es gibt nichts, womit ich weitermachen könnte.',
    askingForRelease:
      'Ich buche jetzt. Dafür braucht es deine Freigabe: Der Chat fragt dich nach einem Code. In dieser Demo steht er im Terminal, in dem `npm start` läuft. Ich sehe weder den Code noch, was du eingibst.',
    releasePending:
      'Der Aufruf kam ohne Buchung zurück, weil er nicht länger warten konnte. **Noch ist nichts gebucht.** Gib den Code im Dialog ein und drücke auf „Weiter“; dann mache ich genau denselben Aufruf noch einmal.',
    declined: 'Du hast abgelehnt, also wurde **nichts gebucht**.',
    coaches: (date, connections) =>
      connections.length === 0
        ? `Am ${date} fährt dort kein direkter Bus.`
        : `### Busse am ${date}\n\n${coachTable(connections, ['Von', 'Nach', 'Abfahrt', 'Ankunft', 'Preis', 'Freie Plätze'])}\n\nSage „buche ihn“ für einen Platz im ersten oder „buche den zweiten“. „Und ein Mietwagen dort“ geht auch.`,
    cars: ({ pickUpDate, returnDate }, cars) =>
      cars.length === 0
        ? `Dort ist vom ${pickUpDate} bis zum ${returnDate} kein Wagen frei.`
        : `### Wagen in ${cars[0]?.city} vom ${pickUpDate} bis zum ${returnDate}\n\n${carTable(cars, ['Wagen', 'Art', 'Plätze', 'Preis'])}\n\nEine Rückgabe hast du nicht genannt, ich habe ${RENTAL_DAYS} Tage angenommen. Sage „buche ihn“ für den ersten oder „buche den Bus“.`,
    coachBooked: (booking) =>
      `### Bus gebucht\n\n${coachBookingTable(booking, ['Feld', 'Wert', 'Buchung', 'Von', 'Nach', 'Abfahrt', 'Plätze', 'Summe'])}`,
    carBooked: (booking) =>
      `### Wagen gebucht\n\n${carBookingTable(booking, ['Feld', 'Wert', 'Buchung', 'Wagen', 'Stadt', 'Von', 'Bis', 'Summe'])}`,
    corrected: (refusal, { date, isSameDay }) =>
      `> Meinen ersten Aufruf hat das Tool-Gateway abgelehnt, bevor die Buslinie gefragt wurde: \`${refusal.field}\` war \`${refusal.received}\`, erwartet war: ${refusal.expected}.\n>\n> ${isSameDay ? `Ich habe denselben Tag als ${date} geschrieben und noch einmal gerufen.` : `Diesen Tag gibt es nicht. Ich habe den letzten des Monats genommen, ${date}, und noch einmal gerufen.`}\n\n`,
  },
};

function coachTable(connections: readonly Connection[], head: readonly string[]): string {
  return table(
    head,
    connections.map(({ from, to, departure, arrival, pricePerSeat, currency, seatsLeft }) => [
      ...[from, to, clockTime(departure), clockTime(arrival)],
      ...[price(pricePerSeat, currency), String(seatsLeft)],
    ]),
  );
}

function carTable(cars: readonly FreeCar[], head: readonly string[]): string {
  return table(
    head,
    cars.map(({ model, category, seats, total, currency }) => [
      ...[model, category, String(seats), price(total, currency)],
    ]),
  );
}

function coachBookingTable(booking: CoachBooking, labels: readonly string[]): string {
  const [field, value, id, from, to, departure, seats, total] = labels;
  return table(
    [field, value],
    [
      [id, booking.bookingId],
      [from, booking.from],
      [to, booking.to],
      [departure, `${booking.departure.slice(0, 10)} ${clockTime(booking.departure)}`],
      [seats, String(booking.seats)],
      [total, price(booking.total, booking.currency)],
    ],
  );
}

function carBookingTable(booking: CarBooking, labels: readonly string[]): string {
  const [field, value, id, car, city, from, until, total] = labels;
  return table(
    [field, value],
    [
      [id, booking.bookingId],
      [car, booking.model],
      [city, booking.city],
      [from, booking.pickUpDate],
      [until, booking.returnDate],
      [total, price(booking.total, booking.currency)],
    ],
  );
}

/** Amount and currency on one line, however narrow the chat is. */
function price(amount: number, currency: string): string {
  return `${amount.toFixed(2)}\u00a0${currency}`;
}

/** `HH:MM` of an ISO time, in the time of the place. */
function clockTime(moment: string): string {
  return moment.slice(11, 16);
}
