import { followSections } from '../../changes/follow-section.js';
import { readErasedContents, readSuppressions, suppressFile } from '../../changes/mirror-suppression.js';
import { mediaTypesOf } from '../../changes/record-event.js';
import { recordTreeChange } from '../../changes/record-tree-change.js';
import type { WriteContext } from '../../changes/write-context.js';
import type { Location } from '../../domain/location.js';
import { notFound } from '../../domain/refusal.js';
import type { Steps } from '../../scheduling/in-steps.js';
import type { MirrorEntry } from '../../sidecar/tables/mirror-entry-table.js';
import { findDocumentById, locationOfFolder } from '../../view/locate.js';
import { folderExtent } from '../note-extent.js';
import type { LongWriteOperation } from '../operation.js';
import { MirrorPlanner, type LeftOut, type MirrorChange } from './plan-mirror.js';

/** What a run found out about its source, after its filter and its guards. */
export interface MirrorSourceInput extends MirrorChange {
  readonly connectorId: string;
  /** Of the settings under which it was found out. Under other ones, nothing is written. */
  readonly generation: number;
  /** Documents that may be deleted in all. A moved one that cannot come to its place is deleted, too. */
  readonly maxDeleted: number;
  /** What the source holds: rows to put, and paths to remove. `clear` removes all rows first. */
  readonly entries: { readonly put: readonly MirrorEntry[]; readonly remove: readonly string[]; readonly clear?: true };
  /** What the mirror is like afterwards; null while more of the same run follows. */
  readonly reached: ReachedState | null;
}

/** The state of its source that a mirror reached. */
export interface ReachedState {
  /** The source's own word for its state. Hostile text is fine: it is cut to what a commit may say. */
  readonly sourceVersion: string | null;
  /** Some files could not be read: the mirror is not up to date. */
  readonly isPartial: boolean;
  /** Where the next run goes on. */
  readonly cursor: string | null;
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

const rowsInStep = 100;
const maxVersionLength = 200;

/** The folder that the calling connector mirrors into. @throws Refusal NOT_FOUND when it is not its own */
function requireOwnMirror({ transaction, caller }: WriteContext, connectorId: string): Location {
  const folder = transaction.tables.folders.mirrored().find(({ mirror }) => mirror === connectorId);
  const isOwn = caller.kind === 'connector' && caller.principalId === connectorId;
  if (folder === undefined || !isOwn) throw notFound();
  return locationOfFolder(transaction.tables, folder.number);
}

/**
 * Makes the mirror's folder equal to the source, by one commit. A document that the source moved keeps its history,
 * comments, labels and grants. Deleted documents go to the trash. Claims do not hold a source back.
 * @param location the folder
 * @throws Refusal INVALID_REQUEST `storage_quota` for the whole
 */
function* applyMirror(
  context: WriteContext,
  location: Location,
  change: MirrorSourceInput,
  sourceVersion: string | null,
): Steps<MirrorResult> {
  const { connectorId } = change;
  const { transaction } = context;
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

/**
 * Mirrors a source, or adds a part of it: one commit, and in its transaction the rows of what the source holds. The
 * connector alone may do it, in its own folder.
 * @throws Refusal NOT_FOUND when the folder is not its own, and as `applyMirror`
 */
export const mirrorSource: LongWriteOperation<MirrorSourceInput, MirrorResult> = {
  kind: 'write',
  name: 'connector.sync',
  isLong: true,
  // The folder names its connector, and that is the right to write in it.
  needs: () => [],
  note: ({ connectorId }) => ({ target: connectorId }),
  *run(context, input) {
    const { connectorId, entries, reached } = input;
    const { tables, now } = context.transaction;
    const root = requireOwnMirror(context, connectorId);
    const connector = tables.connectors.byId(connectorId);
    // It was paused, or got other settings.
    if (connector?.state !== 'active' || connector.generation !== input.generation) throw notFound();
    const sourceVersion = fitVersion(reached?.sourceVersion ?? null);
    const result = yield* applyMirror(context, root, input, sourceVersion);
    if (result.tooMany !== null) return result;
    const leftOut = new Map(result.leftOut.map((each) => [each.location.slice(root.length + 1), each]));
    yield* writeEntries(context, connectorId, entries, leftOut);
    // Until then the packs may also hold contents that no version refers to.
    if (reached === null) return result;
    tables.objects.unstagePacks(connectorId);
    const { cursor, isPartial } = reached;
    tables.connectors.setSynced(connectorId, { cursor, sourceVersion, at: isPartial ? null : now });
    return result;
  },
  extentOf: (context, { connectorId }, { versionId }) =>
    versionId === null ? undefined : folderExtent(requireOwnMirror(context, connectorId)),
  noteResult: ({ versionId, created, updated, moved, deleted, leftOut, tooMany }) => ({
    ...(versionId === null ? {} : { version: versionId }),
    detail: { created, updated, moved, deleted, left_out: leftOut.length, ...asHeld(tooMany) },
  }),
};

const asHeld = (tooMany: MirrorResult['tooMany']): { held?: number } =>
  tooMany === null ? {} : { held: tooMany.length };

/** One line of visible ASCII, as commits, entity tags and times are. */
function fitVersion(version: string | null): string | null {
  const fit = (version ?? '')
    .slice(0, maxVersionLength)
    .replaceAll(/[^\x20-\x7e]/g, ' ')
    .trim();
  return fit === '' ? null : fit;
}

function* writeEntries(
  { transaction }: WriteContext,
  connectorId: string,
  { put, remove, clear }: MirrorSourceInput['entries'],
  leftOut: ReadonlyMap<string, LeftOut>,
): Steps<void> {
  const { mirrorEntries } = transaction.tables;
  let isCleared = clear !== true;
  while (!isCleared) {
    isCleared = !mirrorEntries.clearSome(connectorId, rowsInStep);
    yield;
  }
  for (const path of remove) {
    mirrorEntries.remove(connectorId, path);
    yield;
  }
  for (const entry of put) {
    const left = leftOut.get(entry.path);
    // The path of a file that was erased here must not stay in a row.
    if (left?.reason === 'suppressed') mirrorEntries.remove(connectorId, entry.path);
    else mirrorEntries.put(connectorId, left === undefined ? entry : { ...entry, ...pick(left) });
    yield;
  }
}

const pick = ({ reason, detail }: LeftOut): Pick<LeftOut, 'reason' | 'detail'> => ({ reason, detail });
