/** Names that could be taken for one another. They never match; they are only told apart in what the model is told. */

/** The same text for names that look alike: without accents, case, separators and the letters of other scripts that copy ours. */
export function looksOf(name: string): string {
  const plain = name
    .normalize('NFKD')
    .replace(/\p{M}|\p{Cf}/gu, '')
    .toLowerCase();
  return Array.from(plain, (letter) => LOOK_ALIKES.get(letter) ?? letter)
    .join('')
    .replace(/[\s_\-.‐-―−]/gu, '');
}

/** Letters of the Greek and Cyrillic scripts, and digits, that are drawn like Latin ones. Source: Unicode TS 39, `confusables.txt`. */
const LOOK_ALIKES = new Map(
  Object.entries({
    а: 'a',
    в: 'b',
    с: 'c',
    ԁ: 'd',
    е: 'e',
    һ: 'h',
    і: 'i',
    ј: 'j',
    к: 'k',
    ӏ: 'l',
    м: 'm',
    п: 'n',
    о: 'o',
    р: 'p',
    ԛ: 'q',
    г: 'r',
    ѕ: 's',
    т: 't',
    у: 'y',
    ѵ: 'v',
    ԝ: 'w',
    х: 'x',
    α: 'a',
    β: 'b',
    ϲ: 'c',
    ε: 'e',
    η: 'n',
    ι: 'i',
    κ: 'k',
    ν: 'v',
    ο: 'o',
    ρ: 'p',
    τ: 't',
    υ: 'u',
    χ: 'x',
    ı: 'i',
    ł: 'l',
    ø: 'o',
    '0': 'o',
    '1': 'l',
    '|': 'l',
  }),
);

const DOMAIN_NAME = /^[a-z][a-z0-9_]{0,31}$/;

/** What is wrong with these names of domains, one sentence each; none: nothing. */
export function faultsOfDomainNames(names: readonly string[]): string[] {
  const faults: string[] = [];
  names.forEach((name, index) => {
    if (!DOMAIN_NAME.test(name)) {
      faults.push(
        `"${name}" must be 1 to 32 lower-case letters, digits and "_", beginning with a letter, e.g. car_rental`,
      );
    }
    if (name === 'none' || name === 'switch') faults.push(`"${name}" has a meaning of its own; take another name`);
    for (const other of names.slice(0, index)) {
      if (looksOf(other) === looksOf(name)) faults.push(`"${name}" looks like "${other}"; a model would mix them up`);
      else if (name.startsWith(`${other}_`) || other.startsWith(`${name}_`)) {
        faults.push(
          `"${name}" and "${other}": one begins with the other, so that a tool’s name does not say which it is`,
        );
      }
    }
  });
  return faults;
}
