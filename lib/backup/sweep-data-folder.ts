import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { unpackedPrefix } from '../git/sources/unpack-bundle.js';
import { unfinished } from './stage-workspace.js';

const stage = /^\.([a-z0-9][a-z0-9-]{0,38})\.(restoring|tmp)$/;
/** Files in a workspace's folder while it is made. */
const ofWorkspace = /^(?:content\.git|sidecar\.sqlite.*|audit|search|unfinished)$/;
/** Files beside it while a restore makes it. */
const ofStage = /^(?:service\.sqlite.*|content\.bundle.*)$/;

/**
 * Deletes the remains of interrupted work in a data folder: of making a workspace, restoring one, or unpacking a bundle
 * to import. The remains can include keys and hashes of passwords. Only the folder's owner calls this, before it makes
 * anything there, so no other process uses the files. A folder with any other file in it stays.
 * @param listed names of the workspaces known to the service: those are left alone
 * @returns the names of the deleted folders
 */
export async function sweepDataFolder(dataFolder: string, listed: readonly string[]): Promise<string[]> {
  const swept: string[] = [];
  for (const entry of await readdir(dataFolder, { withFileTypes: true })) {
    const { name } = entry;
    if (!entry.isDirectory() || listed.includes(name)) continue;
    const folder = join(dataFolder, name);
    if (!isRemainder(name, await readdir(folder))) continue;
    await rm(folder, { recursive: true, force: true });
    swept.push(name);
  }
  return swept;
}

function isRemainder(folder: string, entries: readonly string[]): boolean {
  if (folder.startsWith(unpackedPrefix)) return true;
  const [, workspace, kind] = stage.exec(folder) ?? [];
  if (kind === 'tmp') return entries.every((name) => ofWorkspace.test(name));
  if (kind === 'restoring') {
    return entries.every((name) => name === workspace || name === `.${workspace}.tmp` || ofStage.test(name));
  }
  // Put into its place, and never listed.
  return entries.includes(unfinished) && entries.every((name) => ofWorkspace.test(name));
}
