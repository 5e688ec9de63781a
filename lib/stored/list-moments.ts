import type { Bucket } from './bucket.js';
import { listLives } from './lives.js';
import { serviceShard } from './object-names.js';
import { readInventory } from './restore-shard.js';

/** A moment that can be restored by its time. */
export interface Moment {
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly life: string;
  /** Whether the life is the one that is current now. */
  readonly isCurrent: boolean;
}

/**
 * Lists the moments of the current life and of those before it, the newest first. Only the moments in which a life was
 * current count: what another wrote later is restored by naming that life.
 * @throws BucketFault; ForeignRecord
 */
export async function* listMoments(bucket: Bucket, signal: AbortSignal): AsyncGenerator<Moment> {
  let until = Number.POSITIVE_INFINITY;
  let isCurrent = true;
  for await (const { life, since } of listLives(bucket, signal)) {
    const { points } = await readInventory(bucket, serviceShard, life, signal);
    for (const { at } of points.toReversed()) if (at < until) yield { at, life, isCurrent };
    until = since;
    isCurrent = false;
  }
}
