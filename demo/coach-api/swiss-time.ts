/** A time of day in Switzerland as a moment with its offset, e.g. `2026-12-02T07:30:00+01:00`. Nothing runs while clocks change. */
export function swissTime(date: string, time: string): string {
  const parts = new Intl.DateTimeFormat('en', { timeZone: 'Europe/Zurich', timeZoneName: 'longOffset' }).formatToParts(
    Date.parse(`${date}T12:00:00Z`),
  );
  const offset = parts.find(({ type }) => type === 'timeZoneName')?.value.replace('GMT', '');
  return `${date}T${time}:00${offset}`;
}
