/**
 * Characters that a terminal obeys instead of showing. These are the controls of ISO 6429 (C0 but for LF and TAB, DEL,
 * C1), which begin escape sequences. Others turn the direction of text or begin a line (UAX #9, UAX #14).
 */
const obeyed = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;
/** The same, and the characters that begin a new line or column. */
const obeyedInLine = /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;
/** The ones of those left as they are by JSON.stringify. */
const obeyedInJson = /[\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;

const show = (character: string): string => `\\u{${character.charCodeAt(0).toString(16)}}`;

/** A text for a terminal: characters that the terminal would obey appear as `\u{1b}`. Lines stay lines. */
export function showText(text: string): string {
  return text.replace(obeyed, show);
}

/** The same on one line. */
export function showLine(text: string): string {
  return text.replace(obeyedInLine, (character) => shorthands[character] ?? show(character));
}

const shorthands: Readonly<Record<string, string>> = { '\n': '\\n', '\t': '\\t' };

/**
 * Equal JSON, in characters that a terminal shows.
 * @param json as JSON.stringify writes it
 */
export function escapeJson(json: string): string {
  return json.replace(obeyedInJson, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
