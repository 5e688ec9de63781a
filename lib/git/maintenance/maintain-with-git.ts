import { orAbsent } from '../file-system.js';
import type { GitProgram } from '../program/git-program.js';
import { runGit } from '../program/git-program.js';
import { listLooseObjects, loosePath } from '../objects/loose-object.js';
import type { Oid } from '../objects/objects.js';
import { choosePacksToJoin, listPackNames, listPacks, removePack, type ListedPack } from '../packs/pack-list.js';
import { commitGraph, findDamagedLoose, isWhole, joinedIndex } from './find-damage.js';
import { hasSoundIndex, mendIndexes } from './mend-indexes.js';
import { removeTemporaryPacks } from './take-up-leftovers.js';
import { packingFolder, type RepositoryFolder } from '../repositories/repository-folder.js';
import type { RepositoryWriter } from '../repositories/repository-writer.js';

/** Limits of memory and CPU for packing: it is never urgent. */
export const modestly = [
  '-c',
  'pack.threads=1',
  '-c',
  'pack.windowMemory=64m',
  '-c',
  'pack.deltaCacheSize=32m',
  '-c',
  'core.bigFileThreshold=8m',
];

interface MaintainSignals {
  readonly signal: AbortSignal;
  readonly callOff?: AbortSignal | undefined;
  readonly damaged: Set<string>;
}

/**
 * Joins packs and packs loose objects with the git program. Each step leaves a sound repository, whatever is read or
 * added meanwhile:
 *
 * 1. loose objects except those that `isKept` names go into a pack, and then lose their files. It is asked after the
 *    objects were listed, and again before each file goes: a blob is announced to it before it has a file;
 * 2. small packs are joined into one. The choice is made by pack and never by reachability, so unreachable objects go
 *    along;
 * 3. a multi-pack index is written over the packs that stay;
 * 4. only then the joined packs are removed: their content is durable twice;
 * 5. the commit graph is written.
 *
 * `git repack --geometric` would do most of this. But it packs every loose object, also the kept ones, and does not
 * sync folders.
 *
 * New packs are written into a folder of their own and moved from there. An ended process therefore leaves its remains
 * in that folder, or under git's temporary names. No other program gives such names to files beside packs.
 *
 * A damaged object or pack stays where it is, and the others go on without it. Damaged indexes are made anew.
 * @param options `signal` ends it, as a crash would; `callOff` ends it while it packs, and removes the remains;
 * `damaged` holds the paths of the damaged files from before, and gets those that are met now
 * @returns false when it was called off
 */
export async function maintainWithGit(
  program: GitProgram,
  writer: RepositoryWriter,
  isKept: (oid: Oid) => boolean,
  { signal, callOff, damaged }: MaintainSignals,
): Promise<boolean> {
  const { folder } = writer;
  const run: RunGit = (parameters, input = []) => runModestly(program, folder, parameters, input, signal);
  const packingSignal = callOff === undefined ? signal : AbortSignal.any([signal, callOff]);
  const pack: PackObjects = async (input, ...options) => {
    // The index over several packs may be damaged, and each pack has its own.
    const parameters = [
      '-c',
      'core.multiPackIndex=false',
      'pack-objects',
      '-q',
      '--non-empty',
      ...options,
      folder.at(packingFolder, 'pack'),
    ];
    const names = await runModestly(program, folder, parameters, input, packingSignal);
    return moveIn(folder, new Set(names.map((name) => `pack-${name}`)));
  };
  try {
    await folder.fs.mkdir(folder.at(packingFolder));
    await clearPacking(folder);
    const mending: Mending = { folder, program, damaged, isStopped: () => packingSignal.aborted };
    const hasPackedLoose = await packLoose(mending, isKept, pack);
    const { joined, staying } = await joinPacks(mending, pack);
    if (hasPackedLoose || joined.length > 0) {
      await derive(mending, joinedIndex, () => indexPacks(folder, staying, run));
    }
    for (const name of joined) if (!staying.includes(name)) await removePack(folder, name);
    if (callOff?.aborted === true) return true;
    if ((await writer.head()) !== null) {
      await derive(mending, commitGraph, () => run(['commit-graph', 'write', '--reachable', '--no-progress']));
    }
    return true;
  } catch (error) {
    if (signal.aborted) throw error;
    if (callOff?.aborted === true) {
      await clearPacking(folder);
      return false;
    }
    // The disk may be full, and the next attempt comes later.
    await clearPacking(folder).catch(() => undefined);
    throw error;
  }
}

/** Runs git with lines of input. @returns the lines of its output */
type RunGit = (parameters: readonly string[], input?: readonly string[]) => Promise<string[]>;

/**
 * Writes one pack, or several where one would be too large. @param input for `git pack-objects` @returns their names
 */
type PackObjects = (input: readonly string[], ...options: string[]) => Promise<string[]>;

async function runModestly(
  program: GitProgram,
  folder: RepositoryFolder,
  parameters: readonly string[],
  input: readonly string[],
  signal: AbortSignal,
): Promise<string[]> {
  const { code, stdout, stderr } = await runGit(program, folder.path, [...modestly, ...parameters], {
    input: input.map((line) => `${line}\n`).join(''),
    isBackground: true,
    signal,
  });
  if (code !== 0) throw new Error(`git ${parameters.join(' ')} ended with ${code ?? 'a signal'}: ${stderr.trim()}`);
  return stdout.split('\n').filter((line) => line !== '');
}

/** What a step needs to go on past damage. */
interface Mending {
  readonly folder: RepositoryFolder;
  readonly program: GitProgram;
  readonly damaged: Set<string>;
  /** Whether a failure is no damage, but the end of the maintenance. */
  readonly isStopped: () => boolean;
}

/** Writes a file that holds nothing of its own. Where git cannot, the former one is removed: git reads without it. */
async function derive(
  { folder, damaged, isStopped }: Mending,
  path: string,
  write: () => Promise<unknown>,
): Promise<void> {
  try {
    await write();
    damaged.delete(path);
  } catch (error) {
    if (isStopped()) throw error;
    await orAbsent(folder.fs.unlink(folder.at(path)));
    try {
      await write();
    } catch (second) {
      // Without damage of the packs it is no fault of theirs, and the caller has to know.
      if (isStopped() || damaged.size === 0) throw second;
    }
  }
}

/** @returns whether there were any */
async function packLoose(mending: Mending, isKept: (oid: Oid) => boolean, pack: PackObjects): Promise<boolean> {
  const { folder, damaged, isStopped } = mending;
  const listed = await listLooseObjects(folder);
  let loose = listed.map(({ oid }) => oid).filter((oid) => !isKept(oid));
  if (loose.length === 0) return false;
  const pathOf = (oid: Oid): string => `objects/${oid.slice(0, 2)}/${oid.slice(2)}`;
  for (const oid of loose) damaged.delete(pathOf(oid));
  try {
    await pack(loose);
  } catch (error) {
    if (isStopped()) throw error;
    const found = await findDamagedLoose(folder, loose);
    if (found.size === 0) throw error;
    for (const oid of found) damaged.add(pathOf(oid));
    loose = loose.filter((oid) => !found.has(oid));
    if (loose.length === 0) return false;
    await clearPacking(folder);
    await pack(loose);
  }
  for (const oid of loose) if (!isKept(oid)) await orAbsent(folder.fs.unlink(loosePath(folder, oid)));
  return true;
}

interface JoinedPacks {
  /** They still exist. */
  readonly joined: readonly string[];
  /** With the new pack among them. */
  readonly staying: readonly string[];
}

async function joinPacks(mending: Mending, pack: PackObjects): Promise<JoinedPacks> {
  const { folder, program, damaged, isStopped } = mending;
  try {
    return await joinSound(mending, pack);
  } catch (error) {
    if (isStopped()) throw error;
    const before = damaged.size;
    const mended = await mendIndexes(folder, program);
    for (const { name } of choosePacksToJoin(await listSound(mending))) {
      if ((await isWhole(folder, packOf(name))) === false) damaged.add(packOf(name));
    }
    if (mended.length === 0 && damaged.size === before) throw error;
    await clearPacking(folder);
    return joinSound(mending, pack);
  }
}

const packOf = (name: string): string => `objects/pack/${name}.pack`;

async function listSound({ folder, damaged }: Mending): Promise<ListedPack[]> {
  return (await listPacks(folder)).filter(({ name }) => !damaged.has(packOf(name)));
}

async function joinSound(mending: Mending, pack: PackObjects): Promise<JoinedPacks> {
  const joined: string[] = [];
  for (const { name } of choosePacksToJoin(await listSound(mending))) {
    if (await hasSoundIndex(mending.folder, name, mending.program)) joined.push(name);
    else mending.damaged.add(packOf(name));
  }
  const staying = (await listPackNames(mending.folder)).filter((name) => !joined.includes(name));
  if (joined.length === 0) return { joined, staying };
  const input = [...joined.map((name) => `${name}.pack`), ...staying.map((name) => `^${name}.pack`)];
  const made = await pack(input, '--stdin-packs', '--delta-base-offset');
  return { joined, staying: [...staying, ...made] };
}

async function indexPacks(folder: RepositoryFolder, packs: readonly string[], run: RunGit): Promise<void> {
  await run(
    ['multi-pack-index', 'write', '--no-progress', '--stdin-packs'],
    packs.map((name) => `${name}.idx`),
  );
  await folder.fs.syncFolder(folder.at('objects', 'pack'));
}

/** Moves packs to the others, each index last: a reader of packs sees each one whole or not at all. */
async function moveIn(folder: RepositoryFolder, packs: ReadonlySet<string>): Promise<string[]> {
  const { fs } = folder;
  const files = await fs.readdir(folder.at(packingFolder));
  const endingsFirst = files.toSorted((one, other) => Number(one.endsWith('.idx')) - Number(other.endsWith('.idx')));
  for (const file of endingsFirst) {
    if (!packs.has(file.replace(/\.[a-z]+$/, ''))) continue;
    await fs.rename(folder.at(packingFolder, file), folder.at('objects', 'pack', file));
  }
  await fs.syncFolder(folder.at('objects', 'pack'));
  return [...packs];
}

/** Removes the remains of an ended packing. No other program of ours packs meanwhile. */
async function clearPacking(folder: RepositoryFolder): Promise<void> {
  const { fs } = folder;
  for (const file of await fs.readdir(folder.at(packingFolder))) await fs.unlink(folder.at(packingFolder, file));
  await removeTemporaryPacks(folder);
  await fs.syncFolder(folder.at('objects', 'pack'));
}
