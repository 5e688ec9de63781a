import { Parser } from 'htmlparser2';
import { isInLine } from '../../domain/html-elements.js';
import { maxDepth } from '../bounds.js';
import type { TextWriter } from './text-writer.js';
import { Unreadable } from './unreadable.js';

/** Elements without text of the page. */
const left: ReadonlySet<string> = new Set([
  'script',
  'style',
  'template',
  'noscript',
  'iframe',
  'object',
  'svg',
  'head',
]);
const cell: ReadonlySet<string> = new Set(['td', 'th']);

/** Reads a page in pieces. */
class HtmlReader {
  readonly #writer: TextWriter;
  readonly #parser: Parser;
  #depth = 0;
  /** How deep within an element that is left out. */
  #outside = 0;
  #kept = 0;
  #cells = 0;
  #heading: number | undefined;
  /** Whether a blank is due before the next word. */
  #isBlankDue = false;

  constructor(writer: TextWriter) {
    this.#writer = writer;
    this.#parser = new Parser(
      {
        onopentag: (name, attributes) => this.#open(name, attributes),
        onclosetag: (name) => this.#close(name),
        ontext: (text) => this.#text(text),
      },
      { decodeEntities: true },
    );
  }

  write(text: string): void {
    this.#parser.write(text);
  }

  end(): void {
    this.#parser.end();
    this.#writer.endLine();
  }

  #open(name: string, attributes: Readonly<Record<string, string>>): void {
    this.#depth += 1;
    if (this.#depth > maxDepth) throw new Unreadable('too_deep');
    if (this.#outside > 0 || left.has(name)) {
      this.#outside += 1;
      return;
    }
    if (name === 'pre' || name === 'textarea') this.#kept += 1;
    if (cell.has(name)) this.#cells += 1;
    if (name === 'img' && (attributes['alt'] ?? '') !== '') this.#text(` ${attributes['alt']} `);
    if (!isInLine(name) && !cell.has(name)) this.#break();
    const level = /^h([1-6])$/.exec(name)?.[1];
    if (level !== undefined && this.#cells === 0) this.#heading = Number(level);
  }

  #close(name: string): void {
    this.#depth -= 1;
    if (this.#outside > 0) {
      this.#outside -= 1;
      return;
    }
    if (name === 'pre' || name === 'textarea') this.#kept -= 1;
    if (cell.has(name)) {
      this.#cells -= 1;
      this.#isBlankDue = false;
      if (this.#writer.isInLine) this.#writer.write('\t');
    } else if (!isInLine(name)) this.#break();
    if (/^h[1-6]$/.test(name)) this.#heading = undefined;
  }

  #break(): void {
    // In a table, a row is a line.
    if (this.#cells > 0) this.#isBlankDue = this.#writer.isInLine;
    else {
      this.#isBlankDue = false;
      this.#writer.endLine();
    }
  }

  #text(text: string): void {
    if (this.#outside > 0) return;
    if (this.#kept > 0) {
      this.#begin();
      this.#writer.write(text);
      return;
    }
    const words = text.replaceAll(/[ \t\n\f\r]+/g, ' ');
    if (words === ' ' || words === '') {
      this.#isBlankDue ||= words === ' ' && this.#writer.isInLine;
      return;
    }
    if (words.startsWith(' ')) this.#isBlankDue ||= this.#writer.isInLine;
    this.#begin();
    if (this.#isBlankDue && this.#writer.isInLine) this.#writer.write(' ');
    this.#isBlankDue = words.endsWith(' ');
    this.#writer.write(words.trim());
  }

  #begin(): void {
    if (this.#heading !== undefined) this.#writer.beginHeading(this.#heading);
    this.#heading = undefined;
  }
}

/** Characters that are parsed in one go. */
const pieceLength = 64 * 1024;

/** Reads a whole page. */
export function readHtml(text: string, writer: TextWriter): void {
  const reader = new HtmlReader(writer);
  for (let at = 0; at < text.length; at += pieceLength) reader.write(text.slice(at, at + pieceLength));
  reader.end();
}
