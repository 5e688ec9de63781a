import { createHash } from 'node:crypto';
import { deflateSync } from 'node:zlib';

const mebibyte = 1024 * 1024;
const [commitType, treeType, blobType, deltaType] = [1, 2, 3, 6];

function writeVarint(value: number): number[] {
  const bytes: number[] = [];
  let left = value;
  for (; left > 127; left = Math.floor(left / 128)) bytes.push((left % 128) + 128);
  return [...bytes, left];
}

/** The head of an entry of a pack: its type, and the bytes of its content (gitformat-pack(5)). */
function writeHead(type: number, size: number): Buffer {
  const left = Math.floor(size / 16);
  const first = type * 16 + (size % 16);
  return Buffer.from(left === 0 ? [first] : [first + 128, ...writeVarint(left)]);
}

/** How far back the base of a delta stands. */
function writeOffset(distance: number): Buffer {
  const bytes = [distance % 128];
  for (let left = Math.floor(distance / 128); left > 0; left = Math.floor(left / 128)) {
    left -= 1;
    bytes.unshift((left % 128) + 128);
  }
  return Buffer.from(bytes);
}

/** A delta that repeats the first mebibyte of its base. */
function repeatFirst(baseBytes: number, times: number): Buffer {
  const copies = Buffer.alloc(times * 2);
  for (let index = 0; index < times; index += 1) copies.writeUInt16BE(0xc0_10, index * 2);
  return Buffer.concat([Buffer.from([...writeVarint(baseBytes), ...writeVarint(times * mebibyte)]), copies]);
}

const nameOf = (type: string, bytes: Buffer): Buffer =>
  createHash('sha1').update(`${type} ${bytes.length}\0`).update(bytes).digest();

export interface DeltaBomb {
  readonly pack: Buffer;
  /** A commit with the small file `a.md`. */
  readonly head: string;
}

/**
 * A pack of a few kilobytes whose objects have many mebibytes: a chain of deltas, each of which repeats the first
 * mebibyte of the one before.
 * @param sizes of the objects in mebibytes; no two are the same, and none is 1
 * @param isReached whether the commit has the last one as `large.txt`. Else nothing leads to any of them
 */
export function makeDeltaBomb(sizes: readonly number[], isReached = false): DeltaBomb {
  const pieces: Buffer[] = [];
  let length = 12;
  const put = (...entry: readonly Buffer[]): number => {
    const start = length;
    for (const piece of entry) {
      pieces.push(piece);
      length += piece.length;
    }
    return start;
  };
  const putWhole = (type: number, bytes: Buffer): number => put(writeHead(type, bytes.length), deflateSync(bytes));
  let before = putWhole(blobType, Buffer.alloc(mebibyte));
  let size = 1;
  for (const next of sizes) {
    const delta = repeatFirst(size * mebibyte, next);
    before = put(writeHead(deltaType, delta.length), writeOffset(length - before), deflateSync(delta, { level: 9 }));
    size = next;
  }
  const file = Buffer.from('A small file.\n');
  const entries = [Buffer.from('100644 a.md\0'), nameOf('blob', file)];
  if (isReached) entries.push(Buffer.from('100644 large.txt\0'), nameOfZeros(size));
  const tree = Buffer.concat(entries);
  const who = 'Grace <grace@example.org> 1580702706 +0000';
  const commit = Buffer.from(
    `tree ${nameOf('tree', tree).toString('hex')}\nauthor ${who}\ncommitter ${who}\n\nA commit\n`,
  );
  putWhole(blobType, file);
  putWhole(treeType, tree);
  putWhole(commitType, commit);
  const head = Buffer.from('PACK\0\0\0\u0002\0\0\0\0', 'latin1');
  head.writeUInt32BE(sizes.length + 4, 8);
  const body = Buffer.concat([head, ...pieces]);
  const pack = Buffer.concat([body, createHash('sha1').update(body).digest()]);
  return { pack, head: nameOf('commit', commit).toString('hex') };
}

function nameOfZeros(mebibytes: number): Buffer {
  const hash = createHash('sha1').update(`blob ${mebibytes * mebibyte}\0`);
  const zeros = Buffer.alloc(mebibyte);
  for (let index = 0; index < mebibytes; index += 1) hash.update(zeros);
  return hash.digest();
}

/** A bundle of it, in whose branch main nothing is conspicuous. */
export function bundleOf({ pack, head }: DeltaBomb): Buffer {
  return Buffer.concat([Buffer.from(`# v2 git bundle\n${head} refs/heads/main\n\n`), pack]);
}
