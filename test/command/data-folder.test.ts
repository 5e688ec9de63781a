import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chownSync,
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { findAccountDataFolder } from '../../lib/disk/account-data-folder.js';
import { ConfigError, findUsualData } from '../../lib/config.js';
import { isRoot } from '../support/processes/obstacles.js';
import { ask, makeFolder, runProgram, startProgram, tidyUp, timeout } from '../support/processes/run-program.js';
import { until } from '../support/until.js';
import { skipBecause } from '../support/skip.js';

const root = process.cwd();

describe('The data folder that nobody names', function () {
  this.timeout(timeout);

  after(tidyUp);
  afterEach(() => process.chdir(root));

  it('is the one of the account outside a checkout: text and log of a start name it, and every folder finds it again', async () => {
    const [home, cwd] = [await makeFolder(), await makeFolder()];
    const data = join(home, 'cartulary');
    const options = { cwd, environment: { XDG_DATA_HOME: home } };
    const log = join(await makeFolder(), 'log');
    const complaints = openSync(log, 'w');
    const server = await startProgram(['start', '--port', '0'], /Ctrl-C/, { ...options, complaints });
    assert.ok(server.lines.includes(`The data is in ${data}, the workspace is called main.`), server.lines.join('\n'));
    closeSync(complaints);
    assert.equal(await server.stop(), 0);
    const entries = readFileSync(log, 'utf8').trimEnd().split('\n');
    const up = entries.map((line) => JSON.parse(line) as { msg: string; data?: string });
    assert.deepEqual(
      up.filter(({ msg }) => msg === 'The service is up').map((entry) => entry.data),
      [data],
    );
    assert.deepEqual(readdirSync(cwd), [], 'nothing is written into the current folder');
    const { code, stdout, stderr } = await runProgram(['status'], { ...options, cwd: await makeFolder() });
    assert.deepEqual([code, stdout.startsWith(`${data} (data format `)], [0, true], stdout + stderr);
    const again = await startProgram(['start', '--port', '0'], /Ctrl-C/, { ...options, cwd: home });
    assert.match(again.lines.join('\n'), / link \S+ --workspace main$/m, 'no command needs its name');
    await again.stop();
  });

  it('is `repos` of the current folder where that holds data, also where only the workspaces are left of it', async () => {
    const cwd = await makeFolder();
    const data = join(cwd, 'repos');
    await ask('init', '--workspace', 'main', '--admin', 'Ada', '--data', data);
    process.chdir(cwd);
    assert.equal(findUsualData({}), data);
    const { stdout } = await runProgram(['principal', 'list'], { cwd });
    assert.match(stdout, /Ada/);
    for (const name of readdirSync(data).filter((each) => each.startsWith('service.sqlite'))) {
      rmSync(join(data, name));
    }
    assert.equal(findUsualData({}), data, 'a start would otherwise look like the loss of everything');
  });

  it('is not a `repos` that holds something else', async () => {
    const cwd = await makeFolder();
    process.chdir(cwd);
    const elsewhere = findUsualData({ HOME: '/home/ada' });
    mkdirSync(join(cwd, 'repos', 'notes', '.git'), { recursive: true });
    assert.equal(findUsualData({ HOME: '/home/ada' }), elsewhere);
    assert.ok(!elsewhere.startsWith(cwd), elsewhere);
    const other = await makeFolder();
    process.chdir(other);
    writeFileSync(join(other, 'repos'), 'a file');
    assert.equal(findUsualData({ HOME: '/home/ada' }), elsewhere);
  });

  it('is not a `repos` that another account put there, unless it is named', async function () {
    if (!isRoot) skipBecause(this, 'Only root can give a folder away.');
    const cwd = await makeFolder();
    const data = join(cwd, 'repos');
    await ask('init', '--workspace', 'main', '--admin', 'Ada', '--data', data);
    chownSync(data, 65_534, 65_534);
    process.chdir(cwd);
    assert.throws(
      () => findUsualData({}),
      (error: unknown) =>
        error instanceof ConfigError &&
        error.message === `${data} belongs to another account of this machine. Name it with --data where it is meant.`,
    );
    const { code, stderr } = await runProgram(['principal', 'list'], { cwd });
    assert.deepEqual([code, /repos belongs to another account/.test(stderr)], [2, true], stderr);
  });

  it('is `repos` in a checkout of the program, whether or not anything is there', () => {
    assert.equal(findUsualData({ HOME: '/home/ada' }), join(root, 'repos'));
    process.chdir('lib');
    assert.ok(!findUsualData({ HOME: '/home/ada' }).startsWith(root));
  });

  it('is nowhere where a setting names one', async () => {
    const [home, cwd] = [await makeFolder(), await makeFolder()];
    await ask('init', '--workspace', 'main', '--admin', 'Ada', '--data', join(cwd, 'repos'));
    await ask('init', '--workspace', 'named', '--admin', 'Bob', '--data', join(cwd, 'named'));
    const environment = { XDG_DATA_HOME: home };
    const named = { ...environment, CARTULARY_DATA: 'named' };
    const byFile = join(cwd, 'cartulary.json');
    for (const [given, variables] of [
      [['--data', 'named'], environment],
      [[], named],
      [['--config', byFile], environment],
    ] as const) {
      if (given[0] === '--config') writeFileSync(byFile, JSON.stringify({ data: 'named' }));
      const { stdout } = await runProgram(['principal', 'list', ...given], { cwd, environment: variables });
      assert.match(stdout, /Bob/, given.join(' '));
    }
    assert.deepEqual(readdirSync(home), []);
  });

  it('is named, with the setting, by every command that finds no data there', async () => {
    const [home, cwd] = [await makeFolder(), await makeFolder()];
    const options = { cwd, environment: { XDG_DATA_HOME: home } };
    const commands = ['principal list', 'status', 'verify', 'serve', 'ready', 'ls', 'rebuild', 'workspace list'];
    for (const command of commands) {
      const { code, stdout, stderr } = await runProgram(command.split(' '), options);
      assert.equal(code, 1, command);
      assert.ok((stdout + stderr).includes(join(home, 'cartulary')), `${command}: ${stderr}${stdout}`);
      assert.match(stdout + stderr, /--data.* or .*CARTULARY_DATA|--data, CARTULARY_DATA/, command);
    }
    assert.equal(existsSync(join(home, 'cartulary')), false, 'asking makes nothing');
  });

  it('lies where the platform keeps data of programs', () => {
    const names = { plain: 'cartulary', shown: 'Cartulary' };
    const home = (): string => '/home/of-account';
    const find = (platform: NodeJS.Platform, environment: Record<string, string>): string =>
      findAccountDataFolder(names, { platform, environment, home });
    assert.equal(find('linux', { HOME: '/home/ada' }), '/home/ada/.local/share/cartulary');
    assert.equal(find('linux', { HOME: '/home/ada', XDG_DATA_HOME: '/data' }), '/data/cartulary');
    assert.equal(find('linux', { HOME: '/home/ada', XDG_DATA_HOME: 'data' }), '/home/ada/.local/share/cartulary');
    assert.equal(find('linux', { HOME: '' }), '/home/of-account/.local/share/cartulary');
    const mac = find('darwin', { HOME: '/Users/ada', XDG_DATA_HOME: '/data' });
    assert.equal(mac, '/Users/ada/Library/Application Support/Cartulary');
    const local = String.raw`C:\Users\ada\AppData\Local`;
    assert.equal(find('win32', { LOCALAPPDATA: local }), String.raw`C:\Users\ada\AppData\Local\Cartulary`);
    assert.equal(find('win32', { USERPROFILE: String.raw`C:\Users\ada` }), String.raw`${local}\Cartulary`);
  });

  it('is told last at a start whose log goes into the same file', async () => {
    const folder = await makeFolder();
    const file = join(folder, 'said');
    const output = openSync(file, 'w');
    const program = join(root, 'dist', 'bin', 'cartulary.js');
    const child = spawn(process.execPath, [program, 'start', '--data', join(folder, 'data'), '--port', '0'], {
      stdio: ['ignore', output, output],
    });
    closeSync(output);
    const closed = once(child, 'close');
    try {
      const text = await until('it has started', () => /[^]*Ctrl-C stops it\.\n/.exec(readFileSync(file, 'utf8'))?.[0]);
      const own = text.slice(text.indexOf('Cartulary is running'));
      assert.match(text, /"msg":"The service is up"/, 'the log is ahead of it');
      assert.doesNotMatch(own, /"msg"/);
    } finally {
      child.kill();
    }
    assert.deepEqual(await closed, [0, null]);
  });
});
