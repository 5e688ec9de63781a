/** What the lines of Markdown begin with. A line is [start, end) of its source, without its end of line. */
import type { Span } from './shown-text.js';

/** A block of code that has begun. */
export interface Fence {
  /** Its lines begin with the mark of a quote. */
  readonly isQuoted: boolean;
  readonly unit: number;
  readonly length: number;
}

/** The marks before the content of a line. */
export interface Marks {
  readonly content: number;
  readonly isItem: boolean;
  /** What of them is not shown: all but the numbers of a list. */
  readonly hidden: readonly Span[];
}

/** @param unit of a line */
export const isBlank = (unit: number): boolean => unit === 0x20 || unit === 0x09 || unit === 0x0d;

/** Of a line that is shown from its beginning. */
export const noMarks: readonly Span[] = [];
/** What most lines begin with: no mark, no blank and no digit. */
const isPlain = (unit: number): boolean => unit > 0x3e || unit === 0x23;

/** The marks of quotes, lists and tasks, in any order. */
export function readMarks(source: string, start: number, end: number): Marks {
  if (start < end && isPlain(source.charCodeAt(start))) return { content: start, isItem: false, hidden: noMarks };
  const hidden: Span[] = [];
  let [from, at, isItem] = [start, start, false];
  const hide = (to: number): void => {
    if (to > from) hidden.push({ start: from, end: to });
  };
  for (;;) {
    while (at < end && isBlank(source.charCodeAt(at))) at += 1;
    if (at >= end) break;
    const sign = source.charAt(at);
    const isLast = at + 1 >= end || isBlank(source.charCodeAt(at + 1));
    if (sign === '>') at += 1;
    else if ((sign === '-' || sign === '*' || sign === '+') && isLast) {
      isItem = true;
      at = afterBox(source, at + 1, end);
    } else {
      const number = endOfNumber(source, at, end);
      if (number < 0) break;
      isItem = true;
      hide(at);
      from = number + 1;
      at = afterBox(source, number, end);
    }
  }
  hide(at);
  return { content: at, isItem, hidden };
}

/** Behind `1.` or `1)` and before a blank; -1 where there is no number of a list. */
function endOfNumber(source: string, start: number, end: number): number {
  let at = start;
  while (at < end && at - start < 9 && source.charCodeAt(at) >= 0x30 && source.charCodeAt(at) <= 0x39) at += 1;
  if (at === start || (source.charAt(at) !== '.' && source.charAt(at) !== ')')) return -1;
  return at + 1 < end && isBlank(source.charCodeAt(at + 1)) ? at + 1 : -1;
}

/** Behind the box of a task. */
function afterBox(source: string, start: number, end: number): number {
  const box = /^[ \t]{1,4}\[[ xX]\](?=[ \t\r]|$)/.exec(source.slice(start, Math.min(end, start + 8)));
  return box === null ? start : start + box[0].length;
}

/** Columns of blanks before the line. */
export function indentOf(source: string, start: number, end: number): number {
  let columns = 0;
  for (let at = start; at < end && columns < 4; at += 1) {
    const unit = source.charCodeAt(at);
    if (unit === 0x20) columns += 1;
    else if (unit === 0x09) columns += 4 - (columns % 4);
    else break;
  }
  return columns;
}

/** The fence that stands in this line and begins a block of code. @param content behind the marks of the line */
export function readFence(source: string, start: number, content: number, end: number): Fence | undefined {
  const unit = source.charCodeAt(content);
  if (unit !== 0x60 && unit !== 0x7e) return undefined;
  const length = countRun(source, content, end);
  if (length < 3) return undefined;
  const isCode = unit === 0x60 && source.slice(content + length, end).includes('`');
  return isCode ? undefined : { unit, length, isQuoted: source.slice(start, content).includes('>') };
}

function countRun(source: string, start: number, end: number): number {
  const unit = source.charCodeAt(start);
  let at = start;
  while (at < end && source.charCodeAt(at) === unit) at += 1;
  return at - start;
}

/** Behind the marks of quotes, and a blank. */
export function afterQuote(source: string, start: number, end: number): number {
  const marks = /^(?: {0,3}>)* ?/.exec(source.slice(start, Math.min(end, start + 100)))?.[0];
  return start + (marks?.length ?? 0);
}

/** Whether the line ends the block of code. */
export function closesFence(source: string, start: number, end: number, { unit, length }: Fence): boolean {
  let at = start;
  while (at < end && (isBlank(source.charCodeAt(at)) || source.charAt(at) === '>')) at += 1;
  if (source.charCodeAt(at) !== unit) return false;
  const count = countRun(source, at, end);
  if (count < length) return false;
  at += count;
  while (at < end && isBlank(source.charCodeAt(at))) at += 1;
  return at >= end;
}

/** The words of a heading. */
export function readHeading(source: string, content: number, end: number): Span | undefined {
  if (source.charAt(content) !== '#') return undefined;
  const level = countRun(source, content, end);
  const start = content + level;
  if (level > 6 || (start < end && !isBlank(source.charCodeAt(start)))) return undefined;
  let last = end;
  while (last > start && isBlank(source.charCodeAt(last - 1))) last -= 1;
  let closing = last;
  while (closing > start && source.charAt(closing - 1) === '#') closing -= 1;
  return { start, end: isBlank(source.charCodeAt(closing - 1)) || closing === start ? closing : last };
}

/** Whether the line has signs alone that stand under or between other lines. */
export function isRule(source: string, content: number, end: number): boolean {
  for (let at = content; at < end; at += 1) {
    if (!'-=*_|:+'.includes(source.charAt(at)) && !isBlank(source.charCodeAt(at))) return false;
  }
  return true;
}
