import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DataFolderInUse, Service } from '../../lib/app/service.js';
import { writeArchive } from '../../lib/audit/write-archive.js';
import { Refusal } from '../../lib/domain/refusal.js';
import { unpackBundle } from '../../lib/git/sources/unpack-bundle.js';
import { archiveAudit } from '../../lib/operations/audit/archive-audit.js';
import { perform } from '../../lib/operations/perform.js';
import { makeWorkbench } from '../support/faults/workbench.js';
import { git } from '../support/git/fixture.js';
import { makeTestRandomness, operator, TestClock } from '../support/store/service.js';

describe('the remains of interrupted work in a data folder', function () {
  this.timeout(30_000);
  let data: string;
  let services: Service[];

  beforeEach(async () => {
    data = await mkdtemp(join(tmpdir(), 'cartulary-remains-'));
    services = [];
  });
  afterEach(async () => {
    for (const service of services) await service.close();
    await rm(data, { recursive: true, force: true });
  });

  const remains = [
    '.lost.restoring/service.sqlite',
    '.lost.restoring/lost/sidecar.sqlite',
    '.lost.restoring/content.bundle.lock',
    '.half.restoring/.half.tmp/content.git/HEAD',
    '.new.tmp/sidecar.sqlite-wal',
    '.importing-aB3xyz/objects/pack/tmp_pack',
    'placed/unfinished',
    'placed/sidecar.sqlite',
  ];

  it('are removed at the next start, and nothing else is', async () => {
    const service = await open();
    await service.addWorkspace('acme');
    await service.close();
    services.pop();
    const others = [
      '.vim.tmp/letter.txt',
      '.mine.restoring/service.sqlite',
      '.mine.restoring/notes.md',
      'theirs/sidecar.sqlite',
      'unplaced/unfinished',
      'unplaced/letter.txt',
    ];
    await put(...remains, ...others, 'acme/unfinished');
    assert.ok((await open()).find('acme'));
    for (const path of remains) assert.equal(existsSync(join(data, path, '..')), false, path);
    for (const path of others) assert.ok(existsSync(join(data, path)), path);
    assert.deepEqual(
      (await readdir(data)).filter((name) => /lost|half|new|importing|placed$/.test(name)),
      ['unplaced'],
    );
  });

  it('are removed only by their owner: a running restore is left alone', async () => {
    await open();
    await put(...remains);
    await assert.rejects(open(), DataFolderInUse);
    for (const path of remains) assert.ok(existsSync(join(data, path)), path);
  });

  it('of an imported bundle lie where a start finds them', async () => {
    const source = join(data, 'source');
    await mkdir(source);
    git(source, ['init', '-q', '-b', 'main', '.']);
    git(source, ['-c', 'user.name=x', '-c', 'user.email=x@y', 'commit', '-q', '--allow-empty', '-m', 'x']);
    const bundle = join(data, 'x.bundle');
    git(source, ['bundle', 'create', '-q', bundle, 'main']);
    const { path: folder } = await unpackBundle(bundle, data, new AbortController().signal);
    assert.equal(join(folder, '..'), data);
    await open();
    assert.equal(existsSync(folder), false);
  });

  async function open(): Promise<Service> {
    const randomness = makeTestRandomness('remains');
    const clock = new TestClock();
    const service = await Service.open({ dataFolder: data, git: 'auto', clock, randomness, onFault: assert.fail });
    services.push(service);
    return service;
  }

  async function put(...paths: readonly string[]): Promise<void> {
    for (const path of paths) {
      await mkdir(join(data, path, '..'), { recursive: true });
      await writeFile(join(data, path), 'x');
    }
  }
});

describe('the remains of an interrupted archiving', function () {
  this.timeout(30_000);

  it('are removed at the next start: files half written, and those that no row names and all have elsewhere', async () => {
    const bench = await makeWorkbench();
    try {
      const { workspace, actor } = bench;
      for (let index = 0; index < 20; index += 1) await actor.list();
      const folder = bench.paths.archives;
      await perform(workspace, operator, archiveAudit, { before: { seq: 8 } });
      const listed = await readdir(folder);
      assert.equal(listed.length, 1);
      const { reader } = workspace.journal;
      // Two archives at once with different bounds. The transaction of neither ran.
      const lost = [await writeArchive(reader, folder, 12), await writeArchive(reader, folder, 15)];
      const temporary = `.${lost[0]?.file}.tmp`;
      const evidence = `900-950-${'a'.repeat(64)}.jsonl.gz`;
      for (const name of [temporary, evidence, 'note.txt']) await writeFile(join(folder, name), 'x');
      assert.equal((await readdir(folder)).length, 6);
      await bench.reopen();
      assert.deepEqual((await readdir(folder)).toSorted(), [...listed, evidence, 'note.txt'].toSorted());
      assert.deepEqual(bench.reported, []);
    } finally {
      await bench.remove();
    }
  });

  it('are none where the disk refuses the file', async () => {
    const bench = await makeWorkbench();
    try {
      for (let index = 0; index < 5; index += 1) await bench.actor.list();
      const { reader } = bench.workspace.journal;
      const folder = bench.paths.archives;
      const written = await writeArchive(reader, folder, 4);
      // A file in its place blocks every rename to it.
      await rm(join(folder, written?.file ?? ''));
      await mkdir(join(folder, written?.file ?? '', 'full'), { recursive: true });
      await assert.rejects(writeArchive(reader, folder, 4));
      assert.deepEqual(await readdir(folder), [written?.file]);
    } finally {
      await bench.remove();
    }
  });
});

describe('two workspaces of one name, made at once', function () {
  this.timeout(30_000);
  let data: string;
  let service: Service;

  beforeEach(async () => {
    data = await mkdtemp(join(tmpdir(), 'cartulary-twice-'));
    const clock = new TestClock();
    const randomness = makeTestRandomness('twice');
    service = await Service.open({ dataFolder: data, git: 'auto', clock, randomness, onFault: assert.fail });
  });
  afterEach(async () => {
    await service.close();
    await rm(data, { recursive: true, force: true });
  });

  it('are one, and a refusal, whenever the second comes', async () => {
    const first = service.addWorkspace('acme');
    await assert.rejects(service.addWorkspace('acme'), isTaken);
    assert.equal(service.find('acme'), await first);

    const later = service.addWorkspace('team');
    // Looked at in every turn of the event loop, since the work after it takes many turns.
    while (!existsSync(join(data, 'team'))) await new Promise((resolve) => setImmediate(resolve));
    assert.equal(service.find('team'), undefined, 'it is not known yet');
    await assert.rejects(service.addWorkspace('team'), isTaken);
    assert.equal(service.find('team'), await later);
    assert.deepEqual(service.names(), ['acme', 'team']);
  });

  it('do not block one of another name, nor does a failed one', async () => {
    const made = [service.addWorkspace('one'), service.addWorkspace('NO'), service.addWorkspace('two')];
    const outcomes = (await Promise.allSettled(made)).map(({ status }) => status);
    assert.deepEqual(outcomes, ['fulfilled', 'rejected', 'fulfilled']);
  });

  it('one that cannot be listed is closed again, and can be made later', async () => {
    const { addWorkspace } = service.file;
    Object.assign(service.file, {
      addWorkspace: () => {
        throw new Error('The disk is full.');
      },
    });
    await assert.rejects(service.addWorkspace('acme'), /The disk is full/);
    // An open sidecar has its log beside it.
    assert.equal(existsSync(join(data, 'acme', 'sidecar.sqlite-wal')), false);
    Object.assign(service.file, { addWorkspace });
    const workspace = await service.addWorkspace('acme');
    assert.ok(existsSync(join(data, 'acme', 'sidecar.sqlite-wal')));
    assert.equal(workspace.name, 'acme');
  });

  const isTaken = (error: unknown): boolean => error instanceof Refusal && error.details?.reason === 'name_taken';
});
