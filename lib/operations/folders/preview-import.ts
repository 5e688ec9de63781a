import { readPolicy } from '../../access/read-policy.js';
import { AcceptedFiles, type WantedFile } from '../../changes/accepted-files.js';
import { requireRoom } from '../../changes/quota.js';
import type { Location } from '../../domain/location.js';
import { runAtOnce } from '../../scheduling/in-steps.js';
import type { ReadOperation } from '../operation.js';
import { decideImport, requireNoDocumentAt, type ImportResult } from './import-documents.js';

/** What the batches before would have created. */
export class ImportPreview {
  readonly accepted = new AcceptedFiles();
  bytes = 0;
}

export interface PreviewInput {
  readonly into: Location;
  readonly files: readonly (WantedFile & { readonly size: number })[];
  readonly preview: ImportPreview;
}

/** Says what an import of a batch would do now, and writes nothing. Editor, as for the import. */
export const previewImport: ReadOperation<PreviewInput, Omit<ImportResult, 'numbers' | 'versionId'>> = {
  kind: 'read',
  name: 'document.preview_import',
  needs: ({ into }) => [{ role: 'editor', location: into }],
  note: ({ into, files }) => ({ target: into, detail: { files: files.length } }),
  run({ workspace, view }, { into, files, preview }) {
    const { tables, reach } = view;
    const standing = { transaction: { tables }, view, reach, policy: readPolicy(tables) };
    requireNoDocumentAt(standing, into);
    const { accepted, unchanged, skipped } = runAtOnce(decideImport(standing, preview.accepted, files));
    preview.bytes += accepted.reduce((sum, { size }) => sum + size, 0);
    if (accepted.length > 0) requireRoom(standing, workspace.journal.state.storedBytes + preview.bytes);
    return { created: accepted.map(({ location }) => location), unchanged, skipped };
  },
};
