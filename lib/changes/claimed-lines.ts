import type { Heading } from '../text/outline.js';

/** The lines of one text, with the holders of claims on them. */
export class ClaimedLines {
  readonly #holders: (string | undefined)[] = [];

  /** Gives a section's lines to the holder. @returns false, and gives none, where another holder has one of them */
  take(holder: string, { line, lastLine }: Pick<Heading, 'line' | 'lastLine'>): boolean {
    for (let at = line; at <= lastLine; at += 1) {
      const other = this.#holders[at];
      if (other !== undefined && other !== holder) return false;
    }
    for (let at = line; at <= lastLine; at += 1) this.#holders[at] = holder;
    return true;
  }
}
