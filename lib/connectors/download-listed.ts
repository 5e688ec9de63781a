import { UnreadableFile, type SourceFile } from './source.js';
import type { HttpAnswer } from '../egress/http-client.js';
import { BodyTooLarge } from '../egress/read-foreign-body.js';

interface Download {
  readonly file: SourceFile;
  /** The strong entity tag that was asked for, with its quotes; undefined where the listing had none. */
  readonly tag: string | undefined;
  readonly maxBytes: number;
}

/**
 * The content of a file that was listed before, as it comes.
 * @throws UnreadableFile when it has another entity tag or size by now, or is too large; SourceFault of the body
 */
export async function* downloadListed(
  answer: HttpAnswer,
  { file, tag, maxBytes }: Download,
): AsyncGenerator<Uint8Array, void, undefined> {
  const now = answer.headers.etag;
  if (tag !== undefined && now?.startsWith('"') === true && now !== tag) {
    answer.discard();
    throw new UnreadableFile('unreadable', 'it was changed meanwhile');
  }
  let bytes = 0;
  try {
    for await (const part of answer.body) {
      bytes += part.length;
      yield part;
    }
  } catch (error) {
    if (error instanceof BodyTooLarge) throw new UnreadableFile('too_large', `more than ${maxBytes} bytes`, error);
    throw error;
  }
  if (file.size !== undefined && bytes !== file.size)
    throw new UnreadableFile('unreadable', `${bytes} bytes came instead of ${file.size}`);
}
