/** The spans of time that can be chosen by a word. `days`: two days, as `from` and `to`. */
export const spans = ['today', 'yesterday', 'week', 'month', 'days'] as const;
export type Span = (typeof spans)[number];

export const nameOfSpan: Readonly<Record<Span, string>> = {
  today: 'Today',
  yesterday: 'Yesterday',
  week: 'Last 7 days',
  month: 'Last 30 days',
  days: 'From day to day…',
};

const names = ['location', 'time', 'from', 'to', 'principal', 'action', 'outcome', 'request'] as const;

/** What the address says about the records that are wanted. A member that is left out asks for nothing. */
export type Filters = { readonly [Name in (typeof names)[number]]?: string | undefined };

const longest = 4096;

/** Reads an address's parameters. One that a person cannot have chosen is left out. */
export function readFilters(parameters: URLSearchParams): Filters {
  const found: Record<string, string> = {};
  for (const name of names) {
    const value = parameters.get(name)?.slice(0, longest);
    // The empty place is the whole workspace; every other empty text says nothing.
    if (value !== undefined && (value !== '' || name === 'location')) found[name] = value;
  }
  if (!(spans as readonly string[]).includes(found['time'] ?? '')) delete found['time'];
  if (found['outcome'] !== 'done' && found['outcome'] !== 'refused') delete found['outcome'];
  return found;
}

/** Midnight at the beginning of a day, in the browser's time zone. @param text as `2026-01-05`; undefined: no day */
function startOf(text: string | undefined, daysLater = 0): number | undefined {
  const parts = /^(\d{4})-(\d{2})-(\d{2})$/.exec(text ?? '');
  if (parts === null) return undefined;
  return new Date(Number(parts[1]), Number(parts[2]) - 1, Number(parts[3]) + daysLater).getTime();
}

/** The same for a day counted from the present one. */
function midnight(now: number, daysLater: number): number {
  const today = new Date(now);
  return new Date(today.getFullYear(), today.getMonth(), today.getDate() + daysLater).getTime();
}

/** From a moment to another one; both count. RFC 3339. */
export interface Bounds {
  readonly from?: string;
  readonly to?: string;
}

/** The first and the last millisecond that a chosen span stands for. @param now milliseconds since 1970 */
export function boundsOf({ time, from, to }: Filters, now: number): Bounds {
  const between = (start: number | undefined, end: number | undefined): Bounds => ({
    ...(start !== undefined && { from: new Date(start).toISOString() }),
    ...(end !== undefined && { to: new Date(end - 1).toISOString() }),
  });
  switch (time) {
    case 'today':
      return between(midnight(now, 0), undefined);
    case 'yesterday':
      return between(midnight(now, -1), midnight(now, 0));
    case 'week':
      return between(midnight(now, -6), undefined);
    case 'month':
      return between(midnight(now, -29), undefined);
    case 'days':
      return between(startOf(from), startOf(to, 1));
    case undefined:
    default:
      return {};
  }
}
