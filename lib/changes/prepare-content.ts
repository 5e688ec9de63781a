import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { deflate } from 'node:zlib';
import { hashObject, makePackable } from '../git/objects/objects.js';
import type { StagedBlobs, Staging } from '../journal/staging.js';
import { judge, TextCheck, type Charset, type Judged } from '../text/charset.js';

/**
 * Content hashed and compressed before its transaction, or already in the repository. `deflated` is null for a staged
 * blob.
 */
export interface PreparedContent extends Judged {
  readonly blobOid: string;
  readonly sha256: string;
  /** Bytes. */
  readonly size: number;
  readonly deflated: Uint8Array | null;
}

const deflateInBackground = promisify(deflate);

/** Larger content is compressed off the event loop's thread. Bytes. */
const largeForMainThread = 32 * 1024;
/** Larger content goes to the repository before its transaction instead of through the sidecar. Bytes. */
export const stagedFrom = 1024 * 1024;
const pieceLength = 256 * 1024;

/**
 * Hashes and compresses content before its transaction, or stages large content in the repository. On return, the bytes
 * of a staged blob are on the disk, and a row protects them from maintenance.
 * @param held takes the names of blobs to release when the request is over
 * @param declared the charset that its media type declares
 */
export async function prepareContent(
  staging: Staging,
  bytes: Buffer,
  held: StagedBlobs,
  declared?: Charset,
): Promise<PreparedContent> {
  if (bytes.length > stagedFrom) return stageContent(staging, cut(bytes), held, declared);
  if (bytes.length <= largeForMainThread) return prepareAtOnce(bytes, declared);
  return {
    ...describe(bytes, declared),
    blobOid: hashObject('blob', bytes),
    deflated: await deflateInBackground(bytes),
  };
}

function describe(bytes: Buffer, declared: Charset | undefined): Omit<PreparedContent, 'blobOid' | 'deflated'> {
  const check = new TextCheck(declared);
  check.update(bytes);
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  return { sha256, size: bytes.length, ...judge(check, declared) };
}

/** The same for short content that cannot wait. */
export function prepareAtOnce(bytes: Buffer, declared?: Charset): PreparedContent {
  const { oid, deflated } = makePackable('blob', bytes);
  return { ...describe(bytes, declared), blobOid: oid, deflated };
}

/**
 * The same for content that arrives in pieces. Memory does not grow with its size.
 * @throws the source's errors; then none of the content stays
 */
export async function prepareStream(
  staging: Staging,
  source: AsyncIterable<Uint8Array>,
  held: StagedBlobs,
  declared?: Charset,
): Promise<PreparedContent> {
  const pieces = source[Symbol.asyncIterator]();
  const start: Uint8Array[] = [];
  let size = 0;
  while (size <= stagedFrom) {
    const next = await pieces.next();
    if (next.done === true) return prepareContent(staging, Buffer.concat(start), held, declared);
    start.push(next.value);
    size += next.value.length;
  }
  try {
    return await stageContent(staging, resume(start, pieces), held, declared);
  } catch (error) {
    // The disk may have failed before a piece was taken: nothing has ended the source then, and it holds a file open.
    await pieces.return?.();
    throw error;
  }
}

async function* resume(start: Uint8Array[], rest: AsyncIterator<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    yield* start.splice(0);
    for (let next = await rest.next(); next.done !== true; next = await rest.next()) yield next.value;
  } finally {
    await rest.return?.();
  }
}

async function stageContent(
  staging: Staging,
  source: AsyncIterable<Uint8Array>,
  held: StagedBlobs,
  declared: Charset | undefined,
): Promise<PreparedContent> {
  const check = new TextCheck(declared);
  const { oid, sha256, size } = await staging.stage(watch(source, check), held);
  return { blobOid: oid, sha256, size, ...judge(check, declared), deflated: null };
}

async function* watch(source: AsyncIterable<Uint8Array>, check: TextCheck): AsyncGenerator<Uint8Array> {
  for await (const piece of source) {
    check.update(piece);
    yield piece;
  }
}

/** In pieces, so that hashing one does not hold the event loop. */
async function* cut(bytes: Buffer): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += pieceLength) yield bytes.subarray(at, at + pieceLength);
}
