import type { Heading } from './outline.js';

/** The headings that fit into an answer, in the document's order. */
export interface CutOutline {
  readonly headings: readonly Heading[];
  /** Whether these are all. */
  readonly isComplete: boolean;
  /** The line of the first heading left out at the end; null where only deeper ones are missing. */
  readonly nextLine: number | null;
  /** Characters that they take in an answer. */
  readonly chars: number;
}

/** The least that a heading takes in an answer, beside its words and its id. */
const frame = 72;

const sizeOf = ({ id, title }: Heading): number => frame + id.length + JSON.stringify(title).length;

/**
 * Cuts an outline to a number of characters: by depth, as long as the levels above take a good part of the room, then
 * in the document's order. Something is always left, if its first heading takes no more than twice the room. Measures
 * only headings that can fit, so the time does not depend on their words.
 */
export function cutOutline(all: readonly Heading[], room: number): CutOutline {
  const { depth, chars } = findDepth(all, room);
  const deepest = all.reduce((most, { level }) => Math.max(most, level), 0);
  if (depth === deepest) return { headings: all, isComplete: true, nextLine: null, chars };
  if (chars * 4 >= room) {
    return { headings: all.filter(({ level }) => level <= depth), isComplete: false, nextLine: null, chars };
  }
  // The levels that fit say too little, so the next one joins them as far as there is room.
  const next = all.reduce((least, { level }) => (level > depth ? Math.min(least, level) : least), deepest);
  const headings: Heading[] = [];
  let taken = 0;
  for (const heading of all) {
    if (heading.level > next) continue;
    const size = sizeOf(heading);
    if (taken + size > (headings.length === 0 ? 2 * room : room)) {
      return { headings, isComplete: false, nextLine: heading.line, chars: taken };
    }
    headings.push(heading);
    taken += size;
  }
  return { headings, isComplete: false, nextLine: null, chars: taken };
}

/** The deepest level that fits with all above it, and their size. */
function findDepth(all: readonly Heading[], room: number): { readonly depth: number; readonly chars: number } {
  let depth = 0;
  let chars = 0;
  let count = 0;
  for (let level = 1; level <= 6; level += 1) {
    const these = all.filter((heading) => heading.level === level);
    count += these.length;
    if (count * frame > room) break;
    const size = these.reduce((sum, heading) => sum + sizeOf(heading), chars);
    if (size > room) break;
    if (these.length === 0) continue;
    depth = level;
    chars = size;
  }
  return { depth, chars };
}
