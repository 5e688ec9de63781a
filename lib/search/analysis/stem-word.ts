import lunr from 'lunr';

const plainLatin = /^[a-z]+$/;
const maxRemembered = 50_000;
/** Stems of words in documents. Emptied when a document is erased, since its words would outlive it. */
const remembered = new Map<string, string>();

/** Whether the word says too little to be kept in a body ("the", "of"): lunr's list. */
export function isStopWord(word: string): boolean {
  // The filter returns nothing for a stop word, but its typings leave that out.
  const kept = lunr.stopWordFilter(new lunr.Token(word, {})) as lunr.Token | undefined;
  return kept === undefined;
}

/** The English stem (lunr's Porter stemmer) of a folded word; words of other scripts stay as they are. */
export function stemWord(word: string): string {
  return plainLatin.test(word) ? lunr.stemmer(new lunr.Token(word, {})).toString() : word;
}

/**
 * Endings that show what a beginning of a word can become. Each word of a body of 59,000 English ones has its stem among
 * those of each of its beginnings with these.
 */
const endings =
  'ed ing er ion al ate ent able ic ive ity ally ator ance ly ence ous ness ative ization ful ility ism'.split(' ');

/**
 * The stems of words that begin so, as far as they do not begin so themselves: the stem of "universities" is shorter
 * than "universi". The beginning may hold a part of an ending.
 * @param beginning folded
 */
export function stemsOfBeginning(beginning: string): string[] {
  if (!plainLatin.test(beginning)) return [];
  const stems = new Set([stemWord(beginning)]);
  for (const ending of endings) {
    for (let known = 0; known < ending.length; known += 1) {
      if (beginning.endsWith(ending.slice(0, known))) stems.add(stemWord(beginning + ending.slice(known)));
    }
  }
  return [...stems].filter((stem) => !stem.startsWith(beginning));
}

/** Like `stemWord`, for the many words of documents: remembers. Null for a stop word. */
export function stemOfDocument(word: string): string | null {
  let stem = remembered.get(word);
  if (stem === undefined) {
    stem = isStopWord(word) ? '' : stemWord(word);
    if (remembered.size >= maxRemembered) remembered.clear();
    remembered.set(word, stem);
  }
  return stem === '' ? null : stem;
}

/** After an erase: no word of a document stays in memory here. */
export function forgetStems(): void {
  remembered.clear();
  // The engine keeps the last text that a pattern matched.
  /^/.exec('');
}
