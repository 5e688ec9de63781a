import { layOutPack, packEntry } from './pack-layout.js';
import type { PackEntry, PackFiles, PackLayout } from './pack-layout.js';
import type { PackableObject } from '../objects/objects.js';
import type { RepositoryFolder } from '../repositories/repository-folder.js';

/** Computes a pack's checksums and index: `sealPack`, here or in a worker. */
export type SealPack = (layout: PackLayout) => PackFiles | Promise<PackFiles>;

/** The path of a pack's files by its name, without their endings. */
export type PackPlace = (name: string) => string;

/** The size at which the next pack begins, so that memory stays bounded. */
const maxPack = 256 * 1024 * 1024;

/**
 * Writes objects as one pack with its index, or several when they are more than 256 MB. When it resolves they are on
 * stable storage. A repeated object is written once.
 * @param place left out: where git sees them
 * @param most bytes of objects at which the next pack begins, for tests
 * @returns the packs' names (`pack-<checksum>`); none for no objects.
 */
export async function writePack(
  objects: Iterable<PackableObject>,
  folder: RepositoryFolder,
  seal: SealPack,
  place: PackPlace = (name) => folder.at('objects', 'pack', name),
  most = maxPack,
): Promise<string[]> {
  const names: string[] = [];
  const written = new Set<string>();
  let entries: PackEntry[] = [];
  let bytes = 0;
  for (const object of objects) {
    if (written.has(object.oid)) continue;
    written.add(object.oid);
    entries.push(packEntry(object));
    bytes += object.deflated.length;
    if (bytes < most) continue;
    names.push(await writeLayout(layOutPack(entries), folder, seal, place));
    entries = [];
    bytes = 0;
  }
  if (entries.length > 0) names.push(await writeLayout(layOutPack(entries), folder, seal, place));
  return names;
}

/**
 * Writes one pack of these entries. The pack's file comes first and its index last: git sees a pack by its index. An
 * existing pack of the same name is written again, not trusted: this may be the retry after a failed sync.
 */
export async function writeEntries(
  entries: readonly PackEntry[],
  folder: RepositoryFolder,
  seal: SealPack,
): Promise<string> {
  return writeLayout(layOutPack(entries), folder, seal);
}

/** The same for a layout made before. */
export async function writeLayout(
  layout: PackLayout,
  folder: RepositoryFolder,
  seal: SealPack,
  place: PackPlace = (name) => folder.at('objects', 'pack', name),
): Promise<string> {
  const { name, pack, index } = await seal(layout);
  const target = place(name);
  await folder.writeFile(`${target}.pack`, pack, 0o400);
  await folder.writeFile(`${target}.idx`, index, 0o400);
  return name;
}
