import { foldText } from '../analysis/split-words.js';
import { isStopWord, stemsOfBeginning, stemWord } from '../analysis/stem-word.js';
import { showLanguages } from './show-languages.js';
import { openStemmer, type LanguageCode } from './open-stemmer.js';

/** How words are read: which part of their endings is ignored. */
export interface Languages {
  /** In the order of the admin's setting. */
  readonly codes: readonly LanguageCode[];
  /** Whether the spelling of a word says more than its folded form. */
  readonly areSpelled: boolean;
  /** Whether every term of a word begins with the word's own first character. */
  readonly keepBeginnings: boolean;
  /** Whether the folded word says too little to be searched for beside others. */
  isStopWord(word: string): boolean;
  /** Whether it says too little to be kept in a body read in these languages. */
  leavesOut(word: string): boolean;
  /** The languages that these successive words of a body show; they are read in those. */
  forWords(words: readonly string[]): Languages;
  /**
   * The terms of a word, for documents that hold it and for queries: one term a language at most, the English one
   * first; the word itself where no language has its script.
   * @param word folded
   * @param spelled the same in lower case, with its diacritics
   */
  stemsOf(word: string, spelled: string): readonly string[];
  /**
   * Terms of words with that beginning that do not begin so themselves. Of languages other than English, only those of
   * the beginning taken for a word.
   * @param beginning folded
   */
  stemsOfBeginning(beginning: string): readonly string[];
}

const latin = /^\p{Script=Latin}+$/u;
const cyrillic = /^\p{Script=Cyrillic}+$/u;
const maxRemembered = 20_000;

/** Stems of earlier words. Emptied when a document is erased, since its words would outlive it. */
class StemMemory {
  readonly #stems = new Map<string, readonly string[]>();

  find(key: string): readonly string[] | undefined {
    return this.#stems.get(key);
  }

  /** @param stems made of words without their texts */
  keep(key: string, stems: readonly string[]): readonly string[] {
    if (this.#stems.size >= maxRemembered) this.#stems.clear();
    this.#stems.set(key, stems);
    return stems;
  }

  clear(): void {
    this.#stems.clear();
  }
}

/** From this many characters on, V8 makes a part of a string as a view of the whole. */
const shortestView = 13;

/** The word without the text that it is a part of: a word that is remembered would keep its whole text in memory. */
function detachWord(word: string): string {
  return word.length < shortestView ? word : ` ${word}`.slice(1);
}

class English implements Languages {
  readonly codes = ['en'] as const;
  readonly areSpelled = false;
  readonly keepBeginnings = true;
  readonly isStopWord = isStopWord;
  readonly leavesOut = isStopWord;
  readonly #remembered = new StemMemory();

  forWords(): Languages {
    return this;
  }

  stemsOf(word: string): readonly string[] {
    return this.#remembered.find(word) ?? this.#remember(word);
  }

  stemsOfBeginning(beginning: string): readonly string[] {
    return stemsOfBeginning(beginning);
  }

  forget(): void {
    this.#remembered.clear();
  }

  #remember(word: string): readonly string[] {
    const own = detachWord(word);
    return this.#remembered.keep(own, [stemWord(own)]);
  }
}

/** The default without an admin's setting. */
export const english: Languages = new English();

class SeveralLanguages implements Languages {
  readonly codes: readonly LanguageCode[];
  readonly areSpelled = true;
  readonly keepBeginnings = false;
  readonly #hasEnglish: boolean;
  /** The languages written in Latin letters. */
  readonly #latinCodes: readonly LanguageCode[];
  readonly #latin: readonly ((word: string) => string)[];
  readonly #cyrillic: readonly ((word: string) => string)[];
  readonly #remembered = new StemMemory();

  constructor(codes: readonly LanguageCode[]) {
    this.codes = codes;
    const others = codes.filter((code) => code !== 'en');
    this.#hasEnglish = codes.includes('en');
    this.#latin = others.filter((code) => code !== 'ru').map(openStemmer);
    this.#latinCodes = codes.filter((code) => code !== 'ru');
    this.#cyrillic = others.filter((code) => code === 'ru').map(openStemmer);
  }

  isStopWord(word: string): boolean {
    return this.#hasEnglish && isStopWord(word);
  }

  /** A word that says little in English may say a lot in another language. */
  leavesOut(word: string): boolean {
    return this.#latinCodes.length === 1 && this.isStopWord(word);
  }

  forWords(words: readonly string[]): Languages {
    if (this.#latinCodes.length < 2) return this;
    const shown = showLanguages(this.#latinCodes, words);
    if (shown.length === this.#latinCodes.length) return this;
    return openLanguages(this.codes.filter((code) => shown.includes(code) || !this.#latinCodes.includes(code)));
  }

  stemsOf(word: string, spelled: string): readonly string[] {
    const key = spelled === word ? word : `${word} ${spelled}`;
    const known = this.#remembered.find(key);
    if (known !== undefined) return known;
    return this.#remembered.keep(detachWord(key), this.#find(detachWord(word), detachWord(spelled)));
  }

  stemsOfBeginning(beginning: string): readonly string[] {
    const own = this.stemsOf(beginning, beginning).filter((stem) => !stem.startsWith(beginning));
    return [...new Set([...own, ...(this.#hasEnglish ? stemsOfBeginning(beginning) : [])])];
  }

  forget(): void {
    this.#remembered.clear();
  }

  #find(word: string, spelled: string): readonly string[] {
    // й is no и with a mark, although it decomposes into one; ё is written е as often as not.
    if (cyrillic.test(spelled)) return this.#stem(this.#cyrillic, [spelled.replaceAll('ё', 'е')], word);
    // A query without accents finds words with them; a query with accents finds words that inflect differently with
    // them.
    if (latin.test(spelled) && latin.test(word)) return this.#stem(this.#latin, [spelled, word], word);
    return [this.#hasEnglish ? stemWord(word) : word];
  }

  #stem(stemmers: readonly ((word: string) => string)[], forms: readonly string[], word: string): readonly string[] {
    const stems = new Set<string>();
    if (this.#hasEnglish && latin.test(word)) stems.add(stemWord(word));
    for (const stem of stemmers) for (const form of forms) stems.add(foldText(stem(form)) || word);
    return stems.size === 0 ? [word] : [...stems];
  }
}

const opened = new Map<string, Languages & { forget?(): void }>([[english.codes.join(), english]]);

/** @param codes one at least, none twice */
export function openLanguages(codes: readonly LanguageCode[]): Languages {
  let languages = opened.get(codes.join());
  if (languages === undefined) opened.set(codes.join(), (languages = new SeveralLanguages(codes)));
  return languages;
}

/** Clears this thread's cache of words in languages. */
export function forgetLanguages(): void {
  for (const languages of opened.values()) languages.forget?.();
}

export type { LanguageCode };
