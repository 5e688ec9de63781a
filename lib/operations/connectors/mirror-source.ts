import { applyMirror, requireOwnMirror, type MirrorResult } from '../../changes/apply-mirror.js';
import type { LeftOut } from '../../changes/plan-mirror.js';
import type { WriteContext } from '../../changes/write-context.js';
import type { Location } from '../../domain/location.js';
import { notFound } from '../../domain/refusal.js';
import type { EventFile } from '../../history/projection.js';
import type { Steps } from '../../scheduling/in-steps.js';
import type { MirrorEntry } from '../../sidecar/tables/mirror-entry-table.js';
import { folderExtent } from '../note-extent.js';
import type { LongWriteOperation } from '../operation.js';

/** What a run found out about its source, after its filter and its guards. */
export interface MirrorSourceInput {
  readonly connectorId: string;
  /** Of the settings under which it was found out. Under other ones, nothing is written. */
  readonly generation: number;
  /** The source's own word for its state. Hostile text is fine: it is cut to what a commit may say. */
  readonly sourceVersion: string | null;
  /** New or changed files. A ContentStage of the connector holds their contents, and has shown them. */
  readonly written: readonly EventFile[];
  /** Files that the source keeps under another name. One that changed too is also among the written. */
  readonly moved: readonly { readonly from: Location; readonly to: Location }[];
  readonly deleted: readonly Location[];
  /** Documents that may be deleted in all. A moved one that cannot come to its place is deleted, too. */
  readonly maxDeleted: number;
  /** What the source holds: rows to put, and paths to remove. `clear` removes all rows first. */
  readonly entries: { readonly put: readonly MirrorEntry[]; readonly remove: readonly string[]; readonly clear?: true };
  /** Some files could not be read: the mirror is not up to date. */
  readonly isPartial?: true;
  /** Where the next run goes on. */
  readonly cursor: string | null;
}

const rowsInStep = 100;
const maxVersionLength = 200;

/**
 * Mirrors a source: one commit, and in its transaction the rows of what the source holds. The connector alone may do it,
 * in its own folder.
 */
export const mirrorSource: LongWriteOperation<MirrorSourceInput, MirrorResult> = {
  kind: 'write',
  name: 'connector.sync',
  isLong: true,
  // The folder names its connector, and that is the right to write in it.
  needs: () => [],
  note: ({ connectorId }) => ({ target: connectorId }),
  *run(context, input) {
    const { connectorId, cursor, entries } = input;
    const { tables, now } = context.transaction;
    const root = requireOwnMirror(context, connectorId);
    const connector = tables.connectors.byId(connectorId);
    // It was paused, or got other settings.
    if (connector?.state !== 'active' || connector.generation !== input.generation) throw notFound();
    const sourceVersion = fitVersion(input.sourceVersion);
    const result = yield* applyMirror(context, { ...input, sourceVersion });
    if (result.tooMany !== null) return result;
    const leftOut = new Map(result.leftOut.map((each) => [each.location.slice(root.length + 1), each]));
    yield* writeEntries(context, connectorId, entries, leftOut);
    tables.objects.unstagePacks(connectorId);
    tables.connectors.setSynced(connectorId, { cursor, sourceVersion, at: input.isPartial === true ? null : now });
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
