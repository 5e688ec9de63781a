import { mkdir } from 'node:fs/promises';
import { readReach, type Reach } from '../view/reach.js';
import { ancestorsOf, rootLocation, type Location } from '../domain/location.js';
import { joinPacks, measurePacks } from '../git/derived/join-derived-packs.js';
import type { Oid } from '../git/objects/objects.js';
import { openReachedSnapshot, type ReachedSnapshot } from '../sidecar/reached-snapshot.js';
import { findDocumentsById, findFolder } from '../view/locate.js';
import { boundDerivation } from './bound-git.js';
import { choosePacks } from './choose-packs.js';
import { compareReach, type Difference, type Outdated } from './compare-reach.js';
import type { Derived, DeriveOrder, MadeAnew } from './derivation.js';
import { Placings } from './find-placing.js';
import { commitMoves, commitVersions, versionsAtOnce, type Making } from './make-commits.js';
import { planMoves, type PlannedMoves } from './plan-moves.js';
import {
  destroyRepository,
  ensureRepository,
  hasPacks,
  listNewPacks,
  openMaking,
  pointBranch,
  publishPacks,
  readHead,
  removeUnlisted,
} from './repository-files.js';
import { DamagedState, derivedPaths, packFolder, readState, writeState } from './state.js';
import type { DerivedState, ListedPack } from './state.js';

export type { Derived, DeriveOrder } from './derivation.js';

/** Called for each step that changes files, before it. */
export type OnStep = (step: 'destroy' | 'create' | 'import' | 'join' | 'publish' | 'state' | 'branch' | 'tidy') => void;

const nothing: DerivedState = { head: null, began: null, packs: [], documents: new Map() };

/**
 * Makes the principal's derived repository, or lets it grow, from one snapshot of the workspace. It is meant for a
 * worker thread: it holds its event loop for long. One call at a time for each folder.
 *
 * A crash at any point leaves a folder from which the next call makes the right repository. A failure leaves the earlier
 * repository, or none.
 * @param signal ends it at its next step, and git at once
 * @throws RepositoryUnreadable when git fails, or a content is missing; GitBoundMet; the error of the file system, such
 * as ENOSPC; the signal's reason
 */
export async function deriveRepository(
  order: DeriveOrder,
  signal: AbortSignal,
  onStep: OnStep = () => undefined,
): Promise<Derived> {
  signal.throwIfAborted();
  const found = await readSound(order.folder);
  let madeAnew: MadeAnew | null = typeof found === 'string' ? found : null;
  let state = typeof found === 'string' ? nothing : found;
  let snapshot = openReachedSnapshot(order.sidecar);
  try {
    let difference = compare(order, snapshot, state);
    if ('outdated' in difference) {
      madeAnew = difference.outdated;
      state = nothing;
      // Another snapshot, with no versions asked for. It may show a later moment.
      snapshot.close();
      snapshot = openReachedSnapshot(order.sidecar);
      difference = compare(order, snapshot, nothing);
    }
    if ('outdated' in difference) throw new Error('A repository without documents is never outdated.');
    const isUnchanged = madeAnew === null && !difference.isBehind && difference.displaced.length === 0;
    if (order.hasRoom === false && !isUnchanged) throw noRoom();
    if (madeAnew !== null) {
      await mkdir(order.folder, { recursive: true, mode: 0o700 });
      onStep('destroy');
      await destroyRepository(order.folder);
      onStep('create');
      await ensureRepository(order.folder);
    }
    const growing = { order, snapshot, signal, onStep };
    const grown = await grow(growing, state, difference, madeAnew !== null);
    const { repository } = derivedPaths(order.folder);
    return { repository, ...grown, madeAnew, documents: difference.live };
  } finally {
    snapshot.close();
  }
}

function noRoom(): Error {
  return Object.assign(new Error('Less of the disk is free than is kept in reserve.'), { code: 'ENOSPC' });
}

/** The state, when the repository is as it says. The remnants of a crash are removed. */
async function readSound(folder: string): Promise<DerivedState | 'first' | 'damaged'> {
  let state: DerivedState | undefined;
  try {
    state = await readState(folder);
  } catch (error) {
    if (!(error instanceof DamagedState)) throw error;
    return 'damaged';
  }
  if (state === undefined) return 'first';
  if (!(await hasPacks(folder, state))) return 'damaged';
  await removeUnlisted(folder, state.packs);
  return state;
}

/** Collects the reach in the snapshot, and compares it with what is shown. */
function compare(order: DeriveOrder, { tables, reached }: ReachedSnapshot, state: DerivedState): Difference | Outdated {
  const reach = readReach(tables, order.principalId);
  for (const location of topFolders(reach)) {
    const folder = findFolder(tables, location);
    if (folder !== undefined) reached.addFolder(folder.row.number, location);
  }
  const single = findDocumentsById(tables, reach.documentIds);
  reached.addDocuments(single.map(({ row, location }) => ({ number: row.number, location })));
  return compareReach(state.documents, {
    reach,
    reached: reached.all(),
    fateOf: (id) => reached.fateOf(id),
    want: (documents) => reached.want(documents),
  });
}

/** The folders with a grant that lie in no other one. */
function topFolders({ folders }: Reach): Location[] {
  const all = new Set(folders);
  return folders.filter((folder) => folder === rootLocation || !ancestorsOf(folder).some((above) => all.has(above)));
}

interface Growing extends Omit<Making, 'repository' | 'documents'> {
  readonly onStep: OnStep;
}

async function grow(
  growing: Growing,
  before: DerivedState,
  { displaced, documents, isBehind }: Difference,
  isNew: boolean,
): Promise<Pick<Derived, 'head' | 'began' | 'commits'>> {
  const { onStep } = growing;
  const { folder } = growing.order;
  let { head, began, packs } = before;
  let commits = 0;
  if (isNew || isBehind || displaced.length > 0) {
    const placings = new Placings(growing.snapshot.tables);
    const moves = planMoves(displaced.map((each) => ({ ...each, placing: placings.find(each) })));
    try {
      ({ head, packs, commits } = await makeObjects(
        { ...growing, documents: documents.size },
        before,
        moves,
        isBehind,
      ));
      if (isNew) began = head;
      onStep('state');
      await writeState(folder, { head, began, packs, documents });
    } catch (error) {
      // What was made takes room, on a disk that may be full.
      await removeHalfMade(folder).catch(() => undefined);
      throw error;
    }
  }
  onStep('branch');
  await pointBranch(folder, head);
  onStep('tidy');
  if (commits > 0) await removeUnlisted(folder, packs);
  return { head, began, commits };
}

/** Removes all that the state on disk does not list. */
async function removeHalfMade(folder: string): Promise<void> {
  const state = await readState(folder);
  await removeUnlisted(folder, state?.packs ?? []);
}

/** Makes the commits beside the repository, and then brings their packs into it. */
async function makeObjects(
  { onStep, ...growing }: Growing & Pick<Making, 'documents'>,
  { head: onto, packs: known }: DerivedState,
  moves: readonly PlannedMoves[],
  isBehind: boolean,
): Promise<{ readonly head: Oid | null; readonly packs: readonly ListedPack[]; readonly commits: number }> {
  if (moves.length === 0 && !isBehind) return { head: onto, packs: known, commits: 0 };
  const { order, snapshot, signal } = growing;
  let head = onto;
  let commits = 0;
  const made: ListedPack[] = [];
  onStep('import');
  const repository = await openMaking(order.folder);
  const making = { ...growing, repository };
  const note = async (count: number): Promise<void> => {
    commits += count;
    head = await readHead(repository);
    made.push(...(await listNewPacks(packFolder(repository), made)));
  };
  if (moves.length > 0) await note(await commitMoves(making, head, moves));
  if (isBehind) {
    snapshot.reached.rank();
    let after = 0;
    for (let upTo = snapshot.reached.boundaryAfter(after, versionsAtOnce); upTo !== null;) {
      await note(await commitVersions(making, head, { after, upTo }));
      after = upTo;
      upTo = snapshot.reached.boundaryAfter(after, versionsAtOnce);
    }
  }
  signal.throwIfAborted();
  onStep('publish');
  await publishPacks(order.folder, packFolder(repository), made);
  const packs = [...known, ...made];
  onStep('join');
  return { head, packs: await join(making, packs), commits };
}

/** Joins the newest packs when there are many. The old ones stay until the state is written. */
async function join(
  { order: { git, folder }, repository: making, snapshot: { tables }, signal }: Making,
  packs: readonly ListedPack[],
): Promise<readonly ListedPack[]> {
  const kept = choosePacks(packs.map(({ bytes }) => bytes));
  if (kept === packs.length) return packs;
  const { repository } = derivedPaths(folder);
  const target = packFolder(making);
  const joined = packs.slice(kept).map(({ name }) => name);
  const extent = await measurePacks(packFolder(repository), joined);
  const bounded = boundDerivation(git, tables, { commits: 0, documents: 0, ...extent });
  await joinPacks(bounded, repository, joined, target, signal);
  const made = await listNewPacks(target, []);
  await publishPacks(folder, target, made);
  return [...packs.slice(0, kept), ...made];
}
