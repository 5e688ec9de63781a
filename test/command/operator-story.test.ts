import assert from 'node:assert/strict';
import { rmSync, writeFileSync } from 'node:fs';
import { chown, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { asAnother, mountDisk, mountReadOnly, openWay, unmountAll } from '../support/processes/obstacles.js';
import {
  ask,
  askRefused,
  makeFolder,
  runProgram,
  startProgram,
  tidyUp,
  timeout,
} from '../support/processes/run-program.js';
import { until } from '../support/until.js';

const nobody = 65_534;

describe('an operator’s bad days', function () {
  this.timeout(timeout);

  afterEach(async () => {
    unmountAll();
    await tidyUp();
  });

  it('the disk fills: writes say storage_full, reads go on, commands say it in words; room is enough to go on', async function () {
    const folder = await makeFolder();
    const disk = join(folder, 'disk');
    mountDisk(this, disk, 96);
    const data = join(disk, 'data');
    const { key } = await init(data);
    const server = await startProgram(['serve', '--data', data, '--port', '0', '--json'], /^\{/, {
      environment: { CARTULARY_DISK_RESERVE: '16' },
    });
    const { url } = JSON.parse(server.lines[0] ?? '') as { url: string };
    assert.deepEqual(await post(url, key, 'before.md', '# Before'), [201, '']);
    const ballast = join(disk, 'ballast');
    writeFileSync(ballast, Buffer.alloc(84 * 1024 * 1024, 1));
    let tried = 0;
    await until('writes are refused', async () => (await post(url, key, `${(tried += 1)}.md`, 'text'))[0] === 503);
    assert.deepEqual(await post(url, key, 'during.md', '# During'), [503, 'storage_full']);
    const read = await fetch(`${url}/v1/documents/before.md`, { headers: { Authorization: `Bearer ${key}` } });
    assert.equal(read.status, 200);
    assert.equal((await fetch(`${url}/v1/ready`)).status, 503);
    assert.equal((await fetch(`${url}/v1/health`)).status, 200);
    const { message } = await askRefused('principal', 'add', 'Bea', '--kind', 'agent', '--data', data);
    assert.match(message, /^The disk of the data folder is full\./);
    const { stdout } = await runProgram(['status', '--data', data]);
    assert.match(stdout, /It is not ready: disk low\./);
    rmSync(ballast);
    await until('writes go on', async () => (await post(url, key, 'during.md', '# During'))[0] === 201);
    assert.equal(await server.stop(), 0);
    assert.equal((await runProgram(['verify', '--data', data])).code, 0);
  });

  it('a snapshot is read-only: verify, status and audit verify work, and doctor says what it is', async function () {
    const folder = await makeFolder();
    const [data, snapshot] = [join(folder, 'data'), join(folder, 'snapshot')];
    await init(data);
    mountReadOnly(this, data, snapshot);
    for (const command of [['verify'], ['audit', 'verify'], ['status']]) {
      const { code, stderr } = await runProgram([...command, '--data', snapshot]);
      assert.equal(code, 0, stderr);
    }
    const { code, stdout } = await runProgram(['doctor', '--data', snapshot, '--port', '0']);
    assert.equal(code, 1);
    assert.match(stdout, /problem +data .* mounted read-only/);
  });

  it('the repository belongs to another account: writes go on, status and doctor say since when and why', async function () {
    const account = asAnother(this);
    const folder = await makeFolder();
    openWay(folder);
    const data = join(folder, 'data');
    const { key } = await init(data);
    for (const name of ['', ...(await readdir(data, { recursive: true }))])
      await chown(join(data, name), nobody, nobody);
    const server = await startProgram(['serve', '--data', data, '--port', '0', '--json'], /^\{/, account);
    const { url } = JSON.parse(server.lines[0] ?? '') as { url: string };
    const packs = join(data, 'acme', 'content.git', 'objects', 'pack');
    await chown(packs, 0, 0);
    assert.deepEqual(await post(url, key, 'waits.md', '# Waits'), [201, '']);
    interface Status {
      readonly workspaces: readonly { readonly waits: { readonly since: string; readonly reason: string } | null }[];
    }
    const status = async (): Promise<Status['workspaces'][number]['waits'] | undefined> =>
      (JSON.parse((await runProgram(['status', '--data', data, '--json'], account)).stdout) as Status).workspaces[0]
        ?.waits;
    const waits = await until('the repository is behind', async () => (await status()) ?? undefined);
    assert.match(waits.reason, /EACCES/);
    const plain = await runProgram(['status', '--data', data], account);
    assert.match(plain.stdout, /warning: \d+ objects wait for the repository since \d\d:\d\d UTC: EACCES/);
    assert.equal(plain.stdout.match(/wait for the repository/g)?.length, 1, 'said once');
    const doctor = await runProgram(['doctor', '--data', data], account);
    assert.equal(doctor.code, 1);
    assert.match(doctor.stdout, /problem +server +acme: \d+ objects wait for the repository/);
    await chown(packs, nobody, nobody);
    await until('it has caught up by itself', async () => (await status()) === null);
    assert.equal(await server.stop(), 0);
  });

  it('a command comes from another account: it says whose the data is', async function () {
    const account = asAnother(this);
    const folder = await makeFolder();
    openWay(folder);
    const data = join(folder, 'data');
    await init(data);
    for (const command of [['principal', 'list'], ['status'], ['serve', '--port', '0']]) {
      const { code, stderr } = await runProgram([...command, '--data', data], account);
      assert.equal(code, 1);
      assert.match(stderr, /cannot be read as nobody: it belongs to root\. Run this as root: sudo -u root cartulary/);
    }
    const { stdout } = await runProgram(['doctor', '--data', data], account);
    assert.match(stdout, /problem +socket +cannot tell/);
    assert.doesNotMatch(stdout, /no server runs|taken by another program/);
  });

  it('a quota below what is stored is accepted with a warning', async () => {
    const data = join(await makeFolder(), 'data');
    await init(data);
    const source = await makeFolder();
    writeFileSync(join(source, 'a.md'), 'x'.repeat(5000));
    await ask('import', source, '--into', '/', '--data', data);
    const changed = await ask<{ warning: string }>('policy', 'set', 'storage_quota', '100', '--data', data);
    assert.match(changed.warning, /^5000 bytes are stored already/);
  });

  const init = (data: string): Promise<Made> =>
    ask<Made>('init', '--data', data, '--workspace', 'acme', '--admin', 'Ada');

  const post = async (url: string, key: string, location: string, content: string): Promise<[number, string]> => {
    const answer = await fetch(`${url}/v1/documents`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${key}`, 'Idempotency-Key': location, 'Content-Type': 'application/json' },
      body: JSON.stringify({ location, content }),
    });
    const { error } = (await answer.json()) as { error?: { details?: { reason?: string } } };
    return [answer.status, error?.details?.reason ?? ''];
  };

  interface Made {
    readonly key: string;
  }
});
