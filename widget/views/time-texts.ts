/** A span of time as people say it, e.g. "12 seconds", "4 minutes": rounded up, so that it never promises too little. */
export function durationText(milliseconds: number, language: string): string {
  const seconds = Math.max(1, Math.ceil(milliseconds / 1000));
  const [value, unit] = seconds < 60 ? [seconds, 'second'] : [Math.ceil(seconds / 60), 'minute'];
  return new Intl.NumberFormat(language, { style: 'unit', unit, unitDisplay: 'long' }).format(value);
}

/** The time of day of a message. */
export function clockText(unixMs: number, language: string): string {
  return new Intl.DateTimeFormat(language, { timeStyle: 'short' }).format(unixMs);
}
