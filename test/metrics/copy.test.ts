import assert from 'node:assert/strict';
import { Registry } from 'prom-client';
import type { FollowedShardStatus, FollowStatus } from '../../lib/domain/follow-status.js';
import { copyMeasuresOf } from '../../lib/metrics/measure-copy.js';
import { readSamples, valueOf } from '../support/promtool.js';

const now = 1_000_000;

const shard = (workspace: string | null, change: Partial<FollowedShardStatus> = {}): FollowedShardStatus => ({
  workspace,
  behind: 500,
  group: 1,
  unstoredPages: 0,
  pointAt: now - 60_000,
  bytes: 100,
  ...change,
});

const statusOf = (
  shards: readonly FollowedShardStatus[],
  state: FollowStatus['state'] = 'following',
): FollowStatus => ({
  address: 's3://team/prod',
  life: null,
  state,
  obstacle: null,
  supersededSince: null,
  shards,
});

describe('the metrics of a copy', () => {
  const registry = new Registry();
  const set = copyMeasuresOf(registry, { others: '_others', most: 2 });
  const read = async (status: FollowStatus | undefined): Promise<string> => {
    set(status, now);
    return registry.metrics();
  };

  it('are those of each workspace and of the service itself', async () => {
    const text = await read(statusOf([shard('acme', { behind: 12_000 }), shard(null)], 'behind'));
    assert.equal(valueOf(text, 'cartulary_copy_behind_seconds', { workspace: 'acme' }), 12);
    assert.equal(valueOf(text, 'cartulary_copy_behind_seconds', { workspace: '_service' }), 0.5);
    assert.equal(valueOf(text, 'cartulary_copy_point_age_seconds', { workspace: 'acme' }), 60);
    assert.equal(valueOf(text, 'cartulary_copy_stored_bytes_total', { workspace: 'acme' }), 100);
    const states = ['starting', 'following', 'behind', 'superseded'];
    const values = states.map((state) => valueOf(text, 'cartulary_copy_state', { state }));
    assert.deepEqual(values, [0, 0, 1, 0]);
  });

  it('take the workspaces together that are too many to name: the worst of them, and the sum of bytes', async () => {
    const late = shard('d', { behind: 90_000, pointAt: now - 600_000 });
    const text = await read(statusOf([late, shard('c'), shard('b'), shard('a'), shard(null)]));
    const named = readSamples(text).filter(({ name }) => name === 'cartulary_copy_behind_seconds');
    assert.deepEqual(
      new Set(named.map(({ labels }) => labels['workspace'])),
      new Set(['_others', '_service', 'a', 'b']),
    );
    assert.equal(valueOf(text, 'cartulary_copy_behind_seconds', { workspace: '_others' }), 90);
    assert.equal(valueOf(text, 'cartulary_copy_point_age_seconds', { workspace: '_others' }), 600);
    assert.equal(valueOf(text, 'cartulary_copy_stored_bytes_total', { workspace: '_others' }), 200);
  });

  it('leave out what is not known yet, and everything where there is no copy', async () => {
    const starting = await read(statusOf([shard('acme', { behind: null, pointAt: null })], 'starting'));
    assert.equal(valueOf(starting, 'cartulary_copy_behind_seconds', { workspace: 'acme' }), undefined);
    assert.equal(valueOf(starting, 'cartulary_copy_point_age_seconds', { workspace: 'acme' }), undefined);
    assert.deepEqual(readSamples(await read(undefined)), []);
  });
});
