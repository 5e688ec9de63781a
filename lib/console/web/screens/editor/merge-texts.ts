import { cutLines, endOf } from './keep-line-ends.js';
import { diffSequences, Numbering, type DiffHunk } from '../../../../text/diff-sequences.js';

/**
 * One part of a three-way merge, in lines with their ends. Put together in order, the parts of each side are exactly
 * that side's text.
 */
export interface MergePart {
  /**
   * `same`: neither side changed it. `theirs`, `mine`: one side changed it. `both`: both made the same change. `conflict`:
   * they changed it differently.
   */
  readonly kind: 'same' | 'theirs' | 'mine' | 'both' | 'conflict';
  readonly base: readonly string[];
  readonly theirs: readonly string[];
  readonly mine: readonly string[];
}

/** Bounds of the comparison of two texts: a few tenths of a second for any texts, in the browser of the one who asks. */
const effort = { steps: 4_000_000, comparisons: 8_000_000 } as const;

/**
 * Merges two changes of one text, line by line. A line counts with its end, so a changed line end is a change. Changes
 * that touch each other become one part, because neither can be judged without the other.
 */
export function mergeTexts(base: string, theirs: string, mine: string): MergePart[] {
  const lines = { base: cutLines(base), theirs: cutLines(theirs), mine: cutLines(mine) };
  const numbering = new Numbering();
  const numbers = {
    base: numbering.numberOf(lines.base),
    theirs: numbering.numberOf(lines.theirs),
    mine: numbering.numberOf(lines.mine),
  };
  const changes = {
    theirs: changesBetween(numbers.base, numbers.theirs),
    mine: changesBetween(numbers.base, numbers.mine),
  };
  const parts: MergePart[] = [];
  const at = { base: 0, theirs: 0, mine: 0, nextTheirs: 0, nextMine: 0 };
  const take = (kind: MergePart['kind'], to: { base: number; theirs: number; mine: number }): void => {
    if (to.base === at.base && to.theirs === at.theirs && to.mine === at.mine) return;
    parts.push({
      kind,
      base: lines.base.slice(at.base, to.base),
      theirs: lines.theirs.slice(at.theirs, to.theirs),
      mine: lines.mine.slice(at.mine, to.mine),
    });
    Object.assign(at, to);
  };
  for (;;) {
    const start = Math.min(
      changes.theirs[at.nextTheirs]?.fromStart ?? Infinity,
      changes.mine[at.nextMine]?.fromStart ?? Infinity,
    );
    if (start === Infinity) break;
    const skipped = start - at.base;
    take('same', { base: start, theirs: at.theirs + skipped, mine: at.mine + skipped });
    const group = growGroup(changes, at, start);
    take(kindOf(numbers, at, group), group);
  }
  take('same', { base: lines.base.length, theirs: lines.theirs.length, mine: lines.mine.length });
  return parts;
}

interface Place {
  readonly base: number;
  readonly theirs: number;
  readonly mine: number;
}

/** Adds the changes of both sides that overlap the group. @returns where the group ends */
function growGroup(
  changes: { readonly theirs: readonly DiffHunk[]; readonly mine: readonly DiffHunk[] },
  at: { theirs: number; mine: number; nextTheirs: number; nextMine: number },
  start: number,
): Place & { readonly isByTheirs: boolean; readonly isByMine: boolean } {
  let end = start;
  const grown = { theirs: 0, mine: 0 };
  const [firstTheirs, firstMine] = [at.nextTheirs, at.nextMine];
  const touches = (change: DiffHunk | undefined): change is DiffHunk => change !== undefined && change.fromStart <= end;
  for (;;) {
    const [theirs, mine] = [changes.theirs[at.nextTheirs], changes.mine[at.nextMine]];
    if (touches(theirs)) {
      at.nextTheirs += 1;
      grown.theirs += growthOf(theirs);
      end = Math.max(end, theirs.fromEnd);
    } else if (touches(mine)) {
      at.nextMine += 1;
      grown.mine += growthOf(mine);
      end = Math.max(end, mine.fromEnd);
    } else break;
  }
  const length = end - start;
  return {
    base: end,
    theirs: at.theirs + length + grown.theirs,
    mine: at.mine + length + grown.mine,
    isByTheirs: at.nextTheirs > firstTheirs,
    isByMine: at.nextMine > firstMine,
  };
}

function growthOf({ fromStart, fromEnd, toStart, toEnd }: DiffHunk): number {
  return toEnd - toStart - (fromEnd - fromStart);
}

function kindOf(
  numbers: { readonly theirs: readonly number[]; readonly mine: readonly number[] },
  from: Pick<Place, 'theirs' | 'mine'>,
  to: Pick<Place, 'theirs' | 'mine'> & { readonly isByTheirs: boolean; readonly isByMine: boolean },
): MergePart['kind'] {
  if (!to.isByMine) return 'theirs';
  if (!to.isByTheirs) return 'mine';
  const length = to.theirs - from.theirs;
  if (to.mine - from.mine !== length) return 'conflict';
  for (let index = 0; index < length; index += 1) {
    if (numbers.theirs[from.theirs + index] !== numbers.mine[from.mine + index]) return 'conflict';
  }
  return 'both';
}

function changesBetween(from: readonly number[], to: readonly number[]): DiffHunk[] {
  return diffSequences(from, to, { ...effort, isExhausted: false }).filter(({ isSame }) => !isSame);
}

/** What a person takes of one part. `both`: theirs, then mine. */
export type Choice = 'theirs' | 'mine' | 'both' | 'base';

/** What a part gives without anybody's choice; undefined for a conflict. */
export function usualChoice({ kind }: MergePart): Choice | undefined {
  return kind === 'conflict' ? undefined : kind === 'theirs' ? 'theirs' : 'mine';
}

/** The lines that a choice takes of a part. */
export function linesOf({ base, theirs, mine }: MergePart, choice: Choice): readonly string[] {
  if (choice === 'theirs') return theirs;
  if (choice === 'mine') return mine;
  return choice === 'base' ? base : [...theirs, ...mine];
}

/**
 * The merged text.
 * @param choices by the part's place; a part without one gives its usual choice
 * @returns undefined while a conflict has no choice
 */
export function joinParts(parts: readonly MergePart[], choices: ReadonlyMap<number, Choice>): string | undefined {
  const joined: string[] = [];
  let isOpen = false;
  for (const [index, part] of parts.entries()) {
    const choice = choices.get(index) ?? usualChoice(part);
    if (choice === undefined) return undefined;
    for (const line of linesOf(part, choice)) {
      const end = endOf(line);
      // The last line of a side may have no end. What follows it in the merged text must not run into it.
      if (isOpen) joined.push(end === '' ? '\n' : end);
      joined.push(line);
      isOpen = end === '';
    }
  }
  return joined.join('');
}
