import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Bucket } from '../../lib/stored/bucket.js';
import { httpForBucket, type BucketMeans } from '../../lib/stored/bucket-requests.js';
import type { Timers } from '../../lib/scheduling/timers.js';
import { skipBecause } from '../support/skip.js';
import { BucketClient } from '../support/stored/bucket-client.js';
import { BucketProxy } from '../support/stored/bucket-proxy.js';
import { s3rverKey, ServedByS3rver } from '../support/stored/serve-with-s3rver.js';
import { hasSwift, Swift, swiftKey } from '../support/stored/serve-with-swift.js';

export const never = new AbortController().signal;

export const realClock = { now: () => Date.now(), elapsed: () => performance.now() };
export const realRandomness = { bytes: (count: number) => randomBytes(count) };

/** Timers that go off at once, and note how long they should have waited. */
export class HastyTimers implements Timers {
  readonly waited: number[] = [];

  after(milliseconds: number, work: () => void): () => void {
    this.waited.push(milliseconds);
    const immediate = setImmediate(work);
    return () => clearImmediate(immediate);
  }
}

/** A bucket at this host, with pauses that take no time. */
export function openBucketAt(
  host: string,
  key: { readonly accessKeyId: string; readonly secretAccessKey: string },
  change: Partial<BucketMeans> & { readonly timeouts?: { head: number; idle: number; body: number } } = {},
): Bucket {
  const { timeouts, ...means } = change;
  const root = means.root ?? new URL(`http://${host}/team`);
  return new Bucket({
    root,
    prefix: 'machine/a/',
    key: { id: key.accessKeyId, secret: key.secretAccessKey },
    clock: realClock,
    randomness: realRandomness,
    http: httpForBucket(root, { clock: realClock, ...(timeouts === undefined ? {} : { timeouts }) }),
    timers: new HastyTimers(),
    ...means,
  });
}

/** One real store, with a proxy before it. */
export interface ServedStore {
  readonly host: string;
  readonly proxy: BucketProxy;
  readonly key: { readonly accessKeyId: string; readonly secretAccessKey: string };
  /** What it makes of a condition. */
  readonly onCondition: 'overwrites' | 'unsupported';
  close(): Promise<void>;
}

export interface StoreKind {
  readonly title: string;
  start(context: Mocha.Context): Promise<ServedStore>;
}

/** Two unlike stores: the one takes everything, the other checks signatures and MD5, and refuses conditions. */
export const storeKinds: readonly StoreKind[] = [
  {
    title: 's3rver',
    async start() {
      const folder = await mkdtemp(join(tmpdir(), 'cartulary-s3rver-'));
      const server = await ServedByS3rver.start(folder);
      const proxy = await BucketProxy.open(server.host, s3rverKey);
      return {
        host: server.host,
        proxy,
        key: s3rverKey,
        onCondition: 'overwrites',
        async close() {
          await proxy.close();
          await server.stop();
          await rm(folder, { recursive: true });
        },
      };
    },
  },
  {
    title: 'OpenStack Swift',
    async start(context) {
      if (!hasSwift()) skipBecause(context, 'OpenStack Swift is not installed');
      const swift = await Swift.start();
      await new BucketClient(`http://${swift.host}/team`, swiftKey).make();
      const proxy = await BucketProxy.open(swift.host, swiftKey);
      return {
        host: swift.host,
        proxy,
        key: swiftKey,
        onCondition: 'unsupported',
        async close() {
          await proxy.close();
          await swift.stop();
        },
      };
    },
  },
];

/** The store that takes the least time. */
export function startS3rver(context: Mocha.Context): Promise<ServedStore> {
  const [kind] = storeKinds;
  if (kind === undefined) throw new Error('There is no store.');
  return kind.start(context);
}

export async function readAll(bytes: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  for await (const piece of bytes) pieces.push(piece);
  return Buffer.concat(pieces);
}
