import { extractionReasons, type Extraction, type TextHeading, type TextPart } from '../domain/extraction.js';
import { decodeUtf8InSteps } from '../text/charset.js';
import { maxEntries, maxHeadings, maxPages, maxTextBytes, maxTitleLength } from './bounds.js';

/** Bytes of a number that says how long a message is. */
export const lengthBytes = 4;

/** What the service tells its child before the bytes of a file. */
export interface FileHead {
  readonly mediaType: string;
  readonly name: string;
  readonly charset?: string | undefined;
  /** Of the bytes that follow. */
  readonly size: number;
}

/** What the child says before the bytes of the text. */
export interface TextHead {
  readonly reason?: string | undefined;
  readonly parts?: readonly TextPart[];
  readonly headings?: readonly TextHeading[];
  readonly isCut?: boolean;
  /** Bytes of the text that follow, in UTF-8. */
  readonly size: number;
  /** The memory that the child has now, in bytes. */
  readonly memory: number;
  /** Seconds of a processor that it has used so far. */
  readonly seconds: number;
}

/** A message in two pieces: a head as JSON with its length before it, and bytes. */
export function packMessage(head: FileHead | TextHead, bytes: Uint8Array): readonly Uint8Array[] {
  const json = Buffer.from(JSON.stringify(head));
  const length = Buffer.alloc(lengthBytes);
  length.writeUInt32BE(json.length);
  return [length, json, bytes];
}

/** Bytes of a head: its parts and headings at their most. */
export const maxHeadBytes = 8 * 1024 * 1024;

/** Reads messages that come in pieces. */
export class MessageReader<Head extends { readonly size: number }> {
  #pieces: Buffer[] = [];
  #length = 0;
  #head: Head | undefined;
  #headLength: number | undefined;
  readonly #maxSize: number;

  /** @param maxSize most bytes after a head */
  constructor(maxSize: number) {
    this.#maxSize = maxSize;
  }

  /** @returns a whole message, if this piece ends it @throws Error for one that is too long or no JSON */
  take(piece: Buffer): { readonly head: Head; readonly bytes: Buffer } | undefined {
    this.#pieces.push(piece);
    this.#length += piece.length;
    if (this.#headLength === undefined) {
      if (this.#length < lengthBytes) return undefined;
      this.#headLength = this.#cut(lengthBytes).readUInt32BE();
      if (this.#headLength > maxHeadBytes) throw new Error('The head is too long.');
    }
    if (this.#head === undefined) {
      if (this.#length < this.#headLength) return undefined;
      this.#head = JSON.parse(this.#cut(this.#headLength).toString('utf8')) as Head;
      const { size } = this.#head;
      if (!Number.isSafeInteger(size) || size < 0 || size > this.#maxSize) throw new Error('The message is too long.');
    }
    if (this.#length < this.#head.size) return undefined;
    const message = { head: this.#head, bytes: this.#cut(this.#head.size) };
    this.#head = undefined;
    this.#headLength = undefined;
    return message;
  }

  #cut(length: number): Buffer {
    const all = this.#pieces.length === 1 ? (this.#pieces[0] ?? Buffer.alloc(0)) : Buffer.concat(this.#pieces);
    this.#pieces = [all.subarray(length)];
    this.#length = all.length - length;
    return all.subarray(0, length);
  }
}

const isList = (value: unknown): boolean => Array.isArray(value);

/**
 * What the child says, as far as it can be true: it has read what a stranger wrote. Works in steps.
 * @throws Error for what no child of ours would say
 */
export function* checkAnswer(head: TextHead, bytes: Buffer): Generator<void, Extraction> {
  const { reason, parts = [], headings = [], isCut } = head;
  if (reason !== undefined) {
    const known = extractionReasons.find((each) => each === reason);
    if (known === undefined) throw new Error('The reason is unknown.');
    return { reason: known };
  }
  if (bytes.length > maxTextBytes) throw new Error('The text is too long.');
  const text = yield* decodeUtf8InSteps(bytes);
  const isInOrder = (all: readonly { readonly offset: number; readonly level: number }[], most: number): boolean =>
    all.length <= most &&
    all.every(({ offset, level }, index) => {
      const isPlace = Number.isSafeInteger(offset) && offset >= (all[index - 1]?.offset ?? 0) && offset <= text.length;
      return isPlace && Number.isSafeInteger(level) && level >= 1;
    });
  const isSound =
    isList(parts) &&
    isList(headings) &&
    isInOrder(parts, 2 * (maxEntries + maxPages)) &&
    isInOrder(headings, maxHeadings) &&
    parts.every(({ title }) => typeof title === 'string' && title.length <= maxTitleLength);
  if (!isSound) throw new Error('The answer is no text.');
  return {
    text,
    parts: parts.map(({ title, level, offset }) => ({ title, level, offset })),
    headings: headings.map(({ level, offset }) => ({ level, offset })),
    isCut: isCut === true,
  };
}
