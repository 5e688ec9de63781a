import { createHash } from 'node:crypto';
import { open, type FileHandle } from 'node:fs/promises';
import type { HttpAnswer } from '../egress/http-client.js';
import { readXml } from '../egress/read-xml.js';
import { AnswerTrouble, BucketFault, judgeAnswer } from './bucket-fault.js';
import { drain, maxShortAnswer, type BucketRequests } from './bucket-requests.js';
import type { StreamedBody } from '../egress/write-body.js';

/** From this length on a file is sent in parts. */
const leastInParts = 64 * 1024 * 1024;
const usualPart = 32 * 1024 * 1024;
/** Parts of one object that stores take ("Amazon S3 multipart upload limits"). */
const maxParts = 10_000;
const readSize = 256 * 1024;
/** Milliseconds for the end of an upload that failed. */
const abortTime = 30_000;
const markHeader = 'x-amz-meta-upload';
const entityTag = /^"[\x21\x23-\x7e]*"$/;

/** A run of bytes of an open file. */
interface Stretch {
  readonly start: number;
  readonly bytes: number;
}

/**
 * Sends a file, each byte with an MD5 that the store compares (PutObject; from 64 MiB on CreateMultipartUpload,
 * UploadPart and CompleteMultipartUpload of the Amazon S3 API Reference). It is read twice, and never held in memory.
 * The object is there as a whole or not at all.
 * @returns its length
 * @throws BucketFault; the system's error where the file cannot be read
 */
export async function putFile(
  requests: BucketRequests,
  name: string,
  file: string,
  signal: AbortSignal,
): Promise<{ readonly bytes: number }> {
  const handle = await open(file, 'r');
  try {
    const { size } = await handle.stat();
    if (size < leastInParts) await putStretch(requests, { name, query: {} }, handle, { start: 0, bytes: size }, signal);
    else await putInParts(requests, name, handle, size, signal);
    return { bytes: size };
  } finally {
    await handle.close();
  }
}

async function putInParts(
  requests: BucketRequests,
  name: string,
  handle: FileHandle,
  size: number,
  signal: AbortSignal,
): Promise<void> {
  const mark = Buffer.from(requests.randomness.bytes(16)).toString('hex');
  const uploadId = await beginUpload(requests, name, mark, signal);
  try {
    const length = Math.max(usualPart, Math.ceil(size / maxParts));
    const tags: string[] = [];
    for (let start = 0; start < size; start += length) {
      const query = { partNumber: String(tags.length + 1), uploadId };
      const stretch = { start, bytes: Math.min(length, size - start) };
      tags.push(await putStretch(requests, { name, query }, handle, stretch, signal));
    }
    await completeUpload(requests, { name, uploadId, mark, tags, signal });
  } catch (error) {
    await abortUpload(requests, name, uploadId);
    throw error;
  }
}

async function putStretch(
  requests: BucketRequests,
  { name, query }: { readonly name: string; readonly query: Readonly<Record<string, string>> },
  handle: FileHandle,
  stretch: Stretch,
  signal: AbortSignal,
): Promise<string> {
  const hash = createHash('md5');
  for await (const piece of readStretch(handle, stretch)) hash.update(piece);
  const body: StreamedBody = { bytes: stretch.bytes, open: () => readStretch(handle, stretch) };
  return requests.ask({
    method: 'PUT',
    name,
    query,
    headers: { 'content-md5': hash.digest('base64'), 'content-type': 'application/octet-stream' },
    body,
    maxBytes: maxShortAnswer,
    signal,
    expects: [200],
    read: async (answer) => {
      await drain(answer);
      return requireTag(answer);
    },
  });
}

/** The tag of the version that was stored. @throws BucketFault where the store names none */
export function requireTag({ headers }: Pick<HttpAnswer, 'headers'>): string {
  const { etag = '' } = headers;
  if (entityTag.test(etag)) return etag;
  throw new BucketFault('corrupt', 'The store does not name the version that it has stored. Check its address.');
}

async function* readStretch(handle: FileHandle, { start, bytes }: Stretch): AsyncGenerator<Buffer, void, undefined> {
  for (let done = 0; done < bytes;) {
    // Each piece is new, since the connection may still hold the one before.
    const piece = Buffer.allocUnsafeSlow(Math.min(readSize, bytes - done));
    const { bytesRead } = await handle.read(piece, 0, piece.length, start + done);
    if (bytesRead === 0) throw new Error('A file became shorter while it was sent to the bucket.');
    done += bytesRead;
    yield piece.subarray(0, bytesRead);
  }
}

/** An upload whose answer is lost stays in the store until a lifecycle rule removes it. */
function beginUpload(requests: BucketRequests, name: string, mark: string, signal: AbortSignal): Promise<string> {
  return requests.ask({
    method: 'POST',
    name,
    query: { uploads: '' },
    headers: { 'content-type': 'application/octet-stream', [markHeader]: mark },
    maxBytes: maxShortAnswer,
    signal,
    expects: [200],
    read: async (answer) => {
      const { root, texts } = await readFlat(answer);
      const uploadId = texts.get('UploadId') ?? '';
      if (root === 'InitiateMultipartUploadResult' && uploadId !== '' && uploadId.length <= 2048) return uploadId;
      throw new BucketFault('corrupt', 'The store begins an upload and does not name it. Check its address.');
    },
  });
}

interface Upload {
  readonly name: string;
  readonly uploadId: string;
  /** By chance. It tells the object that this upload makes from every other one of this name. */
  readonly mark: string;
  /** Of its parts. */
  readonly tags: readonly string[];
  readonly signal: AbortSignal;
}

async function completeUpload(requests: BucketRequests, upload: Upload): Promise<void> {
  const { name, uploadId, tags, signal } = upload;
  const listed = tags.map(
    (tag, index) => `<Part><PartNumber>${index + 1}</PartNumber><ETag>${escape(tag)}</ETag></Part>`,
  );
  try {
    await requests.ask({
      method: 'POST',
      name,
      query: { uploadId },
      headers: { 'content-type': 'application/xml' },
      body: `<CompleteMultipartUpload xmlns="http://s3.amazonaws.com/doc/2006-03-01/">${listed.join('')}</CompleteMultipartUpload>`,
      maxBytes: maxShortAnswer,
      signal,
      expects: [200],
      read: async (answer) => {
        const { root, texts } = await readFlat(answer);
        if (root === 'CompleteMultipartUploadResult') return;
        // The status comes before the work: a failure then stands in the body.
        const error = { status: 500, code: texts.get('Code') ?? '', region: undefined, headers: answer.headers };
        throw new AnswerTrouble(judgeAnswer(error, 'POST', 0));
      },
    });
  } catch (error) {
    if (!(error instanceof BucketFault) || !(await isComplete(requests, upload))) throw error;
  }
}

/** Whether an attempt has put the object together, and its answer was lost. */
function isComplete(requests: BucketRequests, { name, mark, signal }: Upload): Promise<boolean> {
  return requests.ask({
    method: 'HEAD',
    name,
    maxBytes: maxShortAnswer,
    signal,
    expects: [200, 404],
    read: (answer) => {
      answer.discard();
      return Promise.resolve(answer.status === 200 && answer.headers[markHeader] === mark);
    },
  });
}

/** The upload is over, so no fault of this matters. */
async function abortUpload(requests: BucketRequests, name: string, uploadId: string): Promise<void> {
  try {
    await requests.ask({
      method: 'DELETE',
      name,
      query: { uploadId },
      maxBytes: maxShortAnswer,
      signal: AbortSignal.timeout(abortTime),
      expects: [200, 204, 404],
      read: drain,
    });
  } catch {
    // A lifecycle rule of the bucket removes it.
  }
}

/** The root of a short answer, and the texts of its children. Another answer than XML has no root. */
async function readFlat(
  answer: HttpAnswer,
): Promise<{ readonly root: string; readonly texts: ReadonlyMap<string, string> }> {
  let root = '';
  const texts = new Map<string, string>();
  const isRoot = ({ local }: { readonly local: string }): boolean => {
    root = local;
    return true;
  };
  for await (const elements of readXml(withoutLead(answer.body), isRoot))
    for (const { local, text } of elements) texts.set(local, text.trim());
  return { root, texts };
}

/** Stores send white space while an upload is put together, so that the connection stays open. */
async function* withoutLead(body: AsyncIterable<Buffer>): AsyncGenerator<Buffer, void, undefined> {
  let isLead = true;
  for await (const piece of body) {
    const start = isLead ? piece.findIndex((byte) => byte > 0x20) : 0;
    if (start < 0) continue;
    isLead = false;
    yield piece.subarray(start);
  }
}

function escape(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}
