import { Counter, Gauge, type Registry } from 'prom-client';
import type { FollowedShardStatus, FollowStatus } from '../domain/follow-status.js';

/** No workspace has such a name. */
const ownFile = '_service';

const states: readonly FollowStatus['state'][] = ['starting', 'following', 'behind', 'superseded'];

export interface CopyMeans {
  /** The label of those beyond a number of workspaces. */
  readonly others: string;
  /** Workspaces with numbers of their own. */
  readonly most: number;
}

/** The numbers of the copy elsewhere. @returns sets them; undefined where there is no copy */
export function copyMeasuresOf(
  registry: Registry,
  { others, most }: CopyMeans,
): (status: FollowStatus | undefined, now: number) => void {
  const registers = [registry];
  const labelNames = ['workspace'];
  const state = new Gauge({
    name: 'cartulary_copy_state',
    help: 'Whether the copy elsewhere is in this state; nothing where there is no copy',
    labelNames: ['state'],
    registers,
  });
  const behind = new Gauge({
    name: 'cartulary_copy_behind_seconds',
    help: 'Time by which the copy of a file is behind, once there is a first one',
    labelNames,
    registers,
  });
  const pointAge = new Gauge({
    name: 'cartulary_copy_point_age_seconds',
    help: 'Time since the last moment of a file that can be restored by its time; it grows while nothing is changed',
    labelNames,
    registers,
  });
  const stored = new Counter({
    name: 'cartulary_copy_stored_bytes_total',
    help: 'Bytes of changed pages that were stored of a file, sealed and compressed',
    labelNames,
    registers,
  });

  function setFiles(workspace: string, files: readonly FollowedShardStatus[], now: number): void {
    const late = files.flatMap((each) => (each.behind === null ? [] : [each.behind / 1000]));
    if (late.length > 0) behind.set({ workspace }, Math.max(...late));
    const ages = files.flatMap(({ pointAt }) => (pointAt === null ? [] : [Math.max(0, now - pointAt) / 1000]));
    if (ages.length > 0) pointAge.set({ workspace }, Math.max(...ages));
    const bytes = files.reduce((sum, each) => sum + each.bytes, 0);
    stored.inc({ workspace }, bytes);
  }

  return (status, now) => {
    for (const each of [state, behind, pointAge, stored]) each.reset();
    if (status === undefined) return;
    for (const each of states) state.set({ state: each }, Number(status.state === each));
    const own = status.shards.filter(({ workspace }) => workspace === null);
    if (own.length > 0) setFiles(ownFile, own, now);
    const named = status.shards
      .filter(({ workspace }) => workspace !== null)
      .toSorted((one, other) => ((one.workspace ?? '') < (other.workspace ?? '') ? -1 : 1));
    for (const shard of named.slice(0, most)) setFiles(shard.workspace ?? ownFile, [shard], now);
    if (named.length > most) setFiles(others, named.slice(most), now);
  };
}
