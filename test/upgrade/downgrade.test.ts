import assert from 'node:assert/strict';
import { readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { cp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { readBuild } from '../../lib/app/read-build.js';
import { pathsOf } from '../../lib/journal/workspace-files.js';
import { ask, askRefused, makeFolder, runProgram, serve, tidyUp } from '../support/processes/run-program.js';
import { runGit } from '../support/processes/run-git.js';
import { listBytes, unpack } from './unpack.js';
import { Sqlite } from '../support/store/sqlite.js';

const { version } = readBuild();

describe('the program and a data folder of another version', () => {
  let data: string;
  before(async () => {
    data = join(await makeFolder(), 'data');
    await ask('init', '--data', data, '--workspace', 'acme', '--admin', 'Ada');
  });
  after(tidyUp);

  it('refuses a newer folder, names both versions and the way back, and changes no byte', async () => {
    for (const file of [(of: string) => join(of, 'service.sqlite'), (of: string) => pathsOf(of, 'acme').sidecar]) {
      const newer = await makeNewer(file);
      const before = listBytes(newer);
      const commands = [['serve', '--port', '0'], ['start'], ['key', 'list'], ['status'], ['verify']];
      for (const command of commands) {
        const { code, message, details } = await askRefused(...command, '--data', newer);
        assert.deepEqual([code, details?.['reason']], ['CONFLICT', 'data_too_new'], command.join(' '));
        assert.match(message, /has data format \d+\.\d+, written by Cartulary 9\.1\.0\. This is Cartulary /);
        assert.ok(message.includes(`This is Cartulary ${version},`));
        assert.match(message, /Use version 9\.1\.0 or a later one, or restore a backup from before the upgrade/);
      }
      const after = Object.entries(listBytes(newer)).filter(([name]) => !/-(?:shm|wal)$/.test(name));
      assert.deepEqual(Object.fromEntries(after), before);
      const doctor = await runProgram(['doctor', '--data', newer]);
      assert.match(doctor.stdout, /problem {2}format {4}\d+\.\d+, written by Cartulary 9\.1\.0, and this version uses/);
      // Without the note, the numbers in the files speak for themselves.
      rmSync(join(newer, 'format.json'));
      const unnamed = await askRefused('key', 'list', '--data', newer);
      assert.match(unnamed.message, /written by a later version\. .* Use that version, or restore/);
    }
  }).timeout(60_000);

  it('takes a file that was cut short for a damaged one, whichever command meets it', async () => {
    for (const file of [(of: string) => join(of, 'service.sqlite'), (of: string) => pathsOf(of, 'acme').sidecar]) {
      const cut = join(await makeFolder(), 'data');
      await cp(data, cut, { recursive: true });
      truncateSync(file(cut), 20);
      const verified = await runProgram(['verify', '--data', cut]);
      assert.notEqual(verified.code, 0);
      for (const command of [['status'], ['key', 'list'], ['doctor']]) {
        const { stdout, stderr } = await runProgram([...command, '--data', cut]);
        assert.doesNotMatch(stdout + stderr, /out of range/, command.join(' '));
      }
      assert.match(verified.stdout + verified.stderr, /BROKEN/);
    }
  });

  it('upgrades an older folder when it is served, not by any other command, and not where that is switched off', async () => {
    const folder = await makeFolder();
    const old = unpack('10.1', folder);
    const before = listBytes(old.data);
    for (const command of [['key', 'list'], ['status'], ['verify'], ['serve', '--upgrade', 'never', '--port', '0']]) {
      const { code, message, details } = await askRefused(...command, '--data', old.data);
      assert.deepEqual([code, details?.['reason']], ['CONFLICT', 'upgrade_needed'], command.join(' '));
      assert.match(message, /has data format 10\.1, written by an earlier version\. /);
      assert.match(
        message,
        /`\S*(?: cartulary)? serve --upgrade auto` upgrades it, and earlier versions cannot open it afterw/,
      );
    }
    const left = Object.entries(listBytes(old.data)).filter(([name]) => !/-(?:shm|wal)$/.test(name));
    assert.deepEqual(Object.fromEntries(left), before);
    const running = await serve(old.data);
    const { items } = await ask<{ items: { display_name: string; id: string }[] }>(
      'principal',
      'list',
      '--data',
      old.data,
    );
    const ben = items.find((each) => each.display_name === 'Ben')?.id ?? '';
    const { key } = await ask<{ key: string }>('key', 'mint', '--principal', ben, '--git', '--data', old.data);
    const url = new URL('/git/acme', running.url);
    Object.assign(url, { username: 'ben', password: key });
    const clone = join(folder, 'clone');
    runGit(folder, ['clone', '--quiet', url.href, clone]);
    assert.equal(readFileSync(join(clone, 'notes', 'plan.md'), 'utf8'), '# Plan\n\nBarley first.\n');
    const log = runGit(clone, ['log', '--format=%an', '--follow', '--', 'notes/plan.md']);
    assert.equal(log.trim().split('\n').length, 2, 'both versions are there');
    await rm(clone, { recursive: true });
    await running.stop();
    const status = await runProgram(['status', '--data', old.data]);
    assert.match(status.stdout, new RegExp(`\\(data format \\d+\\.\\d+, written by Cartulary ${version}\\)`));
    const doctor = await runProgram(['doctor', '--data', old.data]);
    assert.match(doctor.stdout, /ok {7}format {4}\d+\.\d+, written by Cartulary /);
  }).timeout(60_000);

  /** A copy of the folder as a version of tomorrow leaves it: with one step more. */
  async function makeNewer(file: (folder: string) => string): Promise<string> {
    const newer = join(await makeFolder(), 'data');
    await cp(data, newer, { recursive: true });
    const connection = new Sqlite(file(newer));
    const number = connection.pragma('user_version', { simple: true }) as number;
    connection.exec('CREATE TABLE of_tomorrow (id INTEGER PRIMARY KEY) STRICT');
    connection.pragma(`user_version = ${number + 1}`);
    connection.close();
    const mark = JSON.parse(readFileSync(join(newer, 'format.json'), 'utf8')) as Record<string, unknown>;
    writeFileSync(join(newer, 'format.json'), JSON.stringify({ ...mark, version: '9.1.0' }));
    return newer;
  }
});
