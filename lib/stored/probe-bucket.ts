import { readXml } from '../egress/read-xml.js';
import { readError } from '../egress/s3/store-error.js';
import { BucketFault } from './bucket-fault.js';
import { maxShortAnswer, type BucketRequests } from './bucket-requests.js';
import type { StoredName } from './list-objects.js';

interface Abortable {
  readonly signal: AbortSignal;
}

/** What a bucket is tried by. */
interface TriedBucket {
  putBytes(name: string, bytes: Uint8Array, options: Abortable): Promise<{ readonly etag: string }>;
  putBytes(
    name: string,
    bytes: Uint8Array,
    options: Abortable & Condition,
  ): Promise<{ readonly etag: string } | 'refused' | 'unsupported'>;
  getBytes(
    name: string,
    options: Abortable & { readonly maxBytes: number },
  ): Promise<{ readonly bytes: Buffer } | undefined>;
  list(under: string, options: Abortable): AsyncIterable<StoredName>;
  delete(names: Iterable<string>, options: Abortable): Promise<void>;
}

/** Under which condition an object may be written. */
export type Condition = { readonly ifMatch: string } | { readonly ifAbsent: true };

/** What a bucket can do. */
export interface BucketTraits {
  /** Whether an object is written only where its condition holds. */
  readonly conditions: boolean;
  /** Whether deleted objects stay readable, as far as the store says so. */
  readonly isVersioned: boolean;
}

const keepsDeleted =
  'so what an erase deletes could still be read there. Use a bucket without them, or say that you know it (--objects-versioned): then an erase rests on the destroyed key alone.';

/** Writes, reads, lists, deletes, and asks for what would keep a deleted object. @throws BucketFault */
export async function probeBucket(
  bucket: TriedBucket,
  requests: BucketRequests,
  mayBeVersioned: boolean,
  signal: AbortSignal,
): Promise<BucketTraits> {
  const name = `probe/${Buffer.from(requests.randomness.bytes(16)).toString('hex')}`;
  const bytes = Buffer.from(requests.randomness.bytes(1024));
  const isVersioned = await keepsVersions(requests, mayBeVersioned, signal);
  if (isVersioned && !mayBeVersioned)
    throw new BucketFault('denied', `The bucket keeps versions of its objects, or locks them, ${keepsDeleted}`);
  const { etag } = await bucket.putBytes(name, bytes, { signal });
  let conditions: boolean;
  try {
    await requireSame(bucket, name, bytes, signal);
    await requireListed(bucket, name, bytes.length, signal);
    conditions = await obeysConditions(bucket, name, { bytes, etag }, signal);
  } catch (error) {
    await bucket.delete([name], { signal }).catch(() => undefined);
    throw error;
  }
  await bucket.delete([name], { signal });
  if ((await bucket.getBytes(name, { maxBytes: bytes.length, signal })) !== undefined)
    throw new BucketFault(
      'corrupt',
      'The store still answers with an object that was deleted. No erase could be kept.',
    );
  return { conditions, isVersioned };
}

async function requireSame(bucket: TriedBucket, name: string, bytes: Buffer, signal: AbortSignal): Promise<void> {
  const read = await bucket.getBytes(name, { maxBytes: bytes.length, signal });
  if (read?.bytes.equals(bytes) !== true)
    throw new BucketFault('corrupt', 'The store answers with something else than was stored. Use another one.');
}

async function requireListed(bucket: TriedBucket, name: string, bytes: number, signal: AbortSignal): Promise<void> {
  for await (const listed of bucket.list(name, { signal })) if (listed.name === name && listed.bytes === bytes) return;
  throw new BucketFault('corrupt', 'The store does not list an object that was stored. Use another one.');
}

/** Both conditions have to be refused where they do not hold, and obeyed where they do. */
async function obeysConditions(
  bucket: TriedBucket,
  name: string,
  { bytes, etag }: { readonly bytes: Buffer; readonly etag: string },
  signal: AbortSignal,
): Promise<boolean> {
  const other = Buffer.from(bytes.map((byte) => byte ^ 0xff));
  if ((await bucket.putBytes(name, other, { signal, ifAbsent: true })) !== 'refused') return false;
  const wrong = '"00000000000000000000000000000000"';
  if ((await bucket.putBytes(name, other, { signal, ifMatch: wrong })) !== 'refused') return false;
  await requireSame(bucket, name, bytes, signal);
  const next = await bucket.putBytes(name, other, { signal, ifMatch: etag });
  if (typeof next === 'string') return false;
  if ((await bucket.putBytes(name, bytes, { signal, ifMatch: etag })) !== 'refused') return false;
  await requireSame(bucket, name, other, signal);
  return true;
}

/** GetBucketVersioning and GetObjectLockConfiguration. A store that knows neither keeps no versions. */
async function keepsVersions(requests: BucketRequests, mayBeVersioned: boolean, signal: AbortSignal): Promise<boolean> {
  const versioning = await readSetting(requests, 'versioning', 'VersioningConfiguration', 'Status', signal);
  if (versioning === 'forbidden' && !mayBeVersioned)
    throw new BucketFault(
      'denied',
      'This access key may not ask whether the bucket keeps versions. Give it the right s3:GetBucketVersioning, or say that you know that erased objects may stay readable (--objects-versioned).',
    );
  // Versions of before stay where the bucket keeps no new ones.
  if (versioning === 'Enabled' || versioning === 'Suspended') return true;
  const lock = await readSetting(requests, 'object-lock', 'ObjectLockConfiguration', 'ObjectLockEnabled', signal);
  return lock === 'Enabled';
}

function readSetting(
  requests: BucketRequests,
  asked: string,
  root: string,
  member: string,
  signal: AbortSignal,
): Promise<string | undefined> {
  return requests.ask({
    method: 'GET',
    name: null,
    query: { [asked]: '' },
    maxBytes: 16 * 1024 * 1024,
    signal,
    expects: [200, 400, 403, 404, 405, 501],
    read: async (answer) => {
      if (answer.status !== 200) {
        const { status, code } = await readError(answer);
        return status === 403 && code === 'AccessDenied' ? 'forbidden' : undefined;
      }
      let isAsked = false;
      let bytes = 0;
      let value: string | undefined;
      const short = async function* (): AsyncGenerator<Buffer, void, undefined> {
        for await (const piece of answer.body) {
          bytes += piece.length;
          if (bytes > maxShortAnswer) return;
          yield piece;
        }
      };
      try {
        for await (const elements of readXml(short(), ({ local }) => (isAsked = local === root)))
          for (const { local, text } of elements) if (local === member) value = text.trim();
      } catch (error) {
        // A store that does not know the question lists the bucket.
        if (isAsked) throw error;
      }
      return value;
    },
  });
}
