import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { RepositoryUnreadable } from './errors.js';
import { orAbsent } from './file-system.js';
import { runGit, type GitProgram } from './git-program.js';

/**
 * Makes sure that a repository which somebody brings holds all that is read from it, itself. git follows what points
 * out of it, alternates, links and work trees of others, and would hand out objects of any repository on the machine.
 * @param path the folder with its objects
 * @throws RepositoryUnreadable with a sentence that says what to do
 */
export async function checkSource(program: GitProgram, path: string, signal?: AbortSignal): Promise<void> {
  for (const name of ['objects/info/alternates', 'objects/info/http-alternates', 'commondir']) {
    if ((await orAbsent(lstat(join(path, name)))) !== undefined) throw borrows(path, `has ${name}`);
  }
  await checkFolder(path, 'objects');
  const options = signal === undefined ? {} : { signal };
  const format = await runGit(program, path, ['rev-parse', '--show-object-format'], options);
  if (format.code !== 0) throw new RepositoryUnreadable(`${path} cannot be read by git: ${format.stderr.trim()}`);
  if (format.stdout.trim() !== 'sha1') {
    throw new RepositoryUnreadable(
      `${path} names its objects by ${format.stdout.trim()}, and only SHA-1 repositories can be read. Import a checkout of it as a folder.`,
    );
  }
  const partial = ['config', '--get-regexp', String.raw`^(extensions\.partialclone|remote\..*\.promisor)$`];
  if ((await runGit(program, path, partial, options)).code === 0) throw isPartial(path);
}

async function checkFolder(path: string, folder: string): Promise<void> {
  const own = await orAbsent(lstat(join(path, folder)));
  if (own?.isDirectory() !== true) throw borrows(path, `has no folder ${folder} of its own`);
  for (const entry of await readdir(join(path, folder), { withFileTypes: true })) {
    const name = `${folder}/${entry.name}`;
    if (entry.isDirectory()) await checkFolder(path, name);
    else if (!entry.isFile()) throw borrows(path, `has ${name}, which is no file of its own`);
    else if (entry.name.endsWith('.promisor')) throw isPartial(path);
  }
}

function borrows(path: string, how: string): RepositoryUnreadable {
  return new RepositoryUnreadable(
    `${path} does not hold all its objects itself: it ${how}. Clone it with git clone --bare --no-local, and import the clone.`,
  );
}

function isPartial(path: string): RepositoryUnreadable {
  return new RepositoryUnreadable(
    `${path} is a partial clone, and nothing is fetched by an import. Import a clone that was made without --filter.`,
  );
}
