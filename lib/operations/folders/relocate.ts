import { knownRow, requireCurrent } from '../../changes/document-guards.js';
import { noteDocument, noteSearch } from '../../changes/index-changes.js';
import {
  requireFree,
  requireNoFolderGrant,
  requireNoMirrorBelow,
  requireWritable,
  type Leaving,
} from '../../changes/location-guards.js';
import { requirePortable } from '../../changes/portable-names.js';
import { requireRoom } from '../../changes/quota.js';
import { recordEvent, type Decision } from '../../changes/record-event.js';
import { reportAccess, requireAcknowledged, type Acknowledgement } from '../../changes/report-access.js';
import { requireHeld, requireNoneClaimed, requireUnclaimed } from '../../changes/require-unclaimed.js';
import type { WriteContext } from '../../changes/write-context.js';
import type { AccessReport } from '../../domain/access-change.js';
import type { AuditExtent } from '../../domain/audit-record.js';
import type { Document, Folder, Version } from '../../domain/document.js';
import type { Precondition } from '../../domain/etag.js';
import type { Grant } from '../../domain/grant.js';
import {
  ancestorsOf,
  byteLength,
  isWithin,
  joinLocation,
  maxLocationLength,
  nameOf,
  parentOf,
  rebase,
  requireNewLocation,
  type Location,
} from '../../domain/location.js';
import { conflict, invalidRequest, notFound } from '../../domain/refusal.js';
import { kindOf } from '../../extraction/file-kinds.js';
import type { Event } from '../../history/event.js';
import { runAtOnce } from '../../scheduling/in-steps.js';
import { isReadAlike } from '../../search/analysis/analyze-document.js';
import type { Tables } from '../../sidecar/tables.js';
import {
  descend,
  descentAbove,
  findDocument,
  findFolder,
  toDocument,
  toFolder,
  type FoundDocument,
  type FoundFolder,
} from '../../view/locate.js';
import { folderExtent } from '../note-extent.js';
import type { AuditNote, WriteOperation } from '../operation.js';

interface RelocationOptions extends Acknowledgement {
  /** For documents only. Left out: the current version. */
  readonly precondition?: Precondition | undefined;
  /** A claim on which the writer relies. Refused when the claim is no longer in force. */
  readonly claimId?: string | undefined;
}

export interface RenameInput extends RelocationOptions {
  readonly location: Location;
  /** The new last segment. */
  readonly name: string;
}

export interface MoveInput extends RelocationOptions {
  readonly location: Location;
  readonly toFolder: Location;
  /** The new last segment. Left out: it keeps its name. */
  readonly name?: string | undefined;
}

/** A rename stays in its folder, a move goes to another. It takes a document, or a folder with everything in it. */
interface Relocate extends RelocationOptions {
  readonly operation: 'rename' | 'move';
  readonly from: Location;
  readonly to: Location;
}

/** The moved thing in its new state, and the changes of access. */
export interface RelocationResult {
  readonly moved:
    { readonly type: 'document'; readonly document: Document } | { readonly type: 'folder'; readonly folder: Folder };
  readonly from: Location;
  readonly to: Location;
  readonly gains: AccessReport['gains'];
  readonly losses: AccessReport['losses'];
  readonly versionId: string;
}

/** Folder grants that move along. A rename takes all. A move takes them only if the mover is approver at both ends. */
function travellingGrants({ transaction, reach }: WriteContext, { operation, from, to }: Relocate): Grant[] {
  const mayCarry = operation === 'rename' || (reach.holds('approver', from) && reach.holds('approver', to));
  return mayCarry ? transaction.tables.grants.atOrBelow(from) : [];
}

/** Whether the request names a document by an ETag or a claim. A folder has neither, so it is not meant. */
function isOfDocument({ precondition, claimId }: Relocate): boolean {
  return precondition?.any === false || claimId !== undefined;
}

/** The decision on a rename or move, after all checks. */
interface DecidedRelocation {
  readonly decision: Decision;
  readonly moving: Moving;
  readonly travelling: readonly Grant[];
  readonly report: AccessReport;
}

/**
 * @throws Refusal NOT_FOUND; CONFLICT `stale_if_match`, `claimed`, `name_taken`, `access_would_widen`,
 * `access_report_changed`; INVALID_REQUEST `into_itself`, `read_only_source`, `bad_location`
 */
function decideRelocate(context: WriteContext, change: Relocate): DecidedRelocation {
  const { operation, from, to } = change;
  const moving = requireMovable(context, change);
  const { document } = moving;
  const documentId = document?.row.id ?? null;
  const travelling = document === undefined ? travellingGrants(context, change) : [];
  // Each of them becomes two rows of what the feed keeps.
  if (travelling.length > 0) requireRoom(context, context.transaction.state.storedBytes);
  const report = reportAccess(context, { from, to, documentId, travelling });
  requireAcknowledged(change, report);
  const event: Event = { type: operation, documentId, from, to };
  const known = document === undefined ? {} : knownRow(document);
  return { decision: { event, files: [], message: null, known }, moving, travelling, report };
}

/**
 * Renames or moves a document, or a folder with everything in it. It takes one commit, one edit a level and a few rows,
 * regardless of the number of documents below. It is an event in the history and makes no version, so ETags stay.
 * @throws Refusal as `decideRelocate`
 */
export function applyRelocate(context: WriteContext, change: Relocate): RelocationResult {
  const { tables, now } = context.transaction;
  const { from, to } = change;
  const { decision, moving, travelling, report } = decideRelocate(context, change);
  const { versionId } = runAtOnce(recordEvent(context, decision));
  for (const { id, scope } of travelling) {
    if (scope.type === 'folder') tables.grants.rebase(id, rebase(scope.location, from, to));
  }
  if (moving.folder !== undefined) tables.webhooks.carry(from, to);
  const { gains, losses } = report;
  const { folder } = descend(tables, parentOf(to));
  const moved = describeMoved(tables, moving, { location: to, folder }, now);
  const isReadAnew = moved.type === 'document' && !isReadAs(moved.document.current, from, to);
  noteSearch(context, versionId, isReadAnew ? noteDocument(moved.document) : { type: 'rename', from, to });
  return { moved, from, to, gains, losses, versionId };
}

/** Whether the words of a document are read in the same way at both places. */
function isReadAs({ mediaType }: Pick<Version, 'mediaType'>, from: Location, to: Location): boolean {
  return isReadAlike(from, to) && kindOf(mediaType, nameOf(from)) === kindOf(mediaType, nameOf(to));
}

/** The thing to move: a document or a folder. */
interface Moving {
  readonly document: FoundDocument | undefined;
  readonly folder: FoundFolder | undefined;
}

/** All checks except the effect on access. @throws Refusal as `applyRelocate` does */
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
    requireCurrent(context, from, change.precondition ?? { any: true }, document);
    requireHeld(context, document, change.claimId);
    requireUnclaimed(context, document);
    requireNoFolderGrant(context, to);
  } else {
    requireNoneClaimed(context, from);
  }
  const steps = requireFree(context, to);
  requirePortable(context, to, {
    steps,
    leaving: leavingOf(document, folder),
    keepsName: nameOf(to) === nameOf(from),
    field: change.operation === 'rename' ? 'name' : 'to_folder',
  });
  requireWritable(tables, document?.mirror ?? folder?.mirror ?? null);
  requireWritable(tables, descentAbove(to, steps).folder.mirror);
  if (folder !== undefined) {
    requireNoMirrorBelow(context, from);
    requireShortEnough(context, folder.row.number, change);
    requireNoGrantOnMovedDocuments(context, from, to);
  }
  return { document, folder };
}

function leavingOf(document: FoundDocument | undefined, folder: FoundFolder | undefined): Leaving {
  const ids = new Set(document === undefined ? [] : [document.row.id]);
  const numbers = new Set(document === undefined ? [] : [document.row.number]);
  return { ids, numbers, ...(folder !== undefined && { folder: folder.row.number }) };
}

function describeMoved(
  tables: Tables,
  { document }: Moving,
  { location, folder }: { readonly location: Location; readonly folder: FoundFolder },
  now: number,
): RelocationResult['moved'] {
  const { mirror } = folder;
  if (document === undefined) return { type: 'folder', folder: toFolder(location, mirror) };
  const row = { ...document.row, folder: folder.row.number, name: nameOf(location) };
  return { type: 'document', document: toDocument(tables, { row, location, mirror }, now) };
}

/** Bytes of a slash and the longest name. */
const maxStepBytes = 256;

/**
 * Keeps everything in a folder at locations that a request can name. Documents are looked at only where the deepest
 * folder leaves too little room for any name. This reveals nothing hidden: an editor of the folder reads everything in
 * it.
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

/** Folder grants waiting on the target path must not lie on, or below, a moved document. */
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

function noteOf({ from, to, gains, losses, versionId, moved }: RelocationResult): AuditNote {
  const detail = { from, to, gains: gains.length, losses: losses.length };
  const note = { version: versionId, detail };
  return moved.type === 'document' ? { ...note, documentId: moved.document.id } : note;
}

/** A document is named by the record itself. */
function extentOf({ moved, to }: RelocationResult): AuditExtent | undefined {
  return moved.type === 'document' ? undefined : folderExtent(to);
}

function numberOf({ moved }: RelocationResult): number | null {
  return moved.type === 'document' ? moved.document.number : null;
}

const renamed = ({ location, name }: RenameInput): Location => joinLocation(parentOf(location), name);
const moved = ({ location, toFolder: into, name }: MoveInput): Location => joinLocation(into, name ?? nameOf(location));

/** Renames a document or folder in its place. Editor at the old and at the new location. */
export const rename: WriteOperation<RenameInput, RelocationResult> = {
  kind: 'write',
  name: 'item.rename',
  needs: (input) => [
    { role: 'editor', location: input.location },
    { role: 'editor', location: renamed(input) },
  ],
  needsAgain: (input) => [{ role: 'editor', location: renamed(input) }],
  note: ({ location, name, acknowledged }) => ({ target: location, detail: { name, acknowledged } }),
  run(context, { location, name, ...rest }) {
    requireNewLocation(name, 'name');
    const to = joinLocation(parentOf(location), name);
    return applyRelocate(context, { operation: 'rename', from: location, to, ...rest });
  },
  extentOf: (_, __, result) => extentOf(result),
  noteResult: noteOf,
  documentNumber: numberOf,
};

/** Moves a document or folder into another folder, there under a new name if one is given. Editor at both ends. */
export const move: WriteOperation<MoveInput, RelocationResult> = {
  kind: 'write',
  name: 'item.move',
  needs: (input) => [
    { role: 'editor', location: input.location },
    { role: 'editor', location: moved(input) },
  ],
  // The role at the old place may have come from a grant that moved along.
  needsAgain: (input) => [{ role: 'editor', location: moved(input) }],
  note: ({ location, toFolder: into, name, acknowledged }) => ({
    target: location,
    detail: { to_folder: into, ...(name !== undefined && { name }), acknowledged },
  }),
  run(context, { location, toFolder: into, name = nameOf(location), ...rest }) {
    // A missing folder is created.
    requireNewLocation(into, 'to_folder');
    if (name !== nameOf(location)) requireNewLocation(name, 'name');
    const to = joinLocation(into, name);
    return applyRelocate(context, { operation: 'move', from: location, to, ...rest });
  },
  extentOf: (_, __, result) => extentOf(result),
  noteResult: noteOf,
  documentNumber: numberOf,
};
