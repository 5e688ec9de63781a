import type { ServerResponse } from 'node:http';
import { Readable, type Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { constants, createBrotliCompress, createGzip } from 'node:zlib';
import { chooseCoding, type Coding } from '../../http/choose-coding.js';
import type { Answer, AnswerBody } from './api-answer.js';
import type { HeaderLines } from '../../http/header-lines.js';

/** Bytes below which compression saves nothing worth the work. */
const worthwhile = 1024;

/** Fast settings with little memory: an answer is compressed for one reader, once. The work is done off the event loop. */
const compressors: Readonly<Record<Coding, () => Transform>> = {
  br: () =>
    createBrotliCompress({ params: { [constants.BROTLI_PARAM_QUALITY]: 4, [constants.BROTLI_PARAM_LGWIN]: 18 } }),
  gzip: () => createGzip({ level: 5 }),
};

/** A body to compress: its media type where the headers lack it, and its bytes. */
interface Source {
  readonly mediaType: string | undefined;
  readonly open: () => Readable | Promise<Readable>;
  readonly leave?: (() => void) | undefined;
}

/**
 * Sends an answer compressed, where it allows that and its client asks for it.
 * @returns a promise of its end, rejected with any error of opening or reading a stream; undefined where nothing is sent
 */
export function sendCompressed(
  response: ServerResponse,
  answer: Answer,
  lines: HeaderLines,
): Promise<void> | undefined {
  if (answer.mayCompress !== true || answer.status !== 200) return undefined;
  const coding = chooseCoding(response.req.headers['accept-encoding']);
  const source = coding === undefined ? undefined : sourceOf(answer.body);
  if (coding === undefined || source === undefined) return undefined;
  return compress(response, answer, lines, coding, source);
}

async function compress(
  response: ServerResponse,
  answer: Answer,
  lines: HeaderLines,
  coding: Coding,
  source: Source,
): Promise<void> {
  const isHead = response.req.method === 'HEAD';
  const stream = isHead ? undefined : await source.open();
  lines.set('Content-Encoding', coding);
  if (source.mediaType !== undefined) lines.set('Content-Type', source.mediaType);
  // A range counts bytes as they are, so it cannot go on with these.
  if ('Accept-Ranges' in answer.headers) lines.set('Accept-Ranges', 'none');
  lines.writeHead(response, 200);
  if (stream === undefined) {
    source.leave?.();
    response.end();
  } else await pipeline(stream, compressors[coding](), response);
}

/** @returns undefined for a body that is too short */
function sourceOf(body: AnswerBody): Source | undefined {
  switch (body.form) {
    case 'none':
      return undefined;
    case 'json':
      return fromBytes(body.text ?? Buffer.from(JSON.stringify(body.value)), 'application/json; charset=utf-8');
    case 'bytes':
      return fromBytes(body.bytes, undefined);
    case 'flow':
      return body;
    case 'stream':
      return body.length < worthwhile ? undefined : { mediaType: undefined, open: body.open };
  }
}

function fromBytes(bytes: Uint8Array, mediaType: string | undefined): Source | undefined {
  if (bytes.length < worthwhile) return undefined;
  return { mediaType, open: () => Readable.from([bytes], { objectMode: false }) };
}
