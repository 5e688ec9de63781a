import { lstat, realpath, stat } from 'node:fs/promises';
import { basename, isAbsolute, join, sep } from 'node:path';
import { invalidRequest, type Refusal } from '../../domain/refusal.js';
import { isBundle } from '../../git/sources/is-bundle.js';
import { badField } from '../fields.js';
import { isAddress } from '../operator/is-address.js';
import { unreadable } from './walk-folder.js';

/** The source of an import. The path is absolute; a repository's is the folder with its objects. */
export interface Source {
  readonly kind: 'folder' | 'repository' | 'bundle';
  readonly path: string;
}

/**
 * Finds the kind of source at a path: a bundle, a repository where it is a bare one or a `.git`, else a folder. A
 * folder with a `.git` in it is a folder, unless one of its commits is wanted.
 * @param directory as given
 * @param asksForCommit whether the source must be a repository
 * @param dataFolder the service's own files hold keys and all content: they never become documents
 * @throws Refusal INVALID_REQUEST `bad_field`
 */
export async function chooseSource(
  directory: string,
  asksForCommit: boolean,
  dataFolder: string | null,
): Promise<Source> {
  if (isAddress(directory)) {
    const how = `git clone --bare ${directory} copy.git, then cartulary import copy.git`;
    throw unsuitable(`"${directory}" is not on this machine. Clone it first, then import the clone: ${how}.`);
  }
  if (!isAbsolute(directory)) throw badField('directory', 'must be an absolute path');
  const found = await stat(directory).catch((error: unknown) => unreadable(error));
  if (typeof found === 'string') throw badField('directory', `${directory} ${found}`);
  await requireOutside(directory, dataFolder);
  if (found.isFile()) {
    if (await isBundle(directory)) return { kind: 'bundle', path: directory };
    throw badField('directory', `${directory} is no folder; name the folder that holds the file`);
  }
  if (!found.isDirectory()) throw badField('directory', `${directory} is no folder`);
  const inside = join(directory, '.git');
  const own = asksForCommit ? await lstat(inside).catch(() => undefined) : undefined;
  if (own !== undefined && !own.isDirectory()) {
    throw unsuitable(`${inside} points to a repository elsewhere. Name that repository itself.`);
  }
  const path = own === undefined ? directory : inside;
  if (await isRepository(path)) {
    await requireOutside(path, dataFolder);
    return { kind: 'repository', path };
  }
  if (asksForCommit) throw unsuitable(`${directory} is no git repository.`);
  return { kind: 'folder', path: directory };
}

/** @param message a whole sentence */
export function unsuitable(message: string, field = 'directory'): Refusal {
  return invalidRequest('bad_field', message, { field });
}

/** Whether it has the parts of a repository's own folder (gitrepository-layout(5)). */
async function isRepository(path: string): Promise<boolean> {
  if (basename(path) === '.git') return true;
  const [head, ...folders] = await Promise.all(
    ['HEAD', 'objects', 'refs'].map((name) => stat(join(path, name)).catch(() => undefined)),
  );
  return head?.isFile() === true && folders.every((folder) => folder?.isDirectory() === true);
}

async function requireOutside(directory: string, dataFolder: string | null): Promise<void> {
  if (dataFolder === null) return;
  const own = await realpath(dataFolder);
  const entered = await realpath(directory);
  if (entered === own || entered.startsWith(own + sep)) {
    throw badField('directory', "lies in this service's own data folder, which cannot be imported");
  }
}
