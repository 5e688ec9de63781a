import { yieldToLoop } from '../scheduling/yield-to-loop.js';
import type { Bucket } from './bucket.js';
import { choosePartners, choosePoints } from './choose-points.js';
import type { FollowedShards } from './followed-shards.js';
import { joinSets } from './join-sets.js';
import { parseObjectName, serviceShard, underShard, type ObjectName } from './object-names.js';

type Of<Kind extends ObjectName['kind']> = Extract<ObjectName, { readonly kind: Kind }>;

/** An object as the bucket lists it. */
interface Listed<Parsed extends ObjectName = ObjectName> {
  readonly name: string;
  readonly parsed: Parsed;
  /** When it was stored, by the store's clock. */
  readonly at: number;
}

const day = 24 * 60 * 60 * 1000;
/** Milliseconds after which nothing of a workspace that was removed can be restored any more. */
const removedFor = 30 * day;
/** Points whose sets are looked for before other work gets its turn. */
const pointsAtOnce = 10;
/** Names gathered before they are deleted. */
const namesAtOnce = 1000;

/**
 * Removes what no moment that can still be restored needs: points that are too many, sets that lead to none, files that
 * were gone before the first moment, and keys that open nothing. Whatever was stored within a day stays, because
 * somebody may be storing what names it.
 * @param now milliseconds since 1970
 * @throws BucketFault; Refusal `superseded`; errors of a journal
 */
export async function sweepBucket(
  bucket: Pick<Bucket, 'list'>,
  shards: FollowedShards,
  now: number,
  signal: AbortSignal,
): Promise<void> {
  const moments = await readMoments(bucket, now, signal);
  let shard: ShardListing | undefined;
  for await (const { name, at } of bucket.list('', { signal })) {
    const parsed = parseObjectName(name);
    if (parsed === undefined || !('shard' in parsed)) continue;
    if (shard?.name !== parsed.shard) {
      await shard?.sweep(now, signal);
      shard = new ShardListing(parsed.shard, shards, moments);
    }
    shard.add({ name, parsed, at });
  }
  await shard?.sweep(now, signal);
}

/** The moments of the service's file that stay, by life: each is restored with what the workspaces were then. */
async function readMoments(
  bucket: Pick<Bucket, 'list'>,
  now: number,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, readonly number[]>> {
  const points: Of<'point'>[] = [];
  for await (const { name } of bucket.list(underShard(serviceShard), { signal })) {
    const parsed = parseObjectName(name);
    if (parsed?.kind === 'point') points.push(parsed);
  }
  const kept = choosePoints(
    points.map(({ at }) => at),
    now,
  );
  const moments = new Map<string, number[]>();
  for (const { life, at } of points) if (kept.has(at)) moments.set(life, [...(moments.get(life) ?? []), at]);
  return moments;
}

/** The objects of one shard in all lives. */
class ShardListing {
  readonly name: string;
  readonly #shards: FollowedShards;
  readonly #moments: ReadonlyMap<string, readonly number[]>;
  readonly #points: Listed<Of<'point'>>[] = [];
  readonly #sets: Listed<Of<'set'>>[] = [];
  readonly #keys: Listed<Of<'key'>>[] = [];
  /** Files that no row names. */
  readonly #files: Listed<Of<'file'>>[] = [];
  /** The newest time of all, by the store's clock. */
  #newest = 0;

  /** @param moments of the service's file that stay, by life */
  constructor(name: string, shards: FollowedShards, moments: ReadonlyMap<string, readonly number[]>) {
    this.name = name;
    this.#shards = shards;
    this.#moments = moments;
  }

  add({ name, parsed, at }: Listed): void {
    this.#newest = Math.max(this.#newest, at);
    if (parsed.kind === 'point') this.#points.push({ name, parsed, at });
    else if (parsed.kind === 'set') this.#sets.push({ name, parsed, at });
    else if (parsed.kind === 'key') this.#keys.push({ name, parsed, at });
    else if (parsed.kind === 'file' && !this.#isNamed(parsed)) this.#files.push({ name, parsed, at });
  }

  async sweep(now: number, signal: AbortSignal): Promise<void> {
    const isOver = this.#isOver(now);
    const kept = isOver ? new Set<number>() : this.#choosePoints(now);
    const points = this.#points.filter(({ parsed }) => kept.has(parsed.at));
    // Nobody stores anything there any more.
    const goneFor = isOver ? Number.POSITIVE_INFINITY : Math.max(this.#newest, now) - day;
    const deleted = (names: readonly { readonly name: string }[]): Promise<void> =>
      deleteAll(
        this.#shards,
        names.map(({ name }) => name),
        signal,
      );
    await deleted(this.#points.filter(({ parsed }) => !kept.has(parsed.at)));
    const needed = await this.#neededSets(points);
    const isOld = ({ at }: Listed): boolean => at < goneFor;
    const sets = this.#sets.filter((set) => !needed.has(set.name) && isOld(set));
    await deleted(sets);
    const left = new Set(this.#sets.filter((set) => !sets.includes(set)).map(({ parsed }) => epochOf(parsed)));
    left.add(this.#presentEpoch);
    await deleted(this.#keys.filter((key) => isOld(key) && !left.has(`${key.parsed.life} ${key.parsed.generation}`)));
    await this.#sweepFiles(points, goneFor, signal);
  }

  /** Whether it is that of a workspace that was removed too long ago. */
  #isOver(now: number): boolean {
    if (this.name === serviceShard || this.#shards.isListed(this.name)) return false;
    return this.#points.every(({ parsed }) => now - parsed.at > removedFor);
  }

  #choosePoints(now: number): ReadonlySet<number> {
    const moments = this.#points.map(({ parsed }) => parsed.at);
    const kept = new Set(choosePoints(moments, now));
    for (const [life, others] of this.#moments) {
      const ofLife = this.#points.filter(({ parsed }) => parsed.life === life).map(({ parsed }) => parsed.at);
      for (const partner of choosePartners(ofLife, others)) kept.add(partner);
    }
    return kept;
  }

  async #sweepFiles(points: readonly Listed<Of<'point'>>[], goneFor: number, signal: AbortSignal): Promise<void> {
    const found = this.#shards.find(this.name);
    const first = points.reduce((least, { parsed }) => Math.min(least, parsed.at), Number.POSITIVE_INFINITY);
    if (found?.source !== undefined && Number.isFinite(first)) {
      await found.source.removeGone(first, (names) => deleteAll(this.#shards, names, signal));
    }
    // What cannot be opened cannot say what it names.
    if (found === undefined && this.#shards.isListed(this.name)) return;
    const lives = new Set(points.map(({ parsed }) => parsed.life));
    const isPresent = ({ life }: Of<'file'>): boolean => found !== undefined && life === this.#shards.life;
    const files = this.#files.filter(({ parsed, at }) => at < goneFor && !lives.has(parsed.life) && !isPresent(parsed));
    await deleteAll(
      this.#shards,
      files.map(({ name }) => name),
      signal,
    );
  }

  /** Those that lead to a point that stays, and those of the present epoch that came after its last point. */
  async #neededSets(points: readonly Listed<Of<'point'>>[]): Promise<ReadonlySet<string>> {
    const needed = new Set<string>();
    const byEpoch = new Map<string, Listed<Of<'set'>>[]>();
    for (const set of this.#sets) {
      const listed = byEpoch.get(epochOf(set.parsed)) ?? [];
      listed.push(set);
      byEpoch.set(epochOf(set.parsed), listed);
    }
    for (const [index, { parsed }] of points.entries()) {
      if (index % pointsAtOnce === pointsAtOnce - 1) await yieldToLoop();
      const sets = byEpoch.get(epochOf(parsed)) ?? [];
      const ranges = sets.map(({ name, parsed: { first, last } }) => ({ name, first, last }));
      // Of a point whose sets are not all there, those that are may be of use to somebody.
      for (const { name } of joinSets(ranges, parsed.last) ?? ranges) needed.add(name);
    }
    const present = byEpoch.get(this.#presentEpoch) ?? [];
    const last = points
      .filter(({ parsed }) => epochOf(parsed) === this.#presentEpoch)
      .reduce((most, { parsed }) => Math.max(most, parsed.last), 0);
    for (const { name, parsed } of present) if (parsed.last > last) needed.add(name);
    return needed;
  }

  /** What is being stored just now. */
  get #presentEpoch(): string {
    return `${this.#shards.life} ${this.#shards.find(this.name)?.epoch}`;
  }

  #isNamed({ life, file }: Of<'file'>): boolean {
    return this.#shards.find(this.name)?.source?.isNamed(life, file) === true;
  }
}

const epochOf = ({ life, epoch }: { readonly life: string; readonly epoch: number }): string => `${life} ${epoch}`;

async function deleteAll(shards: FollowedShards, names: readonly string[], signal: AbortSignal): Promise<void> {
  for (let at = 0; at < names.length; at += namesAtOnce) {
    await shards.remove(names.slice(at, at + namesAtOnce), signal);
  }
}
