import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Service } from '../../lib/app/service.js';
import type { Workspace } from '../../lib/workspace/workspace.js';
import { Actor } from '../support/store/actor.js';
import { makeTestRandomness, openTestService, TestClock } from '../support/store/service.js';
import { until } from '../support/until.js';
import { SearchKeeper } from '../../lib/indexing/search-keeper.js';
import { find } from './find.js';
import { holdFirstAnalysis } from './hold-analysis.js';

describe('search: a stored index whose documents another version of the program analysed', () => {
  let folder = '';
  let service: Service | undefined;
  let id = '';

  beforeEach(async () => {
    const test = await openTestService({ store: 'disk-without-git' });
    folder = test.dataFolder ?? '';
    ({ id } = await test.person('editor'));
    const editor = new Actor(test.workspace, id);
    for (let number = 0; number < 140; number += 1) await editor.create(`many/${number}.md`, `ladder ${number}`);
    await test.service.close();
    changeManifest(folder, (manifest) => ({ ...manifest, format: manifest.format.replace(/\.\d+$/, '.0') }));
  });
  afterEach(async () => {
    await service?.close();
    await rm(folder, { recursive: true, force: true });
  });

  const open = async (): Promise<Workspace> => {
    service = await Service.open({
      dataFolder: folder,
      git: 'never',
      clock: new TestClock(),
      randomness: makeTestRandomness('another version'),
      onFault: (what, cause) => assert.fail(`${what}: ${String(cause)}`),
    });
    const workspace = service.find('acme');
    assert.ok(workspace);
    return workspace;
  };

  it('answers, also for new documents, until the new index is whole', async () => {
    const release = holdFirstAnalysis(SearchKeeper.prototype);
    const workspace = await open();
    await until('an index is being filled', () => workspace.search.progress !== null);
    assert.equal(workspace.search.progress?.task, 'analysis');
    assert.ok(workspace.search.index.isOutdated);
    await new Actor(workspace, id).create('new.md', 'a ladder of rope');
    assert.deepEqual((await find(workspace, id, '+ladder +139')).toSorted(), ['many/139.md']);
    assert.deepEqual(await find(workspace, id, 'rope'), ['new.md']);
    release();
    await workspace.searchCaughtUp();
    assert.ok(!workspace.search.index.isOutdated);
    assert.deepEqual(await find(workspace, id, '+ladder +139'), ['many/139.md']);
    assert.deepEqual(await find(workspace, id, 'rope'), ['new.md']);
    assert.match(formatIn(folder), /\.[1-9]\d*$/);
  });

  it('stays one of another version when it is stored, so that the next start makes the new one', async () => {
    const release = holdFirstAnalysis(SearchKeeper.prototype);
    const workspace = await open();
    await until('an index is being filled', () => workspace.search.progress !== null);
    await new Actor(workspace, id).create('new.md', 'a ladder of rope');
    workspace.search.startClosing();
    release();
    await service?.close();
    assert.match(formatIn(folder), /\.0$/);
    const again = await open();
    await again.searchCaughtUp();
    assert.ok(!again.search.index.isOutdated);
    assert.deepEqual(await find(again, id, 'rope'), ['new.md']);
  });

  it('is built anew, while searches are refused, when its segments cannot be read', async () => {
    changeManifest(folder, (manifest) => ({ ...manifest, format: '0.0' }));
    const workspace = await open();
    assert.equal(workspace.search.index.commit, null);
    await workspace.searchCaughtUp();
    assert.deepEqual(await find(workspace, id, '+ladder +139'), ['many/139.md']);
  });
});

interface Manifest {
  readonly format: string;
}

const manifestIn = (folder: string): string => join(folder, 'acme', 'search', 'manifest.json');

function formatIn(folder: string): string {
  return (JSON.parse(readFileSync(manifestIn(folder), 'utf8').split('\n')[1] ?? '') as Manifest).format;
}

function changeManifest(folder: string, change: (manifest: Manifest) => Manifest): void {
  const file = manifestIn(folder);
  const text = JSON.stringify(change(JSON.parse(readFileSync(file, 'utf8').split('\n')[1] ?? '') as Manifest));
  writeFileSync(file, `${createHash('sha256').update(text).digest('hex')}\n${text}\n`);
}
