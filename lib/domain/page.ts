/** The largest page of any list (the specification's Conventions 5 leaves the figure open). */
export const maxLimit = 200;

/** A list's page: the items, and the position to go on from, or null at the end. */
export interface Page<Item> {
  readonly items: readonly Item[];
  /** The last item's sort key, to be sealed by the face; null when there is no more. */
  readonly next: string | null;
}

/** Makes a page from one item more than requested. */
export function makePage<Item>(found: readonly Item[], limit: number, keyOf: (item: Item) => string): Page<Item> {
  if (found.length <= limit) return { items: found, next: null };
  const items = found.slice(0, limit);
  const last = items[items.length - 1];
  return { items, next: last === undefined ? null : keyOf(last) };
}
