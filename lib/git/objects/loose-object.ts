import { Transform, pipeline } from 'node:stream';
import type { Readable, TransformCallback } from 'node:stream';
import { createInflate } from 'node:zlib';
import { RepositoryUnreadable, asUnreadable, systemErrorCode } from '../errors.js';
import { orAbsent, readInPieces } from '../file-system.js';
import type { ObjectType, Oid } from './objects.js';
import type { RepositoryFolder } from '../repositories/repository-folder.js';

/** Where the object of this name stands when it has a file of its own. */
export function loosePath(folder: RepositoryFolder, oid: Oid): string {
  return folder.at('objects', oid.slice(0, 2), oid.slice(2));
}

/** An open object with a file of its own. */
export interface LooseObject {
  type: ObjectType;
  /** Bytes of content, as its header states them. */
  size: number;
  /** The content; it fails with RepositoryUnreadable where it is damaged. */
  stream: Readable;
}

/**
 * Opens an object's own file as a stream that holds a few pieces of 64 kB at any time; undefined when the object has no
 * file. The caller reads the stream to its end or destroys it.
 * @throws RepositoryUnreadable when the file's beginning is damaged.
 */
export async function openLooseObject(folder: RepositoryFolder, oid: Oid): Promise<LooseObject | undefined> {
  const body = new LooseBody(oid);
  pipeline(
    readInPieces(folder.fs, loosePath(folder, oid)),
    createInflate(),
    body,
    () => undefined, // the error is the body's own
  );
  try {
    const { type, size } = await body.header;
    return { type, size, stream: body };
  } catch (error) {
    const cause = error instanceof Error ? error.cause : undefined;
    if (systemErrorCode(cause) === 'ENOENT') return undefined;
    throw error;
  }
}

/** Every object with a file of its own, and the length of that file. */
export async function listLooseObjects(folder: RepositoryFolder): Promise<{ oid: Oid; bytes: number }[]> {
  const found: { oid: Oid; bytes: number }[] = [];
  for (const start of await folder.fs.readdir(folder.at('objects'))) {
    if (!/^[0-9a-f]{2}$/.test(start)) continue;
    for (const rest of await folder.fs.readdir(folder.at('objects', start))) {
      if (!/^[0-9a-f]{38}$/.test(rest)) continue;
      const oid = start + rest;
      const bytes = await orAbsent(folder.fs.size(loosePath(folder, oid)));
      if (bytes !== undefined) found.push({ oid, bytes });
    }
  }
  return found;
}

/** Longest header: "commit ", 20 digits, NUL, with room to spare. */
const maxHeaderLength = 32;

/** Takes the header off an inflated loose object and counts the bytes behind it. */
class LooseBody extends Transform {
  readonly header: Promise<{ type: ObjectType; size: number }>;
  readonly #oid: Oid;
  #announce!: (header: { type: ObjectType; size: number }) => void;
  #giveUp!: (error: Error) => void;
  #start: Buffer | undefined = Buffer.alloc(0);
  #missing = 0;

  constructor(oid: Oid) {
    super();
    this.#oid = oid;
    this.header = new Promise((resolve, reject) => {
      this.#announce = resolve;
      this.#giveUp = reject;
    });
  }

  override _transform(piece: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    let content = piece;
    if (this.#start !== undefined) {
      const start = Buffer.concat([this.#start, piece]);
      const end = start.indexOf(0);
      if (end < 0 && start.length < maxHeaderLength) {
        this.#start = start;
        done();
        return;
      }
      const head = start.toString('latin1', 0, Math.max(end, 0));
      const match = /^(blob|tree|commit) (\d+)$/.exec(head);
      if (match === null) {
        done(this.#damaged('has no header'));
        return;
      }
      this.#start = undefined;
      this.#missing = Number(match[2]);
      this.#announce({ type: match[1] as ObjectType, size: this.#missing });
      content = start.subarray(end + 1);
    }
    this.#missing -= content.length;
    if (this.#missing < 0) done(this.#damaged('is too long'));
    else done(null, content);
  }

  override _flush(done: TransformCallback): void {
    const complete = this.#start === undefined && this.#missing === 0;
    done(complete ? null : this.#damaged('is cut short'));
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    // A consumer may destroy the stream with an error of its own: it passes unchanged.
    const ofReading = /^(?:Z_[A-Z_]+|E[A-Z]+)$/.test(systemErrorCode(error) ?? '');
    const reported = ofReading ? asUnreadable(error, `Object ${this.#oid} cannot be read`) : error;
    this.#giveUp(reported ?? this.#damaged('was given up'));
    done(reported);
  }

  #damaged(how: string): RepositoryUnreadable {
    return new RepositoryUnreadable(`Object ${this.#oid} ${how}.`);
  }
}
