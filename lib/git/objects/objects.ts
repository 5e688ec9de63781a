import { createHash } from 'node:crypto';
import { deflateSync, inflateSync, type ZlibOptions } from 'node:zlib';
import { RepositoryUnreadable } from '../errors.js';
import type { Oid } from './oid.js';

export { MissingObject } from '../errors.js';

export type { Oid } from './oid.js';

export type ObjectType = 'blob' | 'tree' | 'commit';

/** An object as read: its type and its bare content, without git's header. */
export interface GitObject {
  type: ObjectType;
  bytes: Buffer;
}

/**
 * An object ready for a pack: `deflated` is the zlib stream of the bare content, `size` the length of that content in
 * bytes before compression.
 */
export interface PackableObject {
  oid: Oid;
  type: ObjectType;
  size: number;
  deflated: Buffer;
  /** For a delta (`encodeDelta`): the object that it changes, which has to be in the same pack. The rest is the delta's. */
  base?: Oid;
}

/**
 * Level 1: on text of a few kB it takes half the time of zlib's default for a few per cent more bytes. Repacking stores
 * later versions as deltas anyway.
 */
const usualLevel = 1;

/** From this many bytes on, Node allocates memory for one purpose alone. */
const onePage = 4096;
/** Bytes to allocate at once for inflating content, which may be damaged. */
const maxPiece = 1024 * 1024;

const wellFormedOid = /^[0-9a-f]{40}$/;

/** Whether `text` has the form of an object's name. */
export function isOid(text: string): boolean {
  return wellFormedOid.test(text);
}

/** Throws a TypeError unless `text` has the form of an object's name. */
export function requireOid(text: string): void {
  if (!isOid(text)) throw new TypeError(`Not an object's name: ${text}`);
}

/** git's name of an object of this type and content. */
export function hashObject(type: ObjectType, bytes: Uint8Array): Oid {
  return createHash('sha1').update(`${type} ${bytes.length}\0`).update(bytes).digest('hex');
}

/**
 * Names and compresses an object, synchronously.
 * @param level zlib's level, 0 (stored) to 9; 1 when left out.
 * @param oid the object's name where it is known already; it is not checked.
 */
export function makePackable(
  type: ObjectType,
  bytes: Uint8Array,
  level: number = usualLevel,
  oid: Oid = hashObject(type, bytes),
): PackableObject {
  return {
    oid,
    type,
    size: bytes.length,
    deflated: trimToOwn(deflateSync(bytes, deflateOptions(bytes.length, level))),
  };
}

/** Objects up to this many bytes are compressed with a window of their own size. */
const small = 4096;

/**
 * A window as wide as the content finds all that a wider one would. Setting up the window is most of the cost of
 * compressing some hundred bytes. The usual one is 260 kB, reported to the garbage collector each time.
 */
function deflateOptions(length: number, level: number): ZlibOptions {
  // The unfilled part of zlib's buffers, 16 kB each by default, would only be garbage.
  if (length > small) return { level, chunkSize: Math.min(length + 64, 16 * 1024) };
  const windowBits = Math.max(10, 32 - Math.clz32(length));
  return { level, windowBits, memLevel: windowBits - 6, chunkSize: length + 64 };
}

/**
 * The content of a packable object.
 * @throws RepositoryUnreadable when its stream is damaged or of another length.
 */
export function inflateObject(object: Pick<PackableObject, 'oid' | 'size' | 'deflated'>): Buffer {
  let bytes: Buffer;
  try {
    bytes = inflateSync(object.deflated, {
      maxOutputLength: Math.max(object.size, 1),
      // All of it in one piece, and little more than that: unfilled space would only be garbage. Below a page, the
      // piece comes out of a pool, and `trimToOwn` copies it out of there.
      chunkSize: Math.min(Math.max(object.size + 64, object.size < onePage / 2 ? 0 : onePage), maxPiece),
    });
  } catch (error) {
    throw new RepositoryUnreadable(`Object ${object.oid} is damaged.`, {
      cause: error,
    });
  }
  if (bytes.length !== object.size)
    throw new RepositoryUnreadable(`Object ${object.oid} has ${bytes.length} bytes instead of ${object.size}.`);
  return trimToOwn(bytes);
}

/**
 * zlib and Node return slices of larger blocks, of their own or of a shared pool. A small result kept for long would
 * hold its whole block, so it is copied into a block of its own.
 */
export function trimToOwn(bytes: Buffer): Buffer {
  if (bytes.length * 2 >= bytes.buffer.byteLength) return bytes;
  const own = Buffer.allocUnsafeSlow(bytes.length);
  bytes.copy(own);
  return own;
}

export { applyDelta } from './delta.js';
export { encodeCommit, decodeCommit, encodeSignature } from './commit-object.js';
export type { Commit, Signature } from './commit-object.js';
