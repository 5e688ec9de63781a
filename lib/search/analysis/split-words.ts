/**
 * Words of any script. A word is a run of letters, digits and marks. In scripts written without spaces, every character
 * and every pair of neighbours is a word, so that any part of a sentence can be found. Words come out
 * compatibility-normalised (NFKC), in lower case and without diacritics. A pictograph or a currency sign is a word of its
 * own, except `$`, which stands for much else.
 */

/** Characters of a word that count; the rest of a longer one is left out, in documents and queries alike. */
export const maxWordLength = 64;
/** Characters that the pattern below takes at once. */
const longestSpan = 1024;
/** Characters of a raw word that are read: NFKC can make 18 of one. */
const maxRawLength = 2 * maxWordLength;

/**
 * A run is taken in spans. The engine's matcher keeps 16 bytes for every character to which it may go back, and throws
 * at four million. Normalising a run of marks takes the square of its length. A word may hold invisible characters:
 * soft hyphens, joiners, marks of direction.
 */
const wordPattern =
  /[[\p{L}\p{N}\p{M}]&&[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{scx=Hang}\p{scx=Thai}\p{scx=Laoo}\p{scx=Khmr}\p{scx=Mymr}]][[[\p{L}\p{N}\p{M}]&&[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{scx=Hang}\p{scx=Thai}\p{scx=Laoo}\p{scx=Khmr}\p{scx=Mymr}]]\u00ad\u061c\u200c-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff]{0,1023}|[[\p{L}\p{N}\p{M}]--[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{scx=Hang}\p{scx=Thai}\p{scx=Laoo}\p{scx=Khmr}\p{scx=Mymr}]][[[\p{L}\p{N}\p{M}]--[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{scx=Hang}\p{scx=Thai}\p{scx=Laoo}\p{scx=Khmr}\p{scx=Mymr}]]\u00ad\u061c\u200c-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff]{0,1023}|[[\p{Emoji_Presentation}\p{Sc}\u2600-\u27bf]--[$]]\ufe0f?/gv;
const withoutSpaces =
  /^[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{scx=Hang}\p{scx=Thai}\p{scx=Laoo}\p{scx=Khmr}\p{scx=Mymr}]/v;
/** As in `wordPattern`; a letter, a digit or a mark is none. */
const sign = /^[[\p{Emoji_Presentation}\p{Sc}\u2600-\u27bf]--[\p{L}\p{N}\p{M}$]]/v;
/** Units of a sign, with the selector of its coloured form. */
const longestSign = 3;
const ascii = /^[\0-\x7f]*$/;
const wordInFolded = /[\p{L}\p{N}\p{M}]+/gu;
/** The invisible characters of a word (see wordPattern). */
const unseen = /[\u00ad\u061c\u200c-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff]+/g;
/** Diacritics of Latin, Greek and Cyrillic; the vowel points of Hebrew and Arabic; the Arabic stretcher. */
const diacritic = /(?:[\u0300-\u036f\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u064b-\u065f\u0670]|\u0640)+/g;
/** A character with all that normalising joins to it; jamo join each other. */
const cluster =
  /[\u1100-\u11ff\u3131-\u318e\ua960-\ua97f\ud7b0-\ud7ff\uffa0-\uffdc]+|[^][\p{M}\u11a8-\u11ff\ud7cb-\ud7fb\uff9e\uff9f\u00ad\u061c\u200c-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff]*/gu;
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
  if (ascii.test(text)) {
    visitAscii(text, 0, text.length, visit);
    return;
  }
  let last = nothingYet;
  for (const { 0: raw, index } of text.matchAll(wordPattern)) last = visitSpan(raw, index, last, visit);
}

/** Characters that take a few milliseconds of work, whatever they are. */
const charactersAtOnce = 4096;

/** Longer than anything the pattern matches. */
const searchedAtOnce = 16 * 1024;

/**
 * Like `splitWords`, for texts of any length while other work waits: it yields between steps. The matcher sees a part
 * of the text at a time, since it goes through a span without words without a pause.
 */
export function* splitWordsInSteps(text: string, visit: WordVisitor): Generator<void, void> {
  let last = nothingYet;
  let pausedAt = 0;
  for (let from = 0; from < text.length;) {
    const upTo = Math.min(from + charactersAtOnce, text.length);
    if (last.end !== from && ascii.test(text.slice(from, upTo))) {
      const reached = visitAscii(text, from, upTo, visit);
      if (reached > from) {
        last = nothingYet;
        from = reached;
        pausedAt = from;
        yield;
        continue;
      }
    }
    const part = text.slice(from, from + searchedAtOnce);
    const isLastPart = from + part.length === text.length;
    let next = from + part.length - (isLastPart || !endsInHalf(part) ? 0 : 1);
    for (const { 0: raw, index } of part.matchAll(wordPattern)) {
      if (!isLastPart && index > 0 && index + raw.length >= part.length - 1) {
        // The word may go on in the next part.
        next = from + index;
        break;
      }
      last = visitSpan(raw, from + index, last, visit);
      if (last.end - pausedAt < charactersAtOnce) continue;
      pausedAt = last.end;
      yield;
    }
    from = next;
    pausedAt = from;
    yield;
  }
}

/** By character: a letter or a digit. */
const isInAsciiWord = Uint8Array.from({ length: 128 }, (_, code) =>
  /[0-9a-z]/i.test(String.fromCharCode(code)) ? 1 : 0,
);

/**
 * Visits the words in a part of the text that is plain ASCII. They are those that the pattern finds, in a fraction of
 * its time.
 * @returns the end of the part, or the start of a word that may go on behind it, which was not visited
 */
function visitAscii(text: string, from: number, upTo: number, visit: WordVisitor): number {
  let start = -1;
  for (let at = from; at < upTo; at += 1) {
    if (isInAsciiWord[text.charCodeAt(at)] === 1) {
      if (start < 0) start = at;
    } else if (start >= 0) {
      visitAsciiWord(text, start, at, visit);
      start = -1;
    }
  }
  if (start < 0) return upTo;
  if (upTo < text.length) return start;
  visitAsciiWord(text, start, upTo, visit);
  return upTo;
}

function visitAsciiWord(text: string, start: number, end: number, visit: WordVisitor): void {
  const word = text.slice(start, Math.min(end, start + maxWordLength)).toLowerCase();
  visit(word, start, Math.min(end, start + longestSpan));
}

/** Whether the last unit is the first half of a character. */
function endsInHalf(text: string): boolean {
  return (text.charCodeAt(text.length - 1) & 0xfc00) === 0xd800;
}

interface Span {
  readonly isPaired: boolean;
  readonly end: number;
  /** Its last character, where characters are paired. */
  readonly character: string;
}

const nothingYet: Span = { isPaired: false, end: -1, character: '' };

function visitSpan(raw: string, index: number, last: Span, visit: WordVisitor): Span {
  if (isSign(raw)) {
    visit(raw.replace('\ufe0f', ''), index, index + raw.length);
    // A word beside it goes on from nothing.
    return nothingYet;
  }
  const isPaired = withoutSpaces.test(raw);
  const isContinued = last.end === index && last.isPaired === isPaired;
  let character = '';
  if (isPaired) character = visitPairs(raw, index, isContinued ? last.character : '', visit);
  else if (!isContinued) visitWord(raw, index, visit);
  return { isPaired, end: index + raw.length, character };
}

function visitWord(raw: string, index: number, visit: WordVisitor): void {
  if (ascii.test(raw)) {
    visit(raw.slice(0, maxWordLength).toLowerCase(), index, index + raw.length);
    return;
  }
  for (const piece of foldText(raw.slice(0, maxRawLength)).match(wordInFolded) ?? []) {
    visit(piece.slice(0, maxWordLength), index, index + raw.length);
  }
}

/**
 * The spelling of the word at that place: in lower case, in one form for characters of the same meaning, with its
 * diacritics. The word itself where the place yields several words.
 */
export function spellingAt(text: string, word: string, start: number, end: number): string {
  const raw = text.slice(start, Math.min(end, start + maxRawLength));
  if (ascii.test(raw) || isWithoutSpaces(word)) return word;
  const spelled = raw.replace(unseen, '').normalize('NFKC').toLowerCase().normalize('NFC');
  return foldText(spelled) === word ? spelled : word;
}

/** The words alone. */
export function wordsOf(text: string): string[] {
  const words: string[] = [];
  splitWords(text, (word) => words.push(word));
  return words;
}

/** The words of a phrase, in a query or a text: "big plan" also stands in "big 🎯 plan". */
export function spokenWords(text: string): string[] {
  return wordsOf(text).filter((word) => !isSign(word));
}

/** A word, as it is spelled in the text, and where it ends there. */
export interface SpelledWord {
  readonly word: string;
  readonly spelled: string;
  readonly end: number;
}

export function spelledWords(text: string): SpelledWord[] {
  const words: SpelledWord[] = [];
  splitWords(text, (word, start, end) => words.push({ word, spelled: spellingAt(text, word, start, end), end }));
  return words;
}

/** Lower case, one form for characters of the same meaning, no diacritics. */
export function foldText(text: string): string {
  if (ascii.test(text)) return text.toLowerCase();
  return text
    .replace(unseen, '')
    .normalize('NFKC')
    .toLowerCase()
    .normalize('NFD')
    .replace(diacritic, '')
    .normalize('NFC')
    .replace(ligature, (letter) => spelledOut[letter] ?? letter);
}

/** Whether a word is a pictograph or a currency sign. */
export function isSign(word: string): boolean {
  return word.length <= longestSign && word.charCodeAt(0) > 0x7f && sign.test(word);
}

/** Whether it starts in a script without spaces, where a word has no end of its own. */
export function isWithoutSpaces(word: string): boolean {
  return withoutSpaces.test(word);
}

/**
 * @param before the last character of the run before, or nothing
 * @returns the last character
 */
function visitPairs(raw: string, index: number, before: string, visit: WordVisitor): string {
  let previous = before;
  let from = index - before.length;
  for (const { text, start, end } of placeCharacters(raw)) {
    for (const character of text) {
      if (previous !== '') visit(previous + character, from, index + end);
      visit(character, index + start, index + end);
      previous = character;
      from = index + start;
    }
  }
  return previous;
}

interface PlacedText {
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

/** The folded characters of a run with the places of their source characters. */
function placeCharacters(raw: string): PlacedText[] {
  const placed: PlacedText[] = [];
  const folded = foldText(raw);
  if (folded === raw) {
    let start = 0;
    for (const text of raw) placed.push({ text, start, end: (start += text.length) });
    return placed;
  }
  for (const { 0: piece, index: start } of raw.matchAll(cluster)) {
    placed.push({ text: foldText(piece), start, end: start + piece.length });
  }
  // If characters are joined in a way unknown here, their places cannot be separated.
  const isWhole = placed.map(({ text }) => text).join('') === folded;
  return isWhole ? placed : [{ text: folded, start: 0, end: raw.length }];
}
