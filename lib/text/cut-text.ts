import { invalidRequest } from '../domain/refusal.js';
import { countLineFeeds } from './line-number.js';

/** The requested part of a text. Lines and columns count from 1; columns are UTF-16 units. */
export interface TextRequest {
  readonly startLine: number;
  readonly startColumn: number;
  /** The last line to read; undefined for the whole text. */
  readonly lastLine?: number | undefined;
  readonly maxChars: number;
}

export interface TextPart {
  readonly text: string;
  readonly startLine: number;
  readonly startColumn: number;
  readonly endLine: number;
  /** null at the end. */
  readonly nextLine: number | null;
  /** Only where the part ends within a line longer than `maxChars`. */
  readonly nextColumn: number | null;
}

/** A line without a line end counts, too. */
export function countLines(text: string): number {
  const ended = countLineFeeds(text);
  return text === '' || text.endsWith('\n') ? ended : ended + 1;
}

/** The start of a line, sought from a known place; the text's end for a line behind the last. */
function seekLine(text: string, line: number, from: { readonly line: number; readonly at: number }): number {
  let { at } = from;
  for (let current = from.line; current < line && at < text.length; current += 1) {
    const end = text.indexOf('\n', at);
    at = end < 0 ? text.length : end + 1;
  }
  return at;
}

/**
 * A part of a text that ends at a line end. Within a line longer than `maxChars` it ends between two characters. It
 * passes `maxChars` only where that has no room for one character with its line end.
 * @throws Refusal INVALID_REQUEST `bad_field` for a place behind the end
 */
export function cutText(text: string, { startLine, startColumn, lastLine, maxChars }: TextRequest): TextPart {
  const lineStart = seekLine(text, startLine, { line: 1, at: 0 });
  if (startLine > 1 && lineStart >= text.length) throw behindEnd('startLine', `${countLines(text)} lines`);
  const bound = lastLine === undefined ? text.length : seekLine(text, lastLine + 1, { line: startLine, at: lineStart });
  const lineEnd = text.indexOf('\n', lineStart);
  const start = lineStart + startColumn - 1;
  if (startColumn > 1 && start >= (lineEnd < 0 ? text.length : lineEnd)) {
    throw behindEnd('startColumn', `${(lineEnd < 0 ? text.length : lineEnd) - lineStart} characters in that line`);
  }
  let end = Math.min(bound, start + maxChars);
  let nextColumn: number | null = null;
  if (end < bound) {
    const lastEnd = text.lastIndexOf('\n', end - 1);
    if (lastEnd >= start) end = lastEnd + 1;
    else {
      end = endOfCharacters(text, start, end);
      if (text[end - 1] !== '\n') nextColumn = end - lineStart + 1;
    }
  }
  const part = text.slice(start, end);
  const endLine = startLine + Math.max(0, countLines(part) - 1);
  const nextLine = end >= bound ? null : nextColumn === null ? endLine + 1 : startLine;
  return { text: part, startLine, startColumn, endLine, nextLine, nextColumn };
}

/**
 * A place up to `end` at which a part can end within a line: not within a character, and not just before the line's
 * end, which is no place to read from. Behind `end` where no other is left.
 */
function endOfCharacters(text: string, start: number, end: number): number {
  let at = text[end] === '\n' ? end - 1 : end;
  if (isFirstHalf(text, at - 1)) at -= 1;
  if (at > start) return at;
  at = start + (isFirstHalf(text, start) ? 2 : 1);
  return text[at] === '\n' ? at + 1 : at;
}

function isFirstHalf(text: string, at: number): boolean {
  return /[\ud800-\udbff]/.test(text[at] ?? '');
}

function behindEnd(input: 'startLine' | 'startColumn', most: string): Error {
  const name = input === 'startLine' ? 'start_line' : 'start_column';
  return invalidRequest('bad_field', `The argument ${name} lies behind the end: there are ${most}.`, { input });
}
