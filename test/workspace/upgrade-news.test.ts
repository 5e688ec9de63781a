import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { cp, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openSidecar } from '../../lib/sidecar/sidecar.js';
import { Service } from '../../lib/app/service.js';
import { schemaPath } from '../../lib/app/upgrade.js';
import { pathsOf } from '../../lib/journal/workspace-files.js';
import { makeTestRandomness, openTestService, TestClock } from '../support/store/service.js';

/** The last schema without the indexes for questions to the audit log. */
const before = 22;
/** Those that this program has had since. */
const later = readdirSync(schemaPath('sidecar'))
  .map((name) => Number(name.slice(0, 4)))
  .filter((number) => number > before)
  .toSorted((a, b) => a - b);

describe('a workspace of an earlier release', () => {
  let folder: string;
  beforeEach(async () => (folder = await mkdtemp(join(tmpdir(), 'cartulary-upgrade-'))));
  afterEach(() => rm(folder, { recursive: true, force: true }));

  it('is announced before its first step and after its last one, with the number of its records', async () => {
    const file = join(folder, 'sidecar.sqlite');
    const steps = await makeEarlierSteps();
    const told: string[] = [];
    const onUpgrade: Parameters<typeof openSidecar>[3] = ({ from, records }) => {
      told.push(`begins at ${from} with ${records}`);
      return { onStep: (number) => told.push(`takes step ${number}`), onEnd: () => told.push('has ended') };
    };
    openSidecar(file, steps, false, onUpgrade).close();
    assert.deepEqual(told, [], 'a new file needs no upgrade');
    openSidecar(file, schemaPath('sidecar'), true, onUpgrade).close();
    const taken = later.map((step) => `takes step ${step}`);
    assert.deepEqual(told, [`begins at ${before} with 0`, ...taken, 'has ended']);
    openSidecar(file, schemaPath('sidecar'), true, onUpgrade).close();
    assert.equal(told.length, later.length + 2, 'the next start needs none');
  });

  it('an upgrade of a workspace is written to the service’s log', async () => {
    const test = await openTestService({ store: 'disk-without-git' });
    const dataFolder = test.dataFolder ?? assert.fail();
    await test.service.close();
    try {
      const file = pathsOf(dataFolder, 'acme').sidecar;
      for (const end of ['', '-wal', '-shm']) await rm(file + end, { force: true });
      openSidecar(file, await makeEarlierSteps()).close();
      const news: string[] = [];
      const service = await Service.open({
        dataFolder,
        git: 'never',
        clock: new TestClock(),
        randomness: makeTestRandomness('upgrade'),
        onFault: () => undefined,
        onNews: (what, figures) => void news.push(`${what}: ${JSON.stringify(figures)}`),
      });
      await service.close();
      const told = news.filter((each) => each.includes('schema'));
      assert.equal(told.length, later.length + 2, news.join('\n'));
      assert.match(told[0] ?? '', /^The workspace is brought to .*"workspace":"acme","from":22,.*"records":0/);
      assert.match(told[1] ?? '', /^The workspace takes a step to .*"workspace":"acme","step":23,/);
      assert.match(told.at(-1) ?? '', /^The workspace has the schema of this release: .*"milliseconds":0/);
    } finally {
      await rm(dataFolder, { recursive: true, force: true });
    }
  });

  /** The steps of an earlier release. */
  async function makeEarlierSteps(): Promise<string> {
    const steps = join(folder, 'steps');
    for (const name of await readdir(schemaPath('sidecar'))) {
      if (Number(name.slice(0, 4)) <= before) await cp(join(schemaPath('sidecar'), name), join(steps, name));
    }
    return steps;
  }
});
