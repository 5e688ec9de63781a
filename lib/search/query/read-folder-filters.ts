import { spelledWords, type SpelledWord } from '../analysis/split-words.js';
import type { Languages } from '../languages/languages.js';

/** A word that a folder's name has to have: any of its terms, or a longer word that begins so. */
export interface FolderWord {
  readonly terms: readonly string[];
  readonly beginning?: string;
}

/** Only documents with a folder on their way whose name has all of the words, or only documents without one. */
export interface FolderFilter {
  readonly words: readonly FolderWord[];
  readonly isProhibited: boolean;
}

/** Filters that are read; further ones are words. */
const maxFilters = 4;
/** Words of a name; further ones do not count. */
const maxWords = 8;

const filter = /(?<=^|\s)([+-]?)folder:(?:["“”]([^"“”]*)["“”]|([^\s"“”]+))/giu;

/**
 * Takes `folder:plans`, `folder:"meeting notes"` and their negations out of a query. One without a word stays there.
 * @returns the filters, and the text without them
 */
export function readFolderFilters(
  text: string,
  languages: Languages,
): { readonly folders: FolderFilter[]; readonly rest: string } {
  const folders: FolderFilter[] = [];
  const rest = text.replace(
    filter,
    (whole: string, sign: string, quoted: string | undefined, plain: string | undefined) => {
      const words = spelledWords(quoted ?? plain ?? '')
        .slice(0, maxWords)
        .map((word) => toFolderWord(word, languages));
      if (words.length === 0 || folders.length === maxFilters) return whole;
      folders.push({ words, isProhibited: sign === '-' });
      return ' ';
    },
  );
  return { folders, rest };
}

function toFolderWord({ word, spelled }: SpelledWord, languages: Languages): FolderWord {
  return { terms: [...new Set([...languages.stemsOf(word, spelled), word])] };
}

/** What is no plain word: signs, fields, quotes and patterns. */
const operator = /["“”*~^:]|(?:^|\s)[+-]\S/u;

/**
 * The words of a query that folders are found by. Words that are too frequent to say much do not count beside others.
 * @param beginning the last word, where it is the beginning of longer ones, too
 * @returns empty for a query with operators, and for a long one
 */
export function readFolderName(text: string, languages: Languages, beginning: string | undefined): FolderWord[] {
  if (operator.test(text)) return [];
  const spoken = spelledWords(text);
  const telling = spoken.filter(({ word }) => !languages.isStopWord(word));
  const counted = telling.length > 0 ? telling : spoken;
  if (counted.length > maxWords) return [];
  return counted.map((each) => ({
    ...toFolderWord(each, languages),
    ...(beginning !== undefined && each.end === text.length ? { beginning } : {}),
  }));
}
