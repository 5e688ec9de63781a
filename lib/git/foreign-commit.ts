import { TextDecoder } from 'node:util';
import type { Signature } from './commit-object.js';

/** What a commit of somebody's repository says of itself. */
export interface ForeignCommit {
  /** What is not there is `unknown`, a time that is not there `NaN`; it may lie before 1970. */
  readonly author: Signature;
  readonly message: string;
}

/**
 * Reads a commit that any program may have written in any year: nothing in it is an error. Text is read in the encoding
 * that the commit names (its `encoding` header, git-commit(1)); where that is none that anybody knows, as UTF-8, and
 * what is none becomes U+FFFD.
 */
export function decodeForeignCommit(bytes: Buffer): ForeignCommit {
  const end = bytes.indexOf('\n\n');
  const head = bytes.toString('latin1', 0, end < 0 ? bytes.length : end).split('\n');
  const find = (name: string): string | undefined =>
    head.find((line) => line.startsWith(`${name} `))?.slice(name.length + 1);
  const decoder = openDecoder(find('encoding'));
  const author = decoder.decode(Buffer.from(find('author') ?? '', 'latin1'));
  return { author: readSignature(author), message: end < 0 ? '' : decoder.decode(bytes.subarray(end + 2)) };
}

/** Labels are those of the Encoding Standard (WHATWG), which has git's usual ones. */
function openDecoder(label: string | undefined): TextDecoder {
  try {
    return new TextDecoder(label?.trim() ?? 'utf-8');
  } catch {
    return new TextDecoder();
  }
}

/** As git reads it: the name ends at the first `<`, the address at the next `>`, and the time follows the last one. */
function readSignature(line: string): Signature {
  const [, name = line, email = ''] = /^([^<]*)<([^>]*)/.exec(line) ?? [];
  const [, seconds = 'none'] = /^ *(-?\d+)/.exec(line.slice(line.lastIndexOf('>') + 1)) ?? [];
  return { name: name.trim() || 'unknown', email: email.trim() || 'unknown', seconds: Number(seconds) };
}
