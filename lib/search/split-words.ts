/**
 * Words of any script. A word is a run of letters, digits and marks; scripts written without spaces give
 * every character and every pair of neighbours, so that any part of a sentence can be found.
 * Words come out compatibility-normalised (NFKC), in lower case and without diacritics.
 */

/** Characters of a word that count; the rest of a longer one is left out, in documents and queries alike. */
export const longestWord = 64;
/** Characters of a raw word that are looked at: NFKC can make 18 of one. */
const longestRaw = 2 * longestWord;

const wordPattern =
  /[[\p{L}\p{N}\p{M}]&&[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{scx=Hang}\p{scx=Thai}\p{scx=Laoo}\p{scx=Khmr}\p{scx=Mymr}]]+|[[\p{L}\p{N}\p{M}]--[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{scx=Hang}\p{scx=Thai}\p{scx=Laoo}\p{scx=Khmr}\p{scx=Mymr}]]+/gv;
const withoutSpaces =
  /^[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{scx=Hang}\p{scx=Thai}\p{scx=Laoo}\p{scx=Khmr}\p{scx=Mymr}]/v;
const ascii = /^[\0-\x7f]*$/;
const wordInFolded = /[\p{L}\p{N}\p{M}]+/gu;
/** Diacritics of Latin, Greek and Cyrillic; the vowel points of Hebrew and Arabic; the Arabic stretcher. */
const diacritic = /(?:[\u0300-\u036f\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u064b-\u065f\u0670]|\u0640)+/g;
const ligature = /[ßæœøłđıς]/g;
const spelledOut: Readonly<Record<string, string>> = {
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  ł: 'l',
  đ: 'd',
  ı: 'i',
  ς: 'σ',
};

/** Called with the word and where it stands in the text: from `start` up to, not with, `end` (UTF-16 units). */
export type WordVisitor = (word: string, start: number, end: number) => void;

/** Takes time in proportion to the text, whatever it holds. */
export function splitWords(text: string, visit: WordVisitor): void {
  for (const { 0: raw, index } of text.matchAll(wordPattern)) {
    if (withoutSpaces.test(raw)) visitPairs(raw, index, visit);
    else if (ascii.test(raw)) visit(raw.slice(0, longestWord).toLowerCase(), index, index + raw.length);
    else {
      for (const piece of foldText(raw.slice(0, longestRaw)).match(wordInFolded) ?? []) {
        visit(piece.slice(0, longestWord), index, index + raw.length);
      }
    }
  }
}

/** The words alone. */
export function wordsOf(text: string): string[] {
  const words: string[] = [];
  splitWords(text, (word) => words.push(word));
  return words;
}

/** Lower case, one form for characters that mean the same, no diacritics. */
export function foldText(text: string): string {
  if (ascii.test(text)) return text.toLowerCase();
  return text
    .normalize('NFKC')
    .toLowerCase()
    .normalize('NFD')
    .replace(diacritic, '')
    .normalize('NFC')
    .replace(ligature, (letter) => spelledOut[letter] ?? letter);
}

/** Whether it starts in a script without spaces, where a word has no end of its own. */
export function isWithoutSpaces(word: string): boolean {
  return withoutSpaces.test(word);
}

function visitPairs(raw: string, index: number, visit: WordVisitor): void {
  const folded = foldText(raw);
  const keepsPlaces = folded.length === raw.length;
  let place = 0;
  let previous = '';
  for (const character of folded) {
    const start = keepsPlaces ? index + place : index;
    const end = keepsPlaces ? start + character.length : index + raw.length;
    if (previous !== '') visit(previous + character, keepsPlaces ? start - previous.length : start, end);
    visit(character, start, end);
    previous = character;
    place += character.length;
  }
}
