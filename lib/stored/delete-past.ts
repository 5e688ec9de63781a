import type { Bucket } from './bucket.js';
import { parseObjectName, underShard } from './object-names.js';

/** What stays of a shard: one epoch, and the objects that a row names. */
export interface KeptPart {
  readonly shard: string;
  readonly life: string;
  readonly epoch: number;
  readonly source: { isNamed(life: string, name: string): boolean };
}

/** Names gathered before they are deleted. */
const namesAtOnce = 1000;

/**
 * Deletes everything else of a shard in every life: sets, points, the keys that open them, and objects of files that are
 * gone. Keys first: without them the rest cannot be read.
 * @param remove deletes objects of these names
 * @throws BucketFault and errors of `remove`; then some of it may be left, and it has to be called again
 */
export async function deletePast(
  remove: (names: readonly string[]) => Promise<void>,
  bucket: Pick<Bucket, 'list'>,
  kept: KeptPart,
  signal: AbortSignal,
): Promise<void> {
  for (const isTurnOfKeys of [true, false]) {
    let names: string[] = [];
    for await (const { name } of bucket.list(underShard(kept.shard), { signal })) {
      const parsed = parseObjectName(name);
      if (parsed === undefined || stays(parsed, kept)) continue;
      if ((parsed.kind === 'key') !== isTurnOfKeys) continue;
      names.push(name);
      if (names.length < namesAtOnce) continue;
      await remove(names);
      names = [];
    }
    await remove(names);
  }
}

function stays(object: NonNullable<ReturnType<typeof parseObjectName>>, { life, epoch, source }: KeptPart): boolean {
  if (object.kind === 'set' || object.kind === 'point') return object.life === life && object.epoch === epoch;
  if (object.kind === 'key') return object.life === life && object.generation === epoch;
  return object.kind !== 'file' || source.isNamed(object.life, object.file);
}
