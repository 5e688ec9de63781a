import { createHash } from 'node:crypto';
import { pipeline, Transform, type Readable, type TransformCallback } from 'node:stream';
import type { Oid } from '../git/objects/objects.js';
import { RepositoryUnreadable } from '../git/repositories/repository.js';

/**
 * A blob's content as it arrives. Its last piece is held back until the hash of the whole matches the requested blob. A
 * reader that reaches the end has the right bytes, and no reader gets all of the wrong ones.
 * @param size bytes of the content
 */
export function checkBlobStream(oid: Oid, size: number, content: Readable): Readable {
  const checked = new CheckedBlob(oid, size);
  // An error of either is the other's too; the reader gets it from the returned stream.
  pipeline(content, checked, () => undefined);
  return checked;
}

class CheckedBlob extends Transform {
  readonly #oid: Oid;
  readonly #hash;
  #held: Buffer | undefined;

  constructor(oid: Oid, size: number) {
    super();
    this.#oid = oid;
    this.#hash = createHash('sha1').update(`blob ${size}\0`);
  }

  override _transform(piece: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    this.#hash.update(piece);
    const before = this.#held;
    this.#held = piece;
    if (before === undefined) done();
    else done(null, before);
  }

  override _flush(done: TransformCallback): void {
    if (this.#hash.digest('hex') === this.#oid) done(null, this.#held);
    else done(new RepositoryUnreadable(`Object ${this.#oid} is damaged.`));
  }
}
