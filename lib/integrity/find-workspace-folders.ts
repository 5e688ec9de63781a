import { existsSync, readdirSync } from 'node:fs';
import { pathsOf } from '../journal/workspace-paths.js';

/** Names of folders that hold a workspace. Folders beginning with a dot are being made or restored. */
export function findWorkspaceFolders(dataFolder: string): string[] {
  if (!existsSync(dataFolder)) return [];
  return readdirSync(dataFolder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && !entry.name.startsWith('.'))
    .map(({ name }) => name)
    .filter((name) => existsSync(pathsOf(dataFolder, name).sidecar) || existsSync(pathsOf(dataFolder, name).repository))
    .toSorted();
}
