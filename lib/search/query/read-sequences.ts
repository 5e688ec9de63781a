import { sequenceTerms } from '../analysis/find-sequences.js';
import { splitWords } from '../analysis/split-words.js';
import { everyField, labelField } from '../segments/posting.js';
import { fieldsByName } from './read-quotes.js';

/** A word of a query that is several words of the index in a row, such as `1.2.3` or `ABC-123`. */
export interface Sequence {
  readonly text: string;
  readonly presence: 'optional' | 'required' | 'prohibited';
  /** One bit a field: one of them, or all. */
  readonly fields: number;
  /** What the index has for it. */
  readonly terms: readonly string[];
}

/** Sequences that are read; further ones are words. */
const maxSequences = 8;
const leading = /^([+-]?)(?:(\p{L}+):)?/u;

/**
 * Takes the sequences out of a query without quotes. One with a pattern, a boost or a label is left there.
 * @param knowsOperators whether signs and fields lead a word
 * @returns the sequences, and the text without them
 */
export function readSequences(
  text: string,
  knowsOperators: boolean,
): { readonly sequences: Sequence[]; readonly rest: string } {
  const sequences: Sequence[] = [];
  const rest = text
    .split(/(\s+)/u)
    .map((word) => {
      const sequence = sequences.length < maxSequences ? readSequence(word, knowsOperators) : undefined;
      if (sequence === undefined) return word;
      sequences.push(sequence);
      return ' ';
    })
    .join('');
  return { sequences, rest };
}

function readSequence(word: string, knowsOperators: boolean): Sequence | undefined {
  if (/[*^~]/.test(word)) return undefined;
  const [, sign = '', name] = knowsOperators ? (leading.exec(word) ?? []) : [];
  const named = name === undefined ? undefined : fieldsByName.get(name.toLowerCase());
  if (named === labelField) return undefined;
  const text = word.slice(sign.length + (named === undefined ? 0 : (name?.length ?? 0) + 1));
  const words: { readonly word: string; readonly start: number; readonly end: number }[] = [];
  splitWords(text, (each, start, end) => words.push({ word: each, start, end }));
  const terms = sequenceTerms(text, words);
  if (terms.length === 0) return undefined;
  const presence = sign === '+' ? 'required' : sign === '-' ? 'prohibited' : 'optional';
  return { text, presence, fields: named ?? everyField, terms };
}
