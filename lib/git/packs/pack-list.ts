import { orAbsent } from '../file-system.js';
import { RepositoryUnreadable } from '../errors.js';
import type { Oid } from '../objects/objects.js';
import { OidSet } from '../objects/oid-set.js';
import type { RepositoryFolder } from '../repositories/repository-folder.js';

/** A pack as its folder shows it. */
export interface ListedPack {
  /** The files' name without ending, `pack-<40 hex>`. */
  name: string;
  objects: number;
  /** Bytes of the pack and its index. */
  bytes: number;
  /** A `.keep` file marks it: it must stay as it is. */
  isKept: boolean;
}

/** A pack's index, read. Entries stand in the order of their oids. */
export interface PackIndex {
  oids: Oid[];
  starts: number[];
  crcs: number[];
}

const packsPath = ['objects', 'pack'] as const;

/** Path of one of a pack's files. */
export function packPath(folder: RepositoryFolder, name: string, ending: 'pack' | 'idx'): string {
  return folder.at(...packsPath, `${name}.${ending}`);
}

/** Names of the packs with an index, which makes them visible. */
export async function listPackNames(folder: RepositoryFolder): Promise<string[]> {
  const names = await folder.fs.readdir(folder.at(...packsPath));
  return names
    .map((name) => /^(pack-[0-9a-f]{40})\.idx$/.exec(name)?.[1])
    .filter((name) => name !== undefined)
    .sort();
}

/** Every visible pack. A pack removed meanwhile is passed over. */
export async function listPacks(folder: RepositoryFolder): Promise<ListedPack[]> {
  const packs: ListedPack[] = [];
  for (const name of await listPackNames(folder)) {
    const index = await orAbsent(countInIndex(folder, name));
    const bytes = await orAbsent(folder.fs.size(packPath(folder, name, 'pack')));
    if (index === undefined || bytes === undefined) continue;
    const keep = folder.at(...packsPath, `${name}.keep`);
    packs.push({
      name,
      objects: index.objects,
      bytes: bytes + index.bytes,
      isKept: (await orAbsent(folder.fs.size(keep))) !== undefined,
    });
  }
  return packs;
}

/** Removes a pack's files, the index first: a reader of packs sees it whole or not at all. */
export async function removePack(folder: RepositoryFolder, name: string): Promise<void> {
  for (const ending of ['idx', 'pack', 'rev', 'bitmap'])
    await orAbsent(folder.fs.unlink(folder.at(...packsPath, `${name}.${ending}`)));
}

/**
 * Chooses the packs to join so that the rest form a geometric row: each has at least twice as many objects as all
 * smaller ones together. So packs are few, and every object is copied only a logarithmic number of times. The rule is
 * that of git-repack(1) `--geometric=2`.
 * @returns at least two packs, or none when nothing is to be done.
 */
export function choosePacksToJoin(packs: readonly ListedPack[]): ListedPack[] {
  const sorted = packs.filter((pack) => !pack.isKept).sort((a, b) => a.objects - b.objects);
  let split = sorted.length - 1;
  while (split > 0 && sorted[split]!.objects >= 2 * sorted[split - 1]!.objects) split -= 1;
  if (split <= 0) return [];
  split += 1;
  let joined = 0;
  for (const pack of sorted.slice(0, split)) joined += pack.objects;
  while (split < sorted.length && sorted[split]!.objects < 2 * joined) {
    joined += sorted[split]!.objects;
    split += 1;
  }
  return sorted.slice(0, split);
}

/** Reads an index of version 2. @throws RepositoryUnreadable for another. */
export function decodeIndex(index: Buffer): PackIndex {
  const count = objectsInIndex(index);
  const oidsAt = 8 + 1024;
  const crcsAt = oidsAt + count * 20;
  const offsetsAt = crcsAt + count * 4;
  const longAt = offsetsAt + count * 4;
  const oids: Oid[] = [];
  const starts: number[] = [];
  const crcs: number[] = [];
  for (let i = 0; i < count; i++) {
    oids.push(index.toString('hex', oidsAt + i * 20, oidsAt + i * 20 + 20));
    crcs.push(index.readUInt32BE(crcsAt + i * 4));
    const start = index.readUInt32BE(offsetsAt + i * 4);
    starts.push(start < 0x8000_0000 ? start : Number(index.readBigUInt64BE(longAt + (start - 0x8000_0000) * 8)));
  }
  return { oids, starts, crcs };
}

/** The objects named by an index of version 2. @throws RepositoryUnreadable for another */
export function listNamed(index: Buffer): OidSet {
  const count = objectsInIndex(index);
  const oids = new OidSet(count + 1);
  oids.addRow(index, 8 + 1024, count);
  return oids;
}

/** The names of an index of version 2, in parts that are read one at a time. @throws RepositoryUnreadable for another */
export function* readNames(index: Buffer, atOnce: number): Generator<readonly Oid[]> {
  const end = 8 + 1024 + objectsInIndex(index) * 20;
  for (let at = 8 + 1024; at < end;) {
    const oids: Oid[] = [];
    for (; oids.length < atOnce && at < end; at += 20) oids.push(index.toString('hex', at, at + 20));
    yield oids;
  }
}

/** The fanout table's last number is the count of all objects. */
async function countInIndex(folder: RepositoryFolder, name: string): Promise<{ objects: number; bytes: number }> {
  const path = packPath(folder, name, 'idx');
  const bytes = await folder.fs.size(path);
  const file = await folder.fs.openToRead(path);
  try {
    const start = Buffer.alloc(8 + 1024);
    let length = 0;
    while (length < start.length) {
      const read = await file.read(start.subarray(length));
      if (read === 0) break;
      length += read;
    }
    return { objects: objectsInIndex(start.subarray(0, length)), bytes };
  } finally {
    await file.close();
  }
}

function objectsInIndex(start: Buffer): number {
  if (start.length < 8 + 1024 || start.readUInt32BE(0) !== 0xff74_4f63 || start.readUInt32BE(4) !== 2)
    throw new RepositoryUnreadable("A pack's index cannot be read.");
  return start.readUInt32BE(8 + 255 * 4);
}
