import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { RepositoryUnreadable } from '../errors.js';
import { runGit, type ForeignGit } from '../program/git-program.js';
import { checkSource, isPartial } from './check-source.js';
import { ForeignRepository, readingTime } from './foreign-repository.js';
import { layOutRepository } from './lay-out-repository.js';
import { readReferences, readSmallFile, type References } from './read-references.js';
import { requireForeignGit } from './require-foreign-git.js';

/** To other accounts. */
const closed = { mode: 0o600 };
/** Bytes of a foreign configuration that are read. */
const maxConfiguration = 1024 * 1024;
/** Milliseconds in which git has to list it. */
const timeToList = 30_000;

/** Extensions of a repository that change nothing about its objects and references (git-config(1)). */
const harmless = new Set([
  'extensions.noop',
  'extensions.noop-v1',
  'extensions.objectformat',
  'extensions.preciousobjects',
  'extensions.relativeworktrees',
  'extensions.worktreeconfig',
]);

export interface BorrowOptions {
  /** Where the repository's own folder is made. */
  readonly within: string;
  /** The beginning of that folder's name. */
  readonly prefix: string;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Opens a foreign repository without its configuration, hooks and indexes. git reads the objects from where they are,
 * and all else from a folder of our own, which has a copy of the references. The configuration can name programs, files
 * that never end, and pipes without a writer. It is only listed, as a text, for what it says about the form of the
 * objects.
 * @param path the folder with its objects
 * @throws GitProgramMissing; RepositoryUnreadable when it is none, is partial, borrows objects itself, or is of SHA-256
 */
export async function borrowObjects(path: string, options: BorrowOptions): Promise<ForeignRepository> {
  const extent = await checkSource(path);
  const git = await requireForeignGit('read a repository', extent, readingTime);
  const references = await readReferences(path);
  const shallow = await readSmallFile(join(path, 'shallow'));
  const configuration = await readSmallFile(join(path, 'config'), maxConfiguration);
  const folder = await mkdtemp(join(options.within, options.prefix));
  try {
    await layOutRepository(folder);
    if (configuration !== undefined) {
      const file = join(folder, 'foreign-config');
      await writeFile(file, configuration, closed);
      await requireKnownForm(git, folder, file, path, options.signal);
    }
    await writeFile(join(folder, 'objects', 'info', 'alternates'), `${quotePath(join(path, 'objects'))}\n`, closed);
    if (shallow !== undefined) await writeFile(join(folder, 'shallow'), shallow, closed);
    await writeReferences(folder, references);
    return new ForeignRepository(path, folder, git);
  } catch (error) {
    await rm(folder, { recursive: true, force: true });
    throw error;
  }
}

/** @throws RepositoryUnreadable when its objects are of a form that is not read here */
async function requireKnownForm(
  git: ForeignGit,
  folder: string,
  file: string,
  path: string,
  signal: AbortSignal | undefined,
): Promise<void> {
  const late = AbortSignal.timeout(timeToList);
  const ending = { signal: signal === undefined ? late : AbortSignal.any([signal, late]) };
  const listed = await runGit(git, folder, ['config', '--file', file, '--no-includes', '--null', '--list'], ending);
  signal?.throwIfAborted();
  if (listed.code !== 0) {
    throw new RepositoryUnreadable(`${path} cannot be read by git: ${listed.stderr.trim().replaceAll(file, 'config')}`);
  }
  for (const record of listed.stdout.split('\0')) {
    const [name = '', value = ''] = record.split('\n', 2);
    if (name === 'extensions.partialclone' || (name.startsWith('remote.') && name.endsWith('.promisor')))
      throw isPartial(path);
    if (name === 'extensions.objectformat' && value !== 'sha1') {
      throw new RepositoryUnreadable(
        `${path} names its objects by ${value.slice(0, 40)}, and only SHA-1 repositories can be read. Import a checkout of it as a folder.`,
      );
    }
    if (!name.startsWith('extensions.') || harmless.has(name)) continue;
    if (name === 'extensions.refstorage' && value === 'files') continue;
    throw new RepositoryUnreadable(
      `${path} cannot be read: it uses ${name.slice(0, 80)}. Clone it with git clone --bare --no-local, and use that clone.`,
    );
  }
}

async function writeReferences(folder: string, { head, direct, symbolic }: References): Promise<void> {
  await writeFile(join(folder, 'HEAD'), `${head}\n`, closed);
  const packed = [...direct].map(([name, oid]) => `${oid} ${name}\n`);
  await writeFile(join(folder, 'packed-refs'), Buffer.from(packed.join(''), 'latin1'), closed);
  for (const [name, target] of symbolic) {
    const file = join(folder, name);
    await mkdir(dirname(file), { recursive: true, mode: 0o700 });
    await writeFile(file, `${target}\n`, closed);
  }
}

/** A path as git reads it in a list of folders: any name, also one with quotes or newlines. */
function quotePath(path: string): string {
  return `"${path.replaceAll(/["\\]/g, String.raw`\$&`).replaceAll('\n', String.raw`\n`)}"`;
}
