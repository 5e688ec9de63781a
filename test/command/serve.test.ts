import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, fstatSync, openSync, readFileSync } from 'node:fs';
import { mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { takeOwnerLock } from '../../lib/sidecar/owner-lock.js';
import {
  ask,
  askRefused,
  findFreePort,
  makeFolder,
  tidyUp,
  runProgram,
  serve,
  startProgram,
  timeout,
} from '../support/processes/run-program.js';
import { until } from '../support/until.js';

describe('the command line serves', function () {
  this.timeout(timeout);

  afterEach(tidyUp);

  it('prints one line of JSON with its address once it answers, and ends with 0 on SIGTERM', async () => {
    const data = join(await makeFolder(), 'data');
    const server = await serve(data, { isStart: true });
    assert.equal(server.lines.length, 1);
    assert.match(server.url, /^http:\/\/127\.0\.0\.1:\d+$/);
    assert.equal((await fetch(`${server.url}/v1/health`)).status, 200);
    const socket = join(data, 'cartulary.sock');
    assert.equal((await stat(socket)).mode & 0o777, 0o600);
    await ask('init', '--data', data, '--workspace', 'acme', '--admin', 'Ada');
    interface Status {
      readonly server: { readonly url: string; readonly pid: number };
      readonly git: { readonly refused: string | null };
      readonly workspaces: readonly { readonly name: string; readonly search: unknown }[];
    }
    const present = await ask<Status>('status', '--data', data);
    assert.deepEqual([present.server.url, present.server.pid], [server.url, server.pid]);
    assert.equal(present.git.refused, null);
    assert.deepEqual(
      present.workspaces.map(({ name }) => name),
      ['acme'],
    );
    assert.deepEqual(present.workspaces[0]?.search, {
      answers: true,
      languages: ['en'],
      by_meaning: false,
      progress: null,
    });

    assert.equal(await server.stop('SIGTERM'), 0);
    assert.equal(existsSync(socket), false);
  });

  it('leads below the path of its public address, whatever the path', async () => {
    const data = join(await makeFolder(), 'data');
    const port = await findFreePort();
    const settings = ['--port', String(port), '--public-url', 'https://example.org/files/'];
    await startProgram(['serve', '--data', data, '--create', ...settings], /no workspace yet/);
    const get = (path: string) => fetch(`http://127.0.0.1:${port}${path}`, { redirect: 'manual' });
    assert.equal((await get('/')).headers.get('location'), '/files/signin');
    assert.match(await (await get('/v1/openapi.yaml')).text(), /^servers:\n {2}- url: "\/files"\n/m);
  });

  it('refuses a data folder in use by a server, and a taken port, and names it', async () => {
    const folder = await makeFolder();
    const data = join(folder, 'data');
    const server = await serve(data);
    const port = new URL(server.url).port;
    const [second, taken] = await Promise.all([
      askRefused('serve', '--data', data, '--create', '--port', '0'),
      askRefused('serve', '--data', join(folder, 'other'), '--create', '--port', port),
    ]);
    assert.equal(second.details?.['reason'], 'data_in_use');
    assert.ok(second.message.includes(`process ${server.pid}, ${server.url}`), second.message);
    assert.equal(taken.details?.['reason'], 'port_in_use');
    assert.match(taken.message, /--port/);
    assert.equal(existsSync(join(folder, 'other')), false, 'nothing was made');
    assert.equal(await server.stop('SIGINT'), 0);
  });

  it('refuses a folder without a workspace, names the way out, and makes nothing', async () => {
    const folder = await makeFolder();
    const mistyped = join(folder, 'tpyo');
    const refused = await askRefused('serve', '--data', mistyped, '--port', '0');
    assert.equal(refused.details?.['reason'], 'no_workspace');
    const made = `--data ${mistyped}\``;
    assert.ok(refused.message.includes(`\`npx cartulary start ${made}`), refused.message);
    assert.ok(refused.message.includes(`\`npx cartulary init --workspace NAME --admin NAME ${made}`), refused.message);
    assert.match(refused.message, /--create/);
    assert.equal(existsSync(mistyped), false);
    const created = await serve(mistyped);
    const ready = await fetch(`${created.url}/v1/ready`);
    assert.equal(ready.status, 503);
    assert.equal(((await ready.json()) as { workspaces: string }).workspaces, 'none');
    const unready = await runProgram(['ready', '--data', mistyped]);
    assert.deepEqual([unready.code, unready.stdout], [1, 'It is not ready: workspaces none.\n']);
    await created.stop();
    assert.equal((await askRefused('serve', '--data', mistyped, '--port', '0')).details?.['reason'], 'no_workspace');
  });

  it('answers `ready` with exit code 0, which can wait for a server', async () => {
    const data = join(await makeFolder(), 'data');
    await ask('init', '--data', data, '--workspace', 'acme', '--admin', 'Ada');
    const alone = await runProgram(['ready', '--data', data]);
    const none = `No server runs on ${data}. --data or CARTULARY_DATA names another folder.\n`;
    assert.deepEqual([alone.code, alone.stdout], [1, none]);
    const waiting = runProgram(['ready', '--wait', '60', '--data', data]);
    const server = await serve(data);
    const { code, stdout } = await waiting;
    assert.deepEqual([code, stdout], [0, 'It is ready.\n']);
    assert.equal((await ask<{ ready: boolean }>('ready', '--data', data)).ready, true);
    await server.stop();
    assert.equal((await runProgram(['ready', '--wait', 'long', '--data', data])).code, 2);
  });

  it('starts again after a kill, over the old socket', async () => {
    const data = join(await makeFolder(), 'data');
    const killed = await serve(data, { isStart: true });
    await ask('init', '--data', data, '--workspace', 'acme', '--admin', 'Ada');
    await killed.stop('SIGKILL');
    assert.ok(existsSync(join(data, 'cartulary.sock')));
    const alone = await ask<{ items: unknown[] }>('principal', 'list', '--data', data);
    const server = await serve(data);
    const beside = await ask<{ items: unknown[] }>('principal', 'list', '--data', data);
    assert.deepEqual(beside, alone);
    await server.stop();
  });

  it('puts the socket elsewhere, in a folder of its own, where the path would be too long for one', async () => {
    const data = join(await makeFolder(), 'a-long-name'.repeat(12));
    const server = await serve(data);
    const socket = (await readFile(join(data, 'socket-path'), 'utf8')).trim();
    assert.equal((await stat(dirname(socket))).mode & 0o777, 0o700);
    assert.equal((await stat(socket)).mode & 0o777, 0o600);
    await ask('init', '--data', data, '--workspace', 'acme', '--admin', 'Ada');
    await server.stop();
    assert.equal(existsSync(dirname(socket)), false);
    assert.equal(existsSync(join(data, 'socket-path')), false);
  });

  it('waits for another command that has the data', async () => {
    const data = join(await makeFolder(), 'data');
    await ask('init', '--data', data, '--workspace', 'acme', '--admin', 'Ada');
    const names = ['One', 'Two', 'Three'];
    await Promise.all(names.map((name) => ask('principal', 'add', name, '--kind', 'agent', '--data', data)));
    const { items } = await ask<{ items: { display_name: string }[] }>('principal', 'list', '--data', data);
    assert.deepEqual(
      items
        .map((item) => item.display_name)
        .filter((name) => names.includes(name))
        .toSorted(),
      names.toSorted(),
    );
  });

  it('refuses in words where another process has the data and takes no commands', async () => {
    const data = join(await makeFolder(), 'data');
    await ask('init', '--data', data, '--workspace', 'acme', '--admin', 'Ada');
    const lock = takeOwnerLock(join(data, 'owner.lock'));
    try {
      const refused = await askRefused('principal', 'list', '--data', data);
      assert.deepEqual([refused.code, refused.details?.['reason']], ['UNAVAILABLE', 'data_in_use']);
      assert.ok(refused.message.includes(data));
    } finally {
      lock?.release();
    }
  });

  it('in memory makes a workspace and leaves no files behind', async () => {
    const folder = await makeFolder();
    const server = await startProgram(['serve', '--memory', '--port', '0', '--json'], /^\{/, { cwd: folder });
    const { url, workspace, key } = JSON.parse(server.lines[0] ?? '') as Record<string, string>;
    assert.equal(workspace, 'main');
    const answer = await fetch(`${url}/v1/folders`, { headers: { Authorization: `Bearer ${key}` } });
    assert.equal(answer.status, 200);
    await server.stop();
    assert.equal(existsSync(join(folder, 'repos')), false);
  });

  describe('with start', () => {
    it('makes a workspace once, prints its key once, and curl lines that work as printed', async () => {
      const data = join(await makeFolder(), 'data');
      const first = await startProgram(['start', '--data', data, '--port', '0'], /Ctrl-C/, { isStart: true });
      const text = first.lines.join('\n');
      const key = /ck_main_\w+/.exec(text)?.[0] ?? '';
      assert.notEqual(key, '');
      const curls = first.lines.filter((line) => line.trim().startsWith('curl ')).map((line) => readCurl(line.trim()));
      assert.equal(curls.length, 2);
      const statuses = [];
      for (const { url, init } of curls) statuses.push((await fetch(url, init)).status);
      assert.deepEqual(statuses, [201, 200]);
      await first.stop();

      const second = await startProgram(['start', '--data', data, '--port', '0'], /Ctrl-C/);
      const again = second.lines.join('\n');
      assert.ok(!again.includes('ck_main_'));
      const mint = /npx cartulary (key mint .*)/.exec(again)?.[1] ?? '';
      const minted = await ask<{ key: string }>(...mint.split(' '));
      assert.match(minted.key, /^ck_main_/);
      const url = /http:\/\/127\.0\.0\.1:\d+/.exec(again)?.[0] ?? '';
      const read = await fetch(`${url}/v1/documents/hello.md`, {
        headers: { Authorization: `Bearer ${minted.key}` },
      });
      assert.equal(read.status, 200);
      await second.stop();
    });

    it('prints no key where its output stays in a journal', async () => {
      const folder = await makeFolder();
      const [data, journal] = [join(folder, 'data'), join(folder, 'journal')];
      const output = openSync(journal, 'w');
      const { dev, ino } = fstatSync(output);
      // systemd gives the number of the stream to what it starts.
      const env = { ...process.env, JOURNAL_STREAM: `${dev}:${ino}` };
      const file = fileURLToPath(new URL('../../bin/cartulary.js', import.meta.url));
      const child = spawn(process.execPath, [file, 'start', '--data', data, '--port', '0'], {
        env,
        stdio: ['ignore', output, output],
      });
      closeSync(output);
      const text = await until('it has started', () => /[^]*Ctrl-C/.exec(readFileSync(journal, 'utf8'))?.[0]);
      assert.doesNotMatch(text, /ck_main_|signin\/link/);
      assert.match(text, /A new link to sign in with:\n {2}npx cartulary link \S+ --workspace main --data /);
      child.kill();
      assert.deepEqual(await once(child, 'close'), [0, null]);
    });

    it('counts the workspace that it made where the log says that it is up', async () => {
      const folder = await makeFolder();
      const log = openSync(join(folder, 'log'), 'w');
      const parameters = ['start', '--data', join(folder, 'data'), '--port', '0'];
      const server = await startProgram(parameters, /Ctrl-C/, { complaints: log });
      closeSync(log);
      assert.equal(await server.stop(), 0);
      const lines = readFileSync(join(folder, 'log'), 'utf8').trimEnd().split('\n');
      const entries = lines.map((line) => JSON.parse(line) as { readonly msg: string; readonly workspaces?: number });
      assert.deepEqual(
        entries.filter(({ msg }) => msg === 'The service is up').map(({ workspaces }) => workspaces),
        [1],
      );
    });

    it('takes the next port where the usual one is taken', async () => {
      const occupant = createServer();
      const isOurs = await new Promise<boolean>((resolve) => {
        occupant.once('error', () => resolve(false)).listen(8080, '127.0.0.1', () => resolve(true));
      });
      const data = join(await makeFolder(), 'data');
      const server = await startProgram(['start', '--data', data, '--json'], /^\{/);
      const { url } = JSON.parse(server.lines[0] ?? '') as { url: string };
      assert.notEqual(new URL(url).port, '8080');
      await server.stop();
      if (isOurs) occupant.close();
    });
  });

  it('reads its settings from cartulary.json, the environment and options, in this order', async () => {
    const folder = await makeFolder();
    await mkdir(join(folder, 'settings'));
    const file = join(folder, 'settings', 'cartulary.json');
    await writeFile(file, JSON.stringify({ data: 'from-file', port: 1, public_url: 'https://files.example.org/' }));
    const server = await startProgram(['serve', '--config', file, '--create', '--port', '0', '--json'], /^\{/, {
      cwd: folder,
      environment: { CARTULARY_PORT: '2' },
    });
    const { url, data } = JSON.parse(server.lines[0] ?? '') as Record<string, string>;
    assert.deepEqual([url, data], ['https://files.example.org', join(folder, 'settings', 'from-file')]);
    await server.stop();
    const { code } = await runProgram(['serve', '--config', file], { environment: { CARTULARY_PORT: 'two' } });
    assert.equal(code, 2);
  });
});

/** The request of a printed line of curl; written for the quoting of the program. */
function readCurl(line: string): { url: string; init: RequestInit } {
  const words = [...line.matchAll(/'([^']*)'|(\S+)/g)].map((match) => match[1] ?? match[2] ?? '');
  assert.equal(words.shift(), 'curl');
  const headers: [string, string][] = [];
  let url = '';
  let body: string | null = null;
  for (let word = words.shift(); word !== undefined; word = words.shift()) {
    if (word === '-H') headers.push((words.shift() ?? '').split(/: (.*)/s, 2) as [string, string]);
    else if (word === '-d') body = words.shift() ?? '';
    else if (word.startsWith('http')) url = word;
    else if (word === '-w') assert.equal(words.shift(), '\\n');
    else assert.equal(word, '-sS');
  }
  return { url, init: { headers, body, method: body === null ? 'GET' : 'POST' } };
}
