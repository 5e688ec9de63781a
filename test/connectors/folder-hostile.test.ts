import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import {
  chmod,
  link,
  mkdir,
  mkdtemp,
  realpath,
  rename,
  rm,
  rmdir,
  symlink,
  utimes,
  writeFile,
  appendFile,
} from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { folderKind } from '../../lib/connectors/folder/folder-kind.js';
import { SourceFault, UnreadableFile, type Source } from '../../lib/connectors/source.js';
import { isRoot, mountDisk, openWay, unmountAll } from '../support/processes/obstacles.js';
import { skipBecause } from '../support/skip.js';
import { Follower, meansOf, TestMemory, readWhole } from './follow.js';

describe('a mirrored folder that is odd, or that others change', function () {
  this.timeout(60_000);
  const never = new AbortController().signal;
  let folder: string;
  let root: string;
  let memory: TestMemory;

  beforeEach(async () => {
    folder = await realpath(await mkdtemp(join(tmpdir(), 'cartulary-folder-')));
    root = join(folder, 'share', 'team');
    await mkdir(root, { recursive: true });
    await mkdir(join(folder, 'cache'));
    memory = new TestMemory();
  });
  afterEach(async () => {
    unmountAll();
    await rm(folder, { recursive: true, force: true });
  });

  it('skips links, FIFOs and sockets with their reasons, and follows none', async () => {
    await writeFile(join(folder, 'key'), 'secret');
    await mkdir(join(folder, 'outside'));
    await writeFile(join(folder, 'outside', 'key'), 'secret');
    await symlink(join(folder, 'key'), join(root, 'to-file'));
    await symlink(join(folder, 'outside'), join(root, 'to-folder'));
    await symlink('.', join(root, 'to-itself'));
    await symlink('/nowhere', join(root, 'to-nothing'));
    execFileSync('mkfifo', [join(root, 'fifo')]);
    const server = createServer().listen(join(root, 'socket'));
    await once(server, 'listening');
    await writeFile(join(root, 'a.md'), 'a');
    const { files, skipped } = await listed(await open());
    server.close();
    assert.deepEqual([...files.keys()], ['a.md']);
    assert.deepEqual(Object.fromEntries(skipped), {
      'to-file': 'symlink',
      'to-folder': 'symlink',
      'to-itself': 'symlink',
      'to-nothing': 'symlink',
      fifo: 'special_file',
      socket: 'special_file',
    });
  });

  it('shows a name that is not UTF-8 escaped, and goes on', async () => {
    await writeFile(Buffer.concat([Buffer.from(`${root}/caf`), Buffer.from([0xe9, 0x1b]), Buffer.from('.md')]), 'x');
    await mkdir(Buffer.concat([Buffer.from(`${root}/`), Buffer.from([0xff, 0xfe])]));
    await writeFile(join(root, 'a.md'), 'a');
    const { files, skipped } = await listed(await open());
    assert.deepEqual([...files.keys()], ['a.md']);
    const expected = { 'caf\\xe9\\u{1b}.md': 'not_decodable', '\\xff\\xfe': 'not_decodable' };
    assert.deepEqual(Object.fromEntries(skipped), expected);
  });

  it("names git's own folder once, and not the thousand files in it", async () => {
    await mkdir(join(root, '.git', 'objects'), { recursive: true });
    for (let index = 0; index < 50; index += 1) await writeFile(join(root, '.git', 'objects', `${index}`), 'x');
    const { files, skipped } = await listed(await open());
    assert.deepEqual([files.size, [...skipped]], [0, [['.git', 'bad_name']]]);
  });

  it('ends at the depth at which no document can lie', async () => {
    let deep = root;
    for (let level = 0; level < 12; level += 1) deep = join(deep, 'x'.repeat(100));
    await mkdir(deep, { recursive: true });
    const { skipped } = await listed(await open());
    assert.deepEqual([...skipped.values()], ['bad_name']);
  });

  it('reads no folder that the operator has not listed, and does not tell whether it exists', async () => {
    await mkdir(join(folder, 'share-not'));
    const answers = [];
    for (const path of [
      folder,
      join(folder, 'share-not'),
      '/no/such',
      '/etc',
      `${root}/../../..`,
      'share',
      `${root}\0`,
    ])
      answers.push(await faultOf(open(path)));
    assert.deepEqual(
      [...new Set(answers.map(({ fault, message }) => `${fault}: ${message}`))],
      [`denied_egress: ${answers[0]?.message}`],
    );
    assert.equal((await faultOf(open(root, { folders: [] }))).message, answers[0]?.message);
  });

  it('follows no link on the way to the folder, but the ones above the listed folder', async () => {
    await mkdir(join(folder, 'outside', 'team'), { recursive: true });
    await symlink(join(folder, 'outside'), join(folder, 'share', 'linked'));
    for (const name of ['linked', 'linked/team', 'linked/missing']) {
      assert.equal((await faultOf(open(join(folder, 'share', name)))).fault, 'denied_egress');
    }
    await symlink(join(folder, 'share'), join(folder, 'alias'));
    await writeFile(join(root, 'a.md'), 'a');
    const { files } = await listed(await open(join(folder, 'alias', 'team'), { folders: [join(folder, 'alias')] }));
    assert.deepEqual([...files.keys()], ['a.md']);
  });

  it("never reads the service's own data, nor what lies above or below it", async () => {
    const data = join(root, 'data', 'here');
    await mkdir(join(data, 'workspaces'), { recursive: true });
    await symlink(data, join(folder, 'data'));
    for (const path of [root, join(root, 'data'), data, join(data, 'workspaces')]) {
      for (const dataFolder of [data, join(folder, 'data')]) {
        const { fault, message } = await faultOf(open(path, { dataFolder }));
        assert.deepEqual([fault, message.includes('data of this service')], ['denied_egress', true], path);
      }
    }
    const apart = join(folder, 'share', 'other');
    await mkdir(apart);
    await open(apart, { dataFolder: data });
  });

  it("finds the service's data under another name, too", async function () {
    const data = join(folder, 'data');
    mountDisk(this, join(root, 'seen'), 1);
    await mkdir(data);
    if (!isRoot) skipBecause(this, 'only root can mount');
    execFileSync('mount', ['--bind', join(root, 'seen'), data]);
    try {
      const source = await open(root, { dataFolder: data });
      assert.equal((await faultOf(listed(source))).fault, 'denied_egress');
    } finally {
      execFileSync('umount', [data]);
    }
  });

  it('says that a folder is unreadable, and reads the others', async () => {
    await mkdir(join(root, 'closed'));
    await writeFile(join(root, 'closed', 'a.md'), 'a');
    await writeFile(join(root, 'b.md'), 'b');
    await writeFile(join(root, 'c.md'), 'c');
    await chmod(join(root, 'closed'), 0);
    await chmod(join(root, 'c.md'), 0);
    openWay(folder);
    await chmod(join(folder, 'cache'), 0o777);
    // Root reads everything.
    if (isRoot) process.seteuid?.(65_534);
    try {
      const source = await open();
      const { files, unreadable } = await listed(source);
      assert.deepEqual([[...files.keys()].sort(), unreadable], [['b.md', 'c.md'], ['closed']]);
      const file = files.get('c.md');
      assert.ok(file !== undefined);
      await assert.rejects(readWhole(source, file, never), (error) => error instanceof UnreadableFile);
    } finally {
      if (isRoot) process.seteuid?.(0);
      await chmod(join(root, 'closed'), 0o700);
    }
  });

  it('says that a folder is unreadable that is exchanged for a link while the folder is listed', async () => {
    await mkdir(join(folder, 'outside'));
    await writeFile(join(folder, 'outside', 'key'), 'secret');
    const subs = ['sub0', 'sub1', 'sub2'];
    for (const sub of subs) {
      await mkdir(join(root, sub));
      for (let index = 0; index < 300; index += 1) await writeFile(join(root, sub, `${index}`), 'own');
    }
    const source = await open();
    const listing = await source.list(null, never);
    const [files, unreadable]: [string[], string[]] = [[], []];
    for await (const part of listing.entries) {
      for (const { type, path = '' } of part) (type === 'unreadable' ? unreadable : files).push(path);
      if (files.length !== part.length) continue;
      // The first part comes from one folder, and the others wait for their turn.
      for (const sub of subs) {
        await rename(join(root, sub), join(folder, sub));
        await symlink(join(folder, 'outside'), join(root, sub));
      }
    }
    assert.deepEqual([unreadable.length, files.some((each) => each.endsWith('key'))], [2, false]);
    const stats = { type: 'file', path: 'sub0/key', version: '6-0-0' } as const;
    await assert.rejects(readWhole(source, stats, never), UnreadableFile);
  });

  it('gives the whole and unchanged file, or none, while others write to it', async () => {
    const path = join(root, 'log');
    await writeFile(path, Buffer.alloc(1024 * 1024, 1));
    const source = await open();
    const file = (await listed(source)).files.get('log');
    assert.ok(file !== undefined);
    let isGrown = false;
    const work = (async () => {
      for await (const piece of source.read(file, 1e9, never)) {
        void piece;
        if (!isGrown) await appendFile(path, 'more');
        isGrown = true;
      }
    })();
    await assert.rejects(work, /changed while it was read/);
  });

  it('sees a change that keeps the size and the time of modification', async () => {
    await writeFile(join(root, 'a.md'), 'one');
    await utimes(join(root, 'a.md'), 1000, 1000);
    const before = (await listed(await open())).files.get('a.md');
    await writeFile(join(root, 'a.md'), 'two');
    await utimes(join(root, 'a.md'), 1000, 1000);
    assert.notEqual((await listed(await open())).files.get('a.md')?.version, before?.version);
  });

  it('never names two contents of a file alike, however quickly it changes', async () => {
    const versions = new Map<string, string>();
    for (let round = 0; round < 40; round += 1) {
      await writeFile(join(root, 'a.md'), `state ${String(round).padStart(3, '0')}`);
      const source = await open();
      const file = (await listed(source)).files.get('a.md');
      assert.ok(file !== undefined);
      const content = String(await readWhole(source, file, never));
      assert.equal(versions.get(file.version) ?? content, content);
      versions.set(file.version, content);
    }
  });

  it('gives no id to a file with two names, and a new id where a number is given again', async () => {
    await writeFile(join(root, 'a.md'), 'a');
    await link(join(root, 'a.md'), join(root, 'b.md'));
    const { files } = await listed(await open());
    assert.deepEqual(
      [...files.values()].map(({ id }) => id),
      [undefined, undefined],
    );
    const ids = new Set<string | undefined>();
    for (let round = 0; round < 20; round += 1) {
      await rm(join(root, 'a.md'), { force: true });
      await rm(join(root, 'b.md'), { force: true });
      await writeFile(join(root, 'a.md'), 'a');
      ids.add((await listed(await open())).files.get('a.md')?.id);
    }
    assert.equal(ids.size, 20);
  });

  it('does not take an empty folder for a drive that was mounted there', async function () {
    mountDisk(this, join(root, 'drive'), 1);
    await writeFile(join(root, 'drive', 'a.md'), 'a');
    await writeFile(join(root, 'b.md'), 'b');
    const follower = await listed(await open());
    assert.deepEqual([...follower.files.keys()].sort(), ['b.md', 'drive/a.md']);
    unmountAll();
    for (let round = 0; round < 2; round += 1) {
      // A sync forgets its cursor when something is unreadable.
      follower.cursor = null;
      await listed(await open(), follower);
      assert.deepEqual([[...follower.files.keys()], follower.unreadable], [['b.md'], ['drive']]);
    }
    await rmdir(join(root, 'drive'));
    await listed(await open(), follower);
    assert.deepEqual(follower.unreadable, []);
  });

  it('ends as a fault when the whole folder was a drive that is not mounted now', async function () {
    const drive = join(folder, 'share', 'drive');
    mountDisk(this, drive, 1);
    await writeFile(join(drive, 'a.md'), 'a');
    const follower = await listed(await open(drive));
    unmountAll();
    assert.equal(follower.files.size, 1);
    const { fault, message } = await faultOf(listed(await open(drive)));
    assert.equal(fault, 'not_found');
    assert.match(message, /drive is mounted/);
  });

  function open(path = root, means: { folders?: string[]; dataFolder?: string } = {}): Promise<Source> {
    const allowance = { folders: means.folders ?? [join(folder, 'share')] };
    const given = { ...meansOf({ allowance }, join(folder, 'cache')), memory, dataFolder: means.dataFolder ?? null };
    return folderKind.open({ path }, null, given);
  }

  async function listed(source: Source, follower = new Follower()): Promise<Follower> {
    await follower.follow(source, never);
    return follower;
  }

  async function faultOf(work: Promise<unknown>): Promise<SourceFault> {
    const [error] = await Promise.allSettled([work]);
    assert.ok(error?.status === 'rejected' && error.reason instanceof SourceFault, JSON.stringify(error));
    return error.reason;
  }
});
