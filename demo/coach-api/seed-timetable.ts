/** Where the demo's coaches stop. */
export const CITIES = ['Bern', 'Zurich', 'Lucerne', 'Lugano', 'Como', 'Milan', 'Geneva', 'Turin'] as const;
export type City = (typeof CITIES)[number];

/** One line of the timetable, in Swiss local time. */
export interface TimetableEntry {
  readonly from: City;
  readonly to: City;
  /** `HH:MM`, both on the same day. */
  readonly departs: string;
  readonly arrives: string;
  /** ISO weekdays on which it runs: 1 is Monday. */
  readonly weekdays: string;
  /** Of one seat, in Swiss centimes. */
  readonly priceCents: number;
  readonly seats: number;
}

const DAILY = '1234567';

/** What the coach line runs when its database is new. */
export const TIMETABLE: readonly TimetableEntry[] = [
  entry('Bern', 'Milan', '07:30', '12:05', DAILY, 3900, 48),
  entry('Bern', 'Milan', '11:15', '15:55', DAILY, 4500, 48),
  entry('Bern', 'Milan', '16:45', '21:20', '12345', 3500, 32),
  entry('Milan', 'Bern', '08:10', '12:45', DAILY, 3900, 48),
  entry('Milan', 'Bern', '17:20', '21:55', DAILY, 4500, 48),
  entry('Zurich', 'Milan', '08:00', '12:10', DAILY, 3700, 48),
  entry('Zurich', 'Milan', '14:30', '18:40', DAILY, 3700, 48),
  entry('Milan', 'Zurich', '09:00', '13:10', DAILY, 3700, 48),
  entry('Bern', 'Zurich', '09:05', '10:40', DAILY, 1500, 60),
  entry('Zurich', 'Bern', '18:05', '19:40', DAILY, 1500, 60),
  entry('Lucerne', 'Lugano', '09:30', '12:00', DAILY, 2200, 32),
  entry('Lugano', 'Como', '12:30', '13:25', DAILY, 900, 32),
  entry('Zurich', 'Lugano', '07:15', '10:20', DAILY, 2400, 48),
  entry('Lugano', 'Milan', '10:45', '12:15', DAILY, 1400, 48),
  entry('Geneva', 'Turin', '07:50', '12:20', DAILY, 4100, 32),
  entry('Turin', 'Geneva', '15:10', '19:40', DAILY, 4100, 32),
  entry('Bern', 'Geneva', '08:20', '10:30', DAILY, 1900, 60),
  // A small one, so that the demo can show how a refusal by the API is explained.
  entry('Lucerne', 'Milan', '13:00', '17:15', '67', 3300, 8),
];

function entry(
  from: City,
  to: City,
  departs: string,
  arrives: string,
  weekdays: string,
  priceCents: number,
  seats: number,
): TimetableEntry {
  return { from, to, departs, arrives, weekdays, priceCents, seats };
}
