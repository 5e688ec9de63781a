import { ConfigError, type Config, type FollowConfig } from '../config.js';
import { findObjectsKey } from '../config/environment.js';
import { systemTimers } from '../scheduling/timers.js';
import { KeyMalformed, parseRecipient } from '../sealing/age-keys.js';
import { Bucket } from '../stored/bucket.js';
import { BucketFault } from '../stored/bucket-fault.js';
import { httpForBucket, type BucketObserver } from '../stored/bucket-requests.js';
import { parseBucketAddress } from '../stored/bucket-address.js';
import type { FollowedService } from '../stored/followed-shards.js';
import { Follower, type FollowerOptions } from '../stored/follower.js';
import { ForeignRecord } from '../stored/lives.js';
import { makeSystemRandomness, systemClock } from './real-world.js';

/** Milliseconds between two moments that can be restored by their time. */
const pointInterval = 60_000;

/**
 * Opens a part of a bucket.
 * @param address `s3://bucket/prefix`
 * @throws ConfigError
 */
export function openBucket(
  { objects: { endpoint, region } }: Pick<Config, 'objects'>,
  address: string,
  observer?: BucketObserver,
): Bucket {
  const key = findObjectsKey();
  if (key === undefined) {
    throw new ConfigError('Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY to a key that may use the bucket.');
  }
  const parsed = parseBucketAddress(address);
  if (parsed === undefined)
    throw new ConfigError(`${address} is no address of a bucket, such as s3://backups/cartulary.`);
  const usedRegion = region ?? 'us-east-1';
  const root = new URL(`${endpoint ?? `https://s3.${usedRegion}.amazonaws.com`}/${parsed.bucket}`);
  return new Bucket({
    root,
    prefix: parsed.prefix === '' ? '' : `${parsed.prefix}/`,
    key,
    region: usedRegion,
    clock: systemClock,
    randomness: makeSystemRandomness(),
    http: httpForBucket(root, { clock: systemClock }),
    ...(observer && { observer }),
  });
}

/**
 * Finds a typing error before something is sealed to nobody.
 * @throws ConfigError
 */
export function requireRecipients({ recipients }: Pick<FollowConfig, 'recipients'>): void {
  for (const recipient of recipients) {
    try {
      parseRecipient(recipient);
    } catch (error) {
      if (error instanceof KeyMalformed) throw new ConfigError(`follow_recipients: ${error.message}`);
      throw error;
    }
  }
}

/**
 * What keeps the copies of a data folder, as configured.
 * @returns undefined where there are none
 * @throws ConfigError
 */
export function openCopies(
  config: Pick<Config, 'follow' | 'objects'> & { readonly data: string | null },
  means: Pick<FollowerOptions, 'onFault' | 'onNews'> & { readonly observer?: BucketObserver | undefined },
): Follower | undefined {
  const { data, follow } = config;
  if (follow === null || data === null) return undefined;
  requireRecipients(follow);
  return new Follower({
    bucket: openBucket(config, follow.address, means.observer),
    address: follow.address,
    dataFolder: data,
    recipients: follow.recipients,
    interval: follow.interval,
    isVersioned: follow.isVersioned,
    pointInterval,
    clock: systemClock,
    randomness: makeSystemRandomness(),
    timers: systemTimers,
    onFault: means.onFault,
    onNews: means.onNews,
  });
}

/**
 * Begins to follow. A bucket that refuses us is named with the way out: the operator has just set it.
 * @throws ConfigError; errors of the data folder
 */
export async function startFollower(follower: Follower, service: FollowedService, address: string): Promise<void> {
  try {
    await follower.start(service);
  } catch (error) {
    if (!(error instanceof BucketFault) && !(error instanceof ForeignRecord)) throw error;
    throw new ConfigError(`No copy can be kept at ${address}. ${error.message} Without follow, nothing is copied.`);
  }
}
