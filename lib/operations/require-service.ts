import { internal } from '../domain/refusal.js';
import type { ServiceJournal } from '../journal/service-journal.js';
import type { Workspace } from '../workspace/workspace.js';

/**
 * The journal of a workspace's service.
 * @throws Refusal INTERNAL where the workspace was opened without a service
 */
export function requireService({ origin }: Workspace): ServiceJournal {
  if (origin.journal === null) throw internal(new Error('The workspace was opened without a service.'));
  return origin.journal;
}
