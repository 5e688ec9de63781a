import type { Page } from '../domain/page.js';

/**
 * Characters of JSON that the items of one answer take. Clients cut what is longer: 25,000 tokens are usual, and lists
 * of commits take a token for two characters.
 */
export const answerRoom = 40_000;

/** Characters of text in one answer, unless the caller asks for another number. */
export const textRoom = 20_000;

/** Items that fit into an answer, as they are shown, and the position behind the last of them. */
export interface Fitted {
  readonly shown: readonly object[];
  /** Null at the end of the list. */
  readonly next: string | null;
}

/**
 * Shows as many items of a page as there is room for, but at least one.
 * @param positionOf the place of an item in its list, as in the page's `next`
 */
export function fitPage<Item>(
  { items, next }: Page<Item>,
  present: (item: Item) => object,
  positionOf: (item: Item) => string,
  room = answerRoom,
): Fitted {
  const shown: object[] = [];
  let taken = 0;
  let last: Item | undefined;
  for (const item of items) {
    const presented = present(item);
    taken += JSON.stringify(presented).length;
    if (taken > room && last !== undefined) return { shown, next: positionOf(last) };
    shown.push(presented);
    last = item;
  }
  return { shown, next };
}
