import type { AccessReport } from '../domain/access-change.js';
import type { Change } from '../domain/change.js';
import type { Document, Folder } from '../domain/document.js';
import type { Grant } from '../domain/grant.js';
import {
  type Location,
  ancestorsOf,
  byteLength,
  isWithin,
  maxLocationLength,
  nameOf,
  parentOf,
  rebase,
  segmentsOf,
} from '../domain/location.js';
import { conflict, invalidRequest, notFound } from '../domain/refusal.js';
import type { TreeEntry } from '../git/objects/tree.js';
import {
  descend,
  findDocument,
  findFolder,
  toDocument,
  toFolder,
  type FoundDocument,
  type FoundFolder,
} from '../view/locate.js';
import { noteSearch } from './index-changes.js';
import { requireFree, requireNoFolderGrant, requireNoMirrorBelow, requireWritable } from './location-guards.js';
import { momentOf, writeCommit, type WriteContext } from './write-context.js';
import { reportAccess } from './report-access.js';
import { requireCurrent } from './apply-update.js';
import { requireHeld, requireNoneClaimed, requireUnclaimed } from './require-unclaimed.js';
import { ensureFolder, dropEmptyFolders } from '../history/folder-rows.js';

type Relocate = Extract<Change, { type: 'relocate' }>;

/** What was moved, as it is now, and what that did to access. */
export interface RelocationResult {
  readonly moved:
    { readonly type: 'document'; readonly document: Document } | { readonly type: 'folder'; readonly folder: Folder };
  readonly from: Location;
  readonly to: Location;
  readonly gains: AccessReport['gains'];
  readonly losses: AccessReport['losses'];
  readonly versionId: string;
}

/** Folder grants that go along: all with a rename; with a move only where the mover is approver at both ends. */
function travellingGrants({ transaction, reach }: WriteContext, { operation, from, to }: Relocate): Grant[] {
  const mayCarry = operation === 'rename' || (reach.holds('approver', from) && reach.holds('approver', to));
  return mayCarry ? transaction.tables.grants.atOrBelow(from) : [];
}

/** @throws Refusal CONFLICT `access_would_widen` with the report, or `access_report_changed` */
function requireAcknowledged(change: Relocate, report: AccessReport): void {
  if (report.gains.length === 0) return;
  const stale = change.report !== undefined && change.report !== report.digest;
  if (change.acknowledged && !stale) return;
  throw conflict(
    change.acknowledged ? 'access_report_changed' : 'access_would_widen',
    change.acknowledged
      ? 'Who would gain access has changed since the report that was acknowledged. Look at the new one.'
      : `More people would reach this at the new location${report.reachesDeleted ? ', or what was deleted there' : ''}. ` +
          'Send it again with acknowledge_access_change to do it.',
    {
      from: change.from,
      to: change.to,
      report,
    },
  );
}

/** The entry that a path has in the present tree. */
function entryAt(context: WriteContext, location: Location): TreeEntry {
  let entry: TreeEntry | undefined;
  let tree = context.transaction.state.tree;
  for (const segment of segmentsOf(location)) {
    entry = tree === null ? undefined : context.transaction.loadTree(tree).entry(segment);
    tree = entry?.mode === '40000' ? entry.oid : null;
  }
  if (entry === undefined) throw new Error('The tree lacks what the rows say is there.');
  return entry;
}

/** Whether the request names a document by its ETag or a claim on it: a folder, which has neither, is not what it is for. */
function isOfDocument({ precondition, claimId }: Relocate): boolean {
  return precondition?.any === false || claimId !== undefined;
}

/**
 * Renames or moves a document, or a folder with everything in it: one commit, one edit a level, a few rows, however
 * much lies below. It is an event in the history and makes no version, so ETags stay.
 * @throws Refusal NOT_FOUND; CONFLICT `stale_if_match`, `claimed`, `name_taken`, `access_would_widen`,
 * `access_report_changed`; INVALID_REQUEST `into_itself`, `read_only_source`, `bad_location`
 */
export function applyRelocate(context: WriteContext, change: Relocate): RelocationResult {
  const { from, to } = change;
  const moving = requireMovable(context, change);
  const { document } = moving;
  const travelling = document === undefined ? travellingGrants(context, change) : [];
  const report = reportAccess(context, { from, to, documentId: document?.row.id ?? null, travelling });
  requireAcknowledged(change, report);
  const versionId = writeRelocation(context, change, document);
  placeRows(context, change, moving, travelling, versionId);
  noteSearch(context, versionId, { type: 'rename', from, to });
  const { gains, losses } = report;
  return { moved: describeMoved(context, to), from, to, gains, losses, versionId };
}

/** What is to be moved: one of the two. */
interface Moving {
  readonly document: FoundDocument | undefined;
  readonly folder: FoundFolder | undefined;
}

/** All that stands against it but what it does to access. @throws Refusal as `applyRelocate` does */
function requireMovable(context: WriteContext, change: Relocate): Moving {
  const { tables } = context.transaction;
  const { from, to } = change;
  const document = findDocument(tables, from);
  const folder = document === undefined && !isOfDocument(change) ? findFolder(tables, from) : undefined;
  if (document === undefined && (folder === undefined || context.view.folder(from) === undefined)) throw notFound();
  if (folder !== undefined && to !== from && isWithin(from, to)) {
    throw invalidRequest('into_itself', 'A folder cannot be moved into itself.', { input: 'toFolder' });
  }
  if (document !== undefined) {
    requireCurrent(context, from, change.precondition ?? { any: true });
    requireHeld(context, document, change.claimId);
    requireUnclaimed(context, document);
    requireNoFolderGrant(context, to);
  } else {
    requireNoneClaimed(context, from);
  }
  requireFree(context, to);
  requireWritable(document?.mirror ?? folder?.mirror ?? null);
  requireWritable(descend(tables, parentOf(to)).folder.mirror);
  if (folder !== undefined) {
    requireNoMirrorBelow(context, from);
    requireShortEnough(context, folder.row.number, change);
    requireNoGrantOnMovedDocuments(context, from, to);
  }
  return { document, folder };
}

/** @returns the commit's version id */
function writeRelocation(
  context: WriteContext,
  { operation, from, to }: Relocate,
  document: FoundDocument | undefined,
): string {
  const { mode, oid } = entryAt(context, from);
  return writeCommit(
    context,
    [
      { location: from, entry: null },
      { location: to, entry: { mode: mode === '40000' ? '40000' : '100644', oid } },
    ],
    {
      operation,
      subject: `${operation === 'rename' ? 'Rename' : 'Move'} ${from} to ${to}`,
      message: null,
      trailers: [
        ...(document === undefined ? [] : [['Document', document.row.id] as const]),
        ['From', from],
        ['To', to],
      ],
    },
  );
}

/** Puts the rows in their new place, the grants that go along among them, and tells the history. */
function placeRows(
  context: WriteContext,
  { operation, from, to }: Relocate,
  { document, folder }: Moving,
  travelling: readonly Grant[],
  commit: string,
): void {
  const { tables, now } = context.transaction;
  const target = ensureFolder(tables, parentOf(to));
  if (document !== undefined) tables.documents.place(document.row.number, target.row.number, nameOf(to));
  else if (folder !== undefined) tables.folders.place(folder.row.number, target.row.number, nameOf(to));
  for (const grant of travelling) {
    if (grant.scope.type === 'folder') tables.grants.rebase(grant.id, rebase(grant.scope.location, from, to));
  }
  dropEmptyFolders(tables, parentOf(from));
  tables.relocations.insert({
    commit,
    operation,
    document: document?.row.number ?? null,
    from,
    to,
    author: context.author.id,
    at: now,
    moment: momentOf(context),
  });
}

function describeMoved(context: WriteContext, to: Location): RelocationResult['moved'] {
  const document = findDocument(context.transaction.tables, to);
  if (document !== undefined)
    return { type: 'document', document: toDocument(context.transaction.tables, document, context.transaction.now) };
  const folder = findFolder(context.transaction.tables, to);
  if (folder === undefined) throw new Error('What was just moved is not there.');
  return { type: 'folder', folder: toFolder(to, folder.mirror) };
}

/** Bytes of a slash and the longest name. */
const maxStepBytes = 256;

/**
 * Nothing in a folder may come to lie at a location that no request could name. Documents are looked at only where the
 * deepest folder leaves too little room for any name. It tells the caller of nothing hidden: an editor of the folder
 * reads everything in it.
 * @throws Refusal INVALID_REQUEST `bad_location`
 */
function requireShortEnough({ transaction }: WriteContext, folder: number, { from, to, operation }: Relocate): void {
  const { folders } = transaction.tables;
  const room = maxLocationLength - byteLength(to);
  if (byteLength(to) <= byteLength(from)) return;
  const deepest = folders.longestBelow(folder);
  if (deepest + maxStepBytes <= room) return;
  if (deepest <= room && folders.longestDocumentBelow(folder) <= room) return;
  throw invalidRequest(
    'bad_location',
    `Something in the folder would lie deeper than ${maxLocationLength} bytes.`,
    operation === 'rename' ? { field: 'name' } : { input: 'toFolder' },
  );
}

/** Folder grants that wait on the target path must not come to lie on, or below, a document that is moved there. */
function requireNoGrantOnMovedDocuments({ transaction }: WriteContext, from: Location, to: Location): void {
  for (const { scope } of transaction.tables.grants.atOrBelow(to)) {
    if (scope.type !== 'folder') continue;
    const source = rebase(scope.location, to, from);
    const inTheWay = [...ancestorsOf(source), source].find(
      (location) => isWithin(from, location) && findDocument(transaction.tables, location) !== undefined,
    );
    if (inTheWay !== undefined) {
      throw conflict(
        'name_taken',
        `"${rebase(inTheWay, from, to)}" is a folder with grants, but a document would go there.`,
        {
          location: rebase(inTheWay, from, to),
        },
      );
    }
  }
}
