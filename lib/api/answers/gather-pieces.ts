import { Transform, type TransformCallback } from 'node:stream';

/** Bytes sent together. */
const enough = 64 * 1024;

/**
 * Joins its input into pieces of 64 kB or more. An archive comes in a dozen pieces a file, most of them of two or four
 * bytes. Sending each by itself takes longer than making it.
 */
export class GatherPieces extends Transform {
  #pieces: Buffer[] = [];
  #bytes = 0;

  override _transform(piece: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    this.#pieces.push(piece);
    this.#bytes += piece.length;
    if (this.#bytes >= enough) this.#pass();
    done();
  }

  override _flush(done: TransformCallback): void {
    if (this.#bytes > 0) this.#pass();
    done();
  }

  #pass(): void {
    this.push(Buffer.concat(this.#pieces, this.#bytes));
    this.#pieces = [];
    this.#bytes = 0;
  }
}
