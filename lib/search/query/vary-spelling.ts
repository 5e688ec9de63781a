import type { Languages } from '../languages/languages.js';
import type { Clause, Query, QueryTerm } from './parse-query.js';

/** Letters of folded words, by the script of which a word has one. Other scripts have no variants. */
const alphabets = [
  'abcdefghijklmnopqrstuvwxyz',
  'αβγδεζηθικλμνξοπρςστυφχψω',
  'абвгдежзийклмнопрстуфхцчшщъыьэюя',
  'אבגדהוזחטיךכלםמןנסעףפץצקרשת',
  'ءابةتثجحخدذرزسشصضطظعغفقكلمنهوىي',
].map((letters) => Array.from(letters));

/** A longer word has more variants than its rareness is worth. Characters. */
const maxVaried = 24;

/**
 * All words that are one slip away: a letter left out, added, changed, or swapped with its neighbour. Some 450 for a word
 * of eight letters.
 * @param word as `splitWords` gives it
 * @returns none for a number, or in a script whose words have no letters of their own
 */
export function varySpelling(word: string): string[] {
  const letters = Array.from(word);
  const alphabet = alphabets.find((each) => letters.some((letter) => each.includes(letter)));
  if (alphabet === undefined || letters.length > maxVaried || letters.some((letter) => isDigit(letter))) return [];
  const variants = new Set<string>();
  for (let at = 0; at <= letters.length; at += 1) {
    const before = letters.slice(0, at).join('');
    const [own = '', next = ''] = letters.slice(at);
    const behind = letters.slice(at + 1).join('');
    if (own !== '') variants.add(before + behind);
    if (next !== '') variants.add(before + next + own + letters.slice(at + 2).join(''));
    for (const letter of alphabet) {
      variants.add(before + letter + own + behind);
      if (own !== '') variants.add(before + letter + behind);
    }
  }
  variants.delete(word);
  variants.delete('');
  return [...variants];
}

function isDigit(character: string): boolean {
  return /\p{N}/u.test(character);
}

/** Variants whose stems are found in one step. */
const variantsAtOnce = 64;

/** The stems of all words that are one slip away. Works in steps. */
export function* stemsOfVariants(word: string, languages: Languages): Generator<void, string[]> {
  const stems = new Set<string>();
  for (const [index, variant] of varySpelling(word).entries()) {
    if (index % variantsAtOnce === variantsAtOnce - 1) yield;
    if (languages.isStopWord(variant)) continue;
    for (const stem of languages.stemsOf(variant, variant)) stems.add(stem);
  }
  return [...stems];
}

/** The query with the stems of its misspelt words' variants. Works in steps. */
export function* findVariants(query: Query, languages: Languages): Generator<void, Query> {
  const clauses: Clause[] = [];
  for (const clause of query.clauses) {
    const terms: QueryTerm[] = [];
    for (const term of clause.terms) {
      terms.push(term.type === 'fuzzy' ? { ...term, stems: yield* stemsOfVariants(term.word, languages) } : term);
    }
    clauses.push({ ...clause, terms });
  }
  return { ...query, clauses };
}
