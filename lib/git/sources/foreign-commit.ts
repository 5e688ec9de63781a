import { TextDecoder } from 'node:util';
import type { Signature } from '../objects/commit-object.js';

/** The data of a commit in a foreign repository. */
export interface ForeignCommit {
  /** A missing text is `unknown`, a missing time `NaN`; it may lie before 1970. */
  readonly author: Signature;
  readonly message: string;
}

/**
 * Reads a commit that any program may have written in any year: nothing in it is an error. Text is read in the encoding
 * that the commit names (its `encoding` header, git-commit(1)). An unknown encoding is read as UTF-8, and malformed
 * bytes become U+FFFD.
 */
export function decodeForeignCommit(bytes: Buffer): ForeignCommit {
  const end = bytes.indexOf('\n\n');
  const head = end < 0 ? bytes : bytes.subarray(0, end);
  const decoder = openDecoder(findHeader(head, 'encoding')?.toString('latin1'));
  const author = decoder.decode(findHeader(head, 'author') ?? Buffer.alloc(0));
  const message = end < 0 ? '' : decoder.decode(bytes.subarray(end + 2, end + 2 + maxTextLength));
  return { author: readSignature(author), message };
}

/** Bytes of a header, and of a message, that are read: the beginning suffices. */
const maxTextLength = 4096;

/** The value of the first header of this name; undefined where there is none. */
function findHeader(head: Buffer, name: string): Buffer | undefined {
  const start = head.indexOf(`\n${name} `);
  if (start < 0) return undefined;
  const from = start + name.length + 2;
  const end = head.indexOf(0x0a, from);
  return head.subarray(from, Math.min(end < 0 ? head.length : end, from + maxTextLength));
}

/** Labels are those of the Encoding Standard (WHATWG), which has git's usual ones. */
function openDecoder(label: string | undefined): TextDecoder {
  try {
    return new TextDecoder(label?.trim() ?? 'utf-8');
  } catch {
    return new TextDecoder();
  }
}

/** git's rule: the name ends at the first `<`, the address at the next `>`, and the time follows the last one. */
function readSignature(line: string): Signature {
  const [, name = line, email = ''] = /^([^<]*)<([^>]*)/.exec(line) ?? [];
  const close = line.lastIndexOf('>');
  const [, seconds = 'none'] = /^ *(-?\d+)/.exec(close < 0 ? '' : line.slice(close + 1)) ?? [];
  return { name: name.trim() || 'unknown', email: email.trim() || 'unknown', seconds: Number(seconds) };
}
