import type { DocumentKind } from '../domain/document.js';
import type { AnswerBody } from './answer.js';

/** Texts that have been answered: as a string of JSON in UTF-8 from the second time on. */
const written = new WeakMap<Buffer, Buffer | null>();
/** What takes more than so many times its bytes, being full of control characters, is written anew each time. */
const mostGrowth = 1.5;

/**
 * A record with its content as JSON. Making a string of 4 kB, and JSON of that, is a good part of what a read costs, so
 * it is remembered beside the bytes, for as long as they are in memory and no longer: an erase, which forgets the
 * bytes, forgets it with them.
 * @param bytes the same object each time, where they are held in memory
 */
export function writeContent(
  record: object,
  bytes: Buffer,
  kind: DocumentKind,
): AnswerBody & { readonly text: Buffer } {
  const isText = kind === 'text';
  const encoding = isText ? 'utf-8' : 'base64';
  const content = isText ? (written.get(bytes) ?? write(bytes)) : Buffer.from(`"${bytes.toString('base64')}"`);
  const start = `${JSON.stringify(record).slice(0, -1)},"content":`;
  const end = `,"encoding":"${encoding}"}`;
  const startLength = Buffer.byteLength(start);
  const text = Buffer.allocUnsafe(startLength + content.length + end.length);
  text.write(start, 0, 'utf8');
  content.copy(text, startLength);
  text.write(end, startLength + content.length, 'latin1');
  return {
    form: 'json',
    get value() {
      return { ...record, content: bytes.toString(isText ? 'utf8' : 'base64'), encoding };
    },
    text,
  };
}

function write(bytes: Buffer): Buffer {
  const content = Buffer.from(JSON.stringify(bytes.toString('utf8')));
  const isKnown = written.has(bytes) && content.length <= mostGrowth * bytes.length;
  written.set(bytes, isKnown ? content : null);
  return content;
}
