import { createPublicKey } from 'node:crypto';
import type { ChainSource, ExportedLine } from '../../audit/export.js';
import { exportChain } from '../../audit/export.js';
import type { ChainVerdict, KnownHead } from '../../audit/verify.js';
import { verifySource } from '../../audit/verify-source.js';
import { readCloneWitnesses } from '../../integrity/read-witnesses.js';
import { adminNeeds } from '../needs.js';
import type { ReadContext, ReadOperation } from '../operation.js';

export interface VerifyAuditInput {
  /** Where the chain is known to have been. */
  readonly known?: readonly KnownHead[];
  /** Absolute path of a clone of the workspace's repository, whose commits bear witness of the chain. */
  readonly clone?: string | undefined;
  /** The commit of a restart of the chain that is expected. */
  readonly restartedFrom?: string | undefined;
}

const sourceOf = ({ workspace, view }: ReadContext): ChainSource => ({
  workspace: workspace.name,
  tables: view.tables,
  archives: workspace.archives,
});

/**
 * Checks the whole chain with its signatures, archives and texts. Admin.
 * @throws Refusal INVALID_REQUEST `bad_clone`
 */
export const verifyAudit: ReadOperation<VerifyAuditInput, ChainVerdict> = {
  kind: 'read',
  name: 'audit.verify',
  needs: () => adminNeeds,
  note: ({ clone }) => (clone === undefined ? {} : { detail: { clone } }),
  async run(context, { known = [], clone, restartedFrom }) {
    const publicKey = createPublicKey(context.workspace.signer.publicKey);
    const witnessed = clone === undefined ? [] : await readCloneWitnesses(clone);
    return verifySource(sourceOf(context), [...known, ...witnessed], { publicKey, restartedFrom });
  },
};

/** The chain as it stands, line by line, with a signature over its end as the last one. Admin. */
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

/** What signatures over the chain are checked with: SubjectPublicKeyInfo in PEM. Admin. */
export const showAuditKey: ReadOperation<Record<string, never>, { readonly publicKey: string }> = {
  kind: 'read',
  name: 'audit.key',
  needs: () => adminNeeds,
  note: () => ({}),
  run: ({ workspace }) => ({ publicKey: workspace.signer.publicKey }),
};
