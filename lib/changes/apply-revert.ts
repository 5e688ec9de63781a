import { parentOf, type Location } from '../domain/location.js';
import { conflict } from '../domain/refusal.js';
import type { Steps } from '../scheduling/in-steps.js';
import { bringBack, editFor, noteReturns, trailerFor } from './undelete-documents.js';
import { followSections } from './follow-section.js';
import { noteSearch } from './index-changes.js';
import { momentOf, writeLongCommit, type WriteContext } from './write-context.js';
import {
  planRevert,
  type LeftAlone,
  type RestoredDocument,
  type RevertPlan,
  type RevertPreview,
  type RevertStep,
} from './plan-revert.js';
import { recordVersion } from './record-version.js';
import { takeRoom } from './quota.js';
import { dropEmptyFolders } from '../history/folder-rows.js';

/** Takes back what one principal wrote in a folder since a time, where no other principal has built on it. */
export interface Revert {
  readonly location: Location;
  readonly principalId: string;
  /** Milliseconds since 1970. */
  readonly since: number;
  /** Digest of the preview; if the outcome would be another now, it is refused. */
  readonly preview: string;
  readonly message: string | null;
}

export interface RevertResult {
  readonly principalId: string;
  /** Milliseconds since 1970. */
  readonly since: number;
  readonly steps: readonly RevertStep[];
  readonly leftAlone: readonly LeftAlone[];
  /** The commit, which is each new version's id too; null when there was nothing to do. */
  readonly versionId: string | null;
}

/** The part of a plan that can be shown. */
export function toPreview({ steps, leftAlone, digest }: RevertPlan): RevertPreview {
  return { steps, leftAlone, digest };
}

/**
 * Undoes what the preview showed: one commit, a new version of each document. Nothing is lost by it; what it takes back
 * stays in the documents' histories, and a revert can be reverted.
 * @throws Refusal CONFLICT `preview_changed`; INVALID_REQUEST `storage_quota`, `too_much_to_revert`
 */
export function* applyRevert(context: WriteContext, change: Revert): Steps<RevertResult> {
  const { tables } = context.transaction;
  const plan = yield* planRevert(context.view, { ...change, callerId: context.caller.principalId });
  if (plan.digest !== change.preview) {
    throw conflict('preview_changed', 'Things have changed since the preview. Look at the new one.');
  }
  const { steps, leftAlone, restored, deleted, returning } = plan;
  const { principalId, since } = change;
  if (steps.length === 0) return { principalId, since, steps, leftAlone, versionId: null };
  const written = [...restored.map((each) => each.returning), ...returning];
  for (const { content } of written) takeRoom(context, content.size);
  const versionId = yield* writeRevert(context, change, plan);
  const deletion = {
    commit: versionId,
    author: context.author.id,
    at: context.transaction.now,
    moment: momentOf(context),
  };
  for (const { row, location } of deleted) {
    tables.documents.markDeleted(row.number, deletion.at, deletion.author, versionId, location);
    tables.deletions.insert(row.number, location, deletion);
    yield;
  }
  for (const each of restored) {
    restore(context, each, versionId, change.message);
    yield;
  }
  yield* bringBack(context, returning, versionId, 'revert');
  for (const { location } of deleted) {
    dropEmptyFolders(tables, parentOf(location));
    yield;
  }
  noteSearch(
    context,
    versionId,
    ...deleted.map(({ location }) => ({ type: 'remove', location }) as const),
    ...(yield* noteReturns(context, written)),
  );
  return { principalId, since, steps, leftAlone, versionId };
}

/** @returns the commit's version id */
function writeRevert(
  context: WriteContext,
  change: Revert,
  { steps, restored, deleted, returning }: RevertPlan,
): Steps<string> {
  const written = [...restored.map((each) => each.returning), ...returning];
  return writeLongCommit(
    context,
    [...deleted.map(({ location }) => ({ location, entry: null })), ...written.map(editFor)],
    {
      operation: 'revert',
      subject: `Revert ${steps.length} ${steps.length === 1 ? 'document' : 'documents'}`,
      message: change.message,
      trailers: [
        ['Folder', change.location],
        ['Reverted', change.principalId],
        ...deleted.map(({ row, location }) => ['Deleted', `${row.id}\t${location}`] as const),
        ...written.map(trailerFor),
      ],
    },
  );
}

/** Gives a live document its earlier content again, as a new version. */
function restore(
  context: WriteContext,
  { row, returning }: RestoredDocument,
  versionId: string,
  message: string | null,
): void {
  const { content, location } = returning;
  const sequence = row.current.sequence + 1;
  recordVersion(context, {
    document: row.number,
    sequence,
    id: versionId,
    content,
    mediaType: content.mediaType,
    location,
    operation: 'revert',
    message,
  });
  context.transaction.tables.documents.advance(row.number, sequence);
  followSections(context, row.number, () => undefined);
}
