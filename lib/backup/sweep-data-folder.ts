import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { unpackedPrefix } from '../git/sources/unpack-bundle.js';
import { unfinished } from './stage-workspace.js';

const stage = /^\.([a-z0-9][a-z0-9-]{0,38})\.(restoring|tmp)$/;
/** What a workspace's folder can hold while it is made. */
const ofWorkspace = /^(?:content\.git|sidecar\.sqlite.*|audit|search|unfinished)$/;
/** What lies beside it where a restore makes it. */
const ofStage = /^(?:service\.sqlite.*|content\.bundle.*)$/;

/**
 * Takes away what processes left in a data folder that ended while they made a workspace there, restored one, or
 * unpacked a bundle to import: with what they copied, keys and hashes of passwords among it. Only its owner calls this,
 * before anything else is made in it: then nobody works on any of it. A folder with anything else in it stays.
 * @param listed names of the workspaces that the service knows: those are left alone
 * @returns the names of what was taken away
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
