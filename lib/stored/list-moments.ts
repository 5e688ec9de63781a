import type { Bucket } from './bucket.js';
import { listLives } from './lives.js';
import { parseObjectName, serviceShard } from './object-names.js';

/** A moment that can be restored by its time. */
export interface Moment {
  /** Milliseconds since 1970. */
  readonly at: number;
  /** The workspace that had been changed; null for the service's own file. */
  readonly workspace: string | null;
  readonly life: string;
  /** Whether the life is the one that is current now. */
  readonly isCurrent: boolean;
}

/**
 * Lists the moments of the current life and of those before it, the newest first. A file that was not changed has no
 * moment of its own: it is restored as of its last one before. Only the moments in which a life was current count: what
 * another wrote later is restored by naming that life.
 * @throws BucketFault; ForeignRecord
 */
export async function listMoments(bucket: Bucket, signal: AbortSignal): Promise<readonly Moment[]> {
  const ends = new Map<string, number>();
  let end = Number.POSITIVE_INFINITY;
  for await (const { life, since } of listLives(bucket, signal)) {
    ends.set(life, end);
    end = since;
  }
  const moments: Moment[] = [];
  for await (const { name } of bucket.list('', { signal })) {
    const parsed = parseObjectName(name);
    if (parsed?.kind !== 'point') continue;
    const { at, shard, life } = parsed;
    const until = ends.get(life);
    if (until === undefined || at >= until) continue;
    const workspace = shard === serviceShard ? null : shard;
    moments.push({ at, workspace, life, isCurrent: until === Number.POSITIVE_INFINITY });
  }
  return moments.toSorted((one, other) => other.at - one.at);
}
