/**
 * The sealed form of an object. "CSO1", the generation of the key (four bytes, big-endian), 32 random bytes; then pieces
 * of 64 KiB, each by AES-256-GCM (NIST SP 800-38D) with its tag behind it. The key of the object comes from the key of
 * the generation, the random bytes and the name of the object, by HKDF-SHA256 (RFC 5869). The nonce of a piece is its
 * number and whether it is the last one (STREAM: Hoang, Reyhanitabar, Rogaway and Vizár, 2015), so that no piece can be
 * changed, moved, left out or added, and no end cut off.
 */
import { createCipheriv, createDecipheriv, hkdfSync } from 'node:crypto';
import type { Randomness } from '../domain/clock.js';
import { yieldToLoop } from '../scheduling/yield-to-loop.js';

/** Why a sealed object does not open. */
export type UnreadableReason = 'noKey' | 'cutOff' | 'damaged';

/** A sealed object does not open: its key is destroyed, or it is not what was stored under this name. */
export class ObjectUnreadable extends Error {
  override readonly name = 'ObjectUnreadable';
  readonly reason: UnreadableReason;

  constructor(reason: UnreadableReason, message: string) {
    super(message);
    this.reason = reason;
  }
}

export interface SealMeans {
  /** Of the object, below the prefix. It opens under no other. */
  readonly name: string;
  /** Of the key; 0 for a key of the object's own. */
  readonly generation: number;
  /** 32 bytes. */
  readonly key: Uint8Array;
  readonly randomness: Randomness;
}

export interface OpenMeans {
  readonly name: string;
  /** Undefined where the key is not there, such as after an erase. */
  readonly keyOf: (generation: number) => Uint8Array | undefined;
}

const magic = Buffer.from('CSO1', 'latin1');
const saltLength = 32;
const headLength = magic.length + 4 + saltLength;
const keyLength = 32;
const pieceLength = 64 * 1024;
const tagLength = 16;
const nonceLength = 12;
/** Pieces after which others get their turn. They take about a millisecond. */
const piecesInTurn = 24;
const cipherName = 'aes-256-gcm';

/** Seals bytes while they come. @returns the sealed bytes, in pieces of some 64 KiB */
export async function* sealObject(
  bytes: AsyncIterable<Uint8Array>,
  { name, generation, key, randomness }: SealMeans,
): AsyncGenerator<Buffer, void, undefined> {
  const head = Buffer.alloc(headLength);
  magic.copy(head);
  head.writeUInt32BE(generation, magic.length);
  head.set(randomness.bytes(saltLength), magic.length + 4);
  const own = deriveKey(key, head, name);
  yield head;
  for await (const { piece, number, isLast } of cutPieces(bytes, pieceLength)) {
    const cipher = createCipheriv(cipherName, own, nonceOf(number, isLast), { authTagLength: tagLength });
    yield Buffer.concat([cipher.update(piece), cipher.final(), cipher.getAuthTag()]);
  }
}

/**
 * Opens a sealed object while it comes. Each piece is authenticated before it leaves; that the object is whole is known
 * with the last one.
 * @throws ObjectUnreadable; what `bytes` throws
 */
export async function* openObject(
  bytes: AsyncIterable<Uint8Array>,
  { name, keyOf }: OpenMeans,
): AsyncGenerator<Buffer, void, undefined> {
  const source = bytes[Symbol.asyncIterator]();
  try {
    const { head, rest } = await readHead(source);
    const generation = head.readUInt32BE(magic.length);
    const key = keyOf(generation);
    if (key === undefined)
      throw new ObjectUnreadable(
        'noKey',
        `The key of generation ${generation} is not there, so ${name} cannot be read.`,
      );
    const own = deriveKey(key, head, name);
    for await (const { piece, number, isLast } of cutPieces(goOn(rest, source), pieceLength + tagLength)) {
      const opened = openPiece(own, piece, number, isLast);
      if (opened === undefined || (isLast && opened.length === 0 && number > 0))
        throw explain(own, piece, number, name);
      if (opened.length > 0) yield opened;
    }
  } finally {
    await source.return?.();
  }
}

/** Of a piece that does not open as what it is to be. */
function explain(own: Uint8Array, piece: Uint8Array, number: number, name: string): ObjectUnreadable {
  const isCut = piece.length < tagLength || openPiece(own, piece, number, false) !== undefined;
  return isCut
    ? new ObjectUnreadable('cutOff', `${name} ends too early in the bucket.`)
    : new ObjectUnreadable('damaged', `${name} is damaged in the bucket, or another object was put in its place.`);
}

/** @returns undefined where it is not authentic */
function openPiece(own: Uint8Array, piece: Uint8Array, number: number, isLast: boolean): Buffer | undefined {
  if (piece.length < tagLength) return undefined;
  const decipher = createDecipheriv(cipherName, own, nonceOf(number, isLast), { authTagLength: tagLength });
  decipher.setAuthTag(piece.subarray(piece.length - tagLength));
  const opened = decipher.update(piece.subarray(0, piece.length - tagLength));
  try {
    // Throws unless the tag is right. GCM gives nothing more at its end.
    decipher.final();
    return opened;
  } catch {
    opened.fill(0);
    return undefined;
  }
}

function deriveKey(key: Uint8Array, head: Buffer, name: string): Uint8Array {
  if (key.length !== keyLength) throw new Error('A key of an object has 32 bytes.');
  const salt = head.subarray(magic.length + 4, headLength);
  return new Uint8Array(hkdfSync('sha256', key, salt, `cartulary object\n${name}`, keyLength));
}

/** Eleven bytes for the number of the piece, and one for whether it is the last. */
function nonceOf(number: number, isLast: boolean): Buffer {
  const nonce = Buffer.alloc(nonceLength);
  nonce.writeUIntBE(number, nonceLength - 7, 6);
  nonce[nonceLength - 1] = isLast ? 1 : 0;
  return nonce;
}

interface Piece {
  /** Overwritten by the next one. */
  readonly piece: Uint8Array;
  readonly number: number;
  readonly isLast: boolean;
}

/** The bytes in pieces of one length. The last one may be shorter, and is empty only when all is. */
async function* cutPieces(bytes: AsyncIterable<Uint8Array>, length: number): AsyncGenerator<Piece, void, undefined> {
  const piece = Buffer.allocUnsafeSlow(length);
  let [filled, number] = [0, 0];
  for await (const chunk of bytes) {
    for (let start = 0; start < chunk.length;) {
      if (filled === length) {
        yield { piece, number, isLast: false };
        [filled, number] = [0, number + 1];
        if (number % piecesInTurn === 0) await yieldToLoop();
      }
      const part = chunk.subarray(start, start + length - filled);
      piece.set(part, filled);
      filled += part.length;
      start += part.length;
    }
  }
  yield { piece: piece.subarray(0, filled), number, isLast: true };
}

async function readHead(
  source: AsyncIterator<Uint8Array>,
): Promise<{ readonly head: Buffer; readonly rest: Uint8Array }> {
  let read: Buffer = Buffer.alloc(0);
  while (read.length < headLength) {
    const next = await source.next();
    if (next.done === true) break;
    read = Buffer.concat([read, next.value]);
  }
  const isSealed = magic.equals(read.subarray(0, magic.length));
  if (isSealed && read.length >= headLength)
    return { head: read.subarray(0, headLength), rest: read.subarray(headLength) };
  throw isSealed || magic.subarray(0, read.length).equals(read)
    ? new ObjectUnreadable('cutOff', 'An object of the bucket ends too early.')
    : new ObjectUnreadable(
        'damaged',
        'An object of the bucket is not sealed, or in a form that this release does not know.',
      );
}

async function* goOn(rest: Uint8Array, source: AsyncIterator<Uint8Array>): AsyncGenerator<Uint8Array, void, undefined> {
  yield rest;
  for (let next = await source.next(); next.done !== true; next = await source.next()) yield next.value;
}
