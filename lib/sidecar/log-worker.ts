/**
 * A worker thread's program: carries what stands in a database's write-ahead log into the file, as far as nobody's
 * snapshot needs it there, while others go on reading and writing. Then the log can be emptied without anybody waiting
 * long.
 */
import { workerData } from 'node:worker_threads';
import { openForCarrying } from './database.js';

const connection = openForCarrying(workerData as string);
try {
  connection.pragma('wal_checkpoint(PASSIVE)');
} finally {
  connection.close();
}
