import { type DateWords, readDateWords } from './date-words.ts';

/** What a message about travelling asks for. */
export type TravelIntent =
  | {
      readonly type: 'find-coach';
      /** As the demo's coach line writes it where the rules know it, otherwise as the visitor wrote it. */
      readonly from: string | undefined;
      readonly to: string | undefined;
      readonly date: DateWords | undefined;
    }
  | {
      readonly type: 'find-car';
      /** Undefined: “there”, or nothing. */
      readonly city: string | undefined;
      readonly date: DateWords | undefined;
    }
  | {
      readonly type: 'book';
      /** Undefined: “it”. */
      readonly what: 'coach' | 'car' | undefined;
      /** Place in the list that was shown, from 0. */
      readonly index: number;
    };

const OTHER_NAMES: Readonly<Record<string, string>> = {
  mailand: 'Milan',
  milano: 'Milan',
  zürich: 'Zurich',
  luzern: 'Lucerne',
  genf: 'Geneva',
  genève: 'Geneva',
  turino: 'Turin',
  torino: 'Turin',
  berne: 'Bern',
};
const COACH = /\b(coach|coaches|bus|fernbus|reisebus|busverbindung)\b/;
const CAR = /\b(car|cars|auto|mietwagen|leihwagen|mietauto)\b/;
const BOOK = /\b(book|reserve|buche|buchen|reserviere)\b/;
const ROUTE = /\b(?:from|von|ab)\s+(\p{L}+)\s+(?:to|nach)\s+(\p{L}+)/u;
const ORDINALS = [/\b(first|erste[nrs]?)\b/, /\b(second|zweite[nrs]?)\b/, /\b(third|dritte[nrs]?)\b/];

/** Reads a message, in lower case; undefined: it is not about travelling. */
export function readTravel(text: string): TravelIntent | undefined {
  const [, from, to] = ROUTE.exec(text) ?? [];
  const isAboutCoach = COACH.test(text);
  const isAboutCar = CAR.test(text);
  if (BOOK.test(text) && from === undefined) {
    const index = ORDINALS.findIndex((ordinal) => ordinal.test(text));
    const what = isAboutCar ? 'car' : isAboutCoach ? 'coach' : undefined;
    return { type: 'book', what, index: Math.max(0, index) };
  }
  const date = readDateWords(text);
  if (isAboutCoach || (from !== undefined && date !== undefined)) {
    return { type: 'find-coach', from: cityOf(from), to: cityOf(to), date };
  }
  if (isAboutCar) {
    const place = /\b(?:in|at)\s+(\p{L}+)/u.exec(text)?.[1];
    return { type: 'find-car', city: cityOf(place), date };
  }
  return undefined;
}

function cityOf(word: string | undefined): string | undefined {
  if (word === undefined) return undefined;
  return OTHER_NAMES[word] ?? word.charAt(0).toUpperCase() + word.slice(1);
}
