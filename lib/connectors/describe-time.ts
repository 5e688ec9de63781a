/** Milliseconds in which a store can give two changes of a file the same time: FAT counts by two seconds. */
const grain = 2000;
/** Milliseconds by which the clock of the store's disk may be ahead of that of its answers. */
const ahead = 60 * 60_000;

/** When a file was changed and when that was said. All are milliseconds since 1970. */
export interface ToldTime {
  readonly modifiedAt: number;
  /** The `Date` of the answer that lists the file; undefined where it has none. */
  readonly toldAt: string | undefined;
  /** When the listing began, by the clock here. */
  readonly began: number;
}

/**
 * Names the state of a file by its time, for stores without entity tags. A file that has just changed can change again
 * with the same time. Its name holds the moment, so that it differs next time, and the file is read once more.
 */
export function describeTime({ modifiedAt, toldAt, began }: ToldTime): string {
  const date = Date.parse(toldAt ?? '');
  // Both times are by the clock of the store, where it has one.
  const age = (Number.isNaN(date) ? began : date) - modifiedAt;
  return age < grain && age > -ahead ? `${modifiedAt}~${began}` : `${modifiedAt}`;
}
