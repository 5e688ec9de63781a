import { RepositoryUnreadable } from '../errors.js';
import { OidSet } from '../objects/oid-set.js';
import type { RepositoryPlace } from '../repositories/repository.js';
import type { SweepReport, SweepRequest } from './sweep-packs.js';
import { startThread } from '../../scheduling/start-thread.js';
import { yieldToLoop } from '../../scheduling/yield-to-loop.js';

/** The input of the worker. */
export interface SweepOrder {
  readonly place: RepositoryPlace;
  readonly request: SweepRequest;
}

/**
 * A message of the worker. With `going` (names of objects, 20 bytes each) everything that stays is copied, and it waits
 * for a word before it removes anything.
 */
export type SweepAnswer =
  | { readonly going: Uint8Array<ArrayBuffer> }
  | { readonly report: SweepReport }
  | { readonly error: Error; readonly isUnreadable: boolean };

/** A message to the worker: go on and remove, or stop. */
export type SweepWord = 'go on' | 'stop';

/** Names that are read before other requests get their turn. */
const namesAtOnce = 20_000;

/** @param bytes 20 for each name */
async function readNames(bytes: Uint8Array<ArrayBuffer>): Promise<OidSet> {
  const row = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const count = row.length / 20;
  const names = new OidSet(count + 1);
  for (let at = 0; at < count; at += namesAtOnce) {
    names.addRow(row, at * 20, Math.min(namesAtOnce, count - at));
    await yieldToLoop();
  }
  return names;
}

/**
 * `sweepPacks` in a worker thread of its own.
 * @param signal stops it at its next step; all packs that were not removed by then still exist
 */
export function sweepInWorker(
  order: SweepOrder,
  onCopied: (going: OidSet) => void | Promise<void>,
  signal: AbortSignal,
): Promise<SweepReport> {
  return new Promise((resolve, reject) => {
    const worker = startThread(new URL('./sweep-worker.js', import.meta.url), { workerData: order });
    const send = (word: SweepWord): void => worker.postMessage(word, []);
    const stop = (): void => send('stop');
    signal.addEventListener('abort', stop);
    let answer: SweepAnswer | undefined;
    let failure: Error | undefined;
    worker.on('message', (said: SweepAnswer) => {
      if ('going' in said) {
        readNames(said.going)
          .then(onCopied)
          .then(() => send('go on'))
          .catch((error: unknown) => {
            failure = error instanceof Error ? error : new Error(String(error));
            stop();
          });
      } else answer = said;
    });
    worker.on('error', (error: Error) => (failure ??= error));
    worker.on('exit', (code) => {
      signal.removeEventListener('abort', stop);
      if (failure !== undefined) reject(failure);
      else if (answer !== undefined && 'report' in answer) resolve(answer.report);
      else if (answer !== undefined && 'error' in answer) {
        // An error leaves the thread as a plain one.
        reject(answer.isUnreadable ? new RepositoryUnreadable(answer.error.message) : answer.error);
      } else reject(new RepositoryUnreadable(`The sweep ended with code ${code}.`));
    });
    if (signal.aborted) stop();
  });
}
