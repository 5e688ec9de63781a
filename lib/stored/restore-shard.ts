import type { Bucket } from './bucket.js';
import { applyPageSets } from '../sidecar/apply-page-sets.js';
import { readPageSet, type PageSet } from '../sidecar/page-set.js';
import { joinSets, newestGroup, type SetRange } from './join-sets.js';
import { formatObjectName, parseObjectName, serviceShard, underLife, type ObjectName } from './object-names.js';
import { openObject } from './seal-object.js';
import { openKey } from './seal-key.js';

type Point = Extract<ObjectName, { readonly kind: 'point' }>;
type StoredSet = Extract<ObjectName, { readonly kind: 'set' }>;

/** What lies in a bucket of one shard in one life. */
export interface ShardInventory {
  readonly shard: string;
  readonly life: string;
  /** In the order of their moments. */
  readonly points: readonly Point[];
  readonly sets: readonly StoredSet[];
}

/** A state of a file that can be made again. */
export interface ShardState {
  readonly shard: string;
  readonly life: string;
  readonly epoch: number;
  /** The sets that make it, in order. */
  readonly chain: readonly SetRange[];
  /** Sets behind the last point: those of them that were cut later than the moment are left out. */
  readonly following: readonly SetRange[];
}

/** Reads what there is of a shard in a life. @throws BucketFault */
export async function readInventory(
  bucket: Bucket,
  shard: string,
  life: string,
  signal: AbortSignal,
): Promise<ShardInventory> {
  const points: Point[] = [];
  const sets: StoredSet[] = [];
  for await (const { name } of bucket.list(underLife({ shard, life }), { signal })) {
    const parsed = parseObjectName(name);
    if (parsed?.kind === 'point') points.push(parsed);
    else if (parsed?.kind === 'set') sets.push(parsed);
  }
  return { shard, life, points: points.toSorted((a, b) => a.at - b.at), sets };
}

/**
 * Finds the newest state that is not later than a moment.
 * @param at milliseconds since 1970; undefined for the newest of all
 * @param isAfterPoints whether sets behind the last point count: they are of use as long as no later point took their
 * place
 * @returns undefined where there is none
 * @throws MissingSet
 */
export function findState(
  { shard, life, points, sets }: ShardInventory,
  at: number | undefined,
  isAfterPoints: boolean,
): ShardState | undefined {
  const epochs = [...new Set([...sets, ...points].map(({ epoch }) => epoch))].toSorted((a, b) => b - a);
  for (const epoch of epochs) {
    const ofEpoch = sets.filter((set) => set.epoch === epoch);
    const pointsOfEpoch = points.filter((point) => point.epoch === epoch && (at === undefined || point.at <= at));
    const newestPoint = pointsOfEpoch.reduce((newest, each) => Math.max(newest, each.last), 0);
    const last = at === undefined ? newestGroup(ofEpoch) : pointsOfEpoch.at(-1)?.last;
    const chain = last === undefined ? undefined : joinSets(ofEpoch, last);
    // What is there is older than it should be, and nobody would notice.
    if (pointsOfEpoch.length > 0 && (chain === undefined || (last ?? 0) < newestPoint)) throw new MissingSet(shard);
    if (chain === undefined || last === undefined) continue;
    const following = at !== undefined && isAfterPoints ? followingSets(ofEpoch, last) : [];
    return { shard, life, epoch, chain, following };
  }
  return undefined;
}

/** The sets that go on from a group, without a gap. Those that reach least far come first: each is a moment of its own. */
function followingSets(sets: readonly SetRange[], after: number): SetRange[] {
  const following: SetRange[] = [];
  for (let end = after; ;) {
    const [next] = sets.filter(({ first }) => first === end + 1).toSorted((a, b) => a.last - b.last);
    if (next === undefined) return following;
    following.push(next);
    end = next.last;
  }
}

export interface RestoreMeans {
  readonly bucket: Bucket;
  /** Identities that open the keys: age secret keys. */
  readonly identities: readonly string[];
  readonly signal: AbortSignal;
}

/**
 * Makes the file of a state.
 * @param file must not exist
 * @param at as for `findState`
 * @returns the moment of the state, milliseconds since 1970
 * @throws BucketFault; ObjectUnreadable; PageSetDamaged; SealBroken; MissingKey
 */
export async function restoreShard(
  { bucket, identities, signal }: RestoreMeans,
  state: ShardState,
  file: string,
  at: number | undefined,
): Promise<number> {
  const { shard, life, epoch } = state;
  const keyName = formatObjectName({ kind: 'key', shard, life, generation: epoch });
  const sealed = await bucket.getBytes(keyName, { maxBytes: maxKeyBytes, signal });
  if (sealed === undefined) throw new MissingKey(`${keyName} is missing: an erase may have destroyed it.`);
  const key = await openKey(Buffer.from(sealed.bytes).toString('utf8'), {
    shard,
    generation: epoch,
    with: { identities },
  });
  const left = new AbortController();
  const open = ({ first, last }: SetRange): Promise<PageSet> => {
    const name = formatObjectName({ kind: 'set', shard, life, epoch, first, last });
    const bytes = bucket.getStream(name, { signal: AbortSignal.any([signal, left.signal]) });
    return readPageSet(openObject(bytes, { name, keyOf: (generation) => (generation === epoch ? key : undefined) }));
  };
  async function* inOrder(): AsyncGenerator<PageSet> {
    for (const range of state.chain) yield await open(range);
    for (const range of state.following) {
      const set = await open(range);
      if (at !== undefined && set.head.at > at) return;
      yield set;
    }
  }
  try {
    return (await applyPageSets(file, inOrder())).at;
  } finally {
    left.abort();
  }
}

const maxKeyBytes = 64 * 1024;

/** The key that opens a file is not in the bucket. */
export class MissingKey extends Error {
  override readonly name = 'MissingKey';
}

/** A set is missing in the bucket, so that a point that is there cannot be restored. */
export class MissingSet extends Error {
  override readonly name = 'MissingSet';

  constructor(shard: string) {
    super(
      `A part of ${shard === serviceShard ? "the service's own file" : `the workspace ${shard}`} is missing in the bucket, ` +
        'so that it cannot be put together as of that moment. Name an earlier one with --at; ' +
        '`cartulary follow points` lists them.',
    );
  }
}
