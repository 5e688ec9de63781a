/**
 * Loaded before the program: a disk on which each wait for stable storage takes some time. It changes no result. Only
 * the moments in which one work has to meet another become longer.
 */
import { promises } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';

/** The most milliseconds of one wait. */
const most = Number(process.env['SLOW_DISK'] ?? 0);

const open = promises.open.bind(promises);
promises.open = async (...parameters: Parameters<typeof open>) => {
  const handle = await open(...parameters);
  const sync = handle.sync.bind(handle);
  handle.sync = async () => {
    await delay(Math.random() ** 2 * most);
    await sync();
  };
  return handle;
};
