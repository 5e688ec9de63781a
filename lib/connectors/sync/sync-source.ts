import { readPolicy } from '../../access/read-policy.js';
import type { Caller } from '../../domain/caller.js';
import type { Connector, RunCounts, RunOutcome } from '../../domain/connector.js';
import { storageFull } from '../../domain/refusal.js';
import { joinLocation, nameOf, type Location } from '../../domain/location.js';
import { faultOfPortableName } from '../../domain/portable-name.js';
import type { ContentStage } from '../../changes/content-stages.js';
import { readSuppressions } from '../../changes/mirror-suppression.js';
import { guessMediaType } from '../../operations/documents/content.js';
import { mirrorSource } from '../../operations/connectors/mirror-source.js';
import { perform } from '../../operations/perform.js';
import type { EventFile } from '../../history/projection.js';
import type { Steps } from '../../scheduling/in-steps.js';
import { runCooperatively } from '../../scheduling/run-cooperatively.js';
import { hasDocument, type MirrorEntry } from '../../sidecar/tables/mirror-entry-table.js';
import { findDocument } from '../../view/locate.js';
import type { Workspace } from '../../workspace/workspace.js';
import { SourceFault, type Listing, type Source } from '../source.js';
import { divideAdditions, type Addition } from './divide-additions.js';
import { applyDelta, takeSnapshot } from './take-holdings.js';
import { asStale, compareEntries, type Comparison, type FileToRead } from './compare-entries.js';
import { filterEntries, idOf, isSameRow } from './filter-entries.js';
import { describeRemoval, maxRemovals, removalsCount, type HeldChange } from './guard-removals.js';
import type { SyncLimits } from './limits.js';
import { pairByContent } from './pair-by-content.js';
import { readFiles, type ReadFile, type ReadResult } from './read-files.js';
import { scrubRows } from './scrub-rows.js';
import { takeListing } from './take-listing.js';
import { untilAborted } from './until-aborted.js';

/** How far a run is. */
export type RunProgress = Pick<RunCounts, 'listed' | 'bytes'> & Partial<Pick<RunCounts, 'created'>>;

/** One sync of one connector. */
export interface Sync {
  readonly workspace: Workspace;
  readonly connector: Connector;
  readonly caller: Caller;
  readonly source: Source;
  readonly readsAtOnce: number;
  readonly limits: SyncLimits;
  readonly signal: AbortSignal;
  /** Takes the secret out of what the source says about a file. */
  scrub(text: string): string;
  /** Gets how far it is. */
  onProgress(progress: RunProgress): void;
}

/** What a sync did. */
export interface Synced {
  readonly outcome: Extract<RunOutcome, 'changed' | 'unchanged' | 'partial' | 'held'>;
  readonly message: string | null;
  readonly counts: RunCounts;
  readonly versionId: string | null;
  /** Where the next run goes on, and the source's word for its state. Left out where both stay. */
  readonly reached?: { readonly cursor: string | null; readonly sourceVersion: string | null };
  /** The change that waits for approval. */
  readonly held?: HeldChange;
}

/** What is left to do without the files that were erased here. */
interface Withheld extends Comparison {
  /** Documents whose places have such files. Their rows are of the files before, so the next run lists everything. */
  readonly withheld: number;
}

/** Rows read at a time. */
const rowsInStep = 100;
/** Files after which the erased ones are looked up again: others write meanwhile. */
const filesInStep = 50;

/**
 * Makes the mirror equal to its source, by at most one commit. Only a run that removes and moves nothing, and has more
 * new files than one commit takes, adds the first of them by commits of their own.
 * @throws SourceFault; Refusal of the write; the signal's reason. Then nothing was changed, or some files were added
 */
export async function syncSource(sync: Sync): Promise<Synced> {
  const { workspace, connector, source, signal } = sync;
  const counts = { listed: 0, created: 0, updated: 0, moved: 0, deleted: 0, skipped: 0, bytes: 0 };
  await requireDisk(workspace);
  const cursor = workspace.journal.reader.connectors.cursorOf(connector.id);
  if (cursor !== null && (await untilAborted(signal, source.probe(cursor, signal))) === 'unchanged') {
    return { outcome: 'unchanged', message: null, counts, versionId: null };
  }
  // Before anything is compared: an erase ends the run from here on, since it may hold what is being erased.
  const stage = workspace.stages.open({ type: 'connector', id: connector.id });
  try {
    const staged = { ...sync, signal: AbortSignal.any([signal, stage.signal]) };
    const listing = await untilAborted(staged.signal, source.list(cursor, staged.signal));
    const compared = await compare(staged, listing, (listed) => {
      counts.listed = listed;
      sync.onProgress(counts);
    });
    const reached = { cursor: listing.cursor(), sourceVersion: listing.version() };
    return await readAndWrite(staged, stage, compared, reached, counts);
  } finally {
    await stage.close();
  }
}

/** @throws Refusal UNAVAILABLE `storage_full`: nothing is read that could not be written */
async function requireDisk({ disk }: Workspace): Promise<void> {
  await disk?.look();
  if (disk?.isLow === true) throw storageFull();
}

async function compare(
  { workspace, connector, limits, signal }: Sync,
  listing: Listing,
  onListed: (entries: number) => void,
): Promise<Withheld> {
  const listed = await takeListing(listing, limits, signal, () => workspace.clock.elapsed(), onListed);
  const { entries, unseen } = await runCooperatively(
    listing.mode === 'snapshot' ? takeSnapshot(listed) : applyDelta(rowsOf(workspace, connector.id), listed),
  );
  signal.throwIfAborted();
  const faultOfNew = (path: string): string | undefined => faultOfNewName(workspace, connector, path);
  const rules = { root: connector.location, maxBytes: limits.fileBytes, maxFolders: limits.folders, faultOfNew };
  const filtered = await runCooperatively(filterEntries(entries.values(), rules));
  signal.throwIfAborted();
  const compared = await runCooperatively(compareEntries(filtered, unseen, pagesOf(workspace, connector.id)));
  signal.throwIfAborted();
  return runCooperatively(leaveOutErased(workspace, connector.id, compared));
}

function faultOfNewName({ journal: { reader } }: Workspace, { location }: Connector, path: string): string | undefined {
  const fault = path
    .split('/')
    .map(faultOfPortableName)
    .find((each) => each !== undefined);
  if (fault === undefined || !readPolicy(reader).portableNames) return undefined;
  return findDocument(reader, joinLocation(location, path)) === undefined ? fault : undefined;
}

/** The rows of the last run, page by page. Others can write in between. */
function* pagesOf({ journal }: Workspace, connector: string): Generator<readonly MirrorEntry[]> {
  const isStale = journal.reader.connectors.hasStaleEntries(connector);
  for (let after = ''; ;) {
    const page = journal.reader.mirrorEntries.list(connector, after, rowsInStep);
    const last = page.at(-1);
    if (last === undefined) return;
    yield isStale ? page.map(asStale) : page;
    after = last.path;
  }
}

function* rowsOf(workspace: Workspace, connector: string): Generator<MirrorEntry> {
  for (const page of pagesOf(workspace, connector)) yield* page;
}

/**
 * Files that were erased here must not come back. They have no row, so each run meets them as new ones, or by their ids
 * in the places of others. None gets a row that names it, whatever the source makes of it. A document whose place such a
 * file takes stays as it was.
 */
function* leaveOutErased({ journal }: Workspace, connector: string, compared: Comparison): Steps<Withheld> {
  const toRead: FileToRead[] = [];
  const put: MirrorEntry[] = [];
  const remove = [...compared.remove];
  let withheld = 0;
  let isSuppressed = readSuppressions(journal.reader, connector);
  for (const [index, each] of compared.toRead.entries()) {
    if (index % filesInStep === filesInStep - 1) {
      yield;
      isSuppressed = readSuppressions(journal.reader, connector);
    }
    const { path, row, file } = each;
    // The path of a row is that of another file.
    if (!isSuppressed({ path: row === undefined ? path : null, sourceId: idOf(file) })) toRead.push(each);
    else if (row !== undefined && hasDocument(row)) {
      withheld += 1;
      const kept: MirrorEntry = { ...row, reason: 'unreadable', detail: erasedFile };
      if (each.from !== undefined || !isSameRow(row, kept)) put.push(kept);
    } else if (row !== undefined) remove.push(path);
  }
  const skipped = compared.skipped + compared.toRead.length - toRead.length;
  for (const [index, row] of compared.put.entries()) {
    if (index % filesInStep === 0) {
      yield;
      isSuppressed = readSuppressions(journal.reader, connector);
    }
    if (hasDocument(row) || !isSuppressed(row)) put.push(row);
  }
  return { ...compared, toRead, put, remove, skipped, withheld };
}

const erasedFile = 'The source has a file there now that was erased here.';

type Reached = NonNullable<Synced['reached']>;

async function readAndWrite(
  sync: Sync,
  stage: ContentStage,
  compared: Withheld,
  reached: Reached,
  counts: RunCounts,
): Promise<Synced> {
  const { workspace, connector, source, readsAtOnce, limits, signal } = sync;
  let bytes = 0;
  const read = await readFiles(compared.toRead, {
    source,
    readsAtOnce,
    signal,
    maxBytes: limits.fileBytes,
    ...roomIn(workspace),
    store: (content) => stage.add(content),
    hashOf: (path) => findDocument(workspace.journal.reader, locate(connector, path))?.row.current.sha256,
    onBytes(count) {
      bytes += count;
      sync.onProgress({ listed: counts.listed, bytes });
    },
  });
  signal.throwIfAborted();
  requireReadable(compared, read);
  const skipped = compared.skipped + compared.unseen + read.skipped + read.unreadable;
  return write(sync, stage, compared, read, reached, { ...counts, bytes, skipped });
}

/**
 * One file that cannot be read is no fault of the source. Where none can, and none is known from before, it is one.
 * @throws SourceFault
 */
function requireReadable({ live, toRead }: Comparison, { unreadable, forbidden }: ReadResult): void {
  if (unreadable === 0 || unreadable < toRead.length || live > toRead.length) return;
  if (forbidden === unreadable) {
    throw new SourceFault(
      'auth',
      'The source lets this account see its files, and forbids it to read them. Give it that right, or set another secret.',
    );
  }
  throw new SourceFault('network', 'Not one of the files of the source could be read. The sync is tried again.');
}

async function write(
  sync: Sync,
  stage: ContentStage,
  compared: Withheld,
  read: ReadResult,
  reached: Reached,
  counts: RunCounts,
): Promise<Synced> {
  const { workspace, connector, caller, limits, signal } = sync;
  const { journal } = workspace;
  const paired = await runCooperatively(
    pairByContent(read.written, [...compared.removed, ...read.removed], (path) => {
      const current = findDocument(journal.reader, locate(connector, path))?.row.current;
      return current === undefined ? undefined : { blobOid: current.blobOid, size: current.size };
    }),
  );
  signal.throwIfAborted();
  const { before, live } = compared;
  const recent = journal.reader.connectorRuns.deletedSince(connector.id, workspace.clock.now() - removalsCount);
  const approved = journal.reader.connectors.approvedOf(connector.id);
  let maxDeleted = maxRemovals(before, recent);
  if (paired.removed.length > maxDeleted) {
    const paths = paired.removed.map(({ path }) => path);
    const held = await runCooperatively(describeRemoval({ before, recent, live }, paths));
    if (approved === null) return asHeld(held, counts);
    // Another approval can be for these and for those that have no place, which are found below.
    if (approved === held.fingerprint) maxDeleted = paths.length;
  }
  signal.throwIfAborted();
  const unread = read.unreadable + compared.unseen;
  const retried = unread > 0 ? asRetried(unread) : null;
  // Without a cursor the next run lists everything, and tries the unread files again.
  const next = retried === null && compared.withheld === 0 ? reached : { ...reached, cursor: null };
  // A moved file that cannot be mirrored any more has no document in its new place.
  const lost = new Set(read.removed.map(({ path }) => path));
  const moved = [...compared.moved.filter(({ from }) => !lost.has(from)), ...paired.moved];
  const put = [...compared.put, ...read.put];
  const isSame =
    put.length + compared.remove.length + paired.written.length + paired.removed.length + moved.length === 0;
  if (isSame) {
    const outcome = retried === null ? 'unchanged' : 'partial';
    return { outcome, message: retried, counts, versionId: null, reached: next };
  }
  const scrubbed = await runCooperatively(scrubRows(put, (text) => sync.scrub(text)));
  const whole = { written: paired.written, put: scrubbed };
  const onlyAdds = compared.remove.length + paired.removed.length + moved.length === 0;
  const { early, last } = onlyAdds
    ? await runCooperatively(divideAdditions(whole, limits.filesInCommit))
    : { early: [], last: whole };
  const lastWritten = await runCooperatively(asDocuments(connector, last.written));
  await stage.show();
  signal.throwIfAborted();
  const added = await addEarly(sync, early, counts);
  signal.throwIfAborted();
  const input = {
    connectorId: connector.id,
    generation: connector.generation,
    reached: { ...next, isPartial: retried !== null },
    written: lastWritten,
    moved: moved.map(({ from, to }) => ({ from: locate(connector, from), to: locate(connector, to) })),
    deleted: paired.removed.map(({ path }) => locate(connector, path)),
    entries: { put: last.put, remove: compared.remove },
  };
  let { result } = await perform(workspace, caller, mirrorSource, { ...input, maxDeleted });
  if (result.tooMany !== null) {
    const paths = result.tooMany.map((each) => each.slice(connector.location.length + 1));
    const held = await runCooperatively(describeRemoval({ before, recent, live }, paths));
    if (approved !== held.fingerprint) return asHeld(held, counts);
    signal.throwIfAborted();
    ({ result } = await perform(workspace, caller, mirrorSource, { ...input, maxDeleted: paths.length }));
    // Other documents have taken more places meanwhile.
    if (result.tooMany !== null) return asHeld(held, counts);
  }
  const { updated, deleted, leftOut, versionId } = result;
  const created = added.created + result.created;
  const skipped = counts.skipped + added.leftOut + leftOut.length;
  const done = { ...counts, created, updated, moved: result.moved, deleted, skipped };
  const outcome = retried !== null ? 'partial' : versionId === null ? 'unchanged' : 'changed';
  return { outcome, message: retried, counts: done, versionId, reached: next };
}

/** Writes new files, a commit for each of these additions. They stay, whatever becomes of the run. */
async function addEarly(
  sync: Sync,
  additions: readonly Addition[],
  counts: RunCounts,
): Promise<{ readonly created: number; readonly leftOut: number }> {
  const { workspace, connector, caller, signal } = sync;
  const { id: connectorId, generation } = connector;
  const added = { created: 0, leftOut: 0 };
  for (const { written, put } of additions) {
    signal.throwIfAborted();
    const { result } = await perform(workspace, caller, mirrorSource, {
      connectorId,
      generation,
      reached: null,
      written: await runCooperatively(asDocuments(connector, written)),
      moved: [],
      deleted: [],
      maxDeleted: 0,
      entries: { put, remove: [] },
    });
    added.created += result.created;
    added.leftOut += result.leftOut.length;
    sync.onProgress({ ...counts, created: added.created });
  }
  return added;
}

function asHeld(held: HeldChange, counts: RunCounts): Synced {
  return { outcome: 'held', message: held.message, counts, versionId: null, held };
}

function* asDocuments(connector: Connector, files: readonly ReadFile[]): Steps<EventFile[]> {
  const documents: EventFile[] = [];
  for (const { path, content } of files) {
    yield;
    const mediaType = guessMediaType(nameOf(path as Location), content);
    documents.push({ location: locate(connector, path), content, mediaType });
  }
  return documents;
}

function asRetried(count: number): string {
  const files =
    count === 1
      ? 'A file or folder could not be read. It stays'
      : `${count} files or folders could not be read. They stay`;
  return `${files} as before, and the next run tries again.`;
}

/** Only filtered paths, and rows of such, come here. */
function locate({ location }: Connector, path: string): Location {
  return (location === '' ? path : `${location}/${path}`) as Location;
}

/** Bytes that the workspace has room for, by its quota. */
function roomIn({ journal }: Workspace): { readonly room: number; readonly quota: number } {
  const used = journal.state.storedBytes + journal.reader.storedBytes.beside();
  const quota = readPolicy(journal.reader).storageQuota;
  return { room: quota - used, quota };
}
