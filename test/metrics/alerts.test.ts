import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { packagePath } from '../../lib/config.js';
import type { FollowedShardStatus, FollowStatus } from '../../lib/domain/follow-status.js';
import { Metrics } from '../../lib/metrics/metrics.js';
import type { MeasuredService } from '../../lib/metrics/measure-service.js';
import { SyncingService } from '../support/connectors/syncing-service.js';
import { needPromtool, promtool, readSamples, valueOf } from '../support/promtool.js';
import { openTestServer } from '../support/http/server.js';
import { openTestService } from '../support/store/service.js';
import { until } from '../support/until.js';

const rules = packagePath('lib', 'docs', 'monitoring', 'alerts.yaml');
const dashboard = packagePath('lib', 'docs', 'monitoring', 'dashboard.json');
const build = { version: '1.2.3', commit: null };

const counts = /_(?:total|count|sum|bucket)(?:\{|$)/;

describe('the alerts', function () {
  let well: string;
  before(async function () {
    needPromtool(this);
    well = await scrapeWell();
  });

  it('promtool accepts the alert rules', () => {
    const { code, said } = promtool(['check', 'rules', rules]);
    assert.equal(code, 0, said);
  });

  it('are silent while a service is well', async () => {
    assert.deepEqual(await firing(well, well, 120), []);
  });

  it('say that a disk has no room left', async () => {
    const metrics = makeMetrics();
    let free = 1e9;
    const measureDisk = (): Promise<{ free: number; total: number }> => Promise.resolve({ free, total: 4e9 });
    const host = await openTestService({ store: 'disk-without-git', measureDisk, observers: metrics.work });
    try {
      const before = await metrics.read(host.service);
      assert.deepEqual(await firing(before, before, 120), []);
      free = 1e6;
      host.clock.advance(2000);
      const now = await metrics.read(host.service);
      assert.deepEqual(await firing(before, now, 3), ['CartularyNotReady']);
      assert.deepEqual(await firing(before, now, 60), ['CartularyNotReady', 'CartularyDiskFills']);
    } finally {
      await host.close();
    }
  });

  it('say that a connector has stopped', async () => {
    const world = await SyncingService.open();
    try {
      const source = join(world.outside, 'source');
      await mkdir(source);
      await writeFile(join(source, 'a.md'), 'text');
      const metrics = makeMetrics();
      const read = (): Promise<string> => metrics.read(world.test.service satisfies MeasuredService);
      const id = await world.connect({ kind: 'folder', settings: { path: source } });
      const before = await read();
      await rename(source, `${source}-away`);
      assert.equal((await world.sync(id)).outcome, 'failed');
      const now = await read();
      assert.deepEqual((await firing(before, before, 20)).filter(ofConnectors), []);
      assert.deepEqual((await firing(before, now, 20)).filter(ofConnectors), ['CartularyConnectorWaits']);
    } finally {
      await world.close();
    }
  });

  it('say that a copy is behind, has no points, or was taken over', async () => {
    const metrics = makeMetrics();
    const host = await openTestService({ observers: metrics.work });
    const at = host.clock.now();
    const read = async (state: FollowStatus['state'], file: Partial<FollowedShardStatus>): Promise<string> => {
      const shards = [{ workspace: 'acme', behind: 0, group: 1, unstoredPages: 0, pointAt: at, bytes: 1000, ...file }];
      const status = { address: '', life: null, state, obstacle: null, supersededSince: null, shards };
      const { workLimits, disk, clock } = host.service;
      return metrics.read({
        workLimits,
        disk,
        clock,
        copies: { status },
        opened: () => host.service.opened(),
        names: () => host.service.names(),
        readiness: () => host.service.readiness(),
      });
    };
    const ofCopies = (name: string): boolean => name.startsWith('CartularyCopy');
    try {
      const before = await read('following', {});
      assert.deepEqual((await firing(before, before, 20)).filter(ofCopies), []);
      const idle = await read('following', { pointAt: at - 3_600_000 });
      assert.deepEqual((await firing(before, idle, 20)).filter(ofCopies), []);
      const unmarked = await read('following', { pointAt: at - 3_600_000, bytes: 2000 });
      assert.deepEqual((await firing(before, unmarked, 20)).filter(ofCopies), ['CartularyCopyWithoutPoint']);
      const late = await read('behind', { behind: 301_000 });
      assert.deepEqual((await firing(before, late, 3)).filter(ofCopies), ['CartularyCopyBehind']);
      const over = await read('superseded', {});
      assert.deepEqual((await firing(before, over, 3)).filter(ofCopies), ['CartularyCopySuperseded']);
      const starting = await read('starting', { behind: null, pointAt: null });
      assert.deepEqual((await firing(before, starting, 70)).filter(ofCopies), ['CartularyCopyUnfinished']);
    } finally {
      await host.close();
    }
  });

  it('say that requests fail, where more than a few do', async () => {
    const metrics = makeMetrics();
    let free = 1e9;
    const server = await openTestServer({
      store: 'disk-without-git',
      measureDisk: () => Promise.resolve({ free, total: 4e9 }),
      observers: metrics.work,
      server: { observer: metrics.requests },
    });
    const settled = (): Promise<string> =>
      until('every request is counted', async () => {
        const text = await metrics.read(server.host.service);
        return valueOf(text, 'http_server_active_requests') === 0 ? text : undefined;
      });
    try {
      const editor = await server.person('editor');
      await editor.create('a.md');
      const before = await settled();
      for (let index = 0; index < 20; index += 1) await editor.get('/v1/documents/a.md');
      const busy = await settled();
      free = 1;
      server.host.clock.advance(2000);
      assert.equal((await editor.create('b.md')).status, 503);
      const faulty = await settled();
      assert.deepEqual((await firing(before, busy, 20)).filter(ofErrors), []);
      assert.deepEqual((await firing(before, faulty, 20)).filter(ofErrors), ['CartularyErrors']);
    } finally {
      await server.close();
    }
  });
});

const ofErrors = (name: string): boolean => name === 'CartularyErrors';
const ofConnectors = (name: string): boolean => name.startsWith('CartularyConnector');

/** Every query of the dashboard, with its variables in place. */
function queries(): string[] {
  const { panels } = JSON.parse(readFileSync(dashboard, 'utf8')) as {
    panels: { targets?: { expr: string }[] }[];
  };
  return panels
    .flatMap(({ targets = [] }) => targets.map(({ expr }) => expr))
    .map((expr) =>
      expr.replaceAll('$__rate_interval', '5m').replaceAll('$job', 'cartulary').replaceAll('$instance', '.*'),
    );
}

/** The names of metrics in a query. */
const namesIn = (query: string): string[] =>
  (query.replaceAll(/"[^"]*"/g, '').match(/\b(?:cartulary|http_server|mcp_server|nodejs|process)_\w+/g) ?? []).map(
    (name) => name.replace(/_(?:bucket|count|sum)$/, ''),
  );

describe('the dashboard', () => {
  it('asks for metrics that there are, as do the alerts', async () => {
    const text = await scrapeWell();
    const known = new Set([...text.matchAll(/^# TYPE (\S+) /gm)].map(([, name = '']) => name));
    const asked = [...queries(), ...readFileSync(rules, 'utf8').split('\n')].flatMap(namesIn);
    assert.ok(asked.length > 60);
    assert.deepEqual(
      asked.filter((name) => !known.has(name)),
      [],
    );
  });

  it('promtool accepts the queries of the dashboard', async function () {
    needPromtool(this);
    const folder = await mkdtemp(join(tmpdir(), 'cartulary-queries-'));
    try {
      const file = join(folder, 'rules.yaml');
      const recorded = queries().map((expr, index) => ({ record: `query:${index}`, expr }));
      await writeFile(file, JSON.stringify({ groups: [{ name: 'queries', rules: recorded }] }));
      const { code, said } = promtool(['check', 'rules', file]);
      assert.equal(code, 0, said);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });
});

describe('the page about monitoring', () => {
  it('has a row for each metric of ours, with its type and its meaning, and no other', async () => {
    const text = await scrapeWell();
    const types = new Map([...text.matchAll(/^# TYPE (\S+) (\S+)$/gm)].map(([, name = '', type = '']) => [name, type]));
    const expected = [...text.matchAll(/^# HELP (\S+) (.+)$/gm)]
      .map(([, name = '', means = '']) => [name, types.get(name), means])
      .filter(([name]) => !/^(?:nodejs|process)_/.test(name ?? ''));
    const page = readFileSync(packagePath('lib', 'docs', 'monitoring.md'), 'utf8');
    const rows = [...page.matchAll(/^\| `(\w+)` +\| (gauge|counter|histogram) +\| (.+?) +\|$/gm)].map((row) =>
      row.slice(1),
    );
    assert.deepEqual(rows, expected);
  });
});

function makeMetrics(): Metrics {
  let now = 0;
  return new Metrics(build, { elapsed: () => (now += 1000) });
}

/** What a service says when nothing has gone wrong. */
async function scrapeWell(): Promise<string> {
  const metrics = makeMetrics();
  const host = await openTestService({ observers: metrics.work });
  try {
    return await metrics.read(host.service);
  } finally {
    await host.close();
  }
}

/** Series for promtool: ten minutes as it was, then three hours in which what was counted happens again each minute. */
function seriesOf(before: string, now: string): object[] {
  const earlier = new Map(readSamples(before).map(({ series, value }) => [series, value]));
  return readSamples(now)
    .filter(({ value }) => Number.isFinite(value))
    .map(({ series, value }) => ({
      series: series.replace(/\{|$/, (mark) => (mark === '{' ? '{job="cartulary",instance="one",' : '')),
      values: `${earlier.get(series) ?? 0}+0x9 ${value}+${counts.test(series) ? value - (earlier.get(series) ?? 0) : 0}x180`,
    }));
}

/** The alerts that fire where these scrapes are what Prometheus has seen. */
async function firing(before: string, now: string, minutes: number): Promise<string[]> {
  const folder = await mkdtemp(join(tmpdir(), 'cartulary-alerts-'));
  try {
    const file = join(folder, 'test.yaml');
    const found: string[] = [];
    const names = [...readFileSync(rules, 'utf8').matchAll(/- alert: (\w+)/g)].map(([, name = '']) => name);
    const expectations = names.map((name) => ({
      expr: `count(ALERTS{alertname="${name}",alertstate="firing"}) or vector(0)`,
      eval_time: `${10 + minutes}m`,
      exp_samples: [{ labels: '{}', value: 0 }],
    }));
    const tests = [{ interval: '1m', input_series: seriesOf(before, now), promql_expr_test: expectations }];
    // JSON is YAML.
    await writeFile(file, JSON.stringify({ rule_files: [rules], evaluation_interval: '1m', tests }));
    const { said } = promtool(['test', 'rules', file]);
    assert.match(said, /SUCCESS|FAILED/);
    for (const name of names) if (said.includes(`alertname=\\"${name}\\"`)) found.push(name);
    return found;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
