import assert from 'node:assert/strict';
import { compareEntries } from '../../../lib/connectors/sync/compare-entries.js';
import { filterEntries, type HeldEntry } from '../../../lib/connectors/sync/filter-entries.js';
import { describeRemoval, maxRemovals } from '../../../lib/connectors/sync/guard-removals.js';
import { takeSnapshot } from '../../../lib/connectors/sync/take-holdings.js';
import { parseLocation } from '../../../lib/domain/location.js';
import { runAtOnce, type Steps } from '../../../lib/scheduling/in-steps.js';
import type { MirrorEntry } from '../../../lib/sidecar/tables/mirror-entry-table.js';

const many = 100_000;

describe('the comparison of a source with its mirror', () => {
  it('takes 100,000 entries in steps of some hundred', function () {
    this.timeout(20_000);
    const listed = Array.from({ length: many }, (_, index) => {
      return { type: 'file', path: pathOf(index), version: index === 7 ? '2' : '1' } as const;
    });
    const { result: holdings, steps: taking } = count(takeSnapshot(listed));
    const rules = { root: parseLocation('docs'), maxBytes: 1000, maxFolders: 1000, faultOfNew: () => undefined };
    const { result: filtered, steps: filtering } = count(filterEntries(holdings.entries.values(), rules));
    const rows = Array.from({ length: many }, (_, index) => row(pathOf(index + 1)));
    const { result, steps: comparing } = count(compareEntries(filtered, new Map(), pages(rows, 500)));
    assert.deepEqual(
      result.toRead.map(({ path }) => path),
      [pathOf(7), pathOf(0)],
    );
    assert.deepEqual(
      result.removed.map(({ path }) => path),
      [pathOf(many)],
    );
    for (const steps of [taking, filtering, comparing]) assert.ok(steps >= many / 500, `${steps} steps`);
  });

  it('follows 10,000 files by their ids in steps', () => {
    const rows = Array.from({ length: 10_000 }, (_, index) => ({ ...row(`a/${index}`), sourceId: `id ${index}` }));
    const listed = rows.map(({ sourceId }, index): HeldEntry => {
      return { type: 'file', path: `b/${index}`, version: '1', id: sourceId };
    });
    const filtered = runAtOnce(
      filterEntries(listed, {
        root: parseLocation('docs'),
        maxBytes: 1000,
        maxFolders: 1000,
        faultOfNew: () => undefined,
      }),
    );
    const { result, steps } = count(compareEntries(filtered, new Map(), pages(rows, 500)));
    assert.equal(result.moved.length, 10_000);
    assert.deepEqual([result.toRead, result.removed], [[], []]);
    assert.ok(steps >= 60, `${steps} steps`);
  });

  it('does not believe an id that two files have', () => {
    const rows = [{ ...row('a'), sourceId: 'same' }];
    const listed: HeldEntry[] = ['b', 'c'].map((path) => ({ type: 'file', path, version: '1', id: 'same' }));
    const filtered = runAtOnce(
      filterEntries(listed, {
        root: parseLocation('docs'),
        maxBytes: 1000,
        maxFolders: 1000,
        faultOfNew: () => undefined,
      }),
    );
    const { moved, removed, toRead } = runAtOnce(compareEntries(filtered, new Map(), [rows]));
    assert.deepEqual([moved.length, removed.length, toRead.length], [0, 1, 2]);
  });

  it('describes a large removal in steps, and differently for every other one', () => {
    const paths = Array.from({ length: 10_000 }, (_, index) => pathOf(index));
    const { result, steps } = count(describeRemoval({ before: many, recent: 0, live: 1 }, paths));
    assert.ok(steps >= 10, `${steps} steps`);
    assert.match(result.message, /^10000 of 100000 mirrored documents would be deleted/);
    const other = runAtOnce(describeRemoval({ before: many, recent: 0, live: 1 }, paths.slice(1)));
    assert.notEqual(other.fingerprint, result.fingerprint);
  });

  it('lets small removals pass, and holds large ones', () => {
    const held = [
      [100, 100],
      [1, 1],
      [100, 31],
      [70, 22],
    ] as const;
    const passed = [
      [100, 0],
      [0, 0],
      [100, 30],
      [25, 20],
      [2, 1],
      [10_000, 3000],
    ] as const;
    for (const [before, removals] of held) assert.ok(removals > maxRemovals(before, 0), `${removals} of ${before}`);
    for (const [before, removals] of passed) assert.ok(removals <= maxRemovals(before, 0), `${removals} of ${before}`);
  });
});

const row = (path: string): MirrorEntry => ({ path, sourceId: null, version: '1', reason: null, detail: null });

const pathOf = (index: number): string => `folder ${index % 100}/file ${index}.md`;

/** Runs the work, and counts its steps. */
function count<Result>(work: Steps<Result>): { readonly result: Result; readonly steps: number } {
  for (let steps = 1; ; steps += 1) {
    const step = work.next();
    if (step.done === true) return { result: step.value, steps };
  }
}

function* pages(rows: readonly MirrorEntry[], most: number): Generator<readonly MirrorEntry[]> {
  for (let at = 0; at < rows.length; at += most) yield rows.slice(at, at + most);
}
