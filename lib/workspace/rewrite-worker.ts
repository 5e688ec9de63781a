/** A worker thread's program: rewrites the stretches of a history that it is sent, one at a time. */
import { parentPort, workerData } from 'node:worker_threads';
import { openPackWriter, openRepositoryReadOnly } from '../git/open-read-only.js';
import type { RepositoryPlace } from '../git/repository.js';
import type { RewrittenCommit } from '../sidecar/erase-rows.js';
import { rewriteStretch, type Stretch } from './rewrite-stretch.js';
import type { RewriteState } from './rewrite-commit.js';

/** What the worker says of the stretch that it is at. */
export type RewriteAnswer =
  { readonly commits: readonly RewrittenCommit[] } | { readonly state: RewriteState } | { readonly error: Error };

const place = workerData as RepositoryPlace;
const repository = await openRepositoryReadOnly(place);
const addPack = openPackWriter(place.path);
const closing = new AbortController();
const say = (answer: RewriteAnswer): void => parentPort?.postMessage(answer, []);
let running: Promise<void> = Promise.resolve();

async function rewrite(stretch: Stretch): Promise<void> {
  try {
    const { signal } = closing;
    say({ state: await rewriteStretch(stretch, { repository, addPack, tell: (commits) => say({ commits }), signal }) });
  } catch (error) {
    say({ error: error as Error });
  }
}

parentPort?.on('message', (message: Stretch | 'close') => {
  if (message === 'close') {
    closing.abort(new Error('The service stops.'));
    void running.then(() => repository.close()).then(() => parentPort?.close());
  } else running = rewrite(message);
});
