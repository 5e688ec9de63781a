import { Worker } from 'node:worker_threads';

/**
 * Checkpoints the write-ahead log into the database's file, in a thread of its own.
 * @param file of a database that is open in this process
 * @throws the error of SQLite there
 */
export function carryLog(file: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(new URL('./log-worker.js', import.meta.url), { workerData: file });
    worker.on('error', reject);
    worker.on('exit', (code) => (code === 0 ? resolve() : reject(new Error(`The worker ended with code ${code}.`))));
  });
}
