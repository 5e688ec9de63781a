import type { ExtractedText, TextHeading, TextPart } from '../../domain/extraction.js';
import { maxHeadings, maxTextBytes, maxTitleLength } from '../bounds.js';

/** The text has reached its bound. What was read so far is its text. */
export class TextIsFull extends Error {
  override readonly name = 'TextIsFull';
}

/** UTF-16 units that are joined into one piece. */
const pieceLength = 64 * 1024;
const control = /[\0-\x08\x0b-\x1f\x7f\ufffe\uffff]/;
const controls = /[\0-\x08\x0b-\x1f\x7f\ufffe\uffff]/g;

/** Collects the text of one file, with its parts. */
export class TextWriter {
  readonly #pieces: string[] = [];
  #piece = '';
  #length = 0;
  #bytes = 0;
  #isAtLineStart = true;
  #isCut = false;
  readonly #parts: TextPart[] = [];
  readonly #headings: TextHeading[] = [];
  /** 1, and 2 within an attachment. */
  #level = 1;

  /** Whether text has been written since the last end of a line. */
  get isInLine(): boolean {
    return !this.#isAtLineStart;
  }

  /** @throws TextIsFull once the bound is reached */
  write(text: string): void {
    if (text === '') return;
    let clean = text.includes('\r') ? text.replaceAll('\r\n', '\n').replaceAll('\r', '\n') : text;
    if (control.test(clean)) clean = clean.replaceAll(controls, '');
    if (!clean.isWellFormed()) clean = clean.toWellFormed();
    if (clean === '') return;
    const bytes = Buffer.byteLength(clean);
    if (this.#bytes + bytes > maxTextBytes) {
      this.#add(cutToBytes(clean, maxTextBytes - this.#bytes));
      this.#bytes = maxTextBytes;
      this.#isCut = true;
      throw new TextIsFull();
    }
    this.#bytes += bytes;
    this.#add(clean);
    this.#isAtLineStart = clean.endsWith('\n');
  }

  #add(text: string): void {
    this.#length += text.length;
    this.#piece += text;
    if (this.#piece.length < pieceLength) return;
    this.#pieces.push(this.#piece);
    this.#piece = '';
  }

  /** Ends the line, if one has begun. */
  endLine(): void {
    if (!this.#isAtLineStart) this.write('\n');
  }

  /** A part begins here, on a line of its own. */
  beginPart(title: string): void {
    this.endLine();
    const words = title.replaceAll(/\s+/g, ' ').trim().slice(0, maxTitleLength).toWellFormed();
    this.#parts.push({ title: words, level: this.#level, offset: this.#length });
  }

  /** What is written next is a heading, on a line of its own. @param level from 1 */
  beginHeading(level: number): void {
    this.endLine();
    if (this.#headings.length === maxHeadings || this.#headings.at(-1)?.offset === this.#length) return;
    this.#headings.push({ level: Math.max(1, Math.floor(level)), offset: this.#length });
  }

  /** Some of the file is left out. */
  noteCut(): void {
    this.#isCut = true;
  }

  /** Runs a reader whose parts stand below the present one. */
  async within(read: () => Promise<void>): Promise<void> {
    this.#level += 1;
    try {
      await read();
    } finally {
      this.#level -= 1;
    }
  }

  finish(): ExtractedText {
    const text = this.#pieces.join('') + this.#piece;
    return { text, parts: this.#parts, headings: this.#headings, isCut: this.#isCut };
  }
}

/** The first characters that fit into so many bytes. */
function cutToBytes(text: string, most: number): string {
  const bytes = Buffer.from(text.slice(0, most));
  let end = Math.min(most, bytes.length);
  while (end > 0 && end < bytes.length && ((bytes[end] ?? 0) & 0xc0) === 0x80) end -= 1;
  return bytes.toString('utf8', 0, end);
}
