import { randomFillSync } from 'node:crypto';
import { pino, type Logger } from 'pino';
import type { Config } from '../config.js';
import type { Clock, Randomness } from '../domain/clock.js';

/** Time as it is. */
export const systemClock: Clock = { now: () => Date.now(), elapsed: () => performance.now() };

/** The system's randomness, drawn in pages: a system call for each record would cost more than the record. */
export function makeSystemRandomness(): Randomness {
  const pool = Buffer.alloc(8192);
  let used = pool.length;
  return {
    bytes(count) {
      if (count > pool.length) return randomFillSync(Buffer.alloc(count));
      if (used + count > pool.length) {
        randomFillSync(pool);
        used = 0;
      }
      const bytes = Buffer.from(pool.subarray(used, used + count));
      pool.fill(0, used, used + count);
      used += count;
      return bytes;
    },
  };
}

/**
 * The log: one line of JSON an entry, to standard error, so that standard output is left to answers. Lines leave
 * together, at the latest after a quarter of a second: a system call for each would cost a request a twentieth.
 */
export function makeLog(level: Config['logLevel']): Logger {
  return pino({ level, base: null }, pino.destination({ dest: 2, sync: false, minLength: 8192, periodicFlush: 250 }));
}
