import type { Worker } from 'node:worker_threads';
import type { Reading, SearchDocument } from './analysis/analyze-document.js';
import type { SegmentState } from './segments/segment-reader.js';
import { Segment } from './segments/segment.js';
import type { Job, JobAnswer, JobRequest } from './index-thread.js';
import { startThread } from '../scheduling/start-thread.js';

/** Bytes of a merge after which the thread is ended. */
const maxKept = 8 * 1024 * 1024;

interface Waiting {
  readonly request: JobRequest;
  resolve(result: SharedArrayBuffer | string | null): void;
  reject(error: Error): void;
}

/**
 * A worker thread that starts at its first use and does not keep the process alive while idle. It takes one request
 * after the other. Where one ends the thread, that one is rejected, and a new thread takes those behind it.
 */
export class SearchWorker {
  #worker: Worker | undefined;
  #requests = 0;
  readonly #waiting = new Map<number, Waiting>();

  /** A segment of the documents, in the order of their locations. */
  async analyze(documents: readonly SearchDocument[], { languages, vectors }: Reading): Promise<Segment> {
    const job = { type: 'analyze', documents, languages: languages.codes, vectors: vectors?.name ?? null } as const;
    return new Segment((await this.#ask(job)) as SharedArrayBuffer);
  }

  async merge(
    inputs: readonly (SegmentState & { readonly segment: Segment })[],
    keepsDirections: boolean,
  ): Promise<Segment> {
    const sent = inputs.map(({ segment, tombstones, runs }) => ({ buffer: segment.buffer, tombstones, runs }));
    const job = { type: 'merge', inputs: sent, keepsDirections } as const;
    const merged = new Segment((await this.#ask(job)) as SharedArrayBuffer);
    // An idle thread collects no garbage, and would keep all that memory.
    if (merged.buffer.byteLength > maxKept && this.#waiting.size === 0) await this.close();
    return merged;
  }

  /** The name of the segment's file, now on stable storage. */
  async store(folder: string, segment: Segment): Promise<string> {
    return (await this.#ask({ type: 'store', folder, buffer: segment.buffer })) as string;
  }

  /** When it returns, the words cached while analysing are gone: with the whole thread, unless it has more to do. */
  async forgetWords(): Promise<void> {
    if (this.#worker === undefined) return;
    await this.#ask({ type: 'forget' });
    if (this.#waiting.size === 0) await this.close();
  }

  /** Ends the thread; the next request starts another. */
  async close(): Promise<void> {
    const worker = this.#worker;
    this.#drop(new Error('The search worker was closed.'));
    await worker?.terminate();
  }

  #ask(job: Job): Promise<SharedArrayBuffer | string | null> {
    return new Promise((resolve, reject) => {
      const worker = (this.#worker ??= this.#start());
      this.#requests += 1;
      const request: JobRequest = { id: this.#requests, job };
      this.#waiting.set(request.id, { request, resolve, reject });
      worker.ref();
      worker.postMessage(request, []);
    });
  }

  #drop(error: Error): void {
    this.#worker = undefined;
    for (const waiter of this.#waiting.values()) waiter.reject(error);
    this.#waiting.clear();
  }

  /** The thread has ended by itself, while it was at the oldest request. */
  #goOn(error: Error): void {
    this.#worker = undefined;
    const [oldest, ...others] = this.#waiting.values();
    if (oldest === undefined) return;
    this.#waiting.delete(oldest.request.id);
    if (others.length > 0) {
      this.#worker = this.#start();
      this.#worker.ref();
      for (const { request } of others) this.#worker.postMessage(request, []);
    }
    oldest.reject(error);
  }

  #start(): Worker {
    const worker = startThread(new URL('./index-thread.js', import.meta.url));
    worker.on('message', (answer: JobAnswer) => {
      const waiter = this.#waiting.get(answer.id);
      this.#waiting.delete(answer.id);
      if (this.#waiting.size === 0) worker.unref();
      if ('error' in answer) waiter?.reject(answer.error);
      else waiter?.resolve(answer.result);
    });
    const fail = (error: Error): void => {
      // A closed worker may end when another has long taken over.
      if (this.#worker === worker) this.#goOn(error);
    };
    worker.on('error', fail);
    worker.on('exit', (code) => {
      fail(new Error(`The search worker ended with code ${code}.`));
    });
    return worker;
  }
}
