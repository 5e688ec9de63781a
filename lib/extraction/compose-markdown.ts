import type { ExtractedText } from '../domain/extraction.js';

/** Lines that would be headings, or open a block of code, and are none in the file. */
const taken = /^ {0,3}(?:#{1,6}(?:[ \t]|$)|=+[ \t]*$|-+[ \t]*$|`{3}|~{3})/;
const maxLevel = 6;
/** Lines between two pauses. */
const linesInStep = 4000;

/**
 * The text as Markdown: each part under a heading with its title, and the headings of the file as such below. So
 * sections, outlines and parts of it are those of any text. Of the text itself, only lines that Markdown would take for
 * headings change: a backslash stands before them.
 */
export function* composeMarkdownInSteps({ text, parts, headings }: ExtractedText): Generator<void, string> {
  const lines: string[] = [];
  /** The level of the parts around the line. */
  let around = 0;
  let [part, heading] = [0, 0];
  const writeParts = (at: number): void => {
    for (let next = parts[part]; next !== undefined && next.offset <= at; next = parts[(part += 1)]) {
      if (lines.length > 0) lines.push('');
      around = Math.min(next.level, maxLevel - 1);
      lines.push(`${'#'.repeat(around)} ${next.title}`, '');
    }
  };
  for (let at = 0, count = 0; at < text.length; count += 1) {
    if (count % linesInStep === linesInStep - 1) yield;
    writeParts(at);
    const end = text.indexOf('\n', at);
    const stop = end < 0 ? text.length : end;
    const line = text.slice(at, stop);
    while ((headings[heading]?.offset ?? Number.POSITIVE_INFINITY) < at) heading += 1;
    const mark = headings[heading];
    if (mark?.offset === at && line.trim() !== '') {
      lines.push(`${'#'.repeat(Math.min(around + mark.level, maxLevel))} ${line.trim()}`);
    } else lines.push(taken.test(line) ? `\\${line}` : line);
    at = stop + 1;
  }
  writeParts(Number.POSITIVE_INFINITY);
  return `${lines.join('\n')}\n`;
}
