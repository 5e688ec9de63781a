import { createWriteStream, existsSync } from 'node:fs';
import { mkdir, readdir, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { formatTime } from '../domain/clock.js';
import { syncPath } from '../disk/sync-path.js';
import { createRepository, openRepository } from '../git/repositories/open-repository.js';
import { checkpointedHead } from '../journal/recover.js';
import { pathsOf, serviceName } from '../journal/workspace-paths.js';
import { listWorkspaceNames, openServiceFile } from '../sidecar/service-file.js';
import { openSidecarReadOnly } from '../sidecar/sidecar.js';
import type { StoredObject } from '../sidecar/tables/stored-object-table.js';
import type { Bucket } from './bucket.js';
import { listLives, readLife, type Life } from './lives.js';
import { locateFile } from './locate-file.js';
import { formatObjectName, serviceShard } from './object-names.js';
import { findState, readInventory, restoreShard, type ShardInventory, type ShardState } from './restore-shard.js';
import { openObject } from './seal-object.js';

/** How far a restore has come. */
export interface RestoreProgress {
  /** A workspace; null for the service's own file. */
  readonly workspace: string | null;
  readonly doing: 'database' | 'files' | 'repository';
  /** Of files. */
  readonly done?: number;
  readonly of?: number;
}

export interface RestoreServiceOptions {
  readonly bucket: Bucket;
  /** Open the keys: age secret keys. */
  readonly identities: readonly string[];
  /** Milliseconds since 1970; undefined for the newest state. */
  readonly at: number | undefined;
  /** Restored from this life, whichever is current; undefined for the one that was current at the moment. */
  readonly life: string | undefined;
  /** The one workspace that is wanted; undefined for all. */
  readonly only: string | undefined;
  /** The steps of the schema of the service's file, from which the other workspaces are removed. */
  readonly serviceMigrations: string;
  /** An empty folder, or one that does not exist. */
  readonly dataFolder: string;
  readonly git: 'auto' | 'never';
  readonly signal: AbortSignal;
  readonly onProgress: (progress: RestoreProgress) => void;
}

/** What was restored. */
export interface RestoredService {
  readonly life: string;
  /** The moments of the states, milliseconds since 1970. */
  readonly at: number;
  readonly workspaces: readonly { readonly workspace: string; readonly at: number; readonly files: number }[];
}

/** There is nothing to restore, or not from that moment. The message says what there is. */
export class NothingToRestore extends Error {
  override readonly name = 'NothingToRestore';
}

/** In the data folder, until all is there. */
const stageName = '.restoring';
/** Files that are fetched at the same time. */
const filesAtOnce = 8;

/**
 * Makes a data folder of what lies in a bucket. Nothing of it is in its place until everything is there, and the
 * service's file comes last: a restore that ended in the middle leaves nothing that could be served.
 * @throws NothingToRestore; MissingKey; MissingSet; BucketFault; ObjectUnreadable; SealBroken; PageSetDamaged; errors of
 * the disk
 */
export async function restoreService(options: RestoreServiceOptions): Promise<RestoredService> {
  const { dataFolder, at, onProgress } = options;
  const isNew = !existsSync(dataFolder);
  const stage = join(dataFolder, stageName);
  await mkdir(stage, { recursive: true, mode: 0o700 });
  try {
    const { inventory, isAfterPoints } = await findLife(options);
    const state = findState(inventory, at, isAfterPoints);
    if (state === undefined) throw new NothingToRestore('The bucket has nothing of the service’s own file.');
    onProgress({ workspace: null, doing: 'database' });
    const moment = await restoreShard(options, state, join(stage, serviceName), at);
    const workspaces: RestoredService['workspaces'][number][] = [];
    for (const workspace of chooseWorkspaces(options, join(stage, serviceName))) {
      options.signal.throwIfAborted();
      workspaces.push(await restoreWorkspace(options, { stage, workspace, life: inventory.life, isAfterPoints }));
    }
    await putInPlace(stage, dataFolder);
    return { life: inventory.life, at: moment, workspaces };
  } catch (error) {
    await rm(isNew ? dataFolder : stage, { recursive: true, force: true });
    throw error;
  }
}

/**
 * The workspaces that are restored. All others are removed from the service's file.
 * @throws NothingToRestore where the wanted one is not there
 */
function chooseWorkspaces({ only, serviceMigrations }: RestoreServiceOptions, file: string): readonly string[] {
  const names = listWorkspaceNames(file);
  if (only === undefined) return names;
  if (!names.includes(only)) {
    throw new NothingToRestore(`There was no workspace ${only} at that moment. There were: ${names.join(', ')}.`);
  }
  const serviceFile = openServiceFile(file, serviceMigrations);
  try {
    for (const { name, createdAt } of serviceFile.listWorkspaces()) {
      if (name !== only) serviceFile.removeWorkspace(name, createdAt);
    }
  } finally {
    serviceFile.close();
  }
  return [only];
}

/** The newest life that was current at the moment, and of which a state of the service's file is there. */
async function findLife({
  bucket,
  at,
  life: named,
  signal,
}: RestoreServiceOptions): Promise<{ readonly inventory: ShardInventory; readonly isAfterPoints: boolean }> {
  const read = (life: string): Promise<ShardInventory> => readInventory(bucket, serviceShard, life, signal);
  let oldest: number | undefined;
  /** The first life that began after the moment. */
  let later: string | undefined;
  const lives: AsyncIterable<Pick<Life, 'life' | 'since'>> | Pick<Life, 'life' | 'since'>[] =
    named === undefined ? listLives(bucket, signal) : [{ life: named, since: 0 }];
  for await (const { life, since } of lives) {
    if (at !== undefined && since > at) {
      later = life;
      continue;
    }
    const inventory = await read(life);
    const last = inventory.points.at(-1)?.at ?? 0;
    const isAfterPoints = at !== undefined && last <= at;
    if (findState(inventory, at, isAfterPoints) !== undefined) return { inventory, isAfterPoints };
    oldest = inventory.points[0]?.at ?? oldest;
  }
  if (oldest === undefined && later !== undefined) oldest = (await read(later)).points[0]?.at;
  if (oldest !== undefined && at !== undefined) {
    throw new NothingToRestore(`The first moment that can be restored is ${formatTime(oldest)}.`);
  }
  throw new NothingToRestore(
    named === undefined
      ? 'The bucket holds no copy below this prefix. Check the address.'
      : `The bucket holds no copy of the life ${named}.`,
  );
}

interface StagedWorkspace {
  readonly stage: string;
  readonly workspace: string;
  readonly life: string;
  readonly isAfterPoints: boolean;
}

async function restoreWorkspace(
  options: RestoreServiceOptions,
  { stage, workspace, life, isAfterPoints }: StagedWorkspace,
): Promise<RestoredService['workspaces'][number]> {
  const { at, git, onProgress } = options;
  const state = await findWorkspace(options, { stage, workspace, life, isAfterPoints });
  onProgress({ workspace, doing: 'database' });
  const paths = pathsOf(stage, workspace);
  await mkdir(paths.folder, { mode: 0o700 });
  const moment = await restoreShard(options, state, paths.sidecar, at);
  const sidecar = openSidecarReadOnly(paths.sidecar);
  let files: readonly StoredObject[];
  let heads: readonly (string | undefined)[];
  try {
    files = [...presentFiles(sidecar.reader)];
    const { meta } = sidecar.reader;
    // The newest commit can be pending. Main stands where the last checkpoint left it then.
    heads = [meta.get('head'), meta.get(checkpointedHead)];
  } finally {
    sidecar.close();
  }
  await (await createRepository({ path: paths.repository, git })).close();
  await mkdir(paths.archives, { mode: 0o700 });
  await fetchFiles(options, { workspace, files, ...paths });
  onProgress({ workspace, doing: 'repository' });
  // Opening it makes the indexes of its packs.
  const repository = await openRepository({ path: paths.repository, git });
  try {
    for (const head of heads) {
      if (head === undefined || !(await repository.has(head))) continue;
      await repository.moveHead(head);
      break;
    }
  } finally {
    await repository.close();
  }
  return { workspace, at: moment, files: files.length };
}

/**
 * One that could not be opened in a life was not changed in it either: it is as the last one left it that had it.
 * @throws NothingToRestore
 */
async function findWorkspace(
  { bucket, at, signal }: RestoreServiceOptions,
  { workspace, life, isAfterPoints }: StagedWorkspace,
): Promise<ShardState> {
  const inventory = await readInventory(bucket, workspace, life, signal);
  const found = findState(inventory, at, isAfterPoints);
  if (found !== undefined) return found;
  const seen = new Set<string>([life]);
  for (let earlier = await beforeOf(bucket, life, signal); earlier !== undefined && !seen.has(earlier);) {
    seen.add(earlier);
    const state = findState(await readInventory(bucket, workspace, earlier, signal), at, true);
    if (state !== undefined) return state;
    earlier = await beforeOf(bucket, earlier, signal);
  }
  throw new NothingToRestore(describeAbsence(workspace, inventory));
}

async function beforeOf(bucket: Bucket, life: string, signal: AbortSignal): Promise<string | undefined> {
  return (await readLife(bucket, life, signal))?.before ?? undefined;
}

function describeAbsence(workspace: string, { points }: ShardInventory): string {
  const [first] = points;
  if (first === undefined) {
    return (
      `The bucket has nothing of the workspace ${workspace} as of that moment: an erase removed it, or its first copy ` +
      `was not complete. \`cartulary follow points --workspace ${workspace}\` lists later moments.`
    );
  }
  return (
    `The workspace ${workspace} can be restored from ${formatTime(first.at)} on: an erase removed what was before. ` +
    'Name that moment or a later one with --at, or another workspace with --workspace.'
  );
}

function* presentFiles({
  storedObjects,
}: Pick<ReturnType<typeof openSidecarReadOnly>['reader'], 'storedObjects'>): Generator<StoredObject> {
  for (let name = ''; ;) {
    const rows = storedObjects.after(name, 1000);
    for (const row of rows) if (row.goneAt === null) yield row;
    const last = rows.at(-1);
    if (last === undefined) return;
    ({ name } = last);
  }
}

async function fetchFiles(
  { bucket, signal, onProgress }: RestoreServiceOptions,
  where: {
    readonly workspace: string;
    readonly files: readonly StoredObject[];
    readonly repository: string;
    readonly archives: string;
  },
): Promise<void> {
  const { workspace, files } = where;
  const waiting = [...files];
  const failed = new AbortController();
  let done = 0;
  const work = async (): Promise<void> => {
    for (let file = waiting.shift(); file !== undefined && !failed.signal.aborted; file = waiting.shift()) {
      await fetchFile(bucket, where, file, AbortSignal.any([signal, failed.signal]));
      done += 1;
      onProgress({ workspace, doing: 'files', done, of: files.length });
    }
  };
  const works = Array.from({ length: filesAtOnce }, () =>
    work().catch((error: unknown) => {
      failed.abort(error);
      throw error;
    }),
  );
  await Promise.allSettled(works);
  await Promise.all(works);
  const folders = new Set(files.map(({ name }) => dirname(locateFile(where, name))));
  for (const folder of folders) await syncPath(folder);
}

async function fetchFile(
  bucket: Bucket,
  { workspace, repository, archives }: Parameters<typeof fetchFiles>[1],
  { name, life, key }: StoredObject,
  signal: AbortSignal,
): Promise<void> {
  // The row comes from the bucket, too: this refuses a name that would lead elsewhere on this disk.
  const object = formatObjectName({ kind: 'file', shard: workspace, life, file: name });
  const target = locateFile({ repository, archives }, name);
  await mkdir(dirname(target), { recursive: true, mode: 0o700 });
  const bytes = openObject(bucket.getStream(object, { signal }), {
    name: object,
    keyOf: (generation) => (generation === 0 ? key : undefined),
  });
  await pipeline(bytes, createWriteStream(target, { mode: 0o600, flags: 'wx', flush: true }));
}

/** Renames everything into its place, the service's file last, each name on stable storage. */
async function putInPlace(stage: string, dataFolder: string): Promise<void> {
  await syncPath(stage);
  const names = await readdir(stage);
  for (const name of names.filter((each) => each !== serviceName))
    await rename(join(stage, name), join(dataFolder, name));
  await syncPath(dataFolder);
  await rename(join(stage, serviceName), join(dataFolder, serviceName));
  await rm(stage, { recursive: true });
  await syncPath(dataFolder);
}
