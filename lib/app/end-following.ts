import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Config } from '../config.js';
import type { CommandError } from '../commands/command.js';
import { formatTime } from '../domain/clock.js';
import { serviceName } from '../journal/workspace-paths.js';
import { takeOwnerLock } from '../sidecar/owner-lock.js';
import { followFolder } from '../stored/follow-folder.js';
import { forgetLife, Lives } from '../stored/lives.js';
import { openBucket } from './open-follower.js';
import { makeSystemRandomness, systemClock } from './real-world.js';

type Answer<Result> = { readonly result: Result & { readonly note: string } } | { readonly error: CommandError };

/**
 * Lets the next start of a data folder follow on the life that is current now.
 * @throws BucketFault; ForeignRecord; ConfigError
 */
export async function takeOver(
  config: Pick<Config, 'data' | 'objects'>,
  address: string,
  signal: AbortSignal,
): Promise<Answer<{ readonly life: string | null; readonly since: string | null }>> {
  return inFolder(config.data, async (folder) => {
    const bucket = openBucket(config, address);
    const lives = new Lives({ bucket, address, folder, clock: systemClock, randomness: makeSystemRandomness() });
    const taken = await lives.takeOver(signal);
    if (taken === undefined) {
      const note = `${address} holds no copy: nothing has to be taken over. Start the service with the setting follow.`;
      return { life: null, since: null, note };
    }
    const since = formatTime(taken.since);
    const note =
      `The next start with follow = ${address} takes over from the life that is current since ${since}. ` +
      'A machine that still serves it refuses everything within a second from then on.';
    return { life: taken.life, since, note };
  });
}

/** Forgets that a data folder has a copy elsewhere. */
export async function endFollowing(config: Pick<Config, 'data'>): Promise<Answer<object>> {
  return inFolder(config.data, async (folder) => {
    const isKnown = await forgetLife(folder);
    const note = isKnown
      ? 'This data folder has no copy elsewhere any more. What lies in the bucket stays as it is: delete it there, or keep it, and know that erases reach it no more.'
      : 'This data folder has no copy elsewhere.';
    return { note };
  });
}

async function inFolder<Result>(
  data: string,
  work: (folder: string) => Promise<Result & { readonly note: string }>,
): Promise<Answer<Result>> {
  if (!existsSync(join(data, serviceName))) {
    const message = `There is no data in ${data}. Name the data folder with --data.`;
    return { error: { code: 'INVALID_REQUEST', message, details: { reason: 'no_data', field: 'data' } } };
  }
  const lock = takeOwnerLock(join(data, 'owner.lock'));
  if (lock === undefined) {
    const message = `Another process is using ${data}. Stop the server first.`;
    return { error: { code: 'UNAVAILABLE', message, details: { reason: 'data_in_use' } } };
  }
  try {
    return { result: await work(followFolder(data)) };
  } finally {
    lock.release();
  }
}
