import { isWithin, rebase, segmentsOf, type Location } from '../domain/location.js';
import { makePackable, type Oid, type PackableObject } from '../git/objects/objects.js';
import { readLinks, rewriteCommit } from '../git/objects/rewrite-commit.js';
import { editTree } from '../git/objects/tree-edit.js';
import type { Tree, TreeEntry } from '../git/objects/tree.js';
import type { RewrittenCommit } from '../sidecar/tables/rewritten-commit-table.js';
import { InvalidEvent, type Event } from '../history/event.js';
import { decodeEvent, encodeEvent, isStampTrailer } from '../history/event-codec.js';
import { composeCommitMessage, parseCommitMessage, type CommitMessage } from '../history/trailers.js';

/** A document's place from some commit on. Null for none. */
export interface ErasedPlace {
  readonly location: Location | null;
  /** The file expected there. Null where the commit only names its new place. */
  readonly blob: Oid | null;
}

/** A document to remove from the history. Plain data: it goes to another thread. */
export interface ErasedDocument {
  readonly id: string;
  /** The document's own places, by commit. Moves of folders are read from the commits. */
  readonly places: ReadonlyMap<Oid, ErasedPlace>;
}

/** The state of a rewrite between two commits. Plain data, replaced as a whole. */
export interface RewriteState {
  /** The last commit of the new history. Null before the first. */
  readonly parent: Oid | null;
  /** Trees of the last commit, in the old and the new history. */
  readonly treeBefore: Oid;
  readonly treeAfter: Oid;
  /** Each document's place in the old tree. Null for none. */
  readonly locations: readonly (Location | null)[];
}

export interface RewriteStep {
  readonly state: RewriteState;
  readonly commit: RewrittenCommit;
  /** Trees that must be stored for it. Most of them may be stored already. */
  readonly trees: readonly Tree[];
  /** The commit itself. None for an omitted commit. */
  readonly object: PackableObject | undefined;
}

/** The history contradicts the rows, or has a hole, so an erase must not rewrite it. */
export class HistoryDisagrees extends Error {
  override readonly name = 'HistoryDisagrees';
  readonly commit: Oid;
  /** Ids of the documents that cannot be removed therefore. Null for all documents older than that commit. */
  readonly documentIds: readonly string[] | null;
  /** An object of it is missing or damaged. */
  readonly isLoss: boolean;

  constructor(message: string, commit: Oid, documentIds: readonly string[] | null, isLoss = false) {
    super(message);
    this.commit = commit;
    this.documentIds = documentIds;
    this.isLoss = isLoss;
  }
}

/** The trailer in which a rewritten commit keeps its first id. */
const versionTrailer = 'Version';

/**
 * Rewrites one commit without the documents: its tree never had them, and its event does not name them. A commit about
 * nothing else is left out.
 * @param load gives a tree by its oid, synchronously; its errors pass through, and then nothing was done
 * @throws HistoryDisagrees
 */
export function rewriteOne(
  documents: readonly ErasedDocument[],
  state: RewriteState,
  { oid, bytes }: { readonly oid: Oid; readonly bytes: Buffer },
  load: (oid: Oid) => Tree,
): RewriteStep {
  const old = readLinks(bytes);
  if (old.parents.length > 1)
    throw new HistoryDisagrees(`The commit ${oid} is a merge, which the service never makes.`, oid, null);
  const text = parseCommitMessage(old.message);
  const event = text === undefined ? undefined : readEvent(text, oid);
  const locations = follow(documents, state.locations, oid, event);
  const redacted = event === undefined ? undefined : redactEvent(event, documents, locations);
  if (isAbout(event) && documents.some(({ places }) => places.has(oid))) {
    return dropped({ ...state, treeBefore: old.tree, locations }, oid);
  }
  for (const [index, document] of documents.entries()) requireThere(document, locations[index], oid, old.tree, load);
  const edits = locations
    .filter((location) => location !== null)
    .map((location) => ({ path: segmentsOf(location), entry: null }));
  const edited = edits.length === 0 ? { root: old.tree, created: [] } : editTree(old.tree, edits, load);
  const next = { treeBefore: old.tree, treeAfter: edited.root, locations };
  const isEmptied = edited.root === state.treeAfter && old.tree !== state.treeBefore;
  if (isEmptied && !isMore(redacted)) return dropped({ ...next, parent: state.parent }, oid);
  const message = text === undefined || redacted === undefined ? old.message : composeRedacted(text, redacted, oid);
  const commit = makePackable('commit', rewriteCommit(bytes, { tree: edited.root, parent: state.parent, message }));
  return {
    state: { ...next, parent: commit.oid },
    commit: { before: oid, after: commit.oid },
    trees: edited.created,
    object: commit,
  };
}

/**
 * The event of a commit. Undefined for a commit not made by the service.
 * @throws HistoryDisagrees for an event or a trailer unknown to this release: it may name the documents
 */
function readEvent(text: CommitMessage, oid: Oid): Event | undefined {
  if (!text.trailers.some(([name]) => name === 'Operation')) return undefined;
  try {
    const event = decodeEvent(text);
    const names = new Set(encodeEvent(event).map(([name]) => name));
    const unknown = text.trailers.find((trailer) => !names.has(trailer[0]) && !isStampTrailer(trailer));
    if (unknown !== undefined) throw new InvalidEvent(`its trailer "${unknown[0]}" is not known to this release`);
    return event;
  } catch (error) {
    if (!(error instanceof InvalidEvent)) throw error;
    throw new HistoryDisagrees(`The commit ${oid} cannot be rewritten: ${error.message}.`, oid, null);
  }
}

function dropped(state: RewriteState, oid: Oid): RewriteStep {
  return { state, commit: { before: oid, after: null }, trees: [], object: undefined };
}

/** Whether the event is about one document alone. */
function isAbout(event: Event | undefined): boolean {
  if (event === undefined) return false;
  return event.type === 'create' || ('documentId' in event && event.documentId !== null);
}

/** Whether it does something that its tree need not show: the same content again, or documents of one content that change places. */
function isMore(event: Event | undefined): boolean {
  if (event === undefined) return false;
  if ('moved' in event) return event.moved.length > 0;
  return 'restored' in event && event.restored.length > 0;
}

/** The documents' places after the commit. */
function follow(
  documents: readonly ErasedDocument[],
  locations: RewriteState['locations'],
  oid: Oid,
  event: Event | undefined,
): (Location | null)[] {
  const moved = event?.type === 'rename' || event?.type === 'move' ? event : undefined;
  return documents.map(({ places }, index) => {
    const place = places.get(oid);
    if (place !== undefined) return place.location;
    const location = locations[index] ?? null;
    if (location === null || moved?.documentId !== null || !isWithin(moved.from, location)) return location;
    return rebase(location, moved.from, moved.to);
  });
}

/** @throws HistoryDisagrees when the tree lacks a file that the rows expect */
function requireThere(
  { id, places }: ErasedDocument,
  location: Location | null | undefined,
  oid: Oid,
  root: Oid,
  load: (oid: Oid) => Tree,
): void {
  if (location === null || location === undefined) return;
  let entry: TreeEntry | undefined = { mode: '40000', oid: root };
  for (const segment of segmentsOf(location)) {
    entry = entry?.mode === '40000' ? load(entry.oid).entry(segment) : undefined;
  }
  const blob = places.get(oid)?.blob ?? entry?.oid;
  if (entry === undefined || entry.mode === '40000' || entry.oid !== blob) {
    throw new HistoryDisagrees(`The commit ${oid} lacks a file that the database lists for it.`, oid, [id]);
  }
}

/**
 * The event without the documents.
 * @param locations the documents' places after it
 */
export function redactEvent(
  event: Event,
  documents: readonly Pick<ErasedDocument, 'id'>[],
  locations: readonly (Location | null)[],
): Event {
  const isKept = ({ documentId }: { readonly documentId: string }): boolean =>
    !documents.some(({ id }) => id === documentId);
  if (event.type === 'undelete-folder') return { ...event, restored: event.restored.filter(isKept) };
  if (event.type === 'revert') {
    return { ...event, restored: event.restored.filter(isKept), deleted: event.deleted.filter(isKept) };
  }
  if (!('mediaTypes' in event)) return event;
  const { usual, others } = event.mediaTypes;
  const kept = [...others].filter(([location]) => !locations.includes(location as Location));
  const mediaTypes = { usual, others: new Map(kept) };
  return 'moved' in event ? { ...event, mediaTypes, moved: event.moved.filter(isKept) } : { ...event, mediaTypes };
}

/** The message with the redacted event. The other trailers stay as they are, and the commit's first id is added. */
function composeRedacted(text: CommitMessage, event: Event, oid: Oid): string {
  const own = encodeEvent(event);
  const stamp = text.trailers.filter(isStampTrailer);
  const version = stamp.some(([name]) => name === versionTrailer) ? [] : [[versionTrailer, oid] as const];
  return composeCommitMessage({ ...text, trailers: [...own, ...stamp, ...version] });
}
