import { ConnectionError, foreignAnswer } from './errors.js';

/** A page of a list. */
export interface Page<Item> {
  readonly items: readonly Item[];
  /** Where the next page begins; null after the last one. */
  readonly next_cursor: string | null;
}

/**
 * A list. `for await` gives its items, and fetches pages as they are needed.
 * @example for await (const document of cartulary.documents.list('handbook')) console.log(document.location);
 */
export class List<Item> implements AsyncIterable<Item> {
  readonly #fetch: (cursor: string | undefined) => Promise<Page<Item>>;

  /** @param fetch the page that begins at a cursor; the first one without */
  constructor(fetch: (cursor: string | undefined) => Promise<Page<Item>>) {
    this.#fetch = fetch;
  }

  /**
   * Page by page.
   * @param cursor of an earlier page, to go on after it
   * @throws ConnectionError where a cursor comes again, since such a list has no end; what the fetch throws
   */
  async *pages(cursor?: string): AsyncGenerator<Page<Item>, void, undefined> {
    let next = cursor;
    // Of all cursors one is kept: the last whose number was a power of two. A circle of any length meets it (Brent).
    let kept = cursor;
    for (let count = 1; ; count += 1) {
      const page = await this.#fetch(next);
      requirePage(page);
      yield page;
      if (page.next_cursor === null) return;
      next = page.next_cursor;
      if (next === kept) throw new ConnectionError('The list repeats a cursor, so it would never end.');
      if ((count & (count - 1)) === 0) kept = next;
    }
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Item, void, undefined> {
    for await (const { items } of this.pages()) yield* items;
  }

  /** All items, or the first ones. @param limit the most items to fetch */
  async toArray(limit = Infinity): Promise<Item[]> {
    const items: Item[] = [];
    if (limit <= 0) return items;
    for await (const item of this) {
      items.push(item);
      if (items.length >= limit) break;
    }
    return items;
  }
}

/** @throws ConnectionError where it is no page, as of something else than the service */
export function requirePage(page: Page<unknown>): void {
  const { items, next_cursor: cursor } = page as { readonly items: unknown; readonly next_cursor: unknown };
  if (!Array.isArray(items) || (cursor !== null && typeof cursor !== 'string')) throw foreignAnswer();
}
