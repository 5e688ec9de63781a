import { crc32 } from 'node:zlib';
import { RepositoryUnreadable } from '../errors.js';
import type { PackEntry } from '../packs/pack-layout.js';
import { choosePacksToJoin, decodeIndex, listPacks, packPath, removePack } from '../packs/pack-list.js';
import { writeEntries } from '../packs/pack.js';
import type { SealPack } from '../packs/pack.js';
import { hasSoundIndex } from './mend-indexes.js';
import type { RepositoryFolder } from '../repositories/repository-folder.js';

/** Packs above this many bytes stay as they are: joining happens in memory. */
const maxJoined = 64 * 1024 * 1024;

/**
 * Joins small packs without the git program. A damaged pack stays as it is. Entries are copied unchanged. This works for the packs of this store,
 * since they hold no deltas; a pack with deltas, written by git, stays as it is.
 * @returns the paths of damaged packs
 */
export async function joinPacks(folder: RepositoryFolder, seal: SealPack): Promise<string[]> {
  const small = (await listPacks(folder)).filter(({ bytes }) => bytes <= maxJoined);
  const joined: string[] = [];
  const entries = new Map<string, PackEntry>();
  const damaged: string[] = [];
  for (const { name } of choosePacksToJoin(small)) {
    const isIndexed = await hasSoundIndex(folder, name, null);
    const found = await readEntries(folder, name).catch((error: unknown) => {
      if (!(error instanceof RepositoryUnreadable)) throw error;
      return null;
    });
    if (!isIndexed || found === null) {
      damaged.push(`objects/pack/${name}.pack`);
      continue;
    }
    if (found === undefined) continue;
    for (const entry of found) entries.set(entry.oid, entry);
    joined.push(name);
  }
  if (joined.length < 2) return damaged;
  const written = await writeEntries([...entries.values()], folder, seal);
  for (const name of joined) if (name !== written) await removePack(folder, name);
  return damaged;
}

const noHeader = new Uint8Array(0);

/**
 * A pack's entries as stored, or undefined when one is a delta.
 * @throws RepositoryUnreadable when an entry differs from the index: damage must not be copied into a pack with right
 * checksums.
 */
export async function readEntries(folder: RepositoryFolder, name: string): Promise<PackEntry[] | undefined> {
  const pack = await folder.fs.readFile(packPath(folder, name, 'pack'));
  const index = decodeIndex(await folder.fs.readFile(packPath(folder, name, 'idx')));
  const inOrder = index.oids
    .map((oid, i) => ({ oid, start: index.starts[i]!, crc: index.crcs[i]! }))
    .sort((a, b) => a.start - b.start);
  const entries: PackEntry[] = [];
  for (const [i, { oid, start, crc }] of inOrder.entries()) {
    const end = inOrder[i + 1]?.start ?? pack.length - 20;
    const deflated = pack.subarray(start, end);
    if (crc32(deflated) !== crc) throw new RepositoryUnreadable(`Pack ${name} is damaged.`);
    const type = (deflated[0]! >> 4) & 7;
    if (type > 3) return undefined;
    entries.push({ oid, header: noHeader, deflated });
  }
  return entries;
}
