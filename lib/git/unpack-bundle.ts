import { mkdir, mkdtemp, open, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { RepositoryUnreadable } from './errors.js';
import { requireGit, runGit } from './git-program.js';

/** How the folders begin that bundles are unpacked in. */
export const unpackedPrefix = '.importing-';

const signature = /^# v[23] git bundle\n/;

/** Whether a file begins as a bundle does (gitformat-bundle(5)). */
export async function isBundle(file: string): Promise<boolean> {
  const handle = await open(file);
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(16), 0, 16, 0);
    return signature.test(buffer.toString('latin1', 0, bytesRead));
  } finally {
    await handle.close();
  }
}

/**
 * Makes a bare repository of a bundle, in a folder of its own that only this user opens. What a process leaves there that
 * ends meanwhile is known by its name. Its HEAD is the bundle's, else
 * `main`, else `master`, else the only branch; else there is none.
 * @param within where that folder is made
 * @returns the folder, which the caller removes
 * @throws GitProgramMissing; RepositoryUnreadable when it is damaged, or builds on commits that it does not hold
 */
export async function unpackBundle(file: string, within: string, signal: AbortSignal): Promise<string> {
  const program = await requireGit('import a bundle');
  const folder = await mkdtemp(join(within, unpackedPrefix));
  try {
    await mkdir(join(folder, 'objects'));
    await mkdir(join(folder, 'refs'));
    await writeFile(join(folder, 'config'), '[core]\n\trepositoryformatversion = 0\n\tbare = true\n');
    await writeFile(join(folder, 'HEAD'), 'ref: refs/heads/main\n');
    const { code, stdout, stderr } = await runGit(program, folder, ['bundle', 'unbundle', file], { signal });
    if (code !== 0) throw new RepositoryUnreadable(`${file} cannot be unpacked by git: ${stderr.trim()}`);
    const refs = new Map<string, string>();
    for (const line of stdout.split('\n')) {
      const [, oid, name] = /^([0-9a-f]{40}) (HEAD|refs\/\S+)$/.exec(line) ?? [];
      if (oid !== undefined && name !== undefined) refs.set(name, oid);
    }
    await writeFile(join(folder, 'HEAD'), chooseHead(refs));
    refs.delete('HEAD');
    const packed = [...refs].map(([name, oid]) => `${oid} ${name}\n`);
    await writeFile(join(folder, 'packed-refs'), packed.join(''));
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
