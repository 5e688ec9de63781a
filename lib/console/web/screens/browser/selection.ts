/** Which rows of a list are chosen, and which one the keys act on. Rows are named by keys. */
export interface Selection {
  readonly chosen: ReadonlySet<string>;
  /** The row that the keys act on. */
  readonly active: number;
  /** Where a range begins. */
  readonly anchor: number;
}

export const noSelection: Selection = { chosen: new Set(), active: 0, anchor: 0 };

/** Moves to a row without choosing it. */
export function moveTo(selection: Selection, row: number): Selection {
  return { ...selection, active: row, anchor: row };
}

/** Chooses every row from the anchor to this one, and no other. */
export function extendTo(selection: Selection, row: number, keys: readonly string[]): Selection {
  const [first, last] = selection.anchor < row ? [selection.anchor, row] : [row, selection.anchor];
  return { ...selection, chosen: new Set(keys.slice(first, last + 1)), active: row };
}

/** Chooses a row, or no longer. */
export function toggle(selection: Selection, row: number, keys: readonly string[]): Selection {
  const chosen = new Set(selection.chosen);
  const key = keys[row];
  if (key !== undefined && !chosen.delete(key)) chosen.add(key);
  return { chosen, active: row, anchor: row };
}

export function chooseAll(selection: Selection, keys: readonly string[]): Selection {
  return { ...selection, chosen: new Set(keys) };
}

/** The same selection after the rows have changed: what is gone is no longer chosen. */
export function keepWithin(selection: Selection, keys: readonly string[]): Selection {
  const last = Math.max(keys.length - 1, 0);
  if (selection.chosen.size === 0 && selection.active <= last) return selection;
  const present = new Set(keys);
  const isWithin = [...selection.chosen].every((key) => present.has(key));
  if (isWithin && selection.active <= last) return selection;
  const chosen = isWithin ? selection.chosen : new Set([...selection.chosen].filter((key) => present.has(key)));
  return { chosen, active: Math.min(selection.active, last), anchor: Math.min(selection.anchor, last) };
}
