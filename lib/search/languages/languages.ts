import { foldText } from '../split-words.js';
import { isStopWord, stemWord } from '../stem-word.js';
import { openStemmer, type LanguageCode } from './open-stemmer.js';

/** How words are read: what of their endings counts for nothing. */
export interface Languages {
  /** In the order in which an admin named them. */
  readonly codes: readonly LanguageCode[];
  /** Whether how a word is spelled tells more than its folded form. */
  readonly areSpelled: boolean;
  /** Whether the folded word says too little to be kept in a body. */
  isStopWord(word: string): boolean;
  /**
   * What a document is found by that has the word, and what the word is sought by: one term a language at most, that
   * of English first; the word itself where no language has its script.
   * @param word folded
   * @param spelled the same in lower case, with its diacritics
   */
  stemsOf(word: string, spelled: string): readonly string[];
}

const latin = /^\p{Script=Latin}+$/u;
const cyrillic = /^\p{Script=Cyrillic}+$/u;
const mostRemembered = 50_000;

class English implements Languages {
  readonly codes = ['en'] as const;
  readonly areSpelled = false;
  readonly isStopWord = isStopWord;

  stemsOf(word: string): readonly string[] {
    return [stemWord(word)];
  }
}

/** As long as an admin does not say otherwise. */
export const english: Languages = new English();

class SeveralLanguages implements Languages {
  readonly codes: readonly LanguageCode[];
  readonly areSpelled = true;
  readonly #hasEnglish: boolean;
  readonly #hasOtherLatin: boolean;
  readonly #latin: readonly ((word: string) => string)[];
  readonly #cyrillic: readonly ((word: string) => string)[];
  /** Stems of words met. Emptied when a document is erased, since its words would outlive it. */
  readonly #remembered = new Map<string, readonly string[]>();

  constructor(codes: readonly LanguageCode[]) {
    this.codes = codes;
    const others = codes.filter((code) => code !== 'en');
    this.#hasEnglish = codes.includes('en');
    this.#latin = others.filter((code) => code !== 'ru').map(openStemmer);
    this.#hasOtherLatin = this.#latin.length > 0;
    this.#cyrillic = others.filter((code) => code === 'ru').map(openStemmer);
  }

  /** A word that says little in one language may say a lot in another: "die", "war". */
  isStopWord(word: string): boolean {
    return this.#hasEnglish && !this.#hasOtherLatin && isStopWord(word);
  }

  stemsOf(word: string, spelled: string): readonly string[] {
    const key = spelled === word ? word : `${word} ${spelled}`;
    let stems = this.#remembered.get(key);
    if (stems === undefined) {
      stems = this.#find(word, spelled);
      if (this.#remembered.size >= mostRemembered) this.#remembered.clear();
      this.#remembered.set(key, stems);
    }
    return stems;
  }

  forget(): void {
    this.#remembered.clear();
  }

  #find(word: string, spelled: string): readonly string[] {
    // й is no и with something on it, although it comes apart as one; ё is written е as often as not.
    if (cyrillic.test(spelled)) return this.#stem(this.#cyrillic, [spelled.replaceAll('ё', 'е')], word);
    // Who leaves out the accents finds what has them; who writes them finds what is inflected differently with them.
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

/** What this thread remembers of words in languages is gone then. */
export function forgetLanguages(): void {
  for (const languages of opened.values()) languages.forget?.();
}

export type { LanguageCode };
