import assert from 'node:assert/strict';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { reportStatus, warnOfSizes } from '../../lib/commands/operator/inspect.js';
import { addClient } from '../support/store/client.js';
import { openTestService } from '../support/store/service.js';
import { Sqlite } from '../support/store/sqlite.js';
import { ask, makeFolder, serve, timeout, runProgram, tidyUp } from '../support/processes/run-program.js';

describe('cartulary status', function () {
  this.timeout(timeout);

  afterEach(tidyUp);

  it('shows how many bytes are kept beside documents', async () => {
    const folder = await makeFolder();
    const data = join(folder, 'data');
    await ask('init', '--data', data, '--workspace', 'acme', '--admin', 'Ada');
    const { code, stdout } = await runProgram(['status', '--data', data]);
    assert.equal(code, 0);
    assert.match(
      stdout,
      /^ {2}beside them: comments [\d.]+ k?B, messages [\d.]+ k?B, audit log [\d.]+ kB, stored answers [\d.]+ k?B$/m,
    );
  });

  it('says whether a server runs, where it and its metrics are, and what of it is not ready', async () => {
    const data = join(await makeFolder(), 'data');
    await ask('init', '--data', data, '--workspace', 'acme', '--admin', 'Ada');
    const lines = async (): Promise<string[]> => (await runProgram(['status', '--data', data])).stdout.split('\n');
    const [format, alone, next] = await lines();
    assert.ok(format?.startsWith(`${data} (data format `), format);
    assert.match(format ?? '', / written by Cartulary [\d.]+\)$/);
    assert.equal(alone, 'No server runs.');
    assert.match(next ?? '', /^acme: 0 documents, 0 versions, 0 bytes$/);
    const server = await serve(data, { environment: { CARTULARY_METRICS_PORT: '0' } });
    const [, running, metrics, git, first] = await lines();
    assert.match(running ?? '', new RegExp(`^A server runs at ${server.url} \\(process \\d+\\)\\.$`));
    assert.match(metrics ?? '', /^Its metrics are at http:\/\/127\.0\.0\.1:\d+\/metrics$/);
    assert.match(git ?? '', /^Git clients find/);
    assert.match(first ?? '', /^acme: /, 'of a service that is ready it says nothing more');
    await server.stop();
    await ask('init', '--data', data, '--workspace', 'beta', '--admin', 'Ada');
    await rm(join(data, 'beta'), { recursive: true });
    await serve(data);
    const { code, stdout } = await runProgram(['status', '--data', data]);
    assert.equal(code, 1);
    assert.match(stdout, /^It is not ready: workspaces failed\.$/m);
    assert.match(stdout, /^acme: 0 documents/m);
    assert.match(stdout, /^beta: BROKEN: /m);
  });

  it('says where git clients find a workspace, or why they are refused; and doctor says it too', async () => {
    const data = join(await makeFolder(), 'data');
    const server = await serve(data);
    await ask('init', '--data', data, '--workspace', 'acme', '--admin', 'Ada');
    const printed = async (command: string, git: string): Promise<string> =>
      (await runProgram([command, '--data', data], { environment: { CARTULARY_GIT: git } })).stdout;
    assert.ok((await printed('status', 'auto')).includes(`Git clients find a workspace at ${server.url}/git/NAME.`));
    assert.match(await printed('status', 'never'), /^It refuses git clients: as configured\.$/m);
    assert.match(await printed('doctor', 'auto'), /^ok +git +git [\d.]+; \/git serves clones and takes pushes$/m);
    assert.match(await printed('doctor', 'never'), /not used, as configured; \/git refuses clones and pushes$/m);
  });

  it('doctor lists names that look alike from before, as no fault', async () => {
    const data = join(await makeFolder(), 'data');
    await ask('init', '--data', data, '--workspace', 'acme', '--admin', 'Ada');
    const { id } = await ask<{ id: string }>('principal', 'add', 'Eve', '--kind', 'agent', '--data', data);
    const sidecar = new Sqlite(join(data, 'acme', 'sidecar.sqlite'));
    sidecar.prepare('UPDATE principal SET display_name = ? WHERE id = ?').run('\u0391da', id);
    sidecar.close();
    const doctor = async (): Promise<string> => (await runProgram(['doctor', '--data', data])).stdout;
    assert.doesNotMatch(await doctor(), /look alike/);
    await serve(data);
    const found = /^ok +names +acme: "\S+" \(prn_\w+\) and "\S+" \(prn_\w+\) look alike\. Disable one/m;
    assert.match(await doctor(), found);
    await ask('principal', 'disable', id, '--data', data);
    assert.doesNotMatch(await doctor(), /look alike/);
  });

  it('doctor takes the address and the proxies that the server is started with', async () => {
    const data = join(await makeFolder(), 'data');
    await ask('init', '--data', data, '--workspace', 'acme', '--admin', 'Ada');
    const behind = ['doctor', '--data', data, '--port', '0', '--public-url', 'https://files.example.org'];
    const [none, one] = await Promise.all([runProgram(behind), runProgram([...behind, '--trust-proxy', '1'])]);
    assert.match(none.stdout, /^problem +address +https:\/\/files\.example\.org leads here .* trust_proxy is 0/m);
    assert.match(one.stdout, /^ok +address +https:\/\/files\.example\.org$/m);
  });

  it('counts comments, messages, audit records and stored answers apart', async () => {
    const test = await openTestService({ store: 'disk' });
    try {
      const ada = await addClient({ service: test, workspace: test.workspace }, 'Ada', 'approver');
      const ben = await addClient({ service: test, workspace: test.workspace }, 'Ben', 'editor');
      await ada.create('a.md', 'text');
      type Sizes = Record<'comments' | 'messages' | 'audit_log' | 'stored_answers', number>;
      const measure = async (): Promise<Sizes> => {
        const options = { dataFolder: test.dataFolder ?? '', workspace: null, git: 'auto' as const };
        const [status] = await reportStatus(options);
        assert.deepEqual(status?.['warnings'], []);
        return status?.['beside_documents'] as Sizes;
      };
      const before = await measure();
      for (let index = 0; index < 20; index += 1) await ada.comment('a.md', 'x'.repeat(4000));
      const commented = await measure();
      assert.ok(commented.comments > before.comments + 80_000);
      assert.equal(commented.messages, before.messages);
      for (let index = 0; index < 20; index += 1) await ada.send([ben.id], `${index}${'x'.repeat(4000)}`);
      const sent = await measure();
      assert.equal(sent.comments, commented.comments);
      assert.ok(sent.messages > commented.messages + 80_000);
      assert.ok(sent.audit_log > before.audit_log);
    } finally {
      await test.close();
    }
  });

  it('warns of large parts, and names the remedy', () => {
    const small = { comments: 1e6, messages: 1e6, auditLog: 1e6, storedAnswers: 1e6 };
    assert.deepEqual(warnOfSizes(small), []);
    const [log, answers, ...others] = warnOfSizes({ ...small, auditLog: 2.34e9, storedAnswers: 1e9 });
    assert.match(log ?? '', /^The audit log takes 2\.3 GB\. .*`cartulary audit archive/);
    assert.match(answers ?? '', /^Answers kept for retries take 1\.0 GB\./);
    assert.deepEqual(others, []);
  });
});
