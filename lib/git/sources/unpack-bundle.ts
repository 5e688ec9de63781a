import { mkdtemp, rm, writeFile, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { openRegular, readUpTo } from '../../disk/open-regular.js';
import { yieldToLoop } from '../../scheduling/yield-to-loop.js';
import { RepositoryUnreadable } from '../errors.js';
import type { Oid } from '../objects/objects.js';
import { ForeignRepository, readingTime } from './foreign-repository.js';
import { layOutRepository } from './lay-out-repository.js';
import { requireForeignGit } from './require-foreign-git.js';
import { takePack } from './take-pack.js';

/** The prefix of the folders in which bundles are unpacked. */
export const unpackedPrefix = '.importing-';

/** To other accounts. */
const closed = { mode: 0o600 };

/** Lines that are read in one turn of the event loop. */
const restsAfter = 5000;

/** Bytes of a bundle that are read before its pack: more than a hundred thousand branches and tags. */
const maxHeaderLength = 8 * 1024 * 1024;

/** What stands in front of a bundle's pack. */
interface Header {
  readonly refs: ReadonlyMap<string, Oid>;
  /** Where the pack begins. */
  readonly packStart: number;
}

/** @throws RepositoryUnreadable */
async function readHeader(file: string, handle: FileHandle): Promise<Header> {
  const start = (await readUpTo(handle, maxHeaderLength)) ?? (await readStart(handle));
  const end = start.indexOf('\n\n');
  if (end < 0) {
    throw new RepositoryUnreadable(
      start.length === maxHeaderLength
        ? `${file} names more branches and tags than ${maxHeaderLength} bytes hold.`
        : `${file} cannot be unpacked: it ends before its pack.`,
    );
  }
  const refs = new Map<string, Oid>();
  let lines = 0;
  for (let at = start.indexOf(0x0a) + 1; at < end;) {
    const next = start.indexOf(0x0a, at);
    const line = start.toString('utf8', at, next);
    at = next + 1;
    lines += 1;
    if (lines % restsAfter === 0) await yieldToLoop();
    if (line.startsWith('-')) {
      throw new RepositoryUnreadable(
        `${file} cannot be unpacked: it builds on commits that it does not hold. Make a bundle of the whole history, without a range.`,
      );
    }
    if (line.startsWith('@')) requireWhole(file, line);
    const [, oid, name] = /^([0-9a-f]{40}) (HEAD|refs\/\S+)$/.exec(line) ?? [];
    if (oid !== undefined && name !== undefined) refs.set(name, oid);
  }
  return { refs, packStart: end + 2 };
}

/** A bundle of version 3 says what else one has to know. */
function requireWhole(file: string, capability: string): void {
  if (capability === '@object-format=sha1') return;
  throw new RepositoryUnreadable(
    capability.startsWith('@filter=')
      ? `${file} is a partial bundle, and nothing is fetched. Make one without --filter.`
      : `${file} is a bundle of another kind (${capability.slice(1, 80)}), and only SHA-1 repositories can be read.`,
  );
}

async function readStart(handle: FileHandle): Promise<Buffer> {
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(maxHeaderLength), 0, maxHeaderLength, 0);
  return buffer.subarray(0, bytesRead);
}

/**
 * Makes a bare repository of a bundle, in a folder of its own that only this user opens. The folder's name identifies
 * the remains of an ended process. Its HEAD is the bundle's, else `main`, else `master`, else the only branch; else
 * there is none.
 * @param within where that folder is made
 * @returns the repository, which the caller removes
 * @throws GitProgramMissing; RepositoryUnreadable when it is damaged, builds on commits that it does not hold, or takes
 * git too much
 */
export async function unpackBundle(file: string, within: string, signal: AbortSignal): Promise<ForeignRepository> {
  const handle = await openRegular(file, 'followed');
  try {
    const { refs, packStart } = await readHeader(file, handle);
    const folder = await mkdtemp(join(within, unpackedPrefix));
    try {
      await layOutRepository(folder);
      const problem = `${file} cannot be unpacked`;
      const extent = await takePack({ repository: folder, handle, start: packStart, isStrict: false, problem, signal });
      await writeFile(join(folder, 'HEAD'), chooseHead(refs), closed);
      const packed = [...refs].filter(([name]) => name !== 'HEAD').map(([name, oid]) => `${oid} ${name}\n`);
      await writeFile(join(folder, 'packed-refs'), packed.join(''), closed);
      return new ForeignRepository(file, folder, await requireForeignGit('read a bundle', extent, readingTime));
    } catch (error) {
      await rm(folder, { recursive: true, force: true });
      throw error;
    }
  } finally {
    await handle.close();
  }
}

function chooseHead(refs: ReadonlyMap<string, string>): string {
  const head = refs.get('HEAD');
  if (head !== undefined) return `${head}\n`;
  const branches = [...refs.keys()].filter((name) => name.startsWith('refs/heads/'));
  const usual = ['refs/heads/main', 'refs/heads/master'].find((name) => refs.has(name));
  const chosen = usual ?? (branches.length === 1 ? branches[0] : undefined);
  return `ref: ${chosen ?? 'refs/heads/main'}\n`;
}
