import { mainRef } from '../repositories/create-repository-files.js';
import { RepositoryUnreadable } from '../errors.js';
import { orAbsent } from '../file-system.js';
import { runGit, type GitProgram } from '../program/git-program.js';
import { readEntries } from './join-packs.js';
import { findDamagedIndexes } from './find-damage.js';
import { listReachableByReading, listReachableWithGit } from './list-reachable.js';
import { mendIndexes } from './mend-indexes.js';
import { removeTemporaryPacks } from './take-up-leftovers.js';
import { listLooseObjects } from '../objects/loose-object.js';
import { modestly } from './maintain-with-git.js';
import { makePackable, type GitObject, type Oid } from '../objects/objects.js';
import { OidSet } from '../objects/oid-set.js';
import { packEntry, type PackEntry } from '../packs/pack-layout.js';
import { listNamed, listPackNames, packPath, removePack } from '../packs/pack-list.js';
import { writeEntries, type SealPack } from '../packs/pack.js';
import type { RepositoryFolder } from '../repositories/repository-folder.js';

/** The input of a sweep. */
export interface SweepRequest {
  /** The packs to search; a pack added since stays as it is. */
  readonly packs: readonly string[];
  /** The commit that stays, with everything reachable from it. */
  readonly head: Oid;
  /** Further objects that stay, where they exist. */
  readonly also: readonly Oid[];
  /** Objects that stay somewhere: one with a file of its own goes out of the packs. */
  readonly held: readonly Oid[];
}

export interface SweepReport {
  /** Packs that held unreachable objects, and are gone. */
  readonly removed: readonly string[];
  /** Unreachable objects with files of their own. */
  readonly loose: readonly Oid[];
  /** Objects that the commit leads to, and that are not there. */
  readonly missing: readonly Oid[];
  /** Held objects without a file of their own that are in one of the searched packs, and stay there. */
  readonly heldInPacks: readonly Oid[];
}

interface Parts {
  readonly folder: RepositoryFolder;
  readonly seal: SealPack;
  readonly program: GitProgram | null;
  readonly read: (oid: Oid) => Promise<GitObject>;
  readonly signal: AbortSignal;
  /**
   * Called when the objects that stay are durable in new packs, and nothing has been removed yet. An error from it
   * stops the work.
   * @param going what the packs to search have no more afterwards
   */
  readonly onCopied: (going: OidSet) => void | Promise<void>;
}

interface DirtyPack {
  readonly name: string;
  readonly staying: OidSet;
}

/** Kept objects are copied unchanged: making them smaller is never urgent, and the next joining of packs does it. */
const asItStands = '--window=0';

/** The most bytes of a pack joined in memory. */
const maxWritten = 32 * 1024 * 1024;

/**
 * Takes unreachable objects out of packs. A pack with such objects gives the others to a new pack, and is removed once
 * that is durable. Packs without unreachable objects are not touched. Reads and additions go on meanwhile; no other
 * packing may. Additions take no name of the packs to search, because some of these are removed by their names.
 *
 * Objects that are missing already hold nothing up. What only they named is taken for unreachable, so the caller looks
 * at what is going. Damaged indexes are made anew first: objects are named and copied by them.
 * @throws RepositoryUnreadable when an index cannot be made anew, because its pack is damaged, too, or when another branch or tag, a store of borrowed objects, or a pack with a `.keep` file
 * stands in the way: then not everything has gone
 */
export async function sweepPacks(parts: Parts, request: SweepRequest): Promise<SweepReport> {
  const { folder, program, signal } = parts;
  const { packs, head } = request;
  await requireNothingBorrowed(folder);
  await requireSoundIndexes(folder, program);
  const ownFiles = (await listLooseObjects(folder)).map(({ oid }) => oid);
  const fileless = without(request.held, ownFiles);
  const also = [...request.also, ...fileless];
  const { found: reachable, missing } =
    program === null
      ? await listReachableByReading(parts.read, await findPresent(folder, ownFiles), head, also, signal)
      : await listReachableWithGit(program, folder.path, head, also, signal);
  if (program !== null) await requireNoOtherRefs(parts, program, reachable);
  const dirty: DirtyPack[] = [];
  const going = new OidSet();
  const heldInPacks = new Set<Oid>();
  for (const name of packs) {
    const named = listNamed(await folder.fs.readFile(packPath(folder, name, 'idx')));
    for (const oid of fileless) if (named.has(oid)) heldInPacks.add(oid);
    const staying = named.intersect(reachable);
    if (staying.size === named.size) continue;
    if ((await orAbsent(folder.fs.size(folder.at('objects', 'pack', `${name}.keep`)))) !== undefined) {
      throw new RepositoryUnreadable(
        `${name} is marked with a .keep file. Remove that file, so that it can be packed.`,
      );
    }
    dirty.push({ name, staying });
    going.addAll(named.without(reachable));
  }
  const loose = ownFiles.filter((oid) => !reachable.has(oid));
  const left = { loose, missing, heldInPacks: [...heldInPacks] };
  if (dirty.length === 0) {
    await parts.onCopied(going);
    return { removed: [], ...left };
  }
  const written =
    program === null ? await copyInMemory(parts, dirty) : await copyOrRemove(parts, program, dirty, reachable);
  await parts.onCopied(going);
  signal.throwIfAborted();
  const removed = dirty.map(({ name }) => name).filter((name) => !written.includes(name));
  await forgetAuxiliaries(parts, program, new Set(removed));
  for (const name of removed) await removePack(folder, name);
  await folder.fs.syncFolder(folder.at('objects', 'pack'));
  if (program !== null) await run(parts, program, ['commit-graph', 'write', '--reachable', '--no-progress']);
  return { removed, ...left };
}

/** @throws RepositoryUnreadable */
async function requireSoundIndexes(folder: RepositoryFolder, program: GitProgram | null): Promise<void> {
  await mendIndexes(folder, program);
  const [damaged] = await findDamagedIndexes(folder);
  if (damaged === undefined) return;
  throw new RepositoryUnreadable(
    `${damaged} is damaged, and so is its pack: what is in it cannot be told, and nothing was removed`,
  );
}

function without(oids: readonly Oid[], others: readonly Oid[]): Oid[] {
  const left = new Set(oids);
  for (const oid of others) left.delete(oid);
  return [...left];
}

/** @returns whether an object exists, as the names in all packs and of all files say */
async function findPresent(folder: RepositoryFolder, ownFiles: readonly Oid[]): Promise<(oid: Oid) => boolean> {
  const present = new OidSet();
  for (const name of await listPackNames(folder)) {
    const index = await orAbsent(folder.fs.readFile(packPath(folder, name, 'idx')));
    if (index !== undefined) present.addAll(listNamed(index));
  }
  for (const oid of ownFiles) present.add(oid);
  return (oid) => present.has(oid);
}

/** git leaves what it has written when the disk is full, and the next attempt comes later. */
async function copyOrRemove(parts: Parts, ...what: [GitProgram, readonly DirtyPack[], OidSet]): Promise<string[]> {
  try {
    return await copyWithGit(parts, ...what);
  } catch (error) {
    await removeTemporaryPacks(parts.folder).catch(() => undefined);
    throw error;
  }
}

async function copyWithGit(
  parts: Parts,
  program: GitProgram,
  dirty: readonly DirtyPack[],
  reachable: OidSet,
): Promise<string[]> {
  const { folder } = parts;
  const wanted = new OidSet();
  for (const { staying } of dirty) wanted.addAll(staying);
  if (wanted.size === 0) return [];
  // In the order of the listing, which puts objects together that are read together.
  const input = [...reachable.intersect(wanted), ''].join('\n');
  const base = folder.at('objects', 'pack', 'pack');
  const said = await run(parts, program, ['pack-objects', '-q', asItStands, '--delta-base-offset', base], input);
  await folder.fs.syncFolder(folder.at('objects', 'pack'));
  return said.split('\n').flatMap((name) => (name === '' ? [] : [`pack-${name}`]));
}

async function copyInMemory({ folder, seal, read, signal }: Parts, dirty: readonly DirtyPack[]): Promise<string[]> {
  const written: string[] = [];
  let entries: PackEntry[] = [];
  let bytes = 0;
  const seen = new Set<Oid>();
  const flush = async (): Promise<void> => {
    if (entries.length > 0) written.push(await writeEntries(entries, folder, seal));
    entries = [];
    bytes = 0;
  };
  for (const { name, staying } of dirty) {
    signal.throwIfAborted();
    const found = await readEntries(folder, name);
    const taken: AsyncIterable<PackEntry> | Iterable<PackEntry> = found ?? readOneByOne(staying, read);
    for await (const entry of taken) {
      if (!staying.has(entry.oid) || seen.has(entry.oid)) continue;
      seen.add(entry.oid);
      entries.push(entry);
      bytes += entry.deflated.length;
      if (bytes >= maxWritten) await flush();
    }
  }
  await flush();
  return written;
}

async function* readOneByOne(
  oids: Iterable<Oid>,
  read: (oid: Oid) => Promise<GitObject>,
): AsyncGenerator<PackEntry, void, undefined> {
  for (const oid of oids) {
    const { type, bytes } = await read(oid);
    yield packEntry(makePackable(type, bytes));
  }
}

/** Removes the files that name objects about to go: the commit graph, and the index over several packs. */
async function forgetAuxiliaries(
  parts: Parts,
  program: GitProgram | null,
  removed: ReadonlySet<string>,
): Promise<void> {
  const { folder } = parts;
  const { fs } = folder;
  const info = folder.at('objects', 'info');
  await orAbsent(fs.unlink(folder.at('objects', 'info', 'commit-graph')));
  for (const name of (await orAbsent(fs.readdir(folder.at('objects', 'info', 'commit-graphs')))) ?? []) {
    await orAbsent(fs.unlink(folder.at('objects', 'info', 'commit-graphs', name)));
  }
  await fs.syncFolder(info);
  const pack = folder.at('objects', 'pack');
  for (const name of await fs.readdir(pack)) {
    if (name.startsWith('multi-pack-index')) await orAbsent(fs.unlink(folder.at('objects', 'pack', name)));
  }
  if (program === null) return;
  const staying = (await listPackNames(folder)).filter((name) => !removed.has(name));
  if (staying.length === 0) return;
  await run(
    parts,
    program,
    ['multi-pack-index', 'write', '--no-progress', '--stdin-packs'],
    staying.map((name) => `${name}.idx\n`).join(''),
  );
  await fs.syncFolder(pack);
}

/** Objects of a borrowed store could still be read. */
async function requireNothingBorrowed(folder: RepositoryFolder): Promise<void> {
  if ((await orAbsent(folder.fs.size(folder.at('objects', 'info', 'alternates')))) === undefined) return;
  throw new RepositoryUnreadable('The repository borrows objects from another one (objects/info/alternates).');
}

/** Objects of another branch or tag cannot be removed under it, and must not stay either. */
async function requireNoOtherRefs(parts: Parts, program: GitProgram, reachable: OidSet): Promise<void> {
  const said = await run(parts, program, ['for-each-ref', '--format=%(objectname) %(refname)']);
  const others = said
    .split('\n')
    .filter((line) => line !== '' && !reachable.has(line.slice(0, 40)))
    .map((line) => line.slice(41))
    // main goes on during this check.
    .filter((ref) => ref !== mainRef);
  if (others.length === 0) return;
  throw new RepositoryUnreadable(
    `These branches or tags hold on to history from before the erase: ${others.join(', ')}. Delete them first.`,
  );
}

async function run(
  { folder, signal }: Parts,
  program: GitProgram,
  parameters: readonly string[],
  input = '',
): Promise<string> {
  const { code, stdout, stderr } = await runGit(program, folder.path, [...modestly, ...parameters], { input, signal });
  if (code !== 0) {
    const said = `git ${parameters.join(' ')} ended with ${code ?? 'a signal'}: ${stderr.trim()}`;
    throw code === null ? new Error(said) : new RepositoryUnreadable(said);
  }
  return stdout;
}
