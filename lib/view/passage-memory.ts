import type { PlacedPassage } from '../domain/comment.js';

/** Passages remembered of one workspace: some megabytes. */
const maxRemembered = 10_000;

/**
 * Places of comment threads' passages in versions of their documents. Neither a thread's quote nor a version's text
 * ever changes, so a found place stays true. It holds places alone, no words.
 */
export class PassageMemory {
  readonly #places = new Map<string, PlacedPassage | null>();

  /** @returns null where the passage is not in the version's text; undefined where nothing is remembered */
  recall(threadId: string, versionId: string): PlacedPassage | null | undefined {
    return this.#places.get(`${threadId} ${versionId}`);
  }

  remember(threadId: string, versionId: string, place: PlacedPassage | null): void {
    this.#places.set(`${threadId} ${versionId}`, place);
    if (this.#places.size <= maxRemembered) return;
    for (const [oldest] of this.#places) {
      this.#places.delete(oldest);
      break;
    }
  }
}
