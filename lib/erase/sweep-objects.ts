import { decodeCommit, type GitObject, type Oid } from '../git/objects/objects.js';
import { Tree } from '../git/objects/tree.js';
import type { OidSet, SweepRoots, Swept } from '../git/repositories/repository.js';
import { resolvePending } from '../journal/pending-object.js';
import { Rests } from '../scheduling/rests.js';
import { yieldToLoop } from '../scheduling/yield-to-loop.js';
import type { PendingObject } from '../sidecar/tables/object-table.js';
import type { VersionMoment } from '../sidecar/tables/version-table.js';
import type { ErasedWorkspace } from './erased-workspace.js';

/** The parts of a workspace that a sweep of its objects needs. */
export type SweptWorkspace = Pick<
  ErasedWorkspace,
  'checkpointer' | 'journal' | 'maintainer' | 'onFault' | 'repository' | 'stages' | 'staging'
>;

export interface SweepObjectsOptions {
  /** Called when all that stays is durable twice. The rows are asked once more after it. */
  readonly onCopied: () => Promise<void>;
  readonly signal: AbortSignal;
}

/** Rows read in one turn. */
const rowsAtOnce = 2000;
const bytesAtOnce = 512 * 1024;
/** How often a sweep begins again because rows name what was about to go. */
const maxAttempts = 3;

/** Rows or objects that wait for the repository need what a sweep was about to remove. Nothing was removed. */
class StillNeeded extends Error {
  override readonly name = 'StillNeeded';
  readonly blobs: readonly Oid[];

  constructor(blobs: readonly Oid[]) {
    super(`The rows name ${blobs.length} contents that the history does not lead to, such as ${blobs[0]}.`);
    this.blobs = blobs;
  }
}

/**
 * Removes all objects that nothing needs: neither main, nor a committed row, nor a content that a request, a push or a
 * run of a connector holds. What was needed is decided by one state. Just before anything goes, the rows are asked once
 * more. If they name some of it, nothing is removed, a fault is reported, and the sweep begins again with it among the
 * contents that stay.
 * @returns objects of the history that were not there, and held contents that stay in packs: those have to be swept once
 * more after their release
 * @throws errors of the repository; Error when commits or trees of the history would go, or when it begins too often
 */
export async function sweepObjects(
  workspace: SweptWorkspace,
  { onCopied, signal }: SweepObjectsOptions,
): Promise<Pick<Swept, 'missing' | 'heldInPacks'>> {
  const { checkpointer, maintainer, onFault, repository, staging } = workspace;
  const kept = new Set<Oid>();
  for (let left = maxAttempts; ; left -= 1) {
    await checkpointer.run();
    try {
      return await maintainer.stoodAside(async (goOn) => {
        const swept = await repository.sweep({
          roots: () =>
            checkpointer.exclusively(async () => {
              const roots = await gatherRoots(workspace, kept);
              goOn();
              return roots;
            }),
          onCopied: async (going, findAdded) => {
            await onCopied();
            await requireUnneeded(workspace, { going, findAdded }, signal);
          },
          signal,
        });
        // In the same turn: a joining of packs would take them into a pack.
        await staging.discard(swept.loose);
        return swept;
      });
    } catch (error) {
      if (!(error instanceof StillNeeded) || left === 1) throw error;
      onFault('An erase found contents that only rows name, and leaves them where they are', error);
      for (const oid of error.blobs) kept.add(oid);
    }
  }
}

/**
 * What the packs listed before must keep, while no checkpoint runs.
 *
 * A content of a push or a connector is awaited from before its pack shows until after its commit. The commit then waits
 * for the next checkpoint, and main does not lead to it. So what is awaited and held comes first, and then the contents
 * of all commits that main may not have. Whatever was shown is in one of the two, or in main.
 */
async function gatherRoots(
  { journal, repository, stages, staging }: SweptWorkspace,
  kept: ReadonlySet<Oid>,
): Promise<SweepRoots> {
  const head = await repository.head();
  if (head === null) throw new Error('The repository has no commit on main.');
  const held = staging.held();
  const also = new Set(kept);
  const rests = new Rests();
  for (const oid of stages.awaited()) {
    also.add(oid);
    if (rests.isDue) await rests.take();
  }
  // Pending objects are at least as many as pending commits.
  const moment = Math.max(0, journal.state.commits - journal.reader.objects.span());
  for await (const blobs of readBlobsSince(journal, moment)) for (const oid of blobs) also.add(oid);
  return { head, also: [...also], held };
}

/** The contents of versions later than a moment, some in each turn of the event loop. It ends in a turn with none. */
async function* readBlobsSince(
  journal: SweptWorkspace['journal'],
  moment: number,
): AsyncGenerator<readonly Oid[], void, undefined> {
  let after: VersionMoment = { moment, document: Number.MAX_SAFE_INTEGER, sequence: 0 };
  for (;;) {
    const rows = journal.reader.versions.blobsSince(after, rowsAtOnce);
    const last = rows.at(-1);
    if (last === undefined) return;
    yield rows.map(({ blobOid }) => blobOid);
    after = last;
    await yieldToLoop();
  }
}

/** What a sweep is about to remove, and how to find what was added meanwhile. */
interface Going {
  readonly going: OidSet;
  readonly findAdded: () => Promise<OidSet>;
}

/**
 * Asks the rows. What they do not name yet is not looked for: a content that was awaited or held is among the roots, and
 * one that came later has a pack or a file of its own.
 * @throws StillNeeded; Error when commits or trees are needed
 */
async function requireUnneeded(
  workspace: SweptWorkspace,
  { going, findAdded }: Going,
  signal: AbortSignal,
): Promise<void> {
  if (going.size === 0) return;
  const { journal } = workspace;
  const { commits } = journal.state;
  const blobs = new Set<Oid>();
  const history = new Set<Oid>();
  for (let after = { document: 0, sequence: 0 }; ;) {
    const rows = journal.reader.versions.blobsAfter(after, rowsAtOnce);
    const last = rows.at(-1);
    if (last === undefined) break;
    for (const { blobOid, commit } of rows) {
      if (going.has(blobOid)) blobs.add(blobOid);
      if (going.has(commit)) history.add(commit);
    }
    after = last;
    await yieldToLoop();
    signal.throwIfAborted();
  }
  const rests = new Rests();
  for await (const row of listPending(journal)) {
    if (row.type === 'blob') continue;
    // One that waits no more was read as a row, and is in the repository now.
    const object = resolvePending(journal.reader.objects, row) ?? (await workspace.repository.read(row.oid));
    for (const { oid, isBlob } of namesIn(object)) {
      if (going.has(oid)) (isBlob ? blobs : history).add(oid);
      if (rests.isDue) await rests.take();
    }
    signal.throwIfAborted();
  }
  // What was committed since the rows were read.
  for await (const since of readBlobsSince(journal, commits)) {
    for (const oid of since) if (going.has(oid)) blobs.add(oid);
  }
  // A content that came back has its own bytes: those of a commit wait, or were added. So has an equal tree.
  const waits = (oid: Oid): boolean => journal.reader.objects.has(oid);
  const inPacks = [...blobs, ...history].filter((oid) => !waits(oid));
  if (inPacks.length === 0) return;
  const added = await findAdded();
  const needed = inPacks.filter((oid) => !added.has(oid));
  const lost = needed.find((oid) => history.has(oid));
  if (lost !== undefined) throw historyGoes(lost);
  if (needed.length > 0) throw new StillNeeded(needed);
}

/** Objects that wait for the repository. */
async function* listPending(journal: SweptWorkspace['journal']): AsyncGenerator<PendingObject, void, undefined> {
  const { objects } = journal.reader;
  const upTo = objects.newest();
  for (let after = 0; ;) {
    const rows = objects.between(after, upTo, rowsAtOnce, bytesAtOnce);
    const last = rows.at(-1);
    if (last === undefined) return;
    yield* rows;
    after = last.number;
    await yieldToLoop();
  }
}

/** What a commit or a folder names. */
function* namesIn({ type, bytes }: GitObject): Generator<{ readonly oid: Oid; readonly isBlob: boolean }> {
  if (type === 'tree') {
    for (const { mode, oid } of Tree.parse(bytes).entries()) yield { oid, isBlob: mode !== '40000' };
    return;
  }
  const { tree, parents } = decodeCommit(bytes);
  for (const oid of [tree, ...parents]) yield { oid, isBlob: false };
}

const historyGoes = (oid: Oid): Error =>
  new Error(
    `The history needs ${oid}, and main does not lead to it. Nothing was removed. ` +
      'See what `cartulary verify` says about the workspace.',
  );
