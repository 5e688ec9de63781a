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

/** @returns undefined for a moment that is too long ago */
function periodOf(moment: number, age: number): string | undefined {
  if (age <= everyPointFor) return `point ${moment}`;
  if (age <= hourlyFor) return `hour ${Math.floor(moment / hour)}`;
  if (age <= dailyFor) return `day ${Math.floor(moment / day)}`;
  return undefined;
}
