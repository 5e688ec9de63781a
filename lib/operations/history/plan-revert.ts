import { createHash } from 'node:crypto';
import { isSameContent, type Version } from '../../domain/document.js';
import { isWithin, joinLocation, type Location } from '../../domain/location.js';
import { invalidRequest } from '../../domain/refusal.js';
import type { Steps } from '../../scheduling/in-steps.js';
import { maxDocumentsAtOnce } from '../folders/delete-folder.js';
import type { DocumentRow } from '../../sidecar/tables/document-table.js';
import { findClaims } from '../../view/find-claims.js';
import { findRelocated } from './find-relocated.js';
import { descend, findFolder, locationOfFolder, numberOfFolder } from '../../view/locate.js';
import { ReturnPlan, type Obstacle, type Returning } from '../../changes/undelete-plan.js';
import type { View } from '../../view/view.js';
import type { Tables } from '../../sidecar/tables.js';

/** The change planned for one document. */
export type RevertStep =
  | {
      /** Gets its previous content, as a new version. */
      readonly action: 'restore';
      readonly documentId: string;
      readonly location: Location;
      readonly fromVersion: string;
      readonly toVersion: string;
    }
  | {
      /** Was created in that time: is deleted, and can be undeleted. */
      readonly action: 'delete';
      readonly documentId: string;
      readonly location: Location;
      readonly fromVersion: string;
    }
  | {
      /** Was deleted in that time: returns with its previous content. */
      readonly action: 'undelete';
      readonly documentId: string;
      readonly location: Location;
      readonly toVersion: string;
    };

/**
 * The reason to leave something alone. `later_writes`: another principal has written since, and perhaps built on it.
 * `relocated`: it was renamed or moved. A revert of contents does not undo a move, because a move changes access.
 */
export type LeftAloneReason = Obstacle | 'later_writes' | 'relocated';

export interface LeftAlone {
  readonly location: Location;
  readonly reason: LeftAloneReason;
}

export interface RevertPreview {
  readonly steps: readonly RevertStep[];
  readonly leftAlone: readonly LeftAlone[];
  /** Identifies exactly this outcome. A caller sends it back to carry out this outcome and no other. */
  readonly digest: string;
}

/** A live document with the version to restore. */
export interface ContentRestored {
  readonly row: DocumentRow;
  readonly returning: Returning & { readonly content: Version };
}

/** The preview with its rows. */
export interface RevertPlan extends RevertPreview {
  readonly restored: readonly ContentRestored[];
  readonly deleted: readonly { readonly row: DocumentRow; readonly location: Location }[];
  readonly returning: readonly Returning[];
}

export interface PreviewRevertInput {
  /** The folder to revert. The root for the whole workspace. */
  readonly location: Location;
  /** The principal whose changes are reverted. */
  readonly principalId: string;
  /** Milliseconds since 1970. Changes at this time or later. */
  readonly since: number;
}

interface RevertRequest extends PreviewRevertInput {
  /** The caller, whose own claims are no obstacle. */
  readonly callerId: string;
}

/** Maximum of a principal's changes in one revert. */
export const maxReverted = maxDocumentsAtOnce;

/**
 * Plans a revert of one principal's writes in a folder since a time. Documents get back the version before the
 * principal's first one in that time. Documents created by the principal are deleted, and those deleted by it return.
 * Things stay as they are, and are listed, where another principal wrote later, has a claim, or took the place. The
 * plan starts from the principal's changes, so its cost does not depend on the rest.
 * @throws Refusal INVALID_REQUEST `too_much_to_revert`
 */
export function* planRevert(view: View, request: RevertRequest): Steps<RevertPlan> {
  const { principalId, since, location: folder } = request;
  const changes = yield* readChanges(view, request);
  const draft: Draft = { steps: [], leftAlone: [], restored: [], deleted: [], returning: [] };
  yield* planWritten(view, request, changes, draft);
  yield* planRemoved(view, request, changes, draft);
  for (const location of changes.relocated) draft.leftAlone.push({ location, reason: 'relocated' });
  const digest = createHash('sha256')
    .update(JSON.stringify([folder, principalId, since, draft.steps, draft.leftAlone]))
    .digest('hex');
  return { ...draft, digest };
}

/** A plan in the making. */
interface Draft {
  readonly steps: RevertStep[];
  readonly leftAlone: LeftAlone[];
  readonly restored: ContentRestored[];
  readonly deleted: { readonly row: DocumentRow; readonly location: Location }[];
  readonly returning: Returning[];
}

/** The principal's changes in the folder in that time. */
interface Changes {
  readonly written: readonly { readonly document: number; readonly first: number }[];
  readonly removed: readonly number[];
  /** The location to report for each renamed or moved thing. */
  readonly relocated: readonly Location[];
}

/** @throws Refusal INVALID_REQUEST `too_much_to_revert` */
function* readChanges(view: View, { principalId, since, location }: RevertRequest): Steps<Changes> {
  // Only changes in the folder are read: the number of the principal's other changes must stay hidden from the caller.
  const asked = { author: principalId, since, location, limit: maxReverted + 1 };
  const { tables } = view;
  const written = tables.history.writtenBy(asked, numberOfFolder(findFolder(tables, location)));
  yield;
  const removed = tables.history.deletedBy(asked);
  yield;
  const relocated = yield* findRelocated(view, asked);
  if (Math.max(written.length, removed.length, relocated.length) > maxReverted) {
    const message = `More than ${maxReverted} documents. Take a later time, or a folder further in.`;
    throw invalidRequest('too_much_to_revert', message, { field: 'since' });
  }
  return { written, removed, relocated };
}

/** Live documents written by the principal get back their previous content. Those without one are deleted. */
function* planWritten({ tables, now }: View, request: RevertRequest, { written }: Changes, draft: Draft): Steps<void> {
  const { principalId, location: folder, callerId } = request;
  const folders = new Map<number, { readonly within: Location; readonly isMirror: boolean }>();
  const claimed = tables.claims.claimedDocuments(now);
  for (const { document, first } of written) {
    yield;
    const row = tables.documents.byNumber(document);
    if (row === undefined) continue;
    const surroundings = folders.get(row.folder) ?? look(tables, row.folder);
    folders.set(row.folder, surroundings);
    const { within, isMirror } = surroundings;
    if (!isWithin(folder, within)) continue;
    const location = joinLocation(within, row.name);
    const before = contentBefore(tables, document, first, request);
    if (before !== undefined && isSameContent(before, row.current)) continue;
    const isClaimed =
      claimed.has(document) && findClaims(tables, { row, location }, now).some(({ holder }) => holder.id !== callerId);
    const isBuiltOn = tables.history.isWrittenByOthers(document, first, principalId, before);
    const obstacle = isBuiltOn ? 'later_writes' : isClaimed ? 'claimed' : isMirror ? 'read_only_source' : undefined;
    if (obstacle === undefined) planStep(row, location, before, draft);
    else draft.leftAlone.push({ location, reason: obstacle });
  }
}

function planStep(row: DocumentRow, location: Location, before: Version | undefined, draft: Draft): void {
  const { id, number, current } = row;
  if (before === undefined) {
    draft.deleted.push({ row, location });
    draft.steps.push({ action: 'delete', documentId: id, location, fromVersion: current.id });
    return;
  }
  draft.restored.push({ row, returning: { id, number, location, sequence: current.sequence, content: before } });
  draft.steps.push({
    action: 'restore',
    documentId: id,
    location,
    fromVersion: current.id,
    toVersion: before.id,
  });
}

/** Documents deleted by the principal return with their previous content, beside the changes already planned. */
function* planRemoved(view: View, request: RevertRequest, changes: Changes, draft: Draft): Steps<void> {
  const { tables } = view;
  const { principalId, location: folder, callerId } = request;
  const firstWritten = new Map(changes.written.map(({ document, first }) => [document, first]));
  const ids = new Set(draft.deleted.map(({ row }) => row.id));
  const numbers = new Set(draft.deleted.map(({ row }) => row.number));
  const room = new ReturnPlan(view, callerId, { ids, numbers });
  for (const number of changes.removed) {
    yield;
    const gone = tables.documents.deleted(number);
    if (gone === undefined || !isWithin(folder, gone.location)) continue;
    const first = firstWritten.get(number);
    const content =
      first === undefined
        ? tables.versions.bySequence(number, gone.sequence)
        : contentBefore(tables, number, first, request);
    if (content === undefined) continue;
    const isBuiltOn = first !== undefined && tables.history.isWrittenByOthers(number, first, principalId, content);
    const obstacle = isBuiltOn ? 'later_writes' : room.take(gone);
    if (obstacle !== undefined) {
      draft.leftAlone.push({ location: gone.location, reason: obstacle });
      continue;
    }
    draft.returning.push({ ...gone, content });
    draft.steps.push({ action: 'undelete', documentId: gone.id, location: gone.location, toVersion: content.id });
  }
}

/**
 * The content before the principal's first version in that time. Undefined for a document that was not there then: not
 * created yet, or deleted. A deletion by the principal itself within that time does not count.
 */
function contentBefore(
  { history }: Tables,
  document: number,
  first: number,
  { principalId, since }: Pick<RevertRequest, 'principalId' | 'since'>,
): Version | undefined {
  if (first === 1) return undefined;
  const [own, before] = history.versionsBefore(document, first + 1, 2);
  if (own === undefined || before === undefined) return undefined;
  const deletion = history.deletionBefore(document, own.moment);
  const wasDeleted = deletion !== undefined && deletion.moment > before.moment;
  if (wasDeleted && !(deletion.author.id === principalId && deletion.at >= since)) return undefined;
  return before.version;
}

/** Facts that hold for everything in a folder, looked up once for each. */
function look(tables: Tables, folder: number): { readonly within: Location; readonly isMirror: boolean } {
  const within = locationOfFolder(tables, folder);
  return { within, isMirror: descend(tables, within).folder.mirror !== null };
}
