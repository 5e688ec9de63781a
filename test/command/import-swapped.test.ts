import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, realpath, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EnclosedFolder } from '../../lib/disk/enclosed-folder.js';
import { rootLocation } from '../../lib/domain/location.js';
import { EntryCounter } from '../../lib/commands/import/count-entries.js';
import { openSource } from '../../lib/commands/import/import-folder.js';
import { walkFolder, type Walk, type WalkedFile } from '../../lib/commands/import/walk-folder.js';
import { outcomeOf } from '../support/store/actor.js';
import { addClient, type Client } from '../support/store/client.js';
import { openTestService, type TestService } from '../support/store/service.js';
import { bring, type Brought } from './bring.js';

const secret = 'a key of the service';
const limits = { whole: 1024, largest: 1024 * 1024 };

describe('an import of a folder that others change meanwhile', function () {
  this.timeout(60_000);
  let folder: string;
  let source: string;
  let outside: string;
  let service: TestService;
  let ada: Client;

  beforeEach(async () => {
    folder = await realpath(await mkdtemp(join(tmpdir(), 'cartulary-swapped-')));
    [source, outside] = [join(folder, 'source'), join(folder, 'outside')];
    await mkdir(source);
    await mkdir(outside);
    service = await openTestService();
    ada = await addClient({ service, workspace: service.workspace }, 'Ada', 'approver');
  });
  afterEach(async () => {
    await service.close();
    await rm(folder, { recursive: true, force: true });
  });

  const nameOf = (index: number): string => `${String(index).padStart(3, '0')}.md`;

  /** So many that the last ones have been listed, and not opened, when the first batch is written. */
  const many = 300;
  const last = nameOf(many - 1);

  it('does not follow a link put in the place of a file', async () => {
    await fill(source);
    await writeFile(join(outside, 'key'), secret);
    const brought = await bringWhile(async () => {
      await rm(join(source, last));
      await symlink(join(outside, 'key'), join(source, last));
    });
    assert.equal(brought.created, many - 1);
    assert.match(reasonOf(brought, last), /symbolic link/);
    assert.equal(await outcomeOf(ada.read(`wiki/${last}`)), 'NOT_FOUND');
  });

  it('does not wait for a FIFO put in the place of a file', async () => {
    await fill(source);
    const brought = await bringWhile(async () => {
      await rm(join(source, last));
      execFileSync('mkfifo', [join(source, last)]);
    });
    assert.equal(brought.created, many - 1);
    assert.match(reasonOf(brought, last), /neither a file nor a folder/);
  });

  it('takes no other file for the one that it looked at', async () => {
    await fill(source);
    await writeFile(join(folder, 'other'), 'x');
    const brought = await bringWhile(() => rename(join(folder, 'other'), join(source, last)));
    assert.equal(brought.created, many - 1);
    assert.match(reasonOf(brought, last), /was replaced/);
  });

  it('does not follow a link put in the place of a folder on the way', async () => {
    await fill(join(source, 'sub'));
    for (let index = 0; index < many; index += 1) await writeFile(join(outside, nameOf(index)), secret);
    const brought = await bringWhile(async () => {
      await rename(join(source, 'sub'), join(folder, 'away'));
      await symlink(outside, join(source, 'sub'));
    });
    assert.match(reasonOf(brought, `sub/${last}`), /leads out of the folder/);
    assert.equal(await outcomeOf(ada.read(`wiki/sub/${last}`)), 'NOT_FOUND');
  });

  it('lists no folder behind a link put in its place', async () => {
    await fill(join(source, 'a'));
    await mkdir(join(source, 'b'));
    await writeFile(join(outside, 'key'), secret);
    const brought = await bringWhile(async () => {
      await rm(join(source, 'b'), { recursive: true });
      await symlink(outside, join(source, 'b'));
    });
    assert.deepEqual([brought.created, brought.skipped.map(({ path }) => path)], [many, ['b']]);
    assert.match(reasonOf(brought, 'b'), /link|ENOTDIR/);
    assert.equal(await outcomeOf(ada.read('wiki/b/key')), 'NOT_FOUND');
  });

  it('imports nothing from outside, however often links are swapped in and out', async () => {
    await mkdir(join(source, 'sub'));
    for (const place of [source, join(source, 'sub')]) {
      for (let index = 0; index < 20; index += 1) await writeFile(join(place, nameOf(index)), 'own');
    }
    for (let index = 0; index < 20; index += 1) await writeFile(join(outside, nameOf(index)), secret);
    const swapper = spawn(process.execPath, ['-e', swapping, source, outside], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    await once(swapper.stdout, 'data');
    const ended = once(swapper, 'exit');
    try {
      for (let round = 0; round < 60; round += 1) {
        const into = `round-${round}`;
        await bring(service, { directory: source, into });
        for (const prefix of [into, `${into}/sub`]) {
          for (let index = 0; index < 20; index += 1) {
            const read = await ada.read(`${prefix}/${nameOf(index)}`).catch(() => 'own');
            assert.equal(read, 'own', `${prefix}/${nameOf(index)}`);
          }
        }
      }
    } finally {
      swapper.kill();
      await ended;
    }
  });

  for (const [system, descriptors] of [
    ['that tells where an open file lies', undefined],
    ['that does not', join('/nowhere', 'fd')],
  ] as const) {
    describe(`on a system ${system}`, () => {
      /** A file below the folder, as it is when it has been looked at. */
      async function look(): Promise<{ walk: Walk; file: WalkedFile }> {
        const walk = {
          root: await EnclosedFolder.open(source, descriptors),
          into: rootLocation,
          avoid: null,
          leftOut: new Set<string>(),
          heedsIgnored: true,
        };
        for await (const walked of walkFolder(walk, new EntryCounter(100))) {
          if ('file' in walked) return { walk, file: walked.file };
        }
        assert.fail('There is no file.');
      }

      const read = async ({ walk, file }: Awaited<ReturnType<typeof look>>): Promise<string> => {
        const source = await openSource(walk, file, limits);
        if (typeof source === 'string') return source;
        if (!('stream' in source)) return 'bytes' in source ? source.bytes.toString() : assert.fail('in pieces');
        let text = '';
        for await (const piece of source.stream) text += Buffer.from(piece).toString();
        return text;
      };

      it('reads an untouched file, small or large', async () => {
        await mkdir(join(source, 'sub'));
        for (const text of ['small', 'large'.repeat(1000)]) {
          await writeFile(join(source, 'sub', 'a.md'), text);
          assert.equal(await read(await look()), text);
        }
      });

      it('refuses a file swapped since it was looked at', async () => {
        await mkdir(join(source, 'sub'));
        await writeFile(join(source, 'sub', 'a.md'), 'own');
        await writeFile(join(outside, 'a.md'), secret);
        const looked = await look();
        await rename(join(source, 'sub'), join(folder, 'away'));
        await symlink(outside, join(source, 'sub'));
        assert.match(await read(looked), /leads out of the folder/);
        await rm(join(source, 'sub'));
        await rename(outside, join(source, 'sub'));
        assert.match(await read(looked), /was replaced/);
      });

      it('refuses a large file swapped between its opening and its reading', async () => {
        await writeFile(join(source, 'a.md'), 'own'.repeat(1000));
        await writeFile(join(outside, 'key'), secret);
        const { walk, file } = await look();
        const opened = await openSource(walk, file, limits);
        assert.ok(typeof opened !== 'string' && 'stream' in opened);
        await rm(join(source, 'a.md'));
        await symlink(join(outside, 'key'), join(source, 'a.md'));
        await assert.rejects(
          async () => {
            for await (const piece of opened.stream) assert.fail(String(piece));
          },
          { details: { reason: 'source_unreadable' } },
        );
      });

      it('reads no more of a grown file than it may', async () => {
        await writeFile(join(source, 'a.md'), 'own');
        const looked = await look();
        await writeFile(join(source, 'a.md'), 'x'.repeat(limits.whole + 1));
        assert.match(await read(looked), /grew/);
      });
    });
  }

  it("passes over the service's own data, also where a link leads around it", async () => {
    const data = join(source, 'data');
    await mkdir(data);
    await writeFile(join(data, 'service.sqlite'), secret);
    await writeFile(join(source, 'a.md'), 'own');
    await symlink(source, join(folder, 'link'));
    for (const dataFolder of [data, join(folder, 'link', 'data')]) {
      const brought = await bring(service, { directory: join(folder, 'link'), into: 'all' }, { dataFolder });
      assert.match(reasonOf(brought, 'data'), /own data folder/);
    }
    assert.equal(await outcomeOf(ada.read('all/data/service.sqlite')), 'NOT_FOUND');
  });

  const reasonOf = ({ skipped }: Brought, path: string): string =>
    skipped.find((each) => each.path === path)?.reason ?? '';

  async function fill(within: string): Promise<void> {
    await mkdir(within, { recursive: true });
    await Promise.all(Array.from({ length: many }, (_, index) => writeFile(join(within, nameOf(index)), `${index}`)));
  }

  /** Imports, and does this once while the first batch is written. */
  function bringWhile(swap: () => Promise<unknown>): Promise<Brought> {
    let swapped: Promise<unknown> | undefined;
    return bring(service, { directory: source }, { onProgress: () => (swapped ??= swap()) });
  }
});

/** Swaps a file and a folder for links, and back, until it is ended. */
const swapping = `
  const { renameSync, rmSync, symlinkSync } = require('node:fs');
  const { join } = require('node:path');
  const [source, outside] = process.argv.slice(1);
  process.stdout.write('ready');
  for (;;) {
    for (const name of ['007.md', '013.md', 'sub']) {
      const [path, away] = [join(source, name), join(outside, '..', name)];
      renameSync(path, away);
      symlinkSync(join(outside, name === 'sub' ? '' : name), path);
      rmSync(path);
      renameSync(away, path);
    }
  }
`;
