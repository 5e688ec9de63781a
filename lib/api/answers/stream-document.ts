import { Readable } from 'node:stream';
import { yieldToLoop } from '../../scheduling/yield-to-loop.js';
import type { Version } from '../../domain/document.js';
import { declaredCharset, findCharset, openDecoder, type Charset } from '../../text/charset.js';
import type { AnswerBody } from './api-answer.js';

/** Content of more bytes than this is written as JSON piece by piece; one piece would hold the event loop. */
export const streamedFrom = 128 * 1024;
/** Bytes of content written at a time; a multiple of three, for base64. */
const pieceLength = 48 * 1024;
/** Pieces after which the event loop handles its input, where the reader is as fast as the writer. */
const piecesAtOnce = 8;

/** Opens content, in pieces of any length. */
export type OpenContent = () => Promise<AsyncIterable<Buffer> | Iterable<Buffer>>;

/** A record with its content as JSON, made while it is sent; memory does not grow with its length. */
export function streamDocument(
  record: object,
  { kind, mediaType }: Pick<Version, 'kind' | 'mediaType'>,
  open: OpenContent,
): AnswerBody {
  return {
    form: 'flow',
    mediaType: 'application/json; charset=utf-8',
    async open() {
      const writer = kind === 'text' ? new TextWriter(await findStated(mediaType, open)) : new Base64Writer();
      const content = await open();
      const written = Readable.from(write(record, content, writer), {
        objectMode: false,
        highWaterMark: 2 * pieceLength,
      });
      // A generator that never began ends without closing its source.
      if (content instanceof Readable) written.once('close', () => content.destroy());
      return written;
    },
  };
}

/** How a text is read that declares another charset. It has to be looked at first. Undefined where its start says it. */
async function findStated(mediaType: string, open: OpenContent): Promise<Charset | undefined> {
  return declaredCharset(mediaType) === undefined ? undefined : findCharset(await open(), mediaType);
}

/** Writes content as the inside of a JSON string. */
interface ContentWriter {
  readonly encoding: 'utf-8' | 'base64';
  write(piece: Buffer): string;
  end(): string;
}

class TextWriter implements ContentWriter {
  readonly encoding = 'utf-8';
  readonly #decoder: ReturnType<typeof openDecoder>;

  constructor(charset: Charset | undefined) {
    this.#decoder = openDecoder(charset);
  }

  write(piece: Buffer): string {
    return JSON.stringify(this.#decoder.decode(piece)).slice(1, -1);
  }

  end(): string {
    return JSON.stringify(this.#decoder.end()).slice(1, -1);
  }
}

class Base64Writer implements ContentWriter {
  readonly encoding = 'base64';
  #rest: Buffer = Buffer.alloc(0);

  write(piece: Buffer): string {
    const bytes = this.#rest.length === 0 ? piece : Buffer.concat([this.#rest, piece]);
    const whole = bytes.length - (bytes.length % 3);
    this.#rest = bytes.subarray(whole);
    return bytes.toString('base64', 0, whole);
  }

  end(): string {
    return this.#rest.toString('base64');
  }
}

async function* write(
  record: object,
  content: AsyncIterable<Buffer> | Iterable<Buffer>,
  writer: ContentWriter,
): AsyncGenerator<Buffer> {
  yield Buffer.from(`${JSON.stringify(record).slice(0, -1)},"content":"`);
  let pieces = 0;
  for await (const chunk of content) {
    for (let at = 0; at < chunk.length; at += pieceLength) {
      yield Buffer.from(writer.write(chunk.subarray(at, at + pieceLength)));
      pieces += 1;
      if (pieces % piecesAtOnce === 0) await yieldToLoop();
    }
  }
  yield Buffer.from(`${writer.end()}","encoding":"${writer.encoding}"}`);
}
