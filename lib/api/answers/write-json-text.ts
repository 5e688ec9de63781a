import type { AnswerBody } from './api-answer.js';

/** Texts as strings of JSON in UTF-8, each for as long as its bytes are in memory. */
const written = new WeakMap<Buffer, Buffer>();
/**
 * A text whose JSON is longer than this many times its bytes is full of control characters. It is written again for
 * each answer.
 */
const maxGrowth = 1.5;

/**
 * A record with its text as JSON. Making a string of 4 kB, and JSON of that, is a good part of a read's cost. So the
 * JSON is remembered beside the bytes, and no longer than these: an erase forgets the bytes, and the JSON with them.
 * @param bytes held in memory, the same object each time
 */
export function writeText(record: object, bytes: Buffer): AnswerBody & { readonly text: Buffer } {
  const content = written.get(bytes) ?? write(bytes);
  const start = `${JSON.stringify(record).slice(0, -1)},"content":`;
  const end = ',"encoding":"utf-8"}';
  const startLength = Buffer.byteLength(start);
  const text = Buffer.allocUnsafe(startLength + content.length + end.length);
  text.write(start, 0, 'utf8');
  content.copy(text, startLength);
  text.write(end, startLength + content.length, 'latin1');
  return {
    form: 'json',
    get value() {
      return { ...record, content: bytes.toString('utf8'), encoding: 'utf-8' };
    },
    text,
  };
}

function write(bytes: Buffer): Buffer {
  const content = Buffer.from(JSON.stringify(bytes.toString('utf8')));
  if (content.length <= maxGrowth * bytes.length) written.set(bytes, content);
  return content;
}
