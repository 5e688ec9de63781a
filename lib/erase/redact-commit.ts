import { isWithin, rebase, segmentsOf, type Location } from '../domain/location.js';
import { makePackable, type Oid, type PackableObject } from '../git/objects/objects.js';
import { readLinks, rewriteCommit } from '../git/objects/rewrite-commit.js';
import { editTree } from '../git/objects/tree-edit.js';
import type { Tree, TreeEntry } from '../git/objects/tree.js';
import type { RewrittenCommit } from '../sidecar/tables/rewritten-commit-table.js';
import { parseCommitMessage, type CommitMessage } from '../history/trailers.js';

/** Where a document lay from some commit on; null for nowhere. */
export interface ErasedPlace {
  readonly location: Location | null;
  /** The file that has to be there; null where the commit only says where it went. */
  readonly blob: Oid | null;
}

/** A document that is taken out of the history. Plain data: it goes to another thread. */
export interface ErasedDocument {
  readonly id: string;
  /** What happened to it, by commit. A folder's moves come on top; the commits tell them. */
  readonly places: ReadonlyMap<Oid, ErasedPlace>;
}

/** Where a rewrite stands between two commits. Plain data, replaced as a whole. */
export interface RewriteState {
  /** The last commit of the new history; null before the first. */
  readonly parent: Oid | null;
  /** Trees of the last commit, as it was and as it is now. */
  readonly treeBefore: Oid;
  readonly treeAfter: Oid;
  /** Where each of the documents lies in the old tree; null for nowhere. */
  readonly locations: readonly (Location | null)[];
}

export interface RewriteStep {
  readonly state: RewriteState;
  readonly commit: RewrittenCommit;
  /** Trees that have to be stored for it; most of them may be stored already. */
  readonly trees: readonly Tree[];
  /** The commit itself; none for one that is left out. */
  readonly object: PackableObject | undefined;
}

/** The history does not say what the rows say: nothing may be taken out of it on such ground. */
export class HistoryDisagrees extends Error {
  override readonly name = 'HistoryDisagrees';
  readonly commit: Oid;
  /** Ids of the documents that cannot be taken out therefore; null for all that were there before that commit. */
  readonly documentIds: readonly string[] | null;

  constructor(message: string, commit: Oid, documentIds: readonly string[] | null) {
    super(message);
    this.commit = commit;
    this.documentIds = documentIds;
  }
}

/** Operations that are about one document, where it is named or made. */
const single: ReadonlySet<string> = new Set(['create', 'update', 'restore', 'undelete', 'delete', 'rename', 'move']);

/** The trailer under which a commit that was made anew keeps the id that was handed out for it. */
const versionTrailer = 'Version';

/**
 * Makes one commit anew, without the documents: with a tree that never had them, and without what its trailers say of
 * them. One that was about nothing else is left out.
 * @param load gives a tree by its oid, synchronously; what it throws passes through, and then nothing was done
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
  const locations = follow(documents, state.locations, oid, text);
  const isNamed = documents.some(({ places }) => places.has(oid));
  if (isNamed && isSingle(text)) {
    return dropped({ ...state, treeBefore: old.tree, locations }, oid);
  }
  for (const [index, document] of documents.entries()) requireThere(document, locations[index], oid, old.tree, load);
  const edits = locations
    .filter((location) => location !== null)
    .map((location) => ({ path: segmentsOf(location), entry: null }));
  const edited = edits.length === 0 ? { root: old.tree, created: [] } : editTree(old.tree, edits, load);
  const trailers = text?.trailers.filter(([name, value]) => !tellsOf(documents, locations, name, value)) ?? [];
  const next = { treeBefore: old.tree, treeAfter: edited.root, locations };
  const isEmptied = edited.root === state.treeAfter && old.tree !== state.treeBefore;
  if (isEmptied && !trailers.some(([name]) => name === 'Restored')) {
    return dropped({ ...next, parent: state.parent }, oid);
  }
  const message = text === undefined ? old.message : composeMessage(text, trailers, oid);
  const commit = makePackable('commit', rewriteCommit(bytes, { tree: edited.root, parent: state.parent, message }));
  return {
    state: { ...next, parent: commit.oid },
    commit: { before: oid, after: commit.oid },
    trees: edited.created,
    object: commit,
  };
}

function dropped(state: RewriteState, oid: Oid): RewriteStep {
  return { state, commit: { before: oid, after: null }, trees: [], object: undefined };
}

function valueOf(text: CommitMessage | undefined, name: string): string | undefined {
  return text?.trailers.find(([each]) => each === name)?.[1];
}

/** Whether the commit is about one document alone. A rename or move without one is a folder's. */
function isSingle(text: CommitMessage | undefined): boolean {
  const operation = valueOf(text, 'Operation') ?? '';
  return single.has(operation) && (operation === 'create' || valueOf(text, 'Document') !== undefined);
}

/** Where the documents lie after the commit. */
function follow(
  documents: readonly ErasedDocument[],
  locations: RewriteState['locations'],
  oid: Oid,
  text: CommitMessage | undefined,
): (Location | null)[] {
  const operation = valueOf(text, 'Operation');
  const isFolderGone = (operation === 'rename' || operation === 'move') && valueOf(text, 'Document') === undefined;
  const from = isFolderGone ? (valueOf(text, 'From') as Location | undefined) : undefined;
  const to = isFolderGone ? (valueOf(text, 'To') as Location | undefined) : undefined;
  return documents.map(({ places }, index) => {
    const place = places.get(oid);
    if (place !== undefined) return place.location;
    const location = locations[index] ?? null;
    if (location === null || from === undefined || to === undefined || !isWithin(from, location)) return location;
    return rebase(location, from, to);
  });
}

/** @throws HistoryDisagrees when the tree has no such file where the rows say that it was */
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
    throw new HistoryDisagrees(`The commit ${oid} has not the file that its rows speak of.`, oid, [id]);
  }
}

/** Whether a trailer says something of one of the documents. */
function tellsOf(
  documents: readonly ErasedDocument[],
  locations: readonly (Location | null)[],
  name: string,
  value: string,
): boolean {
  const tab = value.indexOf('\t');
  if (tab < 0) return false;
  if (name === 'Restored' || name === 'Deleted') return documents.some(({ id }) => value.startsWith(`${id}\t`));
  return name === 'Media-Type' && locations.includes(value.slice(tab + 1) as Location);
}

function composeMessage(text: CommitMessage, trailers: CommitMessage['trailers'], oid: Oid): string {
  const all = trailers.some(([name]) => name === versionTrailer)
    ? trailers
    : [...trailers, [versionTrailer, oid] as const];
  const paragraphs = [
    text.subject,
    ...(text.message === null ? [] : [text.message]),
    all.map(([name, value]) => `${name}: ${value}`).join('\n'),
  ];
  return `${paragraphs.join('\n\n')}\n`;
}
