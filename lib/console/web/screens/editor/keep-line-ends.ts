import { diffSequences, Numbering } from '../../../../text/diff-sequences.js';

const byteOrderMark = '\ufeff';

/** A text as the editor shows it, and what it needs to give back the same bytes. */
export interface OpenedText {
  /** Without a byte order mark, with LF as the only line end. */
  readonly shown: string;
  readonly hasMark: boolean;
  /** The end that most lines have; new lines get it. */
  readonly usualEnd: LineEnd;
  /** The lines with their ends, where the ends differ; undefined where they are all alike. */
  readonly mixed: readonly string[] | undefined;
}

export type LineEnd = '\n' | '\r\n' | '\r';

/** Prepares a text for an editor that knows one line end. */
export function openText(text: string): OpenedText {
  const hasMark = text.startsWith(byteOrderMark);
  const body = hasMark ? text.slice(1) : text;
  if (!body.includes('\r')) return { shown: body, hasMark, usualEnd: '\n', mixed: undefined };
  const lines = cutLines(body);
  const counts = { '\n': 0, '\r\n': 0, '\r': 0 };
  for (const line of lines) {
    const end = endOf(line);
    if (end !== '') counts[end] += 1;
  }
  const usualEnd = (['\n', '\r\n', '\r'] as const).reduce((most, end) => (counts[end] > counts[most] ? end : most));
  const isMixed = counts[usualEnd] < counts['\n'] + counts['\r\n'] + counts['\r'];
  return {
    shown: body.replace(/\r\n?/g, '\n'),
    hasMark,
    usualEnd,
    mixed: isMixed ? lines : undefined,
  };
}

/**
 * The text to store for what the editor shows. A line that is as it was keeps its end; a new one gets the usual one.
 * @param shown with LF as the only line end
 */
export function closeText(opened: OpenedText, shown: string): string {
  const mark = opened.hasMark ? byteOrderMark : '';
  if (opened.mixed === undefined) {
    return mark + (opened.usualEnd === '\n' ? shown : shown.replaceAll('\n', opened.usualEnd));
  }
  return mark + restoreEnds(opened.mixed, shown, opened.usualEnd);
}

/** Bounds of the comparison. Lines beyond them get the usual end. */
const effort = { steps: 1_000_000, comparisons: 4_000_000 } as const;

function restoreEnds(before: readonly string[], shown: string, usualEnd: LineEnd): string {
  const after = cutLines(shown);
  const numbering = new Numbering();
  const from = numbering.numberOf(before.map((line) => line.slice(0, line.length - endOf(line).length)));
  const to = numbering.numberOf(after.map((line) => line.slice(0, line.length - endOf(line).length)));
  const stored: string[] = [];
  let lastEnd = '' as LineEnd | '';
  for (const { isSame, fromStart, toStart, toEnd } of diffSequences(from, to, { ...effort, isExhausted: false })) {
    for (let at = toStart; at < toEnd; at += 1) {
      const line = after[at] ?? '';
      if (!line.endsWith('\n')) {
        stored.push(line);
        continue;
      }
      const kept = isSame ? endOf(before[fromStart + at - toStart] ?? '') : '';
      const end = kept === '' ? usualEnd : kept;
      // After a lone CR, the LF of an empty line would make one line end of two.
      lastEnd = line === '\n' && end === '\n' && lastEnd === '\r' ? '\r\n' : end;
      stored.push(line.slice(0, -1), lastEnd);
    }
  }
  return stored.join('');
}

/** The lines with their ends: LF, CRLF or CR. Joined, they are the text. */
export function cutLines(text: string): string[] {
  const lines: string[] = [];
  let start = 0;
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    if (unit !== 10 && unit !== 13) continue;
    if (unit === 13 && text.charCodeAt(at + 1) === 10) at += 1;
    lines.push(text.slice(start, at + 1));
    start = at + 1;
  }
  if (start < text.length) lines.push(text.slice(start));
  return lines;
}

/** The end of a line; empty for a last line without one. */
export function endOf(line: string): LineEnd | '' {
  if (line.endsWith('\r\n')) return '\r\n';
  if (line.endsWith('\n')) return '\n';
  return line.endsWith('\r') ? '\r' : '';
}
