import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { schemaPath } from '../../lib/app/upgrade.js';
import { nodeFileSystem, type FileSystem, type OpenFile } from '../../lib/git/file-system.js';
import { archiveAudit } from '../../lib/operations/audit/archive-audit.js';
import { backUpWorkspace } from '../../lib/operations/workspaces/back-up-workspace.js';
import { perform } from '../../lib/operations/perform.js';
import { checkBackup } from '../../lib/backup/check-backup.js';
import { adoptWorkspace, prepareStage, stageBackup, type StageOptions } from '../../lib/backup/stage-workspace.js';
import { openServiceFile } from '../../lib/sidecar/service-file.js';
import { makeTestRandomness, openTestService, operator, type TestService } from '../support/store/service.js';
import { makeHistory } from '../support/store/history.js';

const passphrase = 'words';

describe('staging a backup', function () {
  // A restore, with all its checks, for each call that can fail.
  this.timeout(120_000);
  let test: TestService;
  let work: string;
  let backup: string;
  let data: string;

  before(async () => {
    work = await mkdtemp(join(tmpdir(), 'cartulary-stage-'));
    backup = join(work, 'backup');
    test = await openTestService({ store: 'disk' });
    await makeHistory(test);
    for (const seq of [10, 20]) await perform(test.workspace, operator, archiveAudit, { before: { seq } });
    await perform(test.workspace, operator, backUpWorkspace, { folder: backup, passphrase, cost: 1024 });
  });
  beforeEach(async () => {
    data = await makeData();
  });
  after(async () => {
    await test.close();
    await rm(work, { recursive: true, force: true });
  });

  it('has every byte and every name on stable storage before it lies in its place', async () => {
    const watched = new WatchedFileSystem();
    await restore(watched);
    const archives = await readdir(join(backup, 'audit'));
    assert.equal(archives.length, 2);
    for (const name of [...archives, 'sidecar.sqlite']) {
      assert.ok(
        watched.made.some((path) => basename(path) === name),
        name,
      );
    }
    for (const name of archives) {
      assert.deepEqual(await readFile(join(data, 'acme', 'audit', name)), await readFile(join(backup, 'audit', name)));
    }
    assert.deepEqual([...watched.names], []);
  });

  it('fails, and puts nothing in its place, at any failing call to the disk', async () => {
    const whole = new WatchedFileSystem();
    await restore(whole);
    // A failure after the workspace is in place is reported, too, and adoption removes it.
    for (const [at, what] of whole.calls.entries()) {
      data = await makeData();
      const watched = new WatchedFileSystem(at);
      await assert.rejects(restore(watched), { message: what });
      assert.ok(!(await readdir(data)).includes('acme'), what);
    }
    assert.ok(whole.calls.length > 8, whole.calls.join(', '));
  });

  /** An empty folder of the same name each time. */
  async function makeData(): Promise<string> {
    const folder = join(await mkdtemp(join(work, 'of-')), 'data');
    await mkdir(folder);
    return folder;
  }

  function optionsWith(fs: FileSystem): StageOptions {
    const files = {
      dataFolder: data,
      migrations: schemaPath('sidecar'),
      git: 'auto',
      clock: test.clock,
      randomness: makeTestRandomness('staging'),
      fs,
    } as const;
    return {
      files: files as unknown as StageOptions['files'],
      serviceMigrations: schemaPath('service'),
      isListed: () => false,
    };
  }

  async function restore(watched: WatchedFileSystem): Promise<void> {
    const options = optionsWith(watched.fs);
    const stage = await prepareStage(options, 'acme');
    const staged = await stageBackup(await checkBackup(backup, passphrase), stage, options);
    const file = openServiceFile(join(data, 'service.sqlite'), schemaPath('service'));
    try {
      await adoptWorkspace(staged, options.files, file);
    } finally {
      file.close();
    }
  }
});

/** A file system that tracks bytes and names not yet on stable storage, and makes single calls fail. */
class WatchedFileSystem {
  readonly bytes = new Set<string>();
  readonly names = new Set<string>();
  readonly made: string[] = [];
  readonly calls: string[] = [];
  readonly #failAt: number;

  constructor(failAt = -1) {
    this.#failAt = failAt;
  }

  #call(what: string): void {
    this.calls.push(what);
    if (this.calls.length - 1 === this.#failAt) throw Object.assign(new Error(what), { code: 'EIO' });
  }

  get fs(): FileSystem {
    return {
      ...nodeFileSystem,
      openNew: async (path, mode) => {
        this.#call(`make ${basename(path)}`);
        const file = await nodeFileSystem.openNew(path, mode);
        this.made.push(path);
        this.bytes.add(path);
        this.names.add(path);
        return this.#watch(file, path);
      },
      rename: async (from, to) => {
        this.#call(`rename ${basename(to)}`);
        assert.deepEqual([...this.bytes], [], 'bytes that a power cut takes away');
        const inside = [...this.names].filter((path) => path.startsWith(`${from}/`));
        assert.deepEqual(inside, [], 'names that a power cut takes away');
        await nodeFileSystem.rename(from, to);
      },
      syncFolder: async (path) => {
        this.#call(`sync the names in ${basename(path)}`);
        await nodeFileSystem.syncFolder(path);
        for (const name of this.names) if (dirname(name) === path) this.names.delete(name);
      },
    };
  }

  #watch(file: OpenFile, path: string): OpenFile {
    return {
      ...file,
      write: async (bytes, offset, length) => {
        this.#call(`write ${basename(path)}`);
        return file.write(bytes, offset, length);
      },
      sync: async () => {
        this.#call(`sync ${basename(path)}`);
        await file.sync();
        this.bytes.delete(path);
      },
    };
  }
}
