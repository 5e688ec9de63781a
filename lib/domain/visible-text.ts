/**
 * Characters that a terminal obeys in place of showing them: the controls of ISO 6429 (C0 but for LF and TAB, DEL, C1),
 * which begin escape sequences, and those that turn the direction of text or begin a line (UAX #9, UAX #14).
 */
const obeyed = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;
/** The same, and what begins a new line or column. */
const obeyedInLine = /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;
/** Of those, what JSON.stringify leaves as it is. */
const obeyedInJson = /[\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;

const show = (character: string): string => `\\u{${character.charCodeAt(0).toString(16)}}`;

/** A text as it can be put on a terminal: what the terminal would obey stands there as `\u{1b}`. Lines stay lines. */
export function showText(text: string): string {
  return text.replace(obeyed, show);
}

/** The same on one line. */
export function showLine(text: string): string {
  return text.replace(obeyedInLine, (character) => shorthands[character] ?? show(character));
}

const shorthands: Readonly<Record<string, string>> = { '\n': '\\n', '\t': '\\t' };

/**
 * JSON that says the same, in characters that a terminal shows.
 * @param json as JSON.stringify writes it
 */
export function escapeJson(json: string): string {
  return json.replace(obeyedInJson, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
