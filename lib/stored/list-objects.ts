import { createHash } from 'node:crypto';
import { maxPage, queryOfPage, readPage, type ListedObject, type Page } from '../egress/s3/read-page.js';
import { BucketFault } from './bucket-fault.js';
import type { BucketRequests } from './bucket-requests.js';

/** An object as a listing has it. */
export interface StoredName {
  /** Without the prefix of the bucket. */
  readonly name: string;
  readonly bytes: number;
  /** When it was written, by the clock of the store. Milliseconds since 1970. */
  readonly at: number;
}

/** Parts in a row without an object, as after many deletions. */
const maxEmptyPages = 100;
const isAscii = /^[\x20-\x7e]*$/;

/**
 * All objects whose names begin with `under` (ListObjectsV2), in the order of the store.
 * @throws BucketFault `corrupt` where the listing goes in circles, or lists what was not asked for
 */
export async function* listObjects(
  requests: BucketRequests,
  under: string,
  signal: AbortSignal,
): AsyncGenerator<StoredName, void, undefined> {
  const seen = new Set<string>();
  let [last, empty] = ['', 0];
  for (let next: string | null = null; ;) {
    const page: Page = await readPart(requests, under, next, signal);
    empty = page.objects.length === 0 ? empty + 1 : 0;
    const first = page.objects[0]?.key ?? last;
    const isBack = isAscii.test(first) && isAscii.test(last) && first < last;
    if (isBack || empty > maxEmptyPages) throw endless();
    for (const object of page.objects) yield place(requests.prefix, under, object);
    last = page.objects.at(-1)?.key ?? last;
    ({ next } = page);
    if (next === null) return;
    const token = createHash('sha256').update(next).digest('base64');
    if (seen.has(token)) throw endless();
    seen.add(token);
  }
}

function readPart(requests: BucketRequests, under: string, next: string | null, signal: AbortSignal): Promise<Page> {
  const prefix = `${requests.prefix}${under}`;
  return requests.ask({
    method: 'GET',
    name: null,
    query: queryOfPage(prefix, next),
    maxBytes: maxPage,
    signal,
    expects: [200],
    read: ({ body }) => readPage(body),
  });
}

function place(prefix: string, under: string, { key, size, modifiedAt }: ListedObject): StoredName {
  if (!key.startsWith(`${prefix}${under}`))
    throw new BucketFault('corrupt', 'The store lists objects that were not asked for. Check its address.');
  if (size === undefined || modifiedAt === undefined)
    throw new BucketFault('corrupt', 'The store lists an object without its length and time. Check its address.');
  return { name: key.slice(prefix.length), bytes: size, at: modifiedAt };
}

function endless(): BucketFault {
  return new BucketFault('corrupt', 'The store returns more and more pages of its listing, without an end.');
}
