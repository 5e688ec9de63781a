import type { Action, RecentChange } from './change-queries.ts';

/** A row of the list. */
export interface Happened {
  readonly key: string;
  /** The last of them. */
  readonly change: RecentChange;
  /** What was done beside the text, each with how often, the last first. Empty for a change. */
  readonly doings: ReadonlyMap<Action, number>;
}

const changes: ReadonlySet<Action> = new Set(['created', 'changed', 'moved', 'deleted', 'restored']);

/**
 * What one principal did about one document without a change of its text stands in one row: an agent claims, comments
 * and lets go many times a day.
 * @param items of one day, the last first
 */
export function gather(items: readonly RecentChange[]): readonly Happened[] {
  const rows: Happened[] = [];
  const known = new Map<string, Map<Action, number>>();
  for (const [index, change] of items.entries()) {
    const { type, location, at, action, by } = change;
    if (changes.has(action)) {
      rows.push({ key: `${type} ${location} ${at} ${action}`, change, doings: new Map() });
      continue;
    }
    const who = `${location} ${by[0]?.id ?? ''}`;
    const doings = known.get(who);
    if (doings !== undefined) {
      doings.set(action, (doings.get(action) ?? 0) + 1);
      continue;
    }
    const first = new Map([[action, 1]]);
    known.set(who, first);
    rows.push({ key: `${who} ${at} ${index}`, change, doings: first });
  }
  return rows;
}
