import { diffSequences, Numbering, type Effort } from '../../../../text/diff-sequences.js';

/** A piece of a text, and whether the other text lacks it. */
export interface MarkedPiece {
  readonly text: string;
  readonly isChanged: boolean;
}

const wordPattern = /[\p{L}\p{M}\p{N}_]+|\s+|[^\p{L}\p{M}\p{N}_\s]/gu;
/** Longer texts are shown without marks. UTF-16 units. */
const maxMarked = 20_000;
/** With more pieces than this, marks confuse more than they show. */
const maxPieces = 200;

/**
 * Marks the words of a text that another text does not have in that place.
 * @returns the whole text as one changed piece, where hardly a word is the same or the texts are long
 */
export function markWords(from: string, to: string): readonly MarkedPiece[] {
  const whole = to === '' ? [] : [{ text: to, isChanged: from !== to }];
  if (from === to || from.length + to.length > maxMarked) return whole;
  const words = { from: from.match(wordPattern) ?? [], to: to.match(wordPattern) ?? [] };
  const numbering = new Numbering();
  const effort: Effort = { steps: 60_000, comparisons: 400_000, isExhausted: false };
  const ranges = diffSequences(numbering.numberOf(words.from), numbering.numberOf(words.to), effort);
  const pieces = ranges
    .map(({ isSame, toStart, toEnd }) => ({ text: words.to.slice(toStart, toEnd).join(''), isChanged: !isSame }))
    .filter(({ text }) => text !== '');
  const isAlike = pieces.some(({ text, isChanged }) => !isChanged && text.trim() !== '');
  return isAlike && pieces.length <= maxPieces ? pieces : whole;
}
