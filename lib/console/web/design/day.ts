const clock = new Intl.DateTimeFormat(undefined, { timeStyle: 'short' });
const long = new Intl.DateTimeFormat(undefined, { weekday: 'long', day: 'numeric', month: 'long', year: 'numeric' });
const key = new Intl.DateTimeFormat('sv-SE', { dateStyle: 'short' });

const oneDay = 86_400_000;

/** The day of a moment in the browser's time zone, as `2026-01-05`. */
export function dayOf(at: string | number): string {
  return key.format(new Date(at));
}

/** "Today", "Yesterday", or the date. @param now milliseconds since 1970 */
export function formatDay(at: string, now: number): string {
  const day = dayOf(at);
  if (day === dayOf(now)) return 'Today';
  if (day === dayOf(now - oneDay)) return 'Yesterday';
  return long.format(new Date(at));
}

/** Hour and minute in the browser's time zone. */
export function formatClock(at: string): string {
  return clock.format(new Date(at));
}
