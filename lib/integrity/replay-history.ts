import type { Location } from '../domain/location.js';
import type { Oid } from '../git/objects/objects.js';
import type { ReadableRepository } from '../git/repositories/open-read-only.js';
import { Rests } from '../scheduling/rests.js';
import { runCooperatively } from '../scheduling/run-cooperatively.js';
import { yieldToLoop } from '../scheduling/yield-to-loop.js';
import { isAgainstSchema } from '../sidecar/fault.js';
import type { Scratch } from '../sidecar/scratch.js';
import { decodeHistory, type HistoryCommit } from '../history/read-history.js';
import { project } from '../history/project.js';
import type { EventFile } from '../history/projection.js';
import { ContentFinder, type FoundFile } from './content-finder.js';
import { InvalidEvent, type EventOf, type MediaTypes, type RecordedEvent } from '../history/event.js';
import { decodeCommit } from '../history/event-codec.js';
import { verifyTree } from './verify-tree.js';

/** A commit, or something in the newest tree, from which no rows could be made. */
export interface RebuildProblem {
  /** null when it concerns the newest tree as a whole. */
  readonly commit: Oid | null;
  /** A sentence's end, after the commit's name. */
  readonly reason: string;
}

/** The result of a replay. */
export interface RebuildReport {
  readonly head: Oid;
  readonly commits: number;
  /** Live ones. */
  readonly documents: number;
  readonly deletedDocuments: number;
  readonly versions: number;
  readonly folders: number;
  readonly problems: readonly RebuildProblem[];
}

/** An event with the content of its commit. */
interface ReplayedEvent {
  readonly recorded: RecordedEvent;
  readonly files: readonly EventFile[];
  readonly gone?: readonly Location[];
}

/** The source of a history. */
export type HistorySource = Pick<ReadableRepository, 'read' | 'size' | 'readStream' | 'history'>;

/** Commits, and files of an import, whose content is read at the same time. */
const together = 16;

/**
 * Makes the rows of documents, versions, folders, renames and moves again, from a repository's history and its trailers
 * alone. Then it compares the outcome with the newest tree. Reads the history once, in order. Memory stays flat.
 * @param scratch empty; holds the rows and their authors afterwards
 * @param onProgress called with the number of commits so far
 * @param finder reads the content of commits
 * @throws ObjectNotFound, RepositoryUnreadable
 */
export async function replayHistory(
  repository: HistorySource,
  head: Oid,
  scratch: Scratch,
  onProgress: (commits: number) => void | Promise<void> = () => undefined,
  finder = new ContentFinder(repository),
): Promise<RebuildReport> {
  const problems: RebuildProblem[] = [];
  let commits = 0;
  let before: HistoryCommit | undefined;
  const rests = new Rests();
  for await (const group of decodeHistory(repository, head)) {
    const events = await mapTogether(group, (read, index) =>
      understood(prepareEvent(finder, read, index === 0 ? before : group[index - 1])),
    );
    scratch.sqlTransaction.begin();
    for (const [index, event] of events.entries()) {
      const moment = commits + index + 1;
      if (!(event instanceof InvalidEvent)) noteDecoded(scratch, event);
      const problem = event instanceof InvalidEvent ? event.message : await projectAlone(scratch, event, moment);
      if (problem !== undefined) problems.push({ commit: group[index]?.oid ?? null, reason: problem });
      if (rests.isDue) await rests.take();
    }
    scratch.sqlTransaction.commit();
    commits += group.length;
    before = group.at(-1);
    await onProgress(commits);
    await yieldToLoop();
  }
  if (before !== undefined) scratch.tables.meta.set('tree', before.commit.tree);
  await verifyTree(
    { sidecar: { reader: scratch.tables, totals: () => scratch.totals() }, repository },
    (_, message, place) =>
      problems.push({ commit: null, reason: place === undefined ? message : `"${place}" ${message}` }),
  );
  const { documents, deletedDocuments, versions, folders } = scratch.totals();
  return { head, commits, documents, deletedDocuments, versions, folders, problems };
}

/** Releases before took these for binary content, and their rows still say so. */
function noteDecoded(scratch: Scratch, { files }: ReplayedEvent): void {
  for (const { content } of files) if (content.charset !== undefined) scratch.noteDecoded(content.blobOid);
}

/** @throws InvalidEvent */
async function prepareEvent(
  finder: ContentFinder,
  read: HistoryCommit,
  before: HistoryCommit | undefined,
): Promise<ReplayedEvent> {
  const { parents, tree } = read.commit;
  if (parents.length > 1) throw new InvalidEvent('it is a merge, which the service never makes');
  const recorded = decodeCommit(read);
  const { event } = recorded;
  switch (event.type) {
    case 'create':
    case 'update':
    case 'restore':
    case 'undelete': {
      const { location, mediaType } = event;
      return { recorded, files: [{ location, mediaType, content: await finder.at(tree, location, mediaType) }] };
    }
    case 'import': {
      const added = await finder.added(before?.commit.tree ?? null, tree);
      return { recorded, files: await describeFiles(finder, event, added) };
    }
    case 'mirror':
    case 'push':
      return { recorded, ...(await readTreeChange(finder, event, before?.commit.tree ?? null, tree)) };
    case 'undelete-folder':
    case 'revert': {
      const files = await mapTogether(event.restored, async ({ location, mediaType }) => ({
        location,
        mediaType,
        content: await finder.at(tree, location, mediaType),
      }));
      return { recorded, files };
    }
    case 'delete':
    case 'delete-folder':
    case 'rename':
    case 'move':
    case 'create-folder':
    case 'erase':
    case 'recover':
      return { recorded, files: [] };
  }
}

function describeFiles(
  finder: ContentFinder,
  { mediaTypes }: { readonly mediaTypes: MediaTypes },
  files: readonly FoundFile[],
): Promise<EventFile[]> {
  return mapTogether(files, async ({ location, oid }) => {
    const mediaType = mediaTypes.others.get(location) ?? mediaTypes.usual;
    if (mediaType === undefined) throw new InvalidEvent(`it names no media type for "${location}"`);
    return { location, mediaType, content: await finder.describe(oid, mediaType) };
  });
}

/**
 * What a mirror or a push did, by the trees before and after it. A moved document has a version where its content differs from
 * before its move. A file in a place that a document left is a new one. A document whose place another took is gone.
 */
async function readTreeChange(
  finder: ContentFinder,
  event: EventOf<'mirror' | 'push'>,
  before: Oid | null,
  after: Oid,
): Promise<Pick<ReplayedEvent, 'files' | 'gone'>> {
  const { put, removed } = await finder.changed(before, after);
  const from = new Set(event.moved.map((each) => each.from));
  const to = new Set(event.moved.map((each) => each.to));
  const written = new Map(put.filter(({ location }) => !to.has(location)).map(({ location, oid }) => [location, oid]));
  const gone = removed.filter((location) => !from.has(location));
  for (const moved of event.moved) {
    const now = await finder.find(after, moved.to);
    if (now === undefined) throw new InvalidEvent(`its tree has no file at "${moved.to}"`);
    if (now !== (await finder.find(before, moved.from))) written.set(moved.to, now);
    if (!from.has(moved.to) && (await finder.find(before, moved.to)) !== undefined) gone.push(moved.to);
    const follower = to.has(moved.from) ? undefined : await finder.find(after, moved.from);
    if (follower !== undefined) written.set(moved.from, follower);
  }
  const files = [...written].map(([location, oid]) => ({ location, oid }));
  return { files: await describeFiles(finder, event, files), gone };
}

/**
 * Others get their turn meanwhile: nobody else uses the scratch.
 * @returns the reason why the rows cannot take it, and have not
 */
async function projectAlone(
  { tables, sqlTransaction }: Scratch,
  { recorded, ...change }: ReplayedEvent,
  moment: number,
): Promise<string | undefined> {
  sqlTransaction.savepoint();
  try {
    ensureAuthor(tables, recorded);
    await runCooperatively(project(tables, recorded, change, moment));
    sqlTransaction.release();
    return undefined;
  } catch (error) {
    sqlTransaction.rollbackToSavepoint();
    if (!(error instanceof InvalidEvent) && !isAgainstSchema(error)) throw error;
    return (error as Error).message;
  }
}

/** Versions are shown with their authors, so each author needs a row. */
function ensureAuthor(tables: Scratch['tables'], { author, at }: RecordedEvent): void {
  if (tables.principals.find(author.id) !== undefined) return;
  tables.principals.insert({ ...author, createdAt: at, disabledAt: at });
}

/** The result of the work, or the reason why the event is not understood. Other errors pass through. */
async function understood<Result>(work: Promise<Result>): Promise<Result | InvalidEvent> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof InvalidEvent) return error;
    throw error;
  }
}

/** Maps with a few at work at any time. Results stand in the order of the items. Others get their turn in between. */
async function mapTogether<Item, Result>(
  items: readonly Item[],
  work: (item: Item, index: number) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  const rests = new Rests();
  let next = 0;
  const run = async (): Promise<void> => {
    for (let index = next++; index < items.length; index = next++) {
      const item = items[index];
      if (item !== undefined) results[index] = await work(item, index);
      if (rests.isDue) await rests.take();
    }
  };
  await Promise.all(Array.from({ length: Math.min(together, items.length) }, run));
  return results;
}
