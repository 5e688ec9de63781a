import { existsSync, readdirSync } from 'node:fs';
import { pathsOf } from '../journal/workspace-paths.js';

/**
 * Names of folders that hold a workspace. Folders beginning with a dot are being made or restored. A backup has a
 * sidecar, too, and its manifest beside it.
 */
export function findWorkspaceFolders(dataFolder: string): string[] {
  if (!existsSync(dataFolder)) return [];
  return readdirSync(dataFolder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && !entry.name.startsWith('.'))
    .map(({ name }) => name)
    .filter((name) => isWorkspace(pathsOf(dataFolder, name)))
    .toSorted();
}

function isWorkspace({ folder, repository, sidecar }: ReturnType<typeof pathsOf>): boolean {
  if (existsSync(repository)) return true;
  return existsSync(sidecar) && !readdirSync(folder).some((name) => name.startsWith('manifest.json'));
}
