import type { Worker } from 'node:worker_threads';
import { GitBoundMet, RepositoryUnreadable, WorkInterrupted } from '../git/errors.js';
import type { DeriveOrder, Derived } from './derivation.js';
import { startThread } from '../scheduling/start-thread.js';

/** A message to the thread. */
export type DeriveRequest = { readonly order: DeriveOrder } | { readonly stop: true };

/** The thread's answer to an order. An error loses its class on the way. */
export type DeriveAnswer =
  | { readonly derived: Derived }
  | {
      readonly failed: {
        readonly message: string;
        readonly code: string | null;
        readonly isUnreadable: boolean;
        readonly isInterrupted: boolean;
        readonly isBeyondBounds: boolean;
      };
    };

/**
 * A worker thread that makes derived repositories, one at a time. It starts at its first use, and does not keep the
 * process alive while idle.
 */
export class DeriveWorker {
  #worker: Worker | undefined;
  #waiting: { resolve(derived: Derived): void; reject(error: Error): void } | undefined;

  /**
   * `deriveRepository` in the thread. One call at a time.
   * @param signal ends it at its next step
   * @throws as `deriveRepository`
   */
  async derive(order: DeriveOrder, signal: AbortSignal): Promise<Derived> {
    signal.throwIfAborted();
    if (this.#waiting !== undefined) throw new Error('This thread has work already.');
    const worker = (this.#worker ??= this.#start());
    const send = (request: DeriveRequest): void => worker.postMessage(request, []);
    const stop = (): void => send({ stop: true });
    signal.addEventListener('abort', stop);
    worker.ref();
    try {
      return await new Promise((resolve, reject) => {
        this.#waiting = { resolve, reject };
        send({ order });
      });
    } catch (error) {
      signal.throwIfAborted();
      throw error;
    } finally {
      signal.removeEventListener('abort', stop);
      this.#waiting = undefined;
      worker.unref();
    }
  }

  /** Ends the thread at once; the next request starts another. Its git ends with the pipes to it. */
  async close(): Promise<void> {
    const worker = this.#worker;
    this.#drop(worker, new Error('The thread that makes repositories was closed.'));
    await worker?.terminate();
  }

  #drop(worker: Worker | undefined, error: Error): void {
    // An old thread may end when another has long taken over.
    if (this.#worker !== worker) return;
    this.#worker = undefined;
    this.#waiting?.reject(error);
  }

  #start(): Worker {
    const worker = startThread(new URL('./derive-thread.js', import.meta.url));
    worker.on('message', (answer: DeriveAnswer) => {
      if ('derived' in answer) this.#waiting?.resolve(answer.derived);
      else this.#waiting?.reject(toError(answer.failed));
    });
    worker.on('error', (error: Error) => this.#drop(worker, error));
    worker.on('exit', (code) =>
      this.#drop(worker, new WorkInterrupted(`The thread that makes repositories ended with ${code}.`)),
    );
    return worker;
  }
}

function toError({
  message,
  code,
  isUnreadable,
  isInterrupted,
  isBeyondBounds,
}: Extract<DeriveAnswer, { failed: unknown }>['failed']): Error {
  const cause = code === null ? undefined : Object.assign(new Error(message), { code });
  if (isInterrupted) return new WorkInterrupted(message, { cause });
  if (isBeyondBounds) return new GitBoundMet(message, { cause });
  if (isUnreadable) return new RepositoryUnreadable(message, { cause });
  return cause ?? new Error(message);
}
