import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { openRegular, readUpTo, UnfitFile } from '../../disk/open-regular.js';
import { yieldToLoop } from '../../scheduling/yield-to-loop.js';
import { asUnreadable, RepositoryUnreadable, systemErrorCode } from '../errors.js';
import type { Oid } from '../objects/objects.js';

/** The references of a foreign repository. Names are in Latin-1, one character for each of their bytes. */
export interface References {
  /** The text of its HEAD: `ref: ` with a name, or a commit. */
  readonly head: string;
  readonly direct: ReadonlyMap<string, Oid>;
  /** Those that stand for others, with their texts. Their names are as the file system has them. */
  readonly symbolic: ReadonlyMap<string, string>;
}

/** Bytes of the file in which git packs references, and of the list of a shallow clone: half a million of them. */
const maxPacked = 64 * 1024 * 1024;
/** Bytes of the file of one reference. */
const maxText = 4096;
/** References with a file of their own. */
const maxLoose = 100_000;
/** Lines that are read in one turn of the event loop. */
const restsAfter = 5000;

const reference = /^(?:ref: refs\/[^\0\n]+|[0-9a-f]{40})$/;

/** @throws RepositoryUnreadable where they cannot be read, or are too many */
export async function readReferences(path: string): Promise<References> {
  const head = (await readSmallFile(join(path, 'HEAD'), maxText))?.toString('utf8').trimEnd() ?? '';
  if (!reference.test(head)) {
    throw new RepositoryUnreadable(`${path} cannot be read: its HEAD names no branch and no commit.`);
  }
  const direct = await readPacked(path);
  const symbolic = new Map<string, string>();
  let loose = 0;
  const readBelow = async (folder: string): Promise<void> => {
    // A folder that cannot be listed has no references.
    const entries = await readdir(join(path, folder), { withFileTypes: true }).catch(() => []);
    for (const entry of entries) {
      const name = `${folder}/${entry.name}`;
      if (entry.isDirectory()) {
        await readBelow(name);
        continue;
      }
      loose += 1;
      if (loose > maxLoose) {
        throw new RepositoryUnreadable(`${path} has more than ${maxLoose} loose branches and tags. Run git pack-refs.`);
      }
      const text = (await readSmallFile(join(path, name), maxText).catch(() => undefined))?.toString('utf8').trimEnd();
      // What is no reference is none to git either.
      if (text === undefined || !reference.test(text)) continue;
      const bytes = Buffer.from(name, 'utf8').toString('latin1');
      if (text.startsWith('ref: ')) {
        symbolic.set(name, text);
        direct.delete(bytes);
      } else direct.set(bytes, text);
    }
  };
  await readBelow('refs');
  return { head, direct, symbolic };
}

async function readPacked(path: string): Promise<Map<string, Oid>> {
  const direct = new Map<string, Oid>();
  const text = ((await readSmallFile(join(path, 'packed-refs'))) ?? Buffer.alloc(0)).toString('latin1');
  let lines = 0;
  for (let at = 0; at < text.length;) {
    const next = text.indexOf('\n', at);
    const end = next < 0 ? text.length : next;
    const [, oid, name] = /^([0-9a-f]{40}) (refs\/\S+)$/.exec(text.slice(at, end)) ?? [];
    if (oid !== undefined && name !== undefined) direct.set(name, oid);
    at = end + 1;
    lines += 1;
    if (lines % restsAfter === 0) await yieldToLoop();
  }
  return direct;
}

/**
 * The bytes of a file of a foreign repository; undefined where there is none.
 * @param most bytes
 * @throws RepositoryUnreadable where it has more, or cannot be read
 */
export async function readSmallFile(file: string, most = maxPacked): Promise<Buffer | undefined> {
  try {
    const handle = await openRegular(file, 'followed');
    try {
      const bytes = await readUpTo(handle, most);
      if (bytes === undefined) throw new RepositoryUnreadable(`${file} has more than ${most} bytes.`);
      return bytes;
    } finally {
      await handle.close();
    }
  } catch (error) {
    if (systemErrorCode(error) === 'ENOENT') return undefined;
    if (error instanceof UnfitFile) throw new RepositoryUnreadable(`${file} ${error.message}.`);
    throw asUnreadable(error, `${file} cannot be read`);
  }
}
