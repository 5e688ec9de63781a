import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, rename, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  ask,
  askRefused,
  makeFolder,
  runProgram,
  startProgram,
  tidyUp,
  timeout,
} from '../support/processes/run-program.js';

const program = fileURLToPath(new URL('../../bin/cartulary.js', import.meta.url));
const secret = 'a-password-that-nobody-sees';

describe('cartulary connector', function () {
  this.timeout(timeout);

  let data: string;
  let scans: string;
  let key: string;
  let url: string;
  let stop: () => Promise<number | null>;

  before(async () => {
    const folder = await makeFolder();
    [data, scans] = [join(folder, 'data'), join(folder, 'scans')];
    await mkdir(scans);
    await writeFile(join(scans, 'minutes.md'), '# Minutes\n');
    await writeFile(join(scans, 'plan.txt'), 'One\n');
    await symlink('/etc/hostname', join(scans, 'host'));
    ({ key } = await ask<{ key: string }>('init', '--data', data, '--workspace', 'acme', '--admin', 'Ada'));
    const environment = { CARTULARY_CONNECTOR_FOLDERS: scans };
    const options = ['serve', '--data', data, '--port', '0', '--json'];
    const running = await startProgram(options, /^\{/, { environment });
    ({ url } = JSON.parse(running.lines[0] ?? '') as { url: string });
    stop = () => running.stop();
  });
  after(async () => {
    await stop();
    await tidyUp();
  });

  it('connects a source, waits for its first run, and shows what REST shows', async () => {
    const made = await ask<Shown>(...connector('connect', 'archive/scans', 'folder', `path=${scans}`, '--wait'));
    const { outcome, created, skipped } = made.last_run ?? assert.fail('no run');
    assert.deepEqual([outcome, created, skipped], ['changed', 2, 1]);
    const shown = await ask<Shown>(...connector('show', 'archive/scans'));
    const answer = await fetch(`${url}/v1/connectors/${made.id}`, { headers: { Authorization: `Bearer ${key}` } });
    assert.deepEqual(shown, await answer.json());
    const listed = await ask<{ items: Shown[] }>(...connector('list', 'archive/'));
    assert.deepEqual(listed.items, [shown]);
    const files = await ask<{ items: object[] }>(...connector('skipped', made.id));
    assert.deepEqual(files.items, [{ path: 'host', reason: 'symlink', detail: null }]);
    const document = await fetch(`${url}/v1/documents/archive/scans/minutes.md`, {
      headers: { Authorization: `Bearer ${key}` },
    });
    assert.equal(((await document.json()) as { content: string }).content, '# Minutes\n');
  });

  it('syncs now, pauses, and tells with its exit code when that is refused', async () => {
    await writeFile(join(scans, 'new.md'), 'new\n');
    const synced = await ask<Shown>(...connector('sync', 'archive/scans', '--wait'));
    assert.deepEqual([synced.last_run?.outcome, synced.last_run?.created], ['changed', 1]);
    await rename(scans, `${scans}-away`);
    const failed = await run('sync', 'archive/scans', '--wait');
    await rename(`${scans}-away`, scans);
    assert.equal(failed.code, 1);
    assert.match(failed.stderr, /The run ended as failed\. /);
    const quiet = await run('pause', 'archive/scans', '-q');
    assert.equal(quiet.stdout.trim(), synced.id);
    const refused = await askRefused(...connector('sync', 'archive/scans'));
    assert.equal(refused.details?.['reason'], 'connector_state');
    const status = await runProgram(['status', '--data', data]);
    assert.match(status.stdout, /warning: The mirror archive\/scans is paused: /);
    const resumed = await ask<Shown>(...connector('resume', 'scans'));
    assert.equal(resumed.state, 'active');
  });

  it('says which setting, option or connector is wrong, and how to go on', async () => {
    const unknown = await askRefused(...connector('connect', 'x', 'folder', `path=${scans}`, 'depth=2'));
    assert.match(unknown.message, /"depth"/);
    assert.match((await askRefused(...connector('connect', 'x', 'folder', 'path'))).message, /name=value/);
    const words = [...connector('connect', 'x', 'folder', `path=${scans}`), '--every', '1y'];
    assert.match((await askRefused(...words)).message, /^--every must be a duration such as 30m/);
    assert.match((await askRefused(...connector('show', 'nowhere'))).message, /`npx cartulary connector list`/);
    const without = await run('disconnect', 'archive/scans');
    assert.equal(without.code, 2);
    assert.match(without.stderr, /--documents <what>/);
    const tested = await run('test', 'folder', 'path=/etc');
    assert.equal(tested.code, 1);
    assert.match(tested.stdout, /denied_egress/);
  });

  it('reads a secret from a file or from standard input, and never shows it', async () => {
    const file = join(scans, '..', 'secret.txt');
    await writeFile(file, `${secret}\n`);
    const settings = ['url=https://127.0.0.1:1/dav/', 'username=ada'];
    const made = await ask<Shown>(...connector('connect', 'drive', 'webdav', ...settings, '--secret-file', file));
    assert.equal(made.has_secret, true);
    const child = spawn(process.execPath, [program, ...connector('secret', 'drive', '--secret-file', '-', '--json')], {
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    let printed = '';
    child.stdout.setEncoding('utf8').on('data', (piece: string) => (printed += piece));
    child.stdin.end(secret);
    const [code] = (await once(child, 'close')) as [number];
    assert.equal(code, 0);
    const audit = await runProgram(['audit', 'export', '--data', data]);
    for (const text of [JSON.stringify(made), printed, audit.stdout]) assert.ok(!text.includes(secret));
    const missing = await run('secret', 'drive', '--secret-file', `${file}.none`);
    assert.equal(missing.code, 2);
    assert.equal((await run('secret', 'drive')).code, 2);
    const none = await ask<Shown>(...connector('secret', 'drive', '--no-secret'));
    assert.equal(none.has_secret, false);
  });

  it('names a connector that has stopped in its exit code, in status and in doctor', async () => {
    const waited = await run('sync', 'drive', '--wait');
    assert.equal(waited.code, 1);
    assert.match(waited.stderr, /The run ended as failed/);
    const { stdout } = await runProgram(['status', '--data', data]);
    assert.match(stdout, /warning: The mirror drive is stopped: /);
    const doctor = await runProgram(['doctor', '--data', data, '--port', '0']);
    assert.match(doctor.stdout, /^problem {2}mirrors {3}acme: The mirror drive is stopped: /m);
  });

  it('makes a webhook, whose secret it prints once', async () => {
    const { stdout, stderr } = await run('webhook', 'archive/scans');
    const [hook] = /http:\S+\/v1\/hooks\/acme\/prn_\w+/.exec(stdout) ?? [];
    const token = /^secret +(\S+)/m.exec(stdout)?.[1] ?? '';
    assert.match(stderr, /shown this once/);
    const sent = await fetch(hook ?? '', { method: 'POST', headers: { 'X-Gitlab-Token': token }, body: '{}' });
    assert.equal(sent.status, 202);
    await run('webhook', 'archive/scans', '--off');
    const again = await fetch(hook ?? '', { method: 'POST', headers: { 'X-Gitlab-Token': token }, body: '{}' });
    assert.equal(again.status, 404);
  });

  it('disconnects a source, and the documents stay as ordinary ones', async () => {
    const ended = await ask<{ disconnected: boolean }>(
      ...connector('disconnect', 'archive/scans', '--documents', 'keep'),
    );
    assert.equal(ended.disconnected, true);
    const history = await runProgram(['document', 'history', 'archive/scans/minutes.md', '--data', data]);
    assert.equal(history.code, 0, history.stderr);
  });

  const connector = (...words: readonly string[]) => ['connector', ...words, '--data', data];

  const run = (...words: readonly string[]) => runProgram(connector(...words));
});

interface Shown {
  readonly id: string;
  readonly state: string;
  readonly has_secret: boolean;
  readonly reason: string | null;
  readonly last_run: { readonly outcome: string; readonly created: number; readonly skipped: number } | null;
}
