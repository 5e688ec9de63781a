/** What every line of a text is asked. */
export interface LineQuery {
  /** `exact`: the line holds these characters. `pattern`: a part of the line fits this expression, in the syntax of RE2. */
  readonly match: 'exact' | 'pattern';
  readonly text: string;
}

/** Where in a line something stands, in UTF-16 units; the end is the first one behind it. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** How lines are tested. A line is cut in windows, so that none of them holds the thread for long. */
export interface LineMatcher {
  /** UTF-16 units of a window, and how many of them the next one has too. */
  readonly window: number;
  readonly overlap: number;
  /** The first match between two places of a line. Undefined for none. */
  find(line: string, start: number, end: number): Span | undefined;
}

/** Characters that no form of Unicode changes. */
const beyondPlain = /[^\0-\u02ff]/;

/** Whether no character of the text has another form. */
export function isPlain(text: string): boolean {
  return !beyondPlain.test(text);
}

/** Units of a line that are looked at. */
export const maxLineLength = 100_000;
