const hour = 60 * 60 * 1000;
const day = 24 * hour;

/** How far back each kind of moment can be restored, in milliseconds. */
const everyPointFor = day;
const hourlyFor = 7 * day;
const dailyFor = 30 * day;

/**
 * Chooses the points that stay: every one of the last day, the last of each hour of a week, the last of each day of a
 * month, and the newest one always.
 * @param moments when they were made, milliseconds since 1970
 * @param now the same; a moment in the future stays
 */
export function choosePoints(moments: readonly number[], now: number): ReadonlySet<number> {
  const newestFirst = moments.toSorted((a, b) => b - a);
  const kept = new Set<number>(newestFirst.slice(0, 1));
  const periods = new Set<string>();
  for (const moment of newestFirst) {
    const age = now - moment;
    const period = periodOf(moment, age);
    if (period === undefined || periods.has(period)) continue;
    periods.add(period);
    kept.add(moment);
  }
  return kept;
}

/**
 * Of a file that is restored beside another one: the newest moment not later than each of the other one's.
 * @param moments of the file @param others of the other one
 */
export function choosePartners(moments: readonly number[], others: Iterable<number>): ReadonlySet<number> {
  const ascending = moments.toSorted((a, b) => a - b);
  const partners = new Set<number>();
  let next = 0;
  for (const other of [...others].toSorted((a, b) => a - b)) {
    while (next < ascending.length && (ascending[next] as number) <= other) next += 1;
    const partner = ascending[next - 1];
    if (partner !== undefined) partners.add(partner);
  }
  return partners;
}

/** @returns undefined for a moment that is too long ago */
function periodOf(moment: number, age: number): string | undefined {
  if (age <= everyPointFor) return `point ${moment}`;
  if (age <= hourlyFor) return `hour ${Math.floor(moment / hour)}`;
  if (age <= dailyFor) return `day ${Math.floor(moment / day)}`;
  return undefined;
}
