import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathsOf } from '../../lib/journal/workspace-paths.js';
import { WorkspaceSource } from '../../lib/stored/workspace-source.js';
import { TemporaryFolders } from '../support/git/fixture.js';
import { never, realClock, realRandomness, startS3rver, type ServedStore } from './bucket-world.js';
import { makeCopyKey, type CopyKey } from './follow-world.js';
import { StoredShards } from './shards-world.js';

describe('the rows of files beside a followed sidecar', () => {
  const folders = new TemporaryFolders();
  let store: ServedStore;
  let key: CopyKey;
  let open: StoredShards | undefined;

  before(async function () {
    store = await startS3rver(this);
    key = await makeCopyKey();
  });
  beforeEach(async () => {
    open = await StoredShards.open({ dataFolder: await folders.make(), store, key, takesOver: true });
  });
  afterEach(() => open?.close());
  after(async () => {
    await folders.remove();
    await store?.close();
  });

  /** Files as of large contents, with the names of none. */
  const makeFiles = async ({ dataFolder }: StoredShards, count: number): Promise<void> => {
    const { repository } = pathsOf(dataFolder, 'acme');
    await mkdir(join(repository, 'objects', 'ab'), { recursive: true });
    for (let file = 0; file < count; file++)
      await writeFile(join(repository, 'objects', 'ab', file.toString(16).padStart(38, '0')), 'bytes');
  };
  const sourceOf = async (stored: StoredShards): Promise<WorkspaceSource> => {
    const { bucket, dataFolder, service, shards } = stored;
    const workspace = service.find('acme');
    if (workspace === undefined) throw new Error('There is no workspace.');
    const means = { clock: realClock, randomness: realRandomness, keyOf: () => realRandomness.bytes(32) };
    const source = new WorkspaceSource({ workspace, bucket, dataFolder, life: shards.life, ...means });
    await source.prepare(never);
    return source;
  };
  const required = (): StoredShards => {
    if (open === undefined) throw new Error('It is not open.');
    return open;
  };

  it('are made in parts, and the moment comes when all are there', async () => {
    const stored = required();
    await makeFiles(stored, 1200);
    const source = await sourceOf(stored);
    const journal = stored.service.find('acme')?.journal;
    const counted: number[] = [];
    const count = (): number => journal?.reader.storedObjects.after('', 5000).length ?? 0;
    const writing = source.atMoment(() => counted.push(count()));
    await journal?.write({ run: () => undefined });
    await new Promise(setImmediate);
    const between = count();
    await writing;
    assert.ok(between < 1200, `${between} rows were made at once`);
    assert.ok((counted[0] ?? 0) >= 1200);
    assert.equal(counted.length, 1);
  }).timeout(20_000);

  it('fail alone where the moment fails', async () => {
    const stored = required();
    await makeFiles(stored, 1);
    const source = await sourceOf(stored);
    const failing = source.atMoment(() => {
      throw new Error('It cannot be pinned.');
    });
    const writing = stored.actor().create('in-that-group.md', 'written in that group');
    await assert.rejects(failing, /It cannot be pinned/);
    await writing;
  }).timeout(20_000);

  it('are taken as they are where a transaction that was refused has made them', async () => {
    const stored = required();
    await makeFiles(stored, 2);
    const source = await sourceOf(stored);
    const name = `blobs/ab${'1'.padStart(38, '0')}`;
    const row = { name, life: stored.shards.life, bytes: 5, key: Buffer.alloc(32, 1) };
    await stored.service.find('acme')?.journal.write({ run: ({ tables }) => tables.storedObjects.insert(row) });
    await source.atMoment(() => undefined);
    await source.storeFiles(never);
    assert.ok((await stored.list('acme/')).some((object) => object.endsWith(name)));
  }).timeout(20_000);
});
