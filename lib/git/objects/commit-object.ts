import { RepositoryUnreadable } from '../errors.js';
import type { Oid } from './oid.js';

/** Who wrote a commit, and when (whole seconds since 1970, always UTC). */
export interface Signature {
  name: string;
  email: string;
  seconds: number;
}

/** A commit's content (git's "commit" object, gitformat: git-commit-tree(1)). */
export interface Commit {
  tree: Oid;
  parents: readonly Oid[];
  author: Signature;
  committer: Signature;
  message: string;
}

/**
 * The bytes of a commit object. Names and emails are cleaned so that `git fsck --strict` accepts them; NUL is removed
 * from the message.
 */
export function encodeCommit(commit: Commit): Buffer {
  const lines = [
    `tree ${commit.tree}`,
    ...commit.parents.map((parent) => `parent ${parent}`),
    `author ${encodeSignature(commit.author)}`,
    `committer ${encodeSignature(commit.committer)}`,
    '',
    commit.message.replaceAll('\0', ''),
  ];
  return Buffer.from(lines.join('\n'), 'utf8');
}

/** Bytes that are read before a commit's message. It is a thousand parents; the service writes one. */
const maxHeadBytes = 64 * 1024;

/**
 * The tree of a commit, as git reads it: its first line names it.
 * @throws RepositoryUnreadable when the bytes are no commit
 */
export function decodeTreeOf(bytes: Buffer): Oid {
  const tree = /^tree ([0-9a-f]{40})\n/.exec(bytes.toString('latin1', 0, 46))?.[1];
  if (tree === undefined) throw new RepositoryUnreadable('An object is no well-formed commit.');
  return tree;
}

/**
 * Reads a commit object's bytes. Headers that are not part of `Commit` (signatures, merge tags) are passed over. Time
 * zones are read as UTC, since the seconds count from 1970 in every zone.
 * @throws RepositoryUnreadable when the bytes are no commit.
 */
export function decodeCommit(bytes: Uint8Array): Commit {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8');
  const end = text.indexOf('\n\n');
  const head = end < 0 ? text : text.slice(0, end);
  if (head.length > maxHeadBytes) throw new RepositoryUnreadable('The head of a commit is too long to be read.');
  let tree: Oid | undefined;
  let author: Signature | undefined;
  let committer: Signature | undefined;
  const parents: Oid[] = [];
  for (const line of head.split('\n')) {
    const space = line.indexOf(' ');
    const value = line.slice(space + 1);
    switch (line.slice(0, Math.max(space, 0))) {
      case 'tree':
        tree ??= value;
        break;
      case 'parent':
        parents.push(value);
        break;
      case 'author':
        author ??= decodeSignature(value);
        break;
      case 'committer':
        committer ??= decodeSignature(value);
        break;
      default: // a continued line (leading space) or a header not needed here
    }
  }
  if (tree === undefined || author === undefined || committer === undefined)
    throw new RepositoryUnreadable('An object is no well-formed commit.');
  const message = end < 0 ? '' : text.slice(end + 2);
  return { tree, parents, author, committer, message };
}

/** A signature as it stands in a commit, with the name and the email cleaned. @throws RangeError for no time */
export function encodeSignature({ name, email, seconds }: Signature): string {
  const whole = Math.max(0, Math.floor(seconds));
  if (!Number.isSafeInteger(whole)) throw new RangeError(`Not a time in seconds: ${seconds}`);
  return `${cleanName(name)} <${cleanEmail(email)}> ${whole} +0000`;
}

/**
 * git ends a name at `<`, an email at `>` and a header at a newline, and refuses an empty name. Other control
 * characters would only forge the display of a log.
 */
function cleanName(name: string): string {
  const clean = withoutControls(name).replace(/\s+/g, ' ').trim();
  return clean === '' ? 'unknown' : clean;
}

function cleanEmail(email: string): string {
  const clean = withoutControls(email).replace(/\s+/g, '');
  return clean === '' ? 'unknown' : clean;
}

function withoutControls(text: string): string {
  return text.replace(/[\u0000-\u001f\u007f-\u009f<>\u2028\u2029]/g, ' ');
}

const signaturePattern = /^([^<]*)<([^>]*)> ?(\d+)/;

function decodeSignature(value: string): Signature {
  const match = signaturePattern.exec(value);
  if (match === null) throw new RepositoryUnreadable('A commit names no author git could read.');
  const [, name = '', email = '', seconds = '0'] = match;
  return { name: name.endsWith(' ') ? name.slice(0, -1) : name, email, seconds: Number(seconds) };
}
