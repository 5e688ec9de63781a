import type { Location } from '../domain/location.js';
import { notFound } from '../domain/refusal.js';
import type { Steps } from '../scheduling/in-steps.js';
import { findDocumentById, locationOfFolder } from '../view/locate.js';
import { followSections } from './follow-section.js';
import { mediaTypesOf } from './media-types.js';
import { readErasedContents, readSuppressions, suppressFile } from './mirror-suppression.js';
import { MirrorPlanner, type LeftOut, type MirrorChange } from './plan-mirror.js';
import { recordTreeChange } from './record-tree-change.js';
import type { WriteContext } from './write-context.js';

export interface Mirror extends MirrorChange {
  readonly connectorId: string;
  /** The source's own word for its state. Visible characters in one line. */
  readonly sourceVersion: string | null;
  /** Documents that may be deleted in all. */
  readonly maxDeleted: number;
}

/** What a mirror did. */
export interface MirrorResult {
  /** The commit, or null when nothing was to be changed. */
  readonly versionId: string | null;
  readonly created: number;
  readonly updated: number;
  readonly moved: number;
  readonly deleted: number;
  /** Files that had to be left out. The others are mirrored. */
  readonly leftOut: readonly LeftOut[];
  /** More documents than may be deleted: nothing was changed. Otherwise null. */
  readonly tooMany: readonly Location[] | null;
}

/** The folder that the calling connector mirrors into. @throws Refusal NOT_FOUND when it is not its own */
export function requireOwnMirror({ transaction, caller }: WriteContext, connectorId: string): Location {
  const folder = transaction.tables.folders.mirrored().find(({ mirror }) => mirror === connectorId);
  const isOwn = caller.kind === 'connector' && caller.principalId === connectorId;
  if (folder === undefined || !isOwn) throw notFound();
  return locationOfFolder(transaction.tables, folder.number);
}

/**
 * Makes the mirror's folder equal to the source, by one commit. A document that the source moved keeps its history,
 * comments, labels and grants. Deleted documents go to the trash. Claims do not hold a source back.
 * @throws Refusal NOT_FOUND when the folder is not the connector's own; INVALID_REQUEST `storage_quota` for the whole
 */
export function* applyMirror(context: WriteContext, change: Mirror): Steps<MirrorResult> {
  const { connectorId, sourceVersion } = change;
  const { transaction } = context;
  const location = requireOwnMirror(context, connectorId);
  const pathOf = (place: Location): string => place.slice(location.length + 1);
  const isSuppressed = readSuppressions(transaction.tables, connectorId);
  const planner = new MirrorPlanner(
    transaction.tables,
    location,
    (place) => isSuppressed({ path: pathOf(place), sourceId: null }),
    readErasedContents(transaction.tables, connectorId),
  );
  const plan = yield* planner.plan(change);
  const { moved, files, gone, created, updated, leftOut } = plan;
  if (gone.length > change.maxDeleted) {
    return { versionId: null, created: 0, updated: 0, moved: 0, deleted: 0, leftOut: [], tooMany: gone };
  }
  for (const left of leftOut) {
    // A move, or another name of the same content, can have brought it to another path.
    if (left.reason !== 'suppressed') continue;
    suppressFile(transaction, connectorId, { path: pathOf(left.location), sourceId: null });
  }
  const counts = {
    created,
    updated: updated.length,
    moved: moved.length,
    deleted: gone.length,
    leftOut,
    tooMany: null,
  };
  if (files.length + moved.length + gone.length === 0) return { versionId: null, ...counts };
  const mediaTypes = mediaTypesOf(files);
  yield;
  const event = {
    type: 'mirror',
    connectorId,
    location,
    sourceVersion,
    mediaTypes,
    moved: moved.map(({ documentId, from, to }) => ({ documentId, from, to })),
  } as const;
  const { versionId } = yield* recordTreeChange(context, event, plan, null);
  for (const row of updated) {
    const document = row.isClaimed ? findDocumentById(transaction.tables, row.id) : undefined;
    if (document !== undefined) followSections(context, document, () => undefined);
  }
  return { versionId, ...counts };
}
