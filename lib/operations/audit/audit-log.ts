import type { ChainSource, ExportedLine } from '../../audit/export.js';
import { exportChain } from '../../audit/export.js';
import { adminNeeds } from '../needs.js';
import type { ReadContext, ReadOperation } from '../operation.js';

const sourceOf = ({ workspace, view }: ReadContext): ChainSource => ({
  workspace: workspace.name,
  tables: view.tables,
  archives: workspace.archives,
});

/** The present chain, line by line. The last line is a signature over its end. Admin. */
export const exportAudit: ReadOperation<{ readonly withTexts: boolean }, AsyncIterable<ExportedLine>> = {
  kind: 'read',
  name: 'audit.export',
  needs: () => adminNeeds,
  note: ({ withTexts }) => ({ detail: { with_texts: withTexts } }),
  run(context, { withTexts }) {
    const { clock, signer } = context.workspace;
    return exportChain(sourceOf(context), withTexts, (head) => signer.sign(head, clock.now(), true));
  },
};

/** The public key for signatures over the chain: SubjectPublicKeyInfo in PEM. Admin. */
export const showAuditKey: ReadOperation<Record<string, never>, { readonly publicKey: string }> = {
  kind: 'read',
  name: 'audit.key',
  needs: () => adminNeeds,
  note: () => ({}),
  run: ({ workspace }) => ({ publicKey: workspace.signer.publicKey }),
};
