/** A page of the feed, as a consumer on any face sees it. */
export interface SeenPage {
  readonly items: readonly {
    readonly id: string;
    readonly kind: string;
    readonly document: { readonly id: string; readonly location: string | null };
  }[];
  readonly next: string;
}

/** What a consumer knows who has the feed alone. */
export class FeedMirror {
  readonly #read: (cursor: string) => Promise<SeenPage>;
  readonly #places = new Map<string, string>();
  #cursor = '';

  /** @param read a page; '' for the beginning */
  constructor(read: (cursor: string) => Promise<SeenPage>) {
    this.#read = read;
  }

  /** Where documents are, in the order of letters. */
  get places(): readonly string[] {
    return [...this.#places.values()].toSorted();
  }

  /** Reads to the end. */
  async catchUp(): Promise<void> {
    for (;;) {
      const { items, next } = await this.#read(this.#cursor);
      this.#cursor = next;
      for (const { kind, document } of items) {
        const isGone = kind === 'left' || kind === 'deleted' || document.location === null;
        if (isGone) this.#places.delete(document.id);
        else this.#places.set(document.id, document.location);
      }
      if (items.length === 0) return;
    }
  }
}
