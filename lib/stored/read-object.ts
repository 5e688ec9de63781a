import type { HttpAnswer } from '../egress/http-client.js';
import { EgressFault } from '../egress/egress-fault.js';
import { BucketFault } from './bucket-fault.js';
import type { BucketRequests } from './bucket-requests.js';

/** Times that a body may break off, without much in between. */
const maxBroken = 5;
/** Bytes after which a body that breaks off has come on. */
const progress = 1024 * 1024;
const contentRange = /^bytes ([0-9]{1,15})-([0-9]{1,15})\/([0-9]{1,15})$/;

/** The version that is being read. */
interface Version {
  readonly length: number;
  readonly etag: string | undefined;
}

/**
 * The bytes of an object. A body that breaks off is continued from where it did, if it is still the same version
 * (GetObject with Range and If-Match).
 * @throws BucketFault `absent` where there is none, `corrupt` where it is not as long as was said
 */
export async function* readObject(
  requests: BucketRequests,
  name: string,
  signal: AbortSignal,
): AsyncGenerator<Buffer, void, undefined> {
  let version: Version | undefined;
  let [done, broken, since] = [0, 0, 0];
  for (;;) {
    const answer = await openAt(requests, name, version, done, signal);
    version ??= versionOf(answer);
    try {
      for await (const piece of answer.body) {
        done += piece.length;
        if (done > version.length) throw wrongLength();
        yield piece;
      }
      if (done === version.length) return;
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof EgressFault) || error.fault !== 'network') throw error;
      broken = done - since > progress ? 1 : broken + 1;
      since = done;
      if (broken > maxBroken) throw new BucketFault('away', error.message, { cause: error });
      await requests.rest(broken, signal);
      continue;
    }
    throw wrongLength();
  }
}

function openAt(
  requests: BucketRequests,
  name: string,
  version: Version | undefined,
  done: number,
  signal: AbortSignal,
): Promise<HttpAnswer> {
  const isContinued = version !== undefined && done > 0;
  return requests.ask({
    method: 'GET',
    name,
    headers: {
      ...(isContinued ? { range: `bytes=${done}-` } : {}),
      ...(version?.etag === undefined ? {} : { 'if-match': version.etag }),
    },
    // The length that the answer announces bounds it.
    maxBytes: Number.MAX_SAFE_INTEGER,
    signal,
    expects: [isContinued ? 206 : 200, 412],
    read: (answer) => {
      const fault = judgeHead(answer, version, done, isContinued);
      if (fault === undefined) return Promise.resolve(answer);
      answer.discard();
      return Promise.reject(fault);
    },
  });
}

function judgeHead(
  answer: HttpAnswer,
  version: Version | undefined,
  done: number,
  isContinued: boolean,
): BucketFault | undefined {
  if (answer.status === 412)
    return new BucketFault('corrupt', 'An object of the bucket was changed while it was read.');
  const { length } = versionOf(answer);
  if (Number.isNaN(length))
    return new BucketFault('corrupt', 'The store does not say how long an object is. Check its address.');
  if (version === undefined) return undefined;
  if (!isContinued) return length === version.length ? undefined : wrongLength();
  const [, first, last, total] = contentRange.exec(answer.headers['content-range'] ?? '') ?? [];
  const isRest = Number(first) === done && Number(last) === version.length - 1 && Number(total) === version.length;
  return isRest && length === version.length - done ? undefined : wrongLength();
}

/** Its length is not a number where the answer announces none. */
function versionOf({ headers }: HttpAnswer): Version {
  const text = headers['content-length'] ?? '';
  const { etag } = headers;
  return { length: /^[0-9]{1,15}$/.test(text) ? Number(text) : Number.NaN, etag };
}

function wrongLength(): BucketFault {
  return new BucketFault('corrupt', 'The store answers with another length of an object than it announced.');
}
