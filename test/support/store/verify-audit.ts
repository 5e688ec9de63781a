import { createPublicKey } from 'node:crypto';
import type { ChainVerdict, KnownHead } from '../../../lib/audit/verify-chain.js';
import { verifySource } from '../../../lib/audit/verify-source.js';
import { readCloneWitnesses } from '../../../lib/integrity/read-witnesses.js';
import { adminNeeds } from '../../../lib/operations/needs.js';
import type { ReadOperation } from '../../../lib/operations/operation.js';

export interface VerifyAuditInput {
  /** Where the chain is known to have been. */
  readonly known?: readonly KnownHead[];
  /** Absolute path of a clone of the workspace's repository, whose commits bear witness of the chain. */
  readonly clone?: string | undefined;
  /** The commit of an expected restart of the chain. */
  readonly restartedFrom?: string | undefined;
}

/**
 * Checks the whole chain with its signatures, archives and texts, as an operation of the tests: the program verifies
 * only a folder that no service has open.
 * @throws Refusal INVALID_REQUEST `bad_clone`
 */
export const verifyAudit: ReadOperation<VerifyAuditInput, ChainVerdict> = {
  kind: 'read',
  name: 'audit.verify',
  needs: () => adminNeeds,
  note: ({ clone }) => (clone === undefined ? {} : { detail: { clone } }),
  async run({ workspace, view }, { known = [], clone, restartedFrom }) {
    const publicKey = createPublicKey(workspace.signer.publicKey);
    const source = { workspace: workspace.name, tables: view.tables, archives: workspace.archives };
    const witnessed = clone === undefined ? [] : await readCloneWitnesses(clone);
    return verifySource(source, [...known, ...witnessed], { publicKey, restartedFrom });
  },
};
