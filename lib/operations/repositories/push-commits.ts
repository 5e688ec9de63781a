import { unavailable } from '../../domain/refusal.js';
import { refusePush } from '../../domain/refuse-push.js';
import type { PushedCommit, PushResult, RefusedFile } from '../../domain/push.js';
import type { LongWriteOperation } from '../operation.js';

export interface PushCommitsInput {
  /** The commit that main had in the repository that was served; null for an empty one. */
  readonly before: string | null;
  /** The commit that main is to have: the last of the line. */
  readonly after: string;
  /** The line, the oldest first. */
  readonly commits: readonly PushedCommit[];
  /** Files that cannot even be read into changes, such as symbolic links. Then nothing is written. */
  readonly unfit: readonly RefusedFile[];
  /** The id of the ContentStage's owner, of type `push`. The stage holds the contents and has shown them. */
  readonly stage: string;
}

/**
 * Writes what was pushed: each commit that changes something becomes one commit of main, all in one transaction or
 * none. Each file needs what the same write needs through REST. To be called by `perform` with a Retry whose key is
 * `after`, and whose fingerprint is of `before` and `after`: the same push sent again gets the same answer.
 * @throws Refusal CONFLICT `push_refused` with the refused files; INVALID_REQUEST `storage_quota`
 */
export const pushCommits: LongWriteOperation<PushCommitsInput, PushResult> = {
  kind: 'write',
  name: 'repository.push',
  isLong: true,
  // Each file has needs of its own, which are looked at in the transaction.
  needs: () => [],
  note: ({ before, after, commits }) => ({ detail: { before, after, commits: commits.length } }),
  // eslint-disable-next-line require-yield
  *run(_context, { unfit }) {
    if (unfit.length > 0) throw refusePush(unfit);
    throw unavailable();
  },
};
