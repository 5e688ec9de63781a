import type { Worker } from 'node:worker_threads';
import type { PackFiles, PackLayout } from './pack-layout.js';
import type { SealAnswer, SealRequest } from './pack-worker.js';
import { startThread } from '../../scheduling/start-thread.js';

interface Waiting {
  resolve(files: PackFiles): void;
  reject(error: Error): void;
}

/** One worker serves every repository of the process; it is made when needed. */
let worker: Worker | undefined;
let requests = 0;
const waiting = new Map<number, Waiting>();

/**
 * `sealPack` in a worker thread, so that hashing megabytes does not block the main one. The layout's buffers move there
 * and are of no use afterwards. An idle worker does not keep the process alive.
 */
export function sealInWorker(layout: PackLayout): Promise<PackFiles> {
  return new Promise((resolve, reject) => {
    const started = (worker ??= startWorker());
    requests += 1;
    waiting.set(requests, { resolve, reject });
    started.ref();
    const request: SealRequest = { id: requests, layout };
    started.postMessage(request, [layout.bytes.buffer, layout.oids.buffer, layout.starts.buffer]);
  });
}

function startWorker(): Worker {
  const started = startThread(new URL('./pack-worker.js', import.meta.url));
  started.on('message', (answer: SealAnswer) => {
    const waiter = waiting.get(answer.id);
    waiting.delete(answer.id);
    if (waiting.size === 0) started.unref();
    if ('files' in answer) waiter?.resolve(answer.files);
    else waiter?.reject(answer.error);
  });
  const fail = (error: Error): void => {
    if (worker === started) worker = undefined;
    for (const waiter of waiting.values()) waiter.reject(error);
    waiting.clear();
  };
  started.on('error', fail);
  started.on('exit', (code) => {
    fail(new Error(`The pack writer ended with code ${code}.`));
  });
  return started;
}
