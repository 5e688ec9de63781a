import assert from 'node:assert/strict';
import { chmod, chown, cp, mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { verifyData, type VerifiedData } from '../../lib/commands/operator/inspect.js';
import { asAnother, isRoot, mountDisk, mountReadOnly, openWay, unmountAll } from '../support/processes/obstacles.js';
import { ask, makeFolder, runProgram, tidyUp, timeout } from '../support/processes/run-program.js';
import { changeRows, flipByte, sidecarOf } from './spoil-data.js';
import { Sqlite } from '../support/store/sqlite.js';

/** Words that would make an operator replace sound data. */
const destructive = /restore|rebuild|put a copy|backup/i;

describe('cartulary verify, kept from the data', function () {
  this.timeout(timeout);

  let folder: string;
  let data: string;

  before(async () => {
    folder = await makeFolder();
    openWay(folder);
    data = join(folder, 'data');
    await ask('init', '--data', data, '--workspace', 'acme', '--admin', 'Ada');
  });
  afterEach(unmountAll);
  after(tidyUp);

  it('says whose the data is to another account, and calls nothing broken', async function () {
    const account = asAnother(this);
    const { code, stdout } = await runProgram(['verify', '--data', data], account);
    assert.equal(code, 1);
    assert.ok(!/BROKEN/.test(stdout) && !destructive.test(stdout), stdout);
    assert.match(stdout, /NOT CHECKED/);
    assert.ok(stdout.includes(`${data} cannot be read as nobody: it belongs to root.`), stdout);
    assert.match(stdout, /sudo -u root cartulary verify/);
  });

  it('lets doctor say that it cannot tell, where the folder is open and its files are not', async function () {
    const account = asAnother(this);
    const theirs = await copy('seen');
    await chmod(theirs, 0o755);
    const { code, stdout } = await runProgram(['doctor', '--data', theirs, '--port', '0'], account);
    assert.equal(code, 1);
    assert.match(stdout, /service\.sqlite cannot be read as nobody: it belongs to root/);
    for (const name of ['format', 'socket', 'disk']) assert.match(stdout, new RegExp(`${name} +cannot tell`), stdout);
    assert.ok(!/no server runs|is damaged\b.*verify|verify. says what/.test(stdout), stdout);
  });

  it('lets status tell all but the repository, where that belongs to another account', async function () {
    const account = asAnother(this);
    const theirs = await copy('root-s-repository');
    for (const name of ['', ...(await readdir(theirs, { recursive: true }))]) {
      if (!name.includes('content.git')) await chown(join(theirs, name), 65_534, 65_534);
    }
    await chmod(join(theirs, 'acme', 'content.git'), 0o700);
    const { code, stdout } = await runProgram(['status', '--data', theirs, '--json'], account);
    const { workspaces } = JSON.parse(stdout) as { workspaces: readonly Record<string, unknown>[] };
    const [status] = workspaces;
    assert.deepEqual([code, status?.['problem'], status?.['repository'], status?.['principals']], [0, null, null, 1]);
    assert.match(String(status?.['warnings']), /may not read all of content\.git/);
  });

  it('names a file that its own account may not read, such as a pack of root, and checks nothing else', async function () {
    const theirs = await copy('theirs');
    const packs = join(theirs, 'acme', 'content.git', 'objects');
    if (isRoot) {
      const account = asAnother(this);
      for (const name of ['', ...(await readdir(theirs, { recursive: true }))])
        await chown(join(theirs, name), 65_534, 65_534);
      await chown(packs, 0, 0);
      const { code, stdout } = await runProgram(['verify', '--data', theirs, '--json'], account);
      const { sound, workspaces } = JSON.parse(stdout) as VerifiedData & { readonly sound: boolean };
      assert.deepEqual([code, sound, workspaces[0]?.checked], [1, false, false]);
      assert.deepEqual(
        workspaces[0]?.problems.map(({ part, remedy }) => [part, /sudo chown nobody/.test(remedy)]),
        [['access', true]],
      );
      assert.ok(!destructive.test(stdout), stdout);
      return;
    }
    await chmod(packs, 0);
    const { workspaces } = await check(theirs);
    await chmod(packs, 0o700);
    assert.deepEqual(
      workspaces[0]?.problems.map(({ part }) => part),
      ['access'],
    );
  });

  it('finds a read-only snapshot sound, and damage in one damaged', async function () {
    const taken = join(folder, 'taken');
    mountReadOnly(this, data, taken);
    const { service, workspaces } = await check(taken);
    assert.deepEqual([service.sound, workspaces[0]?.problems], [true, []]);
    unmountAll();
    const spoilt = await copy('spoilt');
    await flipByte(sidecarOf(spoilt), () => 20);
    mountReadOnly(this, spoilt, join(folder, 'taken-spoilt'));
    const { workspaces: found } = await check(join(folder, 'taken-spoilt'));
    assert.deepEqual([found[0]?.sound, found[0]?.checked], [false, true]);
  });

  it('reads what a snapshot of a running service has in its write-ahead log alone', async function () {
    const live = await copy('live');
    const held = new Sqlite(sidecarOf(live), { readonly: true });
    held.exec('BEGIN');
    held.prepare('SELECT count(*) FROM meta').get();
    changeRows(live, "UPDATE audit_record SET principal = 'somebody' WHERE seq = 1");
    const cut = await copy('cut');
    for (const name of ['sidecar.sqlite', 'sidecar.sqlite-wal'])
      await cp(join(live, 'acme', name), join(cut, 'acme', name));
    held.close();
    mountReadOnly(this, cut, join(folder, 'cut-ro'));
    const { workspaces } = await check(join(folder, 'cut-ro'));
    assert.match(workspaces[0]?.problems[0]?.message ?? '', /^record 1 was changed/);
  });

  it('says that its temporary folder is full, where a snapshot finds no room there', async function () {
    const [taken, small] = [join(folder, 'taken-again'), join(folder, 'small')];
    mountReadOnly(this, data, taken);
    mountDisk(this, small, 1);
    await mkdir(join(small, 'tmp'));
    await writeFile(join(small, 'fill'), Buffer.alloc(1020 * 1024)).catch(() => undefined);
    const { code, stdout } = await runProgram(['verify', '--data', taken], {
      environment: { TMPDIR: join(small, 'tmp') },
    });
    assert.equal(code, 1);
    assert.match(stdout, /NOT CHECKED/);
    assert.match(stdout, /set TMPDIR to a folder that has room/);
    assert.ok(!destructive.test(stdout), stdout);
  });

  const copy = async (name: string): Promise<string> => {
    await cp(data, join(folder, name), { recursive: true });
    return join(folder, name);
  };
});

const check = (dataFolder: string): Promise<VerifiedData> =>
  verifyData({ dataFolder, workspace: null, git: 'auto', isQuick: false }, () => undefined);
