import assert from 'node:assert/strict';
import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { requireGit } from '../../lib/git/program/git-program.js';
import { takeBundle } from '../../lib/git/sources/take-bundle.js';
import { Quarantine } from '../../lib/git/serving/quarantine.js';
import { Service } from '../../lib/app/service.js';
import { bring, bringRefused } from './bring.js';
import { bundleOf, makeDeltaBomb } from '../support/git/delta-bomb.js';
import { git, piecesOf, TemporaryFolders } from '../support/git/fixture.js';
import { canWatchChildren, findProcesses, watchChildren } from '../support/processes/watch-children.js';
import { skipBecause } from '../support/skip.js';
import { addClient } from '../support/store/client.js';
import {
  makeTestRandomness,
  openTestService,
  operator,
  TestClock,
  type TestService,
} from '../support/store/service.js';
import { until } from '../support/until.js';

const megabyte = 1_000_000;
/** The most that a git may take of memory, whatever the objects are. */
const most = 600 * megabyte;

/** What objects of a stranger cost, on each way by which they come in. */
describe('git on objects that a stranger made', function () {
  this.timeout(120_000);
  const folders = new TemporaryFolders();
  let folder: string;
  let dataFolder: string;
  let service: TestService;

  before(function () {
    if (!canWatchChildren) skipBecause(this, 'only Linux bounds the memory of a process.');
  });
  beforeEach(async () => {
    folder = await folders.make();
    dataFolder = await folders.make();
    service = await openTestService();
    await addClient({ service, workspace: service.workspace }, 'Ada', 'approver');
  });
  afterEach(() => service.close());
  after(() => folders.remove());

  it('takes little memory for a bundle of a kilobyte that stands for gigabytes, and refuses it', async () => {
    const directory = await putBundle([3000, 3001]);
    await takesLittle(async () => {
      const { message } = await bringRefused(service, { directory }, { dataFolder });
      assert.match(message, /x\.bundle cannot be unpacked: it holds something for which git needs more than \d+ MiB/);
      assert.match(message, /repack -a -d -F/);
    });
    assert.deepEqual(await readdir(dataFolder), [], 'nothing of it stays');
  });

  it('takes little memory for a small file that has to be unpacked from gigabytes, and imports the others', async () => {
    const directory = await makeClone([230, 231, 2], true);
    await takesLittle(async () => {
      for (const history of [false, true]) {
        const { created, unchanged, skipped } = await bring(service, { directory, history });
        assert.deepEqual([created + unchanged, skipped.map(({ path }) => path)], [1, ['large.txt']]);
      }
    });
  });

  it('takes little memory for a clone that is restored, and refuses it', async () => {
    const clone = await makeClone([230, 231], true);
    const randomness = makeTestRandomness('foreign');
    const clock = new TestClock();
    const restoring = await Service.open({ dataFolder, git: 'auto', clock, randomness, onFault: assert.fail });
    try {
      await takesLittle(() =>
        assert.rejects(
          restoring.restore({ clone, name: 'acme' }, operator),
          /cannot be taken in.*for which git needs more than \d+ MiB/,
        ),
      );
    } finally {
      await restoring.close();
    }
  });

  it('takes little memory for the bundle of a backup, and refuses it', async () => {
    const file = await putBundle([3000, 3001]);
    const repository = join(folder, 'new.git');
    git(folder, ['init', '-q', '--bare', repository]);
    await takesLittle(() => assert.rejects(takeBundle(repository, file), /for which git needs more than \d+ MiB/));
  });

  it('starts no git for a pack that says that it has more objects than fit into its bytes', async () => {
    const repository = join(folder, 'new.git');
    git(folder, ['init', '-q', '--bare', repository]);
    const bomb = makeDeltaBomb([2]);
    const fitting = Math.floor(bomb.pack.length / 9);
    for (const [claimed, said] of [
      [0xffff_ffff, /x\.bundle cannot be unpacked: it says that it has 4294967295 objects in \d+ bytes/],
      [fitting + 1, new RegExp(`it says that it has ${fitting + 1} objects in ${bomb.pack.length} bytes`)],
      // git looks for the others in vain.
      [fitting, /cannot be unpacked: (?!it says)/],
    ] as const) {
      bomb.pack.writeUInt32BE(claimed, 8);
      const file = join(folder, 'x.bundle');
      await writeFile(file, bundleOf(bomb));
      await takesLittle(async () => {
        const { message } = await bringRefused(service, { directory: file }, { dataFolder });
        assert.match(message, said);
      });
      if (claimed > fitting) await assert.rejects(takeBundle(repository, file), /it says that it has/);
    }
    assert.deepEqual(await readdir(join(repository, 'objects', 'pack')), []);
    assert.deepEqual(await readdir(dataFolder), [], 'nothing of it stays');
  });

  it('takes little memory for a push, and refuses it', async () => {
    const served = join(folder, 'served.git');
    git(folder, ['init', '-q', '--bare', served]);
    const mebibyte = 1024 * 1024;
    const limits = { bytes: 512 * mebibyte, file: 100 * mebibyte, commits: 100, changes: 100, time: 60_000 };
    for (const sizes of [[3000], [230, 231, 232, 233]]) {
      const { pack } = makeDeltaBomb(sizes);
      const place = await folders.make();
      const { signal } = new AbortController();
      const quarantine = await Quarantine.open(await requireGit('test'), place, served, limits, signal);
      await takesLittle(() => assert.rejects(quarantine.takeIn(piecesOf(pack)), /too large to unpack/));
      quarantine.close();
    }
  });

  it('ends at once with everything that it started, when an import is interrupted', async () => {
    const directory = await putBundle(Array.from({ length: 60 }, (_, index) => 150 + index));
    const interrupted = new AbortController();
    const over = bringRefused(service, { directory }, { dataFolder, signal: interrupted.signal });
    await until('git unpacks', async () => findProcesses(dataFolder).some(({ peak }) => peak > 100 * megabyte));
    interrupted.abort();
    await until('no process works on it', async () => findProcesses(dataFolder).length === 0, 1000);
    assert.equal((await over).details?.['reason'], 'stopped');
    assert.deepEqual(await readdir(dataFolder), [], 'nothing of it stays');
  });

  async function putBundle(...bomb: Parameters<typeof makeDeltaBomb>): Promise<string> {
    const file = join(folder, 'x.bundle');
    await writeFile(file, bundleOf(makeDeltaBomb(...bomb)));
    return file;
  }

  /** A bare repository that holds a bomb. */
  async function makeClone(...bomb: Parameters<typeof makeDeltaBomb>): Promise<string> {
    const clone = join(folder, 'clone.git');
    git(folder, ['init', '-q', '--bare', '-b', 'main', clone]);
    const { pack, head } = makeDeltaBomb(...bomb);
    git(clone, ['index-pack', '--stdin', '--threads=1'], pack);
    git(clone, ['update-ref', 'refs/heads/main', head]);
    return clone;
  }

  async function takesLittle(work: () => Promise<unknown>): Promise<void> {
    const peak = await watchChildren(work);
    assert.ok(peak < most, `a git took ${Math.round(peak / megabyte)} MB`);
  }
});
