/**
 * A worker thread's program: checkpoints a database's write-ahead log into the file, up to the oldest open snapshot.
 * Others go on reading and writing meanwhile. Then the log can be emptied without a long wait.
 */
import { workerData } from 'node:worker_threads';
import { openForCarrying } from './database.js';

const connection = openForCarrying(workerData as string);
try {
  connection.pragma('wal_checkpoint(PASSIVE)');
} finally {
  connection.close();
}
