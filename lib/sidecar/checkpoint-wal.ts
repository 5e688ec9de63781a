import { statSync } from 'node:fs';
import { startThread } from '../scheduling/start-thread.js';

/** Bytes of a log that is checkpointed in less time than a thread starts. */
const shortLog = 1024 * 1024;

/**
 * Checkpoints a long write-ahead log into the database's file, in a thread of its own. A short one stays as it is:
 * emptying it takes a moment.
 * @param file of a database that is open in this process
 * @throws the error of SQLite there
 */
export async function checkpointWal(file: string): Promise<void> {
  const log = statSync(`${file}-wal`, { throwIfNoEntry: false });
  if (log === undefined || log.size <= shortLog) return;
  await new Promise<void>((resolve, reject) => {
    const worker = startThread(new URL('./log-worker.js', import.meta.url), { workerData: file });
    worker.on('error', reject);
    worker.on('exit', (code) => (code === 0 ? resolve() : reject(new Error(`The worker ended with code ${code}.`))));
  });
}
