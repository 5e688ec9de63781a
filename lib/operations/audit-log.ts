import { exportRecords, type ExportedRecord } from '../audit/export.js';
import { verifyChain, type ChainVerdict, type KnownHead } from '../audit/verify.js';
import { adminNeeds } from './needs.js';
import type { ReadOperation } from './operation.js';

/** Checks the whole chain. Admin. */
export const verifyAudit: ReadOperation<{ readonly known?: readonly KnownHead[] }, ChainVerdict> = {
  kind: 'read',
  name: 'audit.verify',
  needs: () => adminNeeds,
  note: () => ({}),
  run: ({ view }, { known }) => verifyChain(exportRecords(view.tables.audit, true), known),
};

/** The chain as it stands, record by record. Admin. */
export const exportAudit: ReadOperation<{ readonly withTexts: boolean }, Iterable<ExportedRecord>> = {
  kind: 'read',
  name: 'audit.export',
  needs: () => adminNeeds,
  note: ({ withTexts }) => ({ detail: { with_texts: withTexts } }),
  run: ({ view }, { withTexts }) => exportRecords(view.tables.audit, withTexts),
};
