import type { Document } from '../domain/document.js';
import type { Page } from '../domain/page.js';

/** Documents remembered together. */
const maxRemembered = 20_000;

/**
 * Pages of folders, for callers that may read the whole folder. Valid until any change in the workspace: then all are
 * forgotten. A page with a claim on it is never remembered, since claims end by themselves.
 */
export class PageMemory {
  readonly #pages = new Map<string, Page<Document>>();
  #held = 0;
  #stamp = -1;

  /** @param stamp of the state that is read from now on; a new stamp forgets everything */
  at(stamp: number): this {
    if (stamp !== this.#stamp) this.forget();
    this.#stamp = stamp;
    return this;
  }

  /** The page read for the same words in the same state, else the result of `read`. */
  recall(words: readonly (string | number)[], read: () => Page<Document>): Page<Document> {
    const key = JSON.stringify(words);
    const known = this.#pages.get(key);
    if (known !== undefined) return known;
    const page = read();
    if (page.items.some(({ claims }) => claims.length > 0)) return page;
    if (this.#held + page.items.length > maxRemembered) this.forget();
    this.#pages.set(key, page);
    this.#held += page.items.length + 1;
    return page;
  }

  /** Forgets everything. */
  forget(): void {
    this.#pages.clear();
    this.#held = 0;
  }
}
