import type { Version } from '../domain/document.js';
import type { DocumentRead } from '../operations/read-document.js';
import type { AnswerBody } from './answer.js';

/** Texts as strings of JSON in UTF-8, each for as long as its bytes are in memory. */
const written = new WeakMap<Buffer, Buffer>();
/** What takes more than so many times its bytes, being full of control characters, is written anew each time. */
const mostGrowth = 1.5;

/**
 * A record with its content as JSON. Making a string of 4 kB, and JSON of that, is a good part of what a read costs. So
 * it is remembered beside bytes that are held in memory, and no longer than these: an erase, which forgets the bytes,
 * forgets it with them.
 */
export function writeContent(
  record: object,
  {
    bytes,
    isHeld,
    version,
  }: Pick<DocumentRead, 'isHeld'> & { readonly bytes: Buffer; readonly version: Pick<Version, 'kind'> },
): AnswerBody & { readonly text: Buffer } {
  const isText = version.kind === 'text';
  const encoding = isText ? 'utf-8' : 'base64';
  const content = isText ? writeText(bytes, isHeld) : Buffer.from(`"${bytes.toString('base64')}"`);
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

function writeText(bytes: Buffer, isHeld: boolean): Buffer {
  const known = isHeld ? written.get(bytes) : undefined;
  if (known !== undefined) return known;
  const content = Buffer.from(JSON.stringify(bytes.toString('utf8')));
  if (isHeld && content.length <= mostGrowth * bytes.length) written.set(bytes, content);
  return content;
}
