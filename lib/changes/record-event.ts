import type { PreparedContent } from './prepare-content.js';
import { joinLocation, keepName, segmentsOf, type Location } from '../domain/location.js';
import type { OriginalAuthor } from '../domain/original-author.js';
import { makePackable } from '../git/objects/objects.js';
import type { TreeEntry } from '../git/objects/tree.js';
import type { Event, MediaTypes, RecordedEvent } from '../history/event.js';
import { decodeOriginalAuthor, encodeEvent, subjectOf } from '../history/event-codec.js';
import { project } from '../history/project.js';
import type { EventFile, KnownRows, Projection } from '../history/projection.js';
import type { Steps } from '../scheduling/in-steps.js';
import { takeRoom } from './quota.js';
import { sign, writeCommit, type PathEdit, type WriteContext } from './write-context.js';

/** A file that gets a version from an event. */
export interface DecidedFile extends EventFile {
  /** The content, if it is new to the repository. */
  readonly prepared?: PreparedContent;
}

/** The outcome of a change after all checks. Nothing is written yet. */
export interface Decision<Of extends Event = Event> {
  readonly event: Of;
  /** One file for each version of the event. */
  readonly files: readonly DecidedFile[];
  /** Of a mirror or a push: where documents are deleted. */
  readonly gone?: readonly Location[];
  /** The same: the content that each moved document takes to its new place. */
  readonly carried?: readonly { readonly location: Location; readonly blobOid: string }[];
  /** The writer's own message. */
  readonly message: string | null;
  /** The author of what is imported; left out for the principal's own. */
  readonly originalAuthor?: OriginalAuthor | null | undefined;
  /** Rows looked up by the checks. */
  readonly known?: KnownRows;
}

/** A written decision. */
export interface Recorded extends Projection {
  /** Id of the commit, and of every version in it. */
  readonly versionId: string;
}

/** The media types of an event's files: the most frequent one, and the others by location. */
export function mediaTypesOf(files: readonly Pick<EventFile, 'location' | 'mediaType'>[]): MediaTypes {
  const counts = new Map<string, number>();
  for (const { mediaType } of files) counts.set(mediaType, (counts.get(mediaType) ?? 0) + 1);
  const [usual] = [...counts].toSorted(([, a], [, b]) => b - a)[0] ?? [];
  const others = files.filter(({ mediaType }) => mediaType !== usual);
  return { usual, others: new Map(others.map(({ location, mediaType }) => [location, mediaType])) };
}

/** The empty file that holds the place of a folder. */
const keepFile = makePackable('blob', Buffer.alloc(0));

/**
 * Writes a decision: room in the quota, objects, one commit, rows. Every change of documents and folders goes through
 * here, inside a transaction of the journal.
 * @throws Refusal INVALID_REQUEST `storage_quota`; MissingTrees where trees must be fetched first, after which the
 * journal runs the transaction again
 */
export function* recordEvent(context: WriteContext, decision: Decision): Steps<Recorded> {
  const { transaction, author } = context;
  const { event, files, gone = [], message, originalAuthor = null, known } = decision;
  const bytes = files.reduce((sum, { content }) => sum + content.size, 0);
  // Once for all files: each call reads the quota's rows.
  if (files.length > 0) takeRoom(context, bytes);
  for (const { prepared } of files) {
    if (prepared !== undefined) addContent(context, prepared);
    yield;
  }
  const edits = editsOf(context, decision);
  yield;
  const text = {
    subject: subjectOf(event, countTouched(decision)),
    message,
    trailers: encodeEvent(event),
    originalAuthor,
  };
  const versionId = yield* writeCommit(context, edits, text);
  const { id, kind, displayName } = author;
  const recorded: RecordedEvent = {
    event,
    commit: versionId,
    versionId,
    at: transaction.now,
    author: { id, kind, displayName },
    message,
    originalAuthor: decodeOriginalAuthor(sign(context, originalAuthor)),
  };
  const moment = transaction.state.commits;
  const { written, removed } = yield* project(transaction.tables, recorded, { files, gone }, moment, known);
  return { versionId, written, removed };
}

/** How many files it touches; a file that moves and changes counts once. */
function countTouched({ files, gone = [], carried = [] }: Decision): number {
  return new Set([...files, ...carried].map(({ location }) => location)).size + gone.length;
}

/** Makes a file's content part of the transaction, unless the repository has it: its holder keeps it there until then. */
function addContent({ transaction }: WriteContext, { blobOid, size, deflated }: PreparedContent): void {
  if (deflated === null) return;
  const bytes = Buffer.from(deflated.buffer, deflated.byteOffset, deflated.byteLength);
  transaction.addObject({ oid: blobOid, type: 'blob', size, deflated: bytes });
}

/** The event's changes of the tree. */
function editsOf(context: WriteContext, { event, files, gone = [], carried = [] }: Decision): PathEdit[] {
  const written = files.map(({ location, content }) => putFile(location, content.blobOid));
  switch (event.type) {
    case 'delete':
    case 'delete-folder':
      return [removePath(event.location)];
    case 'rename':
    case 'move': {
      const { mode, oid } = entryAt(context, event.from);
      const entry = { mode: mode === '40000' ? '40000' : '100644', oid } as const;
      return [removePath(event.from), { location: event.to, entry }];
    }
    case 'create-folder':
      return keep(context, [event.location]);
    case 'undelete-folder':
      return [...written, ...keep(context, event.kept)];
    case 'revert':
      return [...event.deleted.map(({ location }) => removePath(location)), ...written];
    case 'mirror':
    case 'push': {
      const left = [...gone, ...event.moved.map(({ from }) => from)];
      const moved = carried.map(({ location, blobOid }) => putFile(location, blobOid));
      return [...left.map(removePath), ...moved, ...written];
    }
    case 'create':
    case 'update':
    case 'restore':
    case 'undelete':
    case 'import':
    case 'erase':
    case 'recover':
      return written;
  }
}

function putFile(location: Location, oid: string): PathEdit {
  return { location, entry: { mode: '100644', oid } };
}

function removePath(location: Location): PathEdit {
  return { location, entry: null };
}

function keep({ transaction }: WriteContext, folders: readonly Location[]): PathEdit[] {
  if (folders.length > 0) transaction.addObject(keepFile);
  return folders.map((folder) => putFile(joinLocation(folder, keepName), keepFile.oid));
}

/** The path's entry in the present tree. */
function entryAt({ transaction }: WriteContext, location: Location): TreeEntry {
  let entry: TreeEntry | undefined;
  let tree = transaction.state.tree;
  for (const segment of segmentsOf(location)) {
    entry = tree === null ? undefined : transaction.loadTree(tree).entry(segment);
    tree = entry?.mode === '40000' ? entry.oid : null;
  }
  if (entry === undefined) throw new Error('The tree lacks what the rows say is there.');
  return entry;
}
