import type { WriteContext } from '../../changes/write-context.js';
import type { Location } from '../../domain/location.js';
import { invalidRequest, Refusal } from '../../domain/refusal.js';
import type { Steps } from '../../scheduling/in-steps.js';
import { findFolder } from '../../view/locate.js';
import { applyDeleteFolder, type FolderDeletionResult } from '../folders/delete-folder.js';
import type { LongWriteOperation } from '../operation.js';
import { requireConnected, showConnector, storedConnector, type ShownConnector } from './find-connector.js';
import type { ConnectorInput } from './list-connectors.js';

export interface DisconnectInput extends ConnectorInput {
  /** What becomes of the mirrored documents. Kept ones are ordinary documents from then on. */
  readonly documents: 'keep' | 'delete';
}

export interface Disconnected {
  readonly connector: ShownConnector;
  /** Documents deleted with the folder. */
  readonly deleted: number;
  /** The commit that deleted them. Null where none was needed. */
  readonly versionId: string | null;
}

function* deleteMirror(context: WriteContext, location: Location): Steps<FolderDeletionResult> {
  try {
    return yield* applyDeleteFolder(context, location);
  } catch (error) {
    if (!(error instanceof Refusal) || error.details?.reason !== 'too_many_documents') throw error;
    const { limit } = error.details;
    const remedy = 'Disconnect it and keep them, then delete the folders in it one by one.';
    throw invalidRequest('too_many_documents', `The mirror holds more than ${limit} documents. ${remedy}`, {
      field: 'documents',
      limit,
    });
  }
}

/** Rows removed in one step. */
const rowsInStep = 100;

/**
 * Ends a mirror for good, with its secrets. A run under way is cancelled, and commits nothing. Approver of its folder.
 * @throws Refusal NOT_FOUND; CONFLICT `connector_state`, `claimed`; INVALID_REQUEST `too_many_documents`
 */
export const disconnectSource: LongWriteOperation<DisconnectInput, Disconnected> = {
  kind: 'write',
  name: 'connector.disconnect',
  worksWhenLow: true,
  isHeavy: true,
  isLong: true,
  needs: () => [],
  note: ({ connectorId, documents }) => ({ target: connectorId, detail: { documents } }),
  async prepare({ workspace, view }, { connectorId }) {
    const { id } = requireConnected(view, connectorId);
    await workspace.connectors.cancel(id);
    return undefined;
  },
  *run(context, { connectorId, documents }) {
    const { tables, now } = context.transaction;
    const connector = requireConnected(context.view, connectorId);
    const { id, location } = connector;
    const folder = findFolder(tables, location);
    const isOwn = folder !== undefined && folder.row.mirror === id;
    if (isOwn) tables.folders.setMirror(folder.row.number, null);
    const { lastRun } = showConnector(tables, connector);
    tables.connectors.disconnect(id);
    // Later managers of the folder do not learn what was mirrored there.
    tables.connectorRuns.forget(id);
    tables.principals.setDisabled(id, now);
    tables.mirrorEntries.forgetSuppressions(id);
    while (tables.mirrorEntries.clearSome(id, rowsInStep)) yield;
    const deletion = isOwn && documents === 'delete' ? yield* deleteMirror(context, location) : undefined;
    return {
      connector: { ...showConnector(tables, tables.connectors.byId(id) ?? connector), lastRun },
      deleted: deletion?.documents ?? 0,
      versionId: deletion?.versionId ?? null,
    };
  },
  noteResult: ({ deleted, versionId }) => ({
    ...(versionId !== null && { version: versionId }),
    detail: { deleted },
  }),
  stored: {
    keep: ({ connector, deleted, versionId }) => ({ id: connector.id, deleted, versionId }),
    recall(context, kept) {
      const { id, deleted, versionId } = kept as Pick<Disconnected, 'deleted' | 'versionId'> & { readonly id: string };
      return { connector: storedConnector.recall(context, id), deleted, versionId };
    },
  },
  finish: ({ connectors }, { connectorId }) => connectors.forget(connectorId),
};
