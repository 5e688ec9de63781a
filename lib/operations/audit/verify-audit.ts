import { notFound } from '../../domain/refusal.js';
import type { ChainCheck } from '../../workspace/chain-checks.js';
import { adminNeeds } from '../needs.js';
import type { ReadOperation } from '../operation.js';

/**
 * Begins a check of the whole audit chain, or joins the one under way. It goes on in the background, while the
 * workspace is served. Admin.
 */
export const startVerification: ReadOperation<Record<string, never>, ChainCheck> = {
  kind: 'read',
  name: 'audit.verify',
  needs: () => adminNeeds,
  note: () => ({}),
  run: ({ workspace }) => workspace.chainChecks.start(),
  noteResult: ({ id }) => ({ target: id }),
};

/** How far a check is, and its verdict once it has ended. Admin. @throws Refusal NOT_FOUND */
export const showVerification: ReadOperation<{ readonly checkId: string }, ChainCheck> = {
  kind: 'read',
  name: 'audit.show_verification',
  needs: () => adminNeeds,
  note: ({ checkId }) => ({ target: checkId }),
  run({ workspace }, { checkId }) {
    const check = workspace.chainChecks.find(checkId);
    if (check === undefined) throw notFound();
    return check;
  },
};
