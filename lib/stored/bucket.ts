import { createHash } from 'node:crypto';
import { readError } from '../egress/s3/store-error.js';
import { BucketFault, judgeAnswer } from './bucket-fault.js';
import { BucketRequests, drain, maxShortAnswer, type BucketMeans } from './bucket-requests.js';
import { listObjects, type StoredName } from './list-objects.js';
import { probeBucket, type BucketTraits, type Condition } from './probe-bucket.js';
import { putFile, requireTag } from './put-file.js';
import { readObject } from './read-object.js';

export interface Abortable {
  readonly signal: AbortSignal;
}

/** Objects deleted at once. */
const deletedAtOnce = 4;

/**
 * A part of a bucket that speaks the protocol of Amazon S3. Names are below its prefix. Each method asks again where that
 * may help, and ends soon after its signal aborts.
 */
export class Bucket {
  readonly #requests: BucketRequests;

  constructor(means: BucketMeans) {
    this.#requests = new BucketRequests(means);
  }

  /**
   * Stores a file of this machine. It must not change meanwhile.
   * @returns its length
   * @throws BucketFault; the system's error where the file cannot be read
   */
  putFile(name: string, file: string, { signal }: Abortable): Promise<{ readonly bytes: number }> {
    return putFile(this.#requests, name, file, signal);
  }

  /**
   * Stores bytes (PutObject).
   * @returns the tag of the new version; with a condition also `refused` where it does not hold, and `unsupported` where
   *   the store knows no conditions. That a store obeys them only `probe` can tell. After a lost answer, an object that
   *   has just these bytes counts as written: the bytes of two writers have to differ
   * @throws BucketFault
   */
  putBytes(
    name: string,
    bytes: Uint8Array,
    options: Abortable & Condition,
  ): Promise<{ readonly etag: string } | 'refused' | 'unsupported'>;
  putBytes(name: string, bytes: Uint8Array, options: Abortable): Promise<{ readonly etag: string }>;
  async putBytes(
    name: string,
    bytes: Uint8Array,
    { signal, ...condition }: Abortable | (Abortable & Condition),
  ): Promise<{ readonly etag: string } | 'refused' | 'unsupported'> {
    const headers = conditionHeaders(condition);
    const isConditional = headers !== undefined;
    const outcome = await this.#requests.ask({
      method: 'PUT',
      name,
      headers: {
        'content-md5': createHash('md5').update(bytes).digest('base64'),
        'content-type': 'application/octet-stream',
        ...headers,
      },
      body: bytes,
      maxBytes: maxShortAnswer,
      signal,
      isOnce: isConditional,
      expects: isConditional ? [200, 400, 404, 409, 412, 501] : [200],
      read: async (answer, isDoubtful) => {
        if (answer.status === 200) {
          await drain(answer);
          return { etag: requireTag(answer) };
        }
        const error = await readError(answer);
        const { status, code } = error;
        if (status === 501 || code === 'NotImplemented') return 'unsupported' as const;
        const isRefused = status === 409 || status === 412 || code === 'NoSuchKey';
        if (!isRefused) throw judgeAnswer(error, 'PUT', 0).fault;
        return isDoubtful ? ('doubtful' as const) : ('refused' as const);
      },
    });
    if (outcome !== 'doubtful') return outcome;
    const there = await this.getBytes(name, { maxBytes: bytes.length, signal }).catch(orTooLong);
    return there !== undefined && there.bytes.equals(bytes) ? { etag: there.etag } : 'refused';
  }

  /**
   * Reads a small object (GetObject).
   * @returns undefined where there is none
   * @throws BucketFault `corrupt` where it has more than `maxBytes`
   */
  getBytes(
    name: string,
    { maxBytes, signal }: Abortable & { readonly maxBytes: number },
  ): Promise<{ readonly bytes: Buffer; readonly etag: string } | undefined> {
    return this.#requests.ask({
      method: 'GET',
      name,
      maxBytes: Math.max(maxBytes, maxShortAnswer) + 1,
      signal,
      expects: [200, 404],
      read: async (answer) => {
        if (answer.status === 404) {
          const error = await readError(answer);
          if (error.code === 'NoSuchBucket') throw judgeAnswer(error, 'GET', 0).fault;
          return undefined;
        }
        const pieces: Buffer[] = [];
        let length = 0;
        for await (const piece of answer.body) {
          length += piece.length;
          if (length > maxBytes) throw new TooLong();
          pieces.push(piece);
        }
        return { bytes: Buffer.concat(pieces), etag: requireTag(answer) };
      },
    });
  }

  /**
   * The bytes of an object of any length, as they come. What breaks off is continued.
   * @throws BucketFault `absent` where there is none, `corrupt` where it is not as long as was announced
   */
  getStream(name: string, { signal }: Abortable): AsyncIterable<Buffer> {
    return readObject(this.#requests, name, signal);
  }

  /**
   * Deletes objects, some at once (DeleteObject). One that is not there counts as deleted.
   * @throws BucketFault of the first that cannot be deleted
   */
  async delete(names: Iterable<string>, { signal }: Abortable): Promise<void> {
    const waiting = names[Symbol.iterator]();
    const failed = new AbortController();
    const either = AbortSignal.any([signal, failed.signal]);
    const work = async (): Promise<void> => {
      for (let next = waiting.next(); next.done !== true; next = waiting.next()) {
        either.throwIfAborted();
        await this.#delete(next.value, either);
      }
    };
    const workers = Array.from({ length: deletedAtOnce }, () =>
      work().catch((error: unknown) => {
        failed.abort(error);
        throw error;
      }),
    );
    await Promise.allSettled(workers);
    either.throwIfAborted();
  }

  /**
   * All objects whose names begin with `under`, in the order of the store.
   * @throws BucketFault `corrupt` where the listing goes in circles
   */
  list(under: string, { signal }: Abortable): AsyncGenerator<StoredName, void, undefined> {
    return listObjects(this.#requests, under, signal);
  }

  /**
   * Tries everything that is needed of a bucket, as it is needed.
   * @param isVersioned whether the operator knows that deleted objects stay readable
   * @throws BucketFault that says what the bucket lacks
   */
  probe({ isVersioned, signal }: Abortable & { readonly isVersioned: boolean }): Promise<BucketTraits> {
    return probeBucket(this, this.#requests, isVersioned, signal);
  }

  /** Ends the connections. */
  close(): void {
    this.#requests.close();
  }

  async #delete(name: string, signal: AbortSignal): Promise<void> {
    await this.#requests.ask({
      method: 'DELETE',
      name,
      maxBytes: maxShortAnswer,
      signal,
      expects: [200, 202, 204, 404],
      read: async (answer) => {
        if (answer.status !== 404) return drain(answer);
        const error = await readError(answer);
        if (error.code === 'NoSuchBucket') throw judgeAnswer(error, 'DELETE', 0).fault;
      },
    });
  }
}

/** The object has more bytes than it may have. */
class TooLong extends BucketFault {
  constructor() {
    super('corrupt', 'An object of the bucket is longer than it may be.');
  }
}

function orTooLong(error: unknown): undefined {
  if (!(error instanceof TooLong)) throw error;
}

function conditionHeaders(condition: object | Condition): Readonly<Record<string, string>> | undefined {
  if ('ifMatch' in condition) return { 'if-match': condition.ifMatch };
  return 'ifAbsent' in condition ? { 'if-none-match': '*' } : undefined;
}
