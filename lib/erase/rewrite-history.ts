import type { Worker } from 'node:worker_threads';
import { PlainPacker } from '../git/packs/history-packer.js';
import { readCommitsByReading } from '../git/repositories/read-commits.js';
import { RepositoryUnreadable, type Repository } from '../git/repositories/repository.js';
import { HistoryDisagrees, type RewriteState } from './redact-commit.js';
import { rewriteRange, type RewriteParts, type HistoryRange } from './rewrite-range.js';
import type { RewriteAnswer } from './rewrite-worker.js';
import { startThread } from '../scheduling/start-thread.js';

interface Task {
  readonly onRewritten: RewriteParts['onRewritten'];
  readonly resolve: (state: RewriteState) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Rewrites ranges of a repository's history, one at a time. It works in a worker thread, or here if the repository is
 * in memory.
 */
export class HistoryRewriter {
  readonly #repository: Repository;
  readonly #closing = new AbortController();
  readonly #worker: Worker | undefined;
  readonly #ended: Promise<unknown>;
  #hasEnded = false;
  #task: Task | undefined;

  constructor(repository: Repository) {
    this.#repository = repository;
    const { place } = repository;
    this.#ended = Promise.resolve();
    if (place === null) return;
    this.#worker = startThread(new URL('./rewrite-worker.js', import.meta.url), { workerData: place });
    this.#worker.on('message', (answer: RewriteAnswer) => this.#take(answer));
    this.#worker.on('error', (error) => this.#task?.reject(error));
    this.#worker.on('exit', () => {
      this.#hasEnded = true;
      this.#task?.reject(new Error('The rewrite was ended.'));
    });
    this.#ended = new Promise((resolve) => this.#worker?.once('exit', resolve));
  }

  /** @throws the errors of `rewriteRange`; Error after `close`, or when the worker thread has ended */
  async rewrite(range: HistoryRange, onRewritten: Task['onRewritten']): Promise<RewriteState> {
    const worker = this.#worker;
    const { signal } = this.#closing;
    signal.throwIfAborted();
    // A thread that has ended takes messages and never answers.
    if (this.#hasEnded) throw new Error('The rewrite was ended.');
    if (worker === undefined) {
      const repository = this.#repository;
      const packer = new PlainPacker((objects) => repository.addPack(objects));
      const readCommits: RewriteParts['readCommits'] = (wanted) =>
        readCommitsByReading((oid) => repository.read(oid), wanted);
      return rewriteRange(range, { repository, readCommits, packer, onRewritten, signal });
    }
    return new Promise<RewriteState>((resolve, reject) => {
      this.#task = { onRewritten, resolve, reject };
      worker.postMessage(range, []);
    }).finally(() => (this.#task = undefined));
  }

  /** Stops the present work, and closes the repository's files. */
  async close(): Promise<void> {
    this.#closing.abort(new Error('The service stops.'));
    this.#worker?.postMessage('close', []);
    await this.#ended;
  }

  #take(answer: RewriteAnswer): void {
    if ('pieces' in answer) this.#task?.onRewritten(answer.pieces);
    else if ('state' in answer) this.#task?.resolve(answer.state);
    else if ('disagreement' in answer) {
      const { message, commit, documentIds, isLoss } = answer.disagreement;
      this.#task?.reject(new HistoryDisagrees(message, commit, documentIds, isLoss));
    } else if (answer.isUnreadable) this.#task?.reject(new RepositoryUnreadable(answer.error.message));
    else this.#task?.reject(answer.error);
  }
}
