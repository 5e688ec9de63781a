import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { cp, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Service } from '../../lib/app/service.js';
import { schemaPath } from '../../lib/app/upgrade.js';
import { Refusal } from '../../lib/domain/refusal.js';
import { nodeFileSystem, type FileSystem } from '../../lib/git/file-system.js';
import { backUpWorkspace } from '../../lib/operations/workspaces/back-up-workspace.js';
import { perform } from '../../lib/operations/perform.js';
import { openServiceFile, type ServicePart } from '../../lib/sidecar/service-file.js';
import { adoptWorkspace } from '../../lib/backup/stage-workspace.js';
import { makeTestRandomness, openTestService, operator, type TestService } from '../support/store/service.js';
import { dumpContent, makeHistory } from '../support/store/history.js';
import { verifyAudit } from '../support/store/verify-audit.js';

const passphrase = 'words';

describe('a folder in the place of a restore', () => {
  let test: TestService;
  let origin: string;
  let work: string;
  let data: string;
  let backup: string;
  let service: Service;

  before(async () => {
    origin = await mkdtemp(join(tmpdir(), 'cartulary-adopt-'));
    backup = join(origin, 'backup');
    test = await openTestService({ store: 'disk' });
    await makeHistory(test);
    await perform(test.workspace, operator, backUpWorkspace, { folder: backup, passphrase, cost: 1024 });
  });

  after(async () => {
    await test?.close();
    await rm(origin, { recursive: true, force: true });
  });

  beforeEach(async () => {
    work = await mkdtemp(join(tmpdir(), 'cartulary-adopt-'));
    data = join(work, 'data');
    service = await open();
  });

  afterEach(async () => {
    await service.close();
    await rm(work, { recursive: true, force: true });
  });

  it('is left alone when the service lists it, with any mark', async () => {
    await restore();
    await leaveMark();
    const before = dumpContent(data);
    await assert.rejects(restore(), (error) => error instanceof Refusal && error.details?.reason === 'name_taken');
    assert.deepEqual(dumpContent(data), before);
  });

  it('loses the mark when the service is opened', async () => {
    await restore();
    await leaveMark();
    await service.close();
    service = await open();
    assert.equal(existsSync(join(data, 'acme', 'unfinished')), false);
    assert.ok(service.find('acme'));
  });

  it('gives way when it bears the mark and the service has never listed it', async () => {
    await cp(join(test.dataFolder ?? '', 'acme'), join(data, 'acme'), { recursive: true });
    await rm(join(data, 'acme', 'sidecar.sqlite'));
    await leaveMark();
    await restore();
    assert.deepEqual(dumpContent(data), dumpContent(test.dataFolder ?? ''));
    assert.equal(existsSync(join(data, 'acme', 'unfinished')), false);
  });

  it('may be absent, where a workspace listed by the service is lost', async () => {
    await restore();
    await service.close();
    await rm(join(data, 'acme'), { recursive: true });
    service = await open();
    assert.throws(() => service.find('acme'), { code: 'UNAVAILABLE' });
    const restored = await restore();
    assert.equal(service.find('acme'), restored);
    assert.deepEqual(service.names(), ['acme']);
    assert.deepEqual(dumpContent(data), dumpContent(test.dataFolder ?? ''));
    assert.ok((await perform(restored, operator, verifyAudit, {})).result.sound);
    assert.deepEqual(
      (await readdir(data)).filter((name) => name.startsWith('.')),
      [],
    );
    await service.close();
    service = await open();
    assert.ok(service.find('acme'));
  });

  function open(): Promise<Service> {
    const { clock } = test;
    const randomness = makeTestRandomness('adopting');
    return Service.open({ dataFolder: data, git: 'auto', clock, randomness, onFault: () => undefined });
  }

  function restore() {
    return service.restore({ backup, passphrase }, operator);
  }

  /** The files of a process that ends before it removes its mark. */
  async function leaveMark(): Promise<void> {
    await writeFile(join(data, 'acme', 'unfinished'), '');
  }
});

describe('adopting a staged workspace', () => {
  let data: string;
  let stage: string;
  let file: ReturnType<typeof openServiceFile>;
  const part: ServicePart = { workspace: 'acme', createdAt: 7, keys: [] };

  beforeEach(async () => {
    data = await mkdtemp(join(tmpdir(), 'cartulary-adopt-'));
    stage = join(data, '.acme.restoring');
    await nodeFileSystem.mkdir(join(stage, 'acme'));
    await writeFile(join(stage, 'acme', 'content'), 'whole');
    file = openServiceFile(join(data, 'service.sqlite'), schemaPath('service'));
  });

  afterEach(async () => {
    file.close();
    await rm(data, { recursive: true, force: true });
  });

  it('lists it only when its place is on stable storage, and a lost one of its name not until then', async () => {
    file.addWorkspace('acme', 1);
    const listed: boolean[] = [];
    const isListed = (): boolean => file.listWorkspaces().some(({ name }) => name === 'acme');
    await adopt(part, {
      ...nodeFileSystem,
      async rename(from, to) {
        listed.push(isListed());
        await nodeFileSystem.rename(from, to);
      },
      async syncFolder(folder) {
        await nodeFileSystem.syncFolder(folder);
        if (folder === data) listed.push(isListed());
      },
    });
    assert.deepEqual(listed, [false, false]);
    assert.deepEqual(file.listWorkspaces(), [{ name: 'acme', createdAt: 7 }]);
    assert.deepEqual(await readdir(join(data, 'acme')), ['content']);
  });

  for (const [what, taken, fs] of [
    ['the service cannot take it in', { ...part, keys: [{ purpose: 'audit:other', material: '', createdAt: 0 }] }, {}],
    ['it cannot be put in its place', part, { rename: () => Promise.reject(new Error('No space.')) }],
  ] as const) {
    it(`leaves nothing of it where ${what}`, async () => {
      await assert.rejects(adopt(taken, { ...nodeFileSystem, ...fs }));
      assert.deepEqual(
        (await readdir(data)).filter((name) => name.includes('acme')),
        [],
      );
      assert.deepEqual(file.listWorkspaces(), []);
    });
  }

  function adopt(taken: ServicePart, fs: FileSystem = nodeFileSystem): Promise<void> {
    const { workspace: name } = taken;
    return adoptWorkspace({ name, part: taken, stage }, { dataFolder: data, fs }, file);
  }
});
