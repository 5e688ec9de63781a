import { dirname } from 'node:path';
import { orAbsent } from '../file-system.js';
import type { RepositoryFolder } from './repository-folder.js';

/** The branch of all content. */
export const mainRef = 'refs/heads/main';

/**
 * gc.auto and maintenance.auto: only the store's own maintenance may repack, so that no staged and uncommitted object
 * is pruned. core.fsync: git's own writes here (repacks) are as durable as the store's.
 */
const config = `[core]
\trepositoryformatversion = 0
\tfilemode = true
\tbare = true
\tlogAllRefUpdates = false
\tfsync = all
[gc]
\tauto = 0
[maintenance]
\tauto = false
[receive]
\tautogc = false
\tdenyNonFastForwards = true
\tdenyDeletes = true
`;

const description = 'Content of a Cartulary workspace: clone it to take everything with you.\n';

/** Whether a repository's creation was completed here. */
export async function repositoryExists(folder: RepositoryFolder): Promise<boolean> {
  return (await orAbsent(folder.fs.size(folder.at('HEAD')))) !== undefined;
}

/**
 * Writes the files of an empty bare repository, without the git program. HEAD comes last: an interrupted creation has
 * none, and can be done again.
 */
export async function createRepositoryFiles(folder: RepositoryFolder): Promise<void> {
  const { fs } = folder;
  const folders = ['objects/info', 'objects/pack', 'refs/heads', 'refs/tags'];
  for (const name of folders) await fs.mkdir(folder.at(name));
  await folder.sweep();
  await folder.writeFile(folder.at('config'), Buffer.from(config));
  await folder.writeFile(folder.at('description'), Buffer.from(description));
  await fs.syncFolder(folder.at('objects'));
  await fs.syncFolder(folder.at('refs'));
  await folder.writeFile(folder.at('HEAD'), Buffer.from(`ref: ${mainRef}\n`));
  await fs.syncFolder(dirname(folder.path));
}
