/** A worker thread's program. It receives ranges of a history and rewrites them, one at a time. */
import { parentPort, workerData } from 'node:worker_threads';
import { findGit } from '../git/program/git-program.js';
import { openHistoryPacker, openRepositoryReadOnly } from '../git/repositories/open-read-only.js';
import { readCommitsByReading, readCommitsWithGit } from '../git/repositories/read-commits.js';
import { ObjectNotFound, RepositoryUnreadable, type RepositoryPlace } from '../git/repositories/repository.js';
import { rewriteRange, type RewriteParts, type HistoryRange } from './rewrite-range.js';
import { HistoryDisagrees, type RewriteState } from './redact-commit.js';

/** The worker's messages about its present range. */
export type RewriteAnswer =
  | { readonly pieces: readonly Uint8Array<ArrayBuffer>[] }
  | { readonly state: RewriteState }
  | { readonly disagreement: Pick<HistoryDisagrees, 'message' | 'commit' | 'documentIds' | 'isLoss'> }
  | { readonly error: Error; readonly isUnreadable: boolean };

const place = workerData as RepositoryPlace;
const repository = await openRepositoryReadOnly(place);
const program = place.git === 'auto' ? await findGit() : null;
const readCommits: RewriteParts['readCommits'] = (wanted) =>
  program === null
    ? readCommitsByReading((oid) => repository.read(oid), wanted)
    : readCommitsWithGit(program, place.path, wanted);
const closing = new AbortController();
const say = (answer: RewriteAnswer): void => parentPort?.postMessage(answer, []);
let running: Promise<void> = Promise.resolve();

async function rewrite(range: HistoryRange): Promise<void> {
  try {
    const { signal } = closing;
    const onRewritten: RewriteParts['onRewritten'] = (pieces) => say({ pieces });
    const packer = openHistoryPacker(place.path, program !== null);
    const parts = { repository, readCommits, packer, onRewritten, signal };
    say({ state: await rewriteRange(range, parts) });
  } catch (error) {
    // An error leaves the thread as a plain one.
    if (error instanceof HistoryDisagrees) {
      const { message, commit, documentIds, isLoss } = error;
      say({ disagreement: { message, commit, documentIds, isLoss } });
    } else {
      const isUnreadable = error instanceof RepositoryUnreadable || error instanceof ObjectNotFound;
      say({ error: error as Error, isUnreadable });
    }
  }
}

parentPort?.on('message', (message: HistoryRange | 'close') => {
  if (message === 'close') {
    closing.abort(new Error('The service stops.'));
    void running.then(() => repository.close()).then(() => parentPort?.close());
  } else running = rewrite(message);
});
