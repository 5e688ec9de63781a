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

  /** Page by page. @param cursor of an earlier page, to go on after it */
  async *pages(cursor?: string): AsyncGenerator<Page<Item>, void, undefined> {
    let next = cursor;
    do {
      const page = await this.#fetch(next);
      yield page;
      next = page.next_cursor ?? undefined;
    } while (next !== undefined);
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
