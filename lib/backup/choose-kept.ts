const day = 24 * 60 * 60 * 1000;

/** How many backups a schedule keeps: the newest of each of so many days, weeks and months that have one. */
export interface Retention {
  readonly last: number;
  readonly daily: number;
  readonly weekly: number;
  readonly monthly: number;
}

/** The period of a moment, in UTC; weeks begin on Monday. */
const periods: Readonly<Record<keyof Retention, (moment: number) => string>> = {
  last: String,
  daily: (moment) => String(Math.floor(moment / day)),
  // 1970 began on a Thursday.
  weekly: (moment) => String(Math.floor((moment / day + 3) / 7)),
  monthly: (moment) => new Date(moment).toISOString().slice(0, 7),
};

/**
 * Chooses which backups stay. The rules are those of restic and borg: each rule goes from the newest backup back, and
 * keeps the first one that it meets in each period, until it has kept its number. A backup stays if any rule keeps it.
 * @param moments when they were taken, milliseconds since 1970
 */
export function chooseKept(moments: readonly number[], retention: Retention): ReadonlySet<number> {
  const newestFirst = [...new Set(moments)].toSorted((a, b) => b - a);
  const kept = new Set<number>();
  for (const rule of ['last', 'daily', 'weekly', 'monthly'] as const) {
    const seen = new Set<string>();
    for (const moment of newestFirst) {
      const period = periods[rule](moment);
      if (seen.size === retention[rule] || seen.has(period)) continue;
      seen.add(period);
      kept.add(moment);
    }
  }
  return kept;
}
