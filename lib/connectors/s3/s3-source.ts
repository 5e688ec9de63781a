import { createHash } from 'node:crypto';
import type { Clock } from '../../domain/clock.js';
import { readRetryAfter } from '../../egress/retry-after.js';
import { maxPage, queryOfPage, readPage, type ListedObject, type Page } from '../../egress/s3/read-page.js';
import { explainError, readError, type StoreError } from '../../egress/s3/store-error.js';
import { describeTime } from '../describe-time.js';
import { downloadListed } from '../download-listed.js';
import {
  ForbiddenFile,
  SourceFault,
  UnreadableFile,
  type Listing,
  type Source,
  type SourceEntry,
  type SourceFile,
} from '../source.js';
import type { ObjectStore } from './object-store.js';

/** Parts in a row without an object, as after many deletions. */
const maxEmptyPages = 100;
/** Objects in a row that a store fails to deliver, after which it is the store that fails. */
const maxFailures = 20;
/** Storage classes whose objects have to be requested hours before a read. */
const archives: readonly string[] = ['GLACIER', 'DEEP_ARCHIVE'];
const entityTag = /^"[\x21\x23-\x7e]*"$/;

interface S3Means {
  readonly store: ObjectStore;
  readonly bucket: string;
  /** '' for the whole bucket; otherwise with `/` at its end. */
  readonly prefix: string;
  readonly clock: Clock;
  readonly maxEntries: number;
}

/** A part of a listing, with the `Date` of its answer. */
type TimedPage = Page & { readonly toldAt: string | undefined };

/** The objects of a bucket whose keys begin with a prefix. */
export class S3Source implements Source {
  readonly #means: S3Means;
  #failures = 0;

  constructor(means: S3Means) {
    this.#means = means;
  }

  async check(signal: AbortSignal): Promise<string> {
    const { bucket } = this.#means;
    const { objects, next } = await this.#page(null, signal);
    return `The bucket ${bucket} holds ${next === null ? '' : 'more than '}${objects.length} ${objects.length === 1 ? 'object' : 'objects'} there.`;
  }

  /** A bucket has no tag of its own, and a listing is the cheapest look at it. */
  async probe(): Promise<'maybe_changed'> {
    return Promise.resolve('maybe_changed');
  }

  async list(_cursor: string | null, signal: AbortSignal): Promise<Listing> {
    const began = this.#means.clock.now();
    const first = await this.#page(null, signal);
    return { mode: 'snapshot', entries: this.#pages(first, began, signal), cursor: () => null, version: () => null };
  }

  async *read(file: SourceFile, maxBytes: number, signal: AbortSignal): AsyncGenerator<Uint8Array, void, undefined> {
    const { store, prefix, clock } = this.#means;
    if (file.size !== undefined && file.size > maxBytes) throw new UnreadableFile('too_large', `${file.size} bytes`);
    if (file.path.split('/').some((segment) => segment === '.' || segment === '..'))
      throw new UnreadableFile('bad_name', 'no request can name it');
    const [etag = ''] = file.version.split(' ', 1);
    const tag = entityTag.test(etag) ? etag : undefined;
    const answer = await store.get({
      key: prefix + file.path,
      maxBytes,
      signal,
      ...(tag === undefined ? {} : { headers: { 'if-match': tag } }),
    });
    if (answer.status !== 200) {
      const error = judgeRead(await readError(answer), clock.now());
      this.#failures += answer.status >= 500 ? 1 : 0;
      throw this.#failures < maxFailures
        ? error
        : new SourceFault('network', 'The store fails again and again. It is asked again later.', { cause: error });
    }
    this.#failures = 0;
    yield* downloadListed(answer, { file, tag, maxBytes });
  }

  async close(): Promise<void> {
    this.#means.store.close();
    return Promise.resolve();
  }

  async #page(token: string | null, signal: AbortSignal): Promise<TimedPage> {
    const { store, prefix, clock } = this.#means;
    const answer = await store.get({
      key: null,
      query: queryOfPage(prefix, token),
      maxBytes: maxPage,
      signal,
    });
    if (answer.status !== 200) throw faultOf(await readError(answer), clock.now());
    return { ...(await readPage(answer.body)), toldAt: answer.headers.date };
  }

  async *#pages(
    first: TimedPage,
    began: number,
    signal: AbortSignal,
  ): AsyncGenerator<readonly SourceEntry[], void, undefined> {
    const { maxEntries } = this.#means;
    const seen = new Set<string>();
    let [count, empty] = [0, 0];
    for (let page = first; ;) {
      count += page.objects.length;
      empty = page.objects.length === 0 ? empty + 1 : 0;
      if (count > maxEntries)
        throw new SourceFault('limit', `The bucket has more than ${maxEntries} objects there. Mirror a folder of it.`);
      yield page.objects.flatMap((object) => this.#place(object, page.toldAt, began) ?? []);
      if (page.next === null) return;
      const token = createHash('sha256').update(page.next).digest('base64');
      if (seen.has(token) || empty > maxEmptyPages)
        throw new SourceFault(
          'corrupt',
          'The store keeps returning more pages of its listing without an end. The sync is tried again later.',
        );
      seen.add(token);
      page = await this.#page(page.next, signal);
    }
  }

  /** @returns undefined for the mark of a folder */
  #place(
    { key, etag, size, modifiedAt, storageClass }: ListedObject,
    toldAt: string | undefined,
    began: number,
  ): SourceEntry | undefined {
    const { prefix } = this.#means;
    if (!key.startsWith(prefix)) throw new SourceFault('corrupt', 'The store lists objects that were not asked for.');
    const path = key.slice(prefix.length);
    const time = modifiedAt === undefined ? `seen-${began}` : `time-${describeTime({ modifiedAt, toldAt, began })}`;
    const version = `${etag ?? time} ${size ?? '?'}`;
    if (path === '' || path.endsWith('/')) {
      if (path === '' || size === 0) return undefined;
      return { type: 'skipped', path, version, reason: 'bad_name', detail: 'a folder that has content' };
    }
    if (storageClass !== undefined && archives.includes(storageClass))
      return { type: 'unreadable', path, detail: 'it is archived, and has to be restored' };
    return {
      type: 'file',
      path,
      version,
      ...(size === undefined ? {} : { size }),
      ...(modifiedAt === undefined ? {} : { modifiedAt }),
    };
  }
}

/** Why the bucket cannot be listed. */
function faultOf(error: StoreError, now: number): SourceFault {
  const { status, headers } = error;
  const retryAfter = readRetryAfter({ headers }, now);
  const [fault, message] = explainError(error) ?? byStatus(status);
  return new SourceFault(fault, message, retryAfter === undefined ? {} : { retryAfter });
}

/** Why one object cannot be read, or why none can. */
function judgeRead(error: StoreError, now: number): SourceFault | UnreadableFile {
  const { status, code } = error;
  if (explainError(error) !== undefined || status === 401 || status === 429 || status === 503)
    return faultOf(error, now);
  if (status === 404) return new UnreadableFile('unreadable', 'it is gone meanwhile');
  if (status === 412) return new UnreadableFile('unreadable', 'it was changed meanwhile');
  if (code === 'InvalidObjectState') return new UnreadableFile('unreadable', 'it is archived, and has to be restored');
  if (status === 403) return new ForbiddenFile('this access key may not read it');
  return new UnreadableFile('unreadable', `status ${status}`);
}

function byStatus(status: number): readonly [SourceFault['fault'], string] {
  if (status === 401 || status === 403)
    return ['auth', 'This access key may not list the bucket. It needs the right to list it and to read its objects.'];
  if (status === 404) return ['not_found', 'There is no such bucket. Check the name and the address.'];
  if (status === 429) return ['rate', 'The store asks us to wait.'];
  if (status === 503) return ['rate', 'The store is closed for a while.'];
  if (status >= 500) return ['network', `The store failed with status ${status}. It is asked again later.`];
  return ['not_found', `This address does not speak the protocol of S3 (status ${status}). Check it.`];
}
