import { createHash } from 'node:crypto';
import { ObjectNotFound, RepositoryUnreadable } from '../errors.js';
import { orAbsent, readInPieces } from '../file-system.js';
import { openLooseObject } from '../objects/loose-object.js';
import type { Oid } from '../objects/objects.js';
import { listPackNames } from '../packs/pack-list.js';
import type { RepositoryFolder } from '../repositories/repository-folder.js';

/** Packs, indexes and the commit graph end with the SHA-1 of all before. */
const sumLength = 20;

/** Whether a file's bytes are those that its own checksum was made of; undefined where it is absent. */
export async function isWhole(folder: RepositoryFolder, path: string): Promise<boolean | undefined> {
  const size = await orAbsent(folder.fs.size(folder.at(path)));
  if (size === undefined) return undefined;
  const hash = createHash('sha1');
  let left = Math.max(0, size - sumLength);
  const sum: Buffer[] = [];
  const read = async (): Promise<true> => {
    for await (const piece of readInPieces(folder.fs, folder.at(path))) {
      const hashed = piece.subarray(0, left);
      left -= hashed.length;
      hash.update(hashed);
      if (hashed.length < piece.length) sum.push(piece.subarray(hashed.length));
    }
    return true;
  };
  if ((await orAbsent(read())) === undefined) return undefined;
  return size > sumLength && hash.digest().equals(Buffer.concat(sum));
}

export const packIndex = (name: string): string => `objects/pack/${name}.idx`;
export const joinedIndex = 'objects/pack/multi-pack-index';
export const commitGraph = 'objects/info/commit-graph';

/**
 * The damaged ones among the files that hold nothing of their own: the indexes of packs, and the commit graph. They can
 * be made again from the packs. @returns their paths in the repository
 */
export async function findDamagedIndexes(folder: RepositoryFolder): Promise<string[]> {
  const names = (await orAbsent(listPackNames(folder))) ?? [];
  const damaged: string[] = [];
  for (const path of [...names.map(packIndex), joinedIndex, commitGraph]) {
    if ((await isWhole(folder, path)) === false) damaged.push(path);
  }
  return damaged;
}

/** The damaged ones among objects with files of their own: their content is not what their name says. */
export async function findDamagedLoose(folder: RepositoryFolder, oids: readonly Oid[]): Promise<Set<Oid>> {
  const damaged = new Set<Oid>();
  for (const oid of oids) {
    try {
      const opened = await openLooseObject(folder, oid);
      if (opened === undefined) continue;
      const hash = createHash('sha1').update(`${opened.type} ${opened.size}\0`);
      for await (const piece of opened.stream as AsyncIterable<Buffer>) hash.update(piece);
      if (hash.digest('hex') !== oid) damaged.add(oid);
    } catch (error) {
      if (error instanceof ObjectNotFound) continue;
      if (!(error instanceof RepositoryUnreadable)) throw error;
      damaged.add(oid);
    }
  }
  return damaged;
}
