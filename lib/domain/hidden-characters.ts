/**
 * Characters that are invisible where they stand, or that display a text in another order than it has. In a name they
 * make one thing look like another. In a text they can carry words that a program reads and a person does not see.
 *
 * Follows Unicode's format characters and `Default_Ignorable_Code_Point` (UAX #44), without the visible ones and those
 * needed by scripts and emoji. Scripts need joiners between joining letters (UAX #31 §2.3). Emoji sequences (UTS #51),
 * Mongolian and Han need characters that choose a shape.
 */

/** The three flags spelled with tag characters (RGI emoji tag sequences), or a suspect character. */
const suspect =
  /\u{1F3F4}\u{E0067}\u{E0062}(?:\u{E0065}\u{E006E}\u{E0067}|\u{E0073}\u{E0063}\u{E0074}|\u{E0077}\u{E006C}\u{E0073})\u{E007F}|[\p{Cf}\p{Default_Ignorable_Code_Point}\u2028\u2029\u0080-\u009f]/gu;

/** Signs of Arabic, Syriac and Kaithi that enclose numbers: of the category Cf, and visible. */
const seen = /[\u0600-\u0605\u06dd\u070f\u0890\u0891\u08e2\u{110BD}\u{110CD}]/u;
/** Letters and marks of scripts in which a joiner or non-joiner changes the visible text. */
const joining =
  /[[\p{L}\p{M}]&&[\p{scx=Arab}\p{scx=Syrc}\p{scx=Nkoo}\p{scx=Adlm}\p{scx=Mong}\p{scx=Deva}\p{scx=Beng}\p{scx=Guru}\p{scx=Gujr}\p{scx=Orya}\p{scx=Taml}\p{scx=Telu}\p{scx=Knda}\p{scx=Mlym}\p{scx=Sinh}\p{scx=Khmr}\p{scx=Mymr}\p{scx=Tibt}\p{scx=Bali}\p{scx=Java}]]/v;
/** Signs that remove a letter's vowel; a joiner behind one keeps or makes half a letter. */
const virama = /[\u094d\u09cd\u0a4d\u0acd\u0b4d\u0bcd\u0c4d\u0ccd\u0d4d\u0dca\u0f84\u1039\u103a\u17d2\u1b44\ua9c0]/;
/** Letters of scripts without spaces, whose lines break at a space without width. */
const unspaced = /[\p{scx=Khmr}\p{scx=Thai}\p{scx=Laoo}\p{scx=Mymr}]/u;
const pictograph = /\p{Extended_Pictographic}/u;
const beforeJoiner = /[\p{Extended_Pictographic}\p{Emoji_Modifier}\ufe0f]/u;
const emoji = /[\p{Emoji}--[0-9#*]]/v;
const keycap = /[0-9#*]/;
const ideograph = /\p{Unified_Ideograph}/u;
const mongolian = /\p{scx=Mong}/u;

const isEmojiSelector = (code: number): boolean => code === 0xfe0e || code === 0xfe0f;
const isHanSelector = (code: number): boolean =>
  (code >= 0xfe00 && code <= 0xfe02) || (code >= 0xe0100 && code <= 0xe01ef);
const isMongolianSelector = (code: number): boolean => code >= 0x180b && code <= 0x180f;

/** The character right before the place; '' at the start. */
function characterBefore(text: string, at: number): string {
  const unit = text.charCodeAt(at - 1);
  const isLow = unit >= 0xdc00 && unit <= 0xdfff;
  return text.slice(Math.max(0, at - (isLow ? 2 : 1)), at);
}

function characterAt(text: string, at: number): string {
  const code = text.codePointAt(at);
  return code === undefined ? '' : String.fromCodePoint(code);
}

/** Whether the character is visible, or needed by the script or emoji around it. */
function isNeeded(text: string, at: number, character: string): boolean {
  const code = character.codePointAt(0) ?? 0;
  const before = characterBefore(text, at);
  const after = characterAt(text, at + character.length);
  if (code === 0x200c || code === 0x200d) {
    if (virama.test(before) || (joining.test(before) && joining.test(after))) return true;
    return code === 0x200d && beforeJoiner.test(before) && pictograph.test(after);
  }
  if (isEmojiSelector(code)) return emoji.test(before) || (keycap.test(before) && after === '\u20e3');
  if (isHanSelector(code)) return ideograph.test(before);
  if (isMongolianSelector(code)) return mongolian.test(before);
  return seen.test(character);
}

/** A hidden character, as shown to people. */
export interface HiddenCharacter {
  /** `U+200B` */
  readonly character: string;
  /** Counted in characters, from 1. */
  readonly position: number;
}

/**
 * The first unfit character of a name or of one line of text: a hidden one, a control character of the C1 set, or a
 * separator of lines or paragraphs.
 */
export function findHidden(text: string): HiddenCharacter | undefined {
  for (const { 0: found, index } of text.matchAll(suspect)) {
    // A flag of several characters.
    if (found.length > 2 || isNeeded(text, index, found)) continue;
    return locateCharacter(text, index);
  }
  return undefined;
}

/** The text without them. */
export function dropHidden(text: string): string {
  return text.replace(suspect, (found, at: number) => (found.length > 2 || isNeeded(text, at, found) ? found : ''));
}

/** Names the character at the place. */
export function locateCharacter(text: string, at: number): HiddenCharacter {
  const code = (text.codePointAt(at) ?? 0).toString(16).toUpperCase().padStart(4, '0');
  return { character: `U+${code}`, position: Array.from(text.slice(0, at)).length + 1 };
}

/** The words for it in a refusal: `U+200B as character 4`. */
export function describeCharacter({ character, position }: HiddenCharacter): string {
  return `${character} as character ${position}`;
}

/** Characters examined between two pauses. */
const lookedAtBetweenPauses = 4096;

/**
 * Finds the hidden characters of a text of many lines. A byte order mark at its start does not count. Nor do the spaces
 * without width between words of Khmer, Thai, Lao and Burmese. Yields the place of each, and undefined for pauses.
 */
export function* findAllHidden(text: string): Generator<number | undefined, void> {
  let lookedAt = 0;
  for (const { 0: found, index } of text.matchAll(suspect)) {
    lookedAt += 1;
    if (lookedAt % lookedAtBetweenPauses === 0) yield undefined;
    if (found.length > 2 || isNeeded(text, index, found)) continue;
    const isMark = found === '\ufeff' && index === 0;
    const isBreak = found === '\u200b' && unspaced.test(characterBefore(text, index));
    if (!isMark && !isBreak && found !== '\u2028' && found !== '\u2029') yield index;
  }
}

/** Counts the hidden characters of a text of any length and of many lines. Yields for pauses. */
export function* countHidden(text: string): Generator<void, number> {
  let count = 0;
  for (const place of findAllHidden(text)) {
    if (place === undefined) yield;
    else count += 1;
  }
  return count;
}

/** Control characters but for tabs and line feeds, and tag characters but for those of flags. */
const unfit =
  /\u{1F3F4}\u{E0067}\u{E0062}(?:\u{E0065}\u{E006E}\u{E0067}|\u{E0073}\u{E0063}\u{E0074}|\u{E0077}\u{E006C}\u{E0073})\u{E007F}|[\0-\x08\x0b-\x1f\x7f-\x9f\u{E0000}-\u{E007F}]/gu;

/**
 * The first unfit character of a received text of several lines: a control character or a tag character. The writer
 * decides the text's direction and where its words may be broken.
 */
export function findUnfit(text: string): HiddenCharacter | undefined {
  for (const { 0: found, index } of text.matchAll(unfit)) {
    if (found.length <= 2) return locateCharacter(text, index);
  }
  return undefined;
}
