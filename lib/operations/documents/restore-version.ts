import type { Document } from '../../domain/document.js';
import type { Precondition } from '../../domain/etag.js';
import type { Location } from '../../domain/location.js';
import { applyRestore } from '../../changes/apply-restore.js';
import type { ReadText } from '../../changes/read-sections.js';
import { readClaimedText, readVersionText } from './read-text.js';
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

/** What a claim on a section makes the transaction read: the old text, and the one that it replaces. */
interface ReadTexts {
  readonly text: string | undefined;
  readonly before: ReadText | undefined;
}

/** Adds an older version's content as the newest version. All versions stay. Editor. */
export const restoreVersion: WriteOperation<RestoreVersionInput, Document, ReadTexts> = {
  kind: 'write',
  name: 'document.restore',
  needs: ({ location }) => [{ role: 'editor', location }],
  note: ({ location, versionId }) => ({ target: location, detail: { restored: versionId } }),
  async prepare(context, { location, versionId }) {
    const { view, workspace } = context;
    const document = view.document(location);
    const version = document === undefined ? undefined : view.version(document, versionId);
    const text = version === undefined ? undefined : await readVersionText(workspace, version);
    return { text, before: await readClaimedText(context, location) };
  },
  run: (context, { location, versionId, precondition, message, claimId }, { text, before }) =>
    applyRestore(context, {
      location,
      precondition: precondition ?? { any: true },
      versionId,
      text,
      before,
      message,
      claimId,
    }),
  noteResult: (document) => ({ version: document.current.id, documentId: document.id }),
  documentNumber: (document) => document.number,
};
