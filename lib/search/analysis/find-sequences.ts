import { isWithoutSpaces } from './split-words.js';

/** Marks the term of a sequence. It stands before all words, so no pattern and no misspelling comes upon it. */
export const sequenceMark = '\u0001';

/** Words of one term; a longer sequence has a term for each of its parts of this length. */
const maxWords = 4;
/** Words of a run that are read: a longer one is an address or a path. */
const maxRun = 8;
/** Characters of a word; a longer one is a digest or a key, and is found by itself. */
const maxLength = 24;

/** Characters between the parts of a number: `1.2.3`, `ABC-123`, `10:30`, `v1/two`. */
const separators = new Set(Array.from('.,:;-_/\\+@#=&~\u2010\u2011\u2012\u2013', (sign) => sign.charCodeAt(0)));
const digit = /\p{N}/u;

/**
 * Finds runs of words with one separator between each two of them, and a digit in one: versions, addresses, dates, ticket
 * and serial numbers. Their words say little alone. Each part of two to four words becomes a term, so that a run is also
 * found by a part of it.
 */
export class SequenceFinder {
  readonly #text: string;
  readonly #found: (term: string) => void;
  readonly #run: string[] = [];
  #last = '';
  #end = -1;

  /** @param found called with each term, as often as it comes */
  constructor(text: string, found: (term: string) => void) {
    this.#text = text;
    this.#found = found;
  }

  /** Takes the words in their order. */
  add(word: string, start: number, end: number): void {
    // Nearly all words come behind a blank.
    if (start === this.#end + 1 && separators.has(this.#text.charCodeAt(this.#end))) {
      if (this.#run.length === 0) this.#run.push(this.#last);
      if (this.#run.length < maxRun) this.#run.push(word);
    } else if (this.#run.length > 0) this.endRun();
    this.#last = word;
    this.#end = end;
  }

  /** After the last word. */
  endRun(): void {
    const run = this.#run;
    for (const term of termsOfRun(run)) this.#found(term);
    run.length = 0;
  }
}

function termsOfRun(run: readonly string[]): string[] {
  const terms: string[] = [];
  if (!run.some((word) => digit.test(word)) || !run.every(isPart)) return terms;
  for (let first = 0; first < run.length - 1; first += 1) {
    for (let count = 2; count <= maxWords && first + count <= run.length; count += 1) {
      terms.push(termOf(run.slice(first, first + count)));
    }
  }
  return terms;
}

const isPart = (word: string): boolean => word.length <= maxLength && !isWithoutSpaces(word);

const termOf = (words: readonly string[]): string => sequenceMark + words.join(' ');

/**
 * The terms of a query's word that is one run: the run itself where it is short, and all its parts of four words
 * otherwise. Nothing for any other word.
 * @param words of the text, with their places in it
 */
export function sequenceTerms(
  text: string,
  words: readonly { readonly word: string; readonly start: number; readonly end: number }[],
): string[] {
  if (words.length < 2 || words.length > maxRun) return [];
  const found: string[] = [];
  const finder = new SequenceFinder(text, (term) => found.push(term));
  for (const { word, start, end } of words) finder.add(word, start, end);
  finder.endRun();
  const wanted = new Set<string>();
  const count = Math.min(words.length, maxWords);
  for (let first = 0; first + count <= words.length; first += 1) {
    wanted.add(termOf(words.slice(first, first + count).map(({ word }) => word)));
  }
  return [...wanted].every((term) => found.includes(term)) ? [...wanted] : [];
}
