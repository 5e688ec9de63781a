import type { Worker } from 'node:worker_threads';
import { LRUCache } from 'lru-cache';
import { invalidRequest } from '../domain/refusal.js';
import { startStopwatch } from '../scheduling/start-stopwatch.js';
import { startThread } from '../scheduling/start-thread.js';
import type { LinesAsked, LinesFound } from './find-lines.js';
import type { LineQuery } from './line-query.js';
import { requiredLiterals } from './required-literals.js';
import { mayHold, signLiteral } from './text-signature.js';
import type { LinesAnswer, LinesRequest, StoredText, ThreadData } from './lines-thread.js';

/** Bytes of signatures that are kept, and of what keeps one of them. */
const maxSignatures = 64 * 1024 * 1024;
const sizeOfEntry = 200;

/** What a search needs beside its work. */
export interface LineSearching {
  readonly query: LineQuery;
  /** Ends it at its next window. */
  readonly signal: AbortSignal | undefined;
  /** Called at its end, however it came, with the milliseconds of its work. */
  readonly spend: (milliseconds: number) => void;
}

/** A search under way: its texts come one after the other. */
export interface LineSearch {
  /** How long this search has taken so far: the thread's time, and that of the texts that it need not look through. */
  readonly milliseconds: number;
  /**
   * Whether the text may have a line that is looked for: false only for one that was read before, and lacks what the query
   * needs.
   */
  mayHold(key: string): boolean;
  /**
   * Looks through one text.
   * @param key of this very content of a document: a later search may pass it over
   * @param milliseconds after which it stops within the text
   * @throws the signal's reason once the search is aborted
   */
  read(key: string, text: StoredText, asked: LinesAsked, milliseconds: number): Promise<LinesFound>;
}

/**
 * Finds lines in a thread of its own, which starts at its first use and does not keep the process alive while idle. It
 * takes one search at a time, the others in the order in which they come; how many may wait is for the caller to bound.
 */
export class LineFinder {
  readonly #signatures = new LRUCache<string, Uint32Array>({
    maxSize: maxSignatures,
    sizeCalculation: ({ byteLength }, { length }) => byteLength + length + sizeOfEntry,
  });
  #worker: Worker | undefined;
  #waiting: { resolve(answer: LinesAnswer): void; reject(error: Error): void } | undefined;
  #last: Promise<unknown> = Promise.resolve();
  readonly #stop = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));

  /**
   * Runs a search in its turn.
   * @param work gets the search, and holds the thread until it is done
   * @throws Refusal INVALID_REQUEST `bad_pattern`; the signal's reason; what the work throws
   */
  search<Result>(searching: LineSearching, work: (search: LineSearch) => Promise<Result>): Promise<Result> {
    const turn = this.#last.then(() => this.#run(searching, work));
    this.#last = turn.catch(() => undefined);
    return turn;
  }

  /** Ends the thread as soon as it is idle, with all that is known of texts; the next search starts another. */
  forget(): void {
    this.#last = this.#last.then(() => {
      this.#signatures.clear();
      return this.close();
    });
  }

  /** Ends the thread; the next search starts another. */
  async close(): Promise<void> {
    const worker = this.#worker;
    if (worker === undefined) return;
    this.#drop(worker, new Error('The thread that finds lines was closed.'));
    await worker.terminate();
  }

  async #run<Result>(
    { query, signal, spend }: LineSearching,
    work: (search: LineSearch) => Promise<Result>,
  ): Promise<Result> {
    const ask = async (request: LinesRequest): Promise<LinesAnswer> => {
      signal?.throwIfAborted();
      const answer = await this.#ask(request);
      search.milliseconds += answer.milliseconds;
      signal?.throwIfAborted();
      return answer;
    };
    let begunIn: Worker | undefined;
    const { literals, ignoresCase } = requiredLiterals(query);
    const needs = literals.map((literal) => signLiteral(literal, ignoresCase));
    const search: LineSearch & { milliseconds: number } = {
      milliseconds: 0,
      mayHold: (key) => {
        const signature = this.#signatures.get(key);
        if (signature === undefined) return true;
        const elapsed = startStopwatch();
        const may = mayHold(signature, needs);
        search.milliseconds += elapsed();
        return may;
      },
      read: async (key, text, asked, milliseconds) => {
        // Another thread would not know what is looked for.
        if (this.#worker !== begunIn) throw new Error('The thread that finds lines was closed.');
        const isSigned = !this.#signatures.has(key);
        const { found, signature } = await ask({ text, asked, milliseconds, isSigned });
        if (signature !== undefined) this.#signatures.set(key, signature);
        if (found === undefined) throw new Error('The thread that finds lines has answered nothing.');
        return found;
      },
    };
    const stop = (): void => void Atomics.store(this.#stop, 0, 1);
    Atomics.store(this.#stop, 0, 0);
    signal?.addEventListener('abort', stop);
    try {
      const { fault } = await ask({ query });
      begunIn = this.#worker;
      if (fault !== undefined) {
        const { message, position } = fault;
        throw invalidRequest('bad_pattern', message, { input: 'query', ...(position === null ? {} : { position }) });
      }
      return await work(search);
    } finally {
      signal?.removeEventListener('abort', stop);
      spend(search.milliseconds);
    }
  }

  async #ask(request: LinesRequest): Promise<LinesAnswer> {
    const worker = (this.#worker ??= this.#start());
    worker.ref();
    try {
      const answer = await new Promise<LinesAnswer>((resolve, reject) => {
        this.#waiting = { resolve, reject };
        worker.postMessage(request, []);
      });
      if (answer.failed !== undefined) throw new Error(`Lines could not be found: ${answer.failed}`);
      return answer;
    } finally {
      this.#waiting = undefined;
      worker.unref();
    }
  }

  #drop(worker: Worker, error: Error): void {
    // An old thread may end when another has long taken over.
    if (this.#worker !== worker) return;
    this.#worker = undefined;
    this.#waiting?.reject(error);
  }

  #start(): Worker {
    const workerData: ThreadData = { stop: this.#stop.buffer };
    const worker = startThread(new URL('./lines-thread.js', import.meta.url), { workerData });
    worker.on('message', (answer: LinesAnswer) => this.#waiting?.resolve(answer));
    worker.on('error', (error: Error) => this.#drop(worker, error));
    worker.on('exit', (code) => this.#drop(worker, new Error(`The thread that finds lines ended with ${code}.`)));
    return worker;
  }
}
