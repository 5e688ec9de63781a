/**
 * Whether the word matches the pattern, in which `*` stands for any characters. It goes back to the last star only, so
 * the time is at most the product of both lengths.
 */
export function matchesWildcard(word: string, pattern: string): boolean {
  let at = 0;
  let place = 0;
  let star = -1;
  let resume = 0;
  while (at < word.length) {
    if (pattern.charAt(place) === '*') {
      star = place;
      place += 1;
      resume = at;
    } else if (place < pattern.length && pattern.charAt(place) === word.charAt(at)) {
      place += 1;
      at += 1;
    } else if (star >= 0) {
      resume += 1;
      at = resume;
      place = star + 1;
    } else return false;
  }
  while (pattern.charAt(place) === '*') place += 1;
  return place === pattern.length;
}

/**
 * Counts the edits (insert, leave out, replace, swap neighbours) from one word to another. It takes one character of
 * the candidate after the other, so that words with the same beginning share the work.
 */
export class EditDistance {
  readonly #target: Uint32Array;
  readonly #most: number;
  /** Row after row; a row holds the distances from the first `depth` characters to each beginning of the target. */
  readonly #rows: Uint16Array;
  readonly #characters: Uint32Array;

  constructor(target: string, most: number) {
    this.#target = Uint32Array.from(target, (character) => character.codePointAt(0) ?? 0);
    this.#most = most;
    // A longer candidate is too far off before it gets here.
    const depths = this.#target.length + most + 2;
    this.#characters = new Uint32Array(depths);
    this.#rows = new Uint16Array(depths * (this.#target.length + 1)).map((_, index) => index);
  }

  /**
   * Sets the candidate's character (a code point) at `depth`; false when no word with this beginning is near enough.
   */
  step(depth: number, character: number): boolean {
    const target = this.#target;
    const rows = this.#rows;
    const width = target.length + 1;
    const above = depth * width;
    const row = above + width;
    const last = depth === 0 ? -1 : this.#characters[depth - 1];
    this.#characters[depth] = character;
    rows[row] = depth + 1;
    let least = depth + 1;
    for (let index = 1; index < width; index += 1) {
      const isSame = target[index - 1] === character;
      let distance = (rows[above + index - 1] ?? 0) + (isSame ? 0 : 1);
      distance = Math.min(distance, (rows[above + index] ?? 0) + 1, (rows[row + index - 1] ?? 0) + 1);
      if (index > 1 && target[index - 1] === last && target[index - 2] === character) {
        distance = Math.min(distance, (rows[above - width + index - 2] ?? 0) + 1);
      }
      rows[row + index] = distance;
      if (distance < least) least = distance;
    }
    return least <= this.#most;
  }

  /** Whether the candidate's first `depth` characters are near enough to the whole target. */
  isNear(depth: number): boolean {
    return (this.#rows[(depth + 1) * (this.#target.length + 1) - 1] ?? 0) <= this.#most;
  }
}

function countCharacters(word: string): number {
  let count = 0;
  for (const _ of word) count += 1;
  return count;
}

/** Whether at most that many edits make `word` of `target`. */
export function isWithinEdits(word: string, target: string, most: number): boolean {
  // A character takes one or two UTF-16 units.
  if (word.length > 2 * (target.length + most) || target.length > 2 * (word.length + most)) return false;
  if (Math.abs(countCharacters(word) - countCharacters(target)) > most) return false;
  const distance = new EditDistance(target, most);
  let depth = 0;
  for (const character of word) {
    if (!distance.step(depth, character.codePointAt(0) ?? 0)) return false;
    depth += 1;
  }
  return distance.isNear(depth);
}
