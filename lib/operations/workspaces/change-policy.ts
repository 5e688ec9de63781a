import type { Policy } from '../../domain/policy.js';
import { readPolicy, writePolicy } from '../../access/read-policy.js';
import { adminNeeds } from '../needs.js';
import type { ReadOperation, WriteOperation } from '../operation.js';
import { requireRecentProof } from '../require-recent-proof.js';

/** The policy in force for the whole workspace. Admin. */
export const showPolicy: ReadOperation<Record<string, never>, Policy> = {
  kind: 'read',
  name: 'policy.show',
  needs: () => adminNeeds,
  note: () => ({}),
  run: ({ view }) => readPolicy(view.tables),
};

export interface PolicyChange {
  readonly before: Policy;
  readonly after: Policy;
}

/** Sets some entries and leaves the rest. The record has the values before and after. Admin. */
export const changePolicy: WriteOperation<Partial<Policy>, PolicyChange> = {
  kind: 'write',
  name: 'policy.change',
  needs: () => adminNeeds,
  note: (input) => ({ detail: { ...input } }),
  run({ transaction, caller, search }, input) {
    requireRecentProof(caller, transaction.now);
    const after = { ...readPolicy(transaction.tables), ...input };
    const before = writePolicy(transaction.tables, after);
    if (concernsSearch(before, after)) transaction.whenDurable(() => search.catchUp());
    return { before, after };
  },
  noteResult: ({ before, after }) => ({ detail: { before, after } }),
};

function concernsSearch(before: Policy, after: Policy): boolean {
  const hasOtherLanguages = before.searchLanguages.join() !== after.searchLanguages.join();
  const hasOtherTexts =
    before.extractText !== after.extractText ||
    before.textCharset !== after.textCharset ||
    before.largestExtracted !== after.largestExtracted;
  return hasOtherTexts || hasOtherLanguages || before.searchByMeaning !== after.searchByMeaning;
}
