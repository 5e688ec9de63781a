/** A worker thread's program: makes derived repositories, one at a time. */
import { parentPort } from 'node:worker_threads';
import { describeError } from '../domain/describe-error.js';
import { GitBoundMet, RepositoryUnreadable, systemErrorCode, WorkInterrupted } from '../git/errors.js';
import { deriveRepository } from './derive.js';
import type { DeriveAnswer, DeriveRequest } from './derive-worker.js';

let stopping = new AbortController();

parentPort?.on('message', (request: DeriveRequest) => {
  if ('stop' in request) {
    stopping.abort();
    return;
  }
  stopping = new AbortController();
  const answer = (said: DeriveAnswer): void => parentPort?.postMessage(said, []);
  deriveRepository(request.order, stopping.signal).then(
    (derived) => answer({ derived }),
    (error: unknown) => answer({ failed: describe(error) }),
  );
});

function describe(error: unknown): Extract<DeriveAnswer, { failed: unknown }>['failed'] {
  const cause = error instanceof Error ? error.cause : undefined;
  const code = systemErrorCode(error) ?? systemErrorCode(cause) ?? null;
  return {
    message: describeError(error),
    code,
    isUnreadable: error instanceof RepositoryUnreadable,
    isInterrupted: error instanceof WorkInterrupted,
    isBeyondBounds: error instanceof GitBoundMet,
  };
}
