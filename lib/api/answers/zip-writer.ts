import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';
import { crc32, createDeflateRaw, deflateRaw, deflateRawSync } from 'node:zlib';
import { Rests } from '../../scheduling/rests.js';
import {
  encodeDirectoryEnd,
  encodeDirectoryRecord,
  encodeEntryEnd,
  encodeEntryStart,
  type ZipContent,
  type ZipEntry,
} from './zip-headers.js';

const deflate = promisify(deflateRaw);
const level = 6;
/** Bytes that are compressed on the spot, in about a millisecond: another thread costs more than that. */
const small = 32 * 1024;
/** Bytes from which a content may need more than 32 bits, also where it does not become shorter. */
const long = 0xf000_0000;
/** Bytes of the directory that are buffered and written in one piece. */
const enough = 64 * 1024;

/** Where an archive goes. */
export interface ZipSink {
  /** Resolves when more may come. @throws when nobody takes the archive any more */
  put(piece: Buffer): Promise<void>;
  /** Aborted when nobody takes the archive any more. */
  readonly gone: AbortSignal;
}

/**
 * Writes a zip archive as a stream. The directory's record of an entry is made with the entry, so the end of an archive
 * of many entries is no long work. Others get their turn between entries, and between the pieces of the directory.
 */
export class ZipWriter {
  readonly #sink: ZipSink;
  readonly #rests = new Rests();
  #offset = 0;
  #entries = 0;
  /** The directory so far: whole pieces, and the records of the next one. */
  readonly #directory: Buffer[] = [];
  #records: Buffer[] = [];
  #recordBytes = 0;

  constructor(sink: ZipSink) {
    this.#sink = sink;
  }

  /**
   * Writes one entry. The content is read to its end or destroyed.
   * @param entry `size` is the length of the content in bytes
   * @throws what the content or the sink throws; the archive is broken then
   */
  async add(entry: { name: string; at: number; size: number }, content: Buffer | Readable): Promise<void> {
    const start = this.#offset;
    const { at, size } = entry;
    const described = { name: Buffer.from(entry.name), at, isDeflated: size > 0, isLong: size >= long };
    const written = Buffer.isBuffer(content)
      ? await this.#addBytes(described, content)
      : await this.#addStream(described, content);
    this.#keep(encodeDirectoryRecord(described, written, start));
    this.#entries += 1;
    if (this.#rests.isDue) await this.#rests.take();
  }

  /** Writes the directory. Nothing follows it. */
  async end(): Promise<void> {
    this.#closePiece();
    const offset = this.#offset;
    for (const piece of this.#directory) {
      await this.#put(piece);
      if (this.#rests.isDue) await this.#rests.take();
    }
    await this.#put(encodeDirectoryEnd({ entries: this.#entries, offset, length: this.#offset - offset }));
  }

  async #addBytes(entry: ZipEntry, content: Buffer): Promise<ZipContent> {
    const packed = entry.isDeflated ? await pack(content) : content;
    const written = { crc: crc32(content), size: content.length, compressed: packed.length };
    await this.#put(encodeEntryStart(entry));
    await this.#put(packed);
    await this.#put(encodeEntryEnd(entry, written));
    return written;
  }

  async #addStream(entry: ZipEntry, content: Readable): Promise<ZipContent> {
    const written = { crc: 0, size: 0, compressed: 0 };
    const count = async function* (source: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
      for await (const piece of source) {
        written.crc = crc32(piece, written.crc);
        written.size += piece.length;
        yield piece;
      }
    };
    const take = async (source: AsyncIterable<Buffer>): Promise<void> => {
      await this.#put(encodeEntryStart(entry));
      for await (const piece of source) {
        written.compressed += piece.length;
        await this.#put(piece);
      }
    };
    const { gone: signal } = this.#sink;
    // Empty content is stored as it is, like everywhere.
    if (entry.isDeflated) await pipeline(content, count, createDeflateRaw({ level }), take, { signal });
    else await pipeline(content, count, take, { signal });
    await this.#put(encodeEntryEnd(entry, written));
    return written;
  }

  async #put(piece: Buffer): Promise<void> {
    this.#offset += piece.length;
    await this.#sink.put(piece);
  }

  #keep(record: Buffer): void {
    this.#records.push(record);
    this.#recordBytes += record.length;
    if (this.#recordBytes >= enough) this.#closePiece();
  }

  #closePiece(): void {
    this.#directory.push(Buffer.concat(this.#records, this.#recordBytes));
    this.#records = [];
    this.#recordBytes = 0;
  }
}

function pack(content: Buffer): Buffer | Promise<Buffer> {
  // Content that does not become shorter has room as well, so zlib takes one buffer.
  const chunkSize = Math.ceil(content.length * 1.01) + 64;
  const options = { level, chunkSize };
  return content.length <= small ? deflateRawSync(content, options) : deflate(content, options);
}
