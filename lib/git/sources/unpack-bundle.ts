import { mkdir, mkdtemp, rm, writeFile, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { openRegular, readUpTo } from '../../disk/open-regular.js';
import { RepositoryUnreadable } from '../errors.js';
import { requireGit, runGit } from '../program/git-program.js';

/** The prefix of the folders in which bundles are unpacked. */
export const unpackedPrefix = '.importing-';

/** To other accounts. */
const closed = { mode: 0o600 };

const signature = /^# v[23] git bundle\n/;
/** Bytes of a bundle that are read before its pack: more than a hundred thousand branches and tags. */
const maxHeaderLength = 8 * 1024 * 1024;
/** The least bytes of an object in a pack: its size, and the frame of a compressed stream (RFC 1950). */
const minObjectBytes = 9;

/** Whether a file begins as a bundle does (gitformat-bundle(5)). */
export async function isBundle(file: string): Promise<boolean> {
  const handle = await openRegular(file, 'followed');
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(16), 0, 16, 0);
    return signature.test(buffer.toString('latin1', 0, bytesRead));
  } finally {
    await handle.close();
  }
}

/**
 * Makes sure that a bundle does not make git allocate more memory than the bundle justifies. git holds all names. It
 * allocates for the number of objects that the pack claims, before it reads the first.
 * @throws RepositoryUnreadable
 */
async function checkHeader(file: string): Promise<void> {
  const handle = await openRegular(file, 'followed');
  try {
    const start = (await readUpTo(handle, maxHeaderLength)) ?? (await readStart(handle));
    const end = start.indexOf('\n\n');
    if (end < 0 && start.length === maxHeaderLength) {
      throw new RepositoryUnreadable(`${file} names more branches and tags than ${maxHeaderLength} bytes hold.`);
    }
    const pack = start.subarray(end + 2, end + 14);
    if (end < 0 || pack.length < 12 || pack.toString('latin1', 0, 4) !== 'PACK') return;
    const [objects, { size }] = [pack.readUInt32BE(8), await handle.stat()];
    if (objects * minObjectBytes > size) {
      throw new RepositoryUnreadable(`${file} is damaged: it says that it has ${objects} objects in ${size} bytes.`);
    }
  } finally {
    await handle.close();
  }
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
 * @returns the folder, which the caller removes
 * @throws GitProgramMissing; RepositoryUnreadable when it is damaged, or builds on commits that it does not hold
 */
export async function unpackBundle(file: string, within: string, signal: AbortSignal): Promise<string> {
  const program = await requireGit('import a bundle');
  await checkHeader(file);
  const folder = await mkdtemp(join(within, unpackedPrefix));
  try {
    await mkdir(join(folder, 'objects'), { mode: 0o700 });
    await mkdir(join(folder, 'refs'), { mode: 0o700 });
    await writeFile(join(folder, 'config'), '[core]\n\trepositoryformatversion = 0\n\tbare = true\n', closed);
    await writeFile(join(folder, 'HEAD'), 'ref: refs/heads/main\n', closed);
    const { code, stdout, stderr } = await runGit(program, folder, ['bundle', 'unbundle', file], { signal });
    if (code !== 0) throw new RepositoryUnreadable(`${file} cannot be unpacked by git: ${stderr.trim()}`);
    const refs = new Map<string, string>();
    for (const line of stdout.split('\n')) {
      const [, oid, name] = /^([0-9a-f]{40}) (HEAD|refs\/\S+)$/.exec(line) ?? [];
      if (oid !== undefined && name !== undefined) refs.set(name, oid);
    }
    await writeFile(join(folder, 'HEAD'), chooseHead(refs), closed);
    refs.delete('HEAD');
    const packed = [...refs].map(([name, oid]) => `${oid} ${name}\n`);
    await writeFile(join(folder, 'packed-refs'), packed.join(''), closed);
    return folder;
  } catch (error) {
    await rm(folder, { recursive: true, force: true });
    throw error;
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
