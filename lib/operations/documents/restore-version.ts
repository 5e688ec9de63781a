import type { Document } from '../../domain/document.js';
import type { Precondition } from '../../domain/etag.js';
import type { Location } from '../../domain/location.js';
import { applyRestore } from '../../changes/apply-restore.js';
import { readVersionText } from './read-text.js';
import type { WriteOperation } from '../operation.js';

export interface RestoreVersionInput {
  readonly location: Location;
  /** The version to restore. */
  readonly versionId: string;
  /** Left out: the current version. */
  readonly precondition?: Precondition | undefined;
  readonly message: string | null;
  readonly claimId?: string | undefined;
}

/** The old text, if a claim on a section makes the transaction read it. */
type OldText = string | undefined;

/** Adds an older version's content as the newest version. All versions stay. Editor. */
export const restoreVersion: WriteOperation<RestoreVersionInput, Document, OldText> = {
  kind: 'write',
  name: 'document.restore',
  needs: ({ location }) => [{ role: 'editor', location }],
  note: ({ location, versionId }) => ({ target: location, detail: { restored: versionId } }),
  async prepare({ view, workspace }, { location, versionId }) {
    const document = view.document(location);
    const version = document === undefined ? undefined : view.version(document, versionId);
    return version === undefined ? undefined : readVersionText(workspace, version);
  },
  run: (context, { location, versionId, precondition, message, claimId }, text) =>
    applyRestore(context, {
      location,
      precondition: precondition ?? { any: true },
      versionId,
      text,
      message,
      claimId,
    }),
  noteResult: (document) => ({ version: document.current.id, documentId: document.id }),
  documentNumber: (document) => document.number,
};
