import assert from 'node:assert/strict';
import { join } from 'node:path';
import { runCommand } from '../../lib/commands/carrier/run-command.js';
import type { CommandLine, ServerFacts } from '../../lib/commands/command.js';
import { openTestServer, type HttpClient, type TestServer } from '../support/http/server.js';
import {
  ask as askProgram,
  makeFolder,
  runProgram,
  serve,
  startProgram,
  tidyUp,
  timeout,
} from '../support/processes/run-program.js';
import { until } from '../support/until.js';

const running: ServerFacts = { url: 'x', pid: 1, version: 'x', started_at: 'x', is_temporary: false };

describe('`cartulary audit list`', () => {
  let server: TestServer;
  let ada: HttpClient;
  let leaving: AbortController;
  let told: Told[];

  beforeEach(async () => {
    server = await openTestServer();
    ada = await server.person('approver', '', 'Ada');
    await ada.create('plans/a.md');
    leaving = new AbortController();
    told = [];
  });
  afterEach(() => server.close());

  const ask = (fields: Readonly<Record<string, unknown>>, facts: ServerFacts | null = running): Promise<CommandLine> =>
    runCommand(
      { command: 'audit.list', fields },
      {
        host: server.host.service,
        server: facts,
        address: 'http://localhost',
        signal: leaving.signal,
        onFault: (what, cause) => assert.fail(`${what}: ${String(cause)}`),
        onProgress(part) {
          told.push(...(part as { readonly records: readonly Told[] }).records);
          return Promise.resolve();
        },
      },
    );

  it('says whether there is more than it shows, and hands over everything piece by piece where asked to', async () => {
    for (let time = 0; time < 5; time += 1) await ada.get('/v1/documents/plans/a.md');
    const first = await ask({ limit: 3, action: 'document.read' });
    assert.equal(itemsOf(first).length, 3);
    assert.match(JSON.stringify(first), /"has_more":true/);
    assert.match(JSON.stringify(await ask({ limit: 5, action: 'document.read' })), /"has_more":false/);
    assert.deepEqual(await ask({ all: true, action: 'document.read' }), { result: { told: 5 } });
    assert.equal(told.length, 5);
  });

  it('takes a principal by name, and names the candidates where several have it', async () => {
    const named = itemsOf(await ask({ principal: 'ada', action: 'document.create' }));
    assert.deepEqual(
      named.map(({ principal, target }) => [principal, target]),
      [['Ada', 'plans/a.md']],
    );
    const second = await server.host.principal('Ada');
    const message = await messageOf(ask({ principal: 'Ada' }));
    assert.match(
      message,
      /^principal "Ada" may mean prn_\w+ \(person Ada\), prn_\w+ \(person Ada\)\. Name it by its id\.$/,
    );
    assert.ok(message.includes(second));
    assert.equal(await messageOf(ask({ principal: 'Nemo' })), 'There is no such principal.');
  });

  it('refuses an unknown action with those near to it', async () => {
    assert.match(
      await messageOf(ask({ action: 'document.raed' })),
      /^action must be a known action\. Near to it are .*document\.read, /,
    );
    assert.match(await messageOf(ask({ action: 'mint' })), /credential\.mint/);
    assert.match(await messageOf(ask({ action: '?' })), /such as document\.read/);
    assert.match(await messageOf(ask({ outcome: 'maybe' })), /must be done or refused/);
  });

  it('tells what comes from now on, in order, of the question alone, and makes no records meanwhile', async () => {
    const following = ask({ follow: true, location: 'plans' });
    await until('it follows', isFollowed);
    await ada.get('/v1/documents/plans/a.md');
    await ada.create('notes/b.md');
    await until('the read is told', () => told.length === 1);
    await ada.put('/v1/documents/plans/a.md', { content: 'two' });
    await ada.delete('/v1/documents/plans/a.md');
    await until('all are told', () => told.length === 3);
    leaving.abort();
    assert.deepEqual(await following, { result: { told: 3 } });
    assert.deepEqual(
      told.map(({ action, target }) => `${action} ${target}`),
      ['document.read plans/a.md', 'document.update plans/a.md', 'document.delete plans/a.md'],
    );
    assert.equal(server.records().filter(({ record }) => record.action === 'audit.list').length, 1);
  });

  it('leaves out none of many new records, and ends after as many as were asked for', async () => {
    const following = ask({ follow: true, limit: 2500, action: 'document.search' });
    await until('it follows', isFollowed);
    const id = await server.host.principal('Ben');
    await server.host.workspace.journal.write({
      isRecordOnly: true,
      run(transaction) {
        for (let index = 0; index < 2600; index += 1) {
          transaction.audit({
            principal: id,
            credential: null,
            interface: 'rest',
            requestId: null,
            action: 'document.search',
            outcome: 'done',
            target: `word ${index}`,
          });
        }
      },
    });
    assert.deepEqual(await following, { result: { told: 2500 } });
    assert.deepEqual(
      told.map(({ target }) => target),
      Array.from({ length: 2500 }, (_, index) => `word ${index}`),
    );
  });

  it('follows no past, and nothing where no server runs', async () => {
    assert.match(await messageOf(ask({ follow: true, from: '1d' })), /leave out --from/);
    assert.match(await messageOf(ask({ follow: true }, null)), /needs a running server/);
  });

  const itemsOf = (line: CommandLine): readonly Told[] => {
    assert.ok('result' in line, JSON.stringify(line));
    return (line.result as { readonly items: readonly Told[] }).items;
  };

  const messageOf = async (answered: Promise<CommandLine>): Promise<string> => {
    const line = await answered;
    assert.ok('error' in line, JSON.stringify(line));
    return line.error.message;
  };

  /** Whether the log has the beginning of the question. */
  const isFollowed = (): boolean =>
    server
      .records()
      .some(({ record, text }) => record.action === 'audit.list' && text?.detail?.includes('isFollowing'));
});

describe('`cartulary audit list` in a terminal', function () {
  this.timeout(timeout);
  after(tidyUp);

  it('fits eighty columns, says that there is more, and ends on Ctrl-C without a word', async () => {
    const data = join(await makeFolder(), 'data');
    await askProgram('init', '--data', data, '--workspace', 'acme', '--admin', 'Ada');
    const running = await serve(data);
    let isFollowing = false;
    const follower = startProgram(['audit', 'list', '--follow', '--data', data], /audit\.list/).finally(
      () => (isFollowing = true),
    );
    let shown = { stdout: '', stderr: '' };
    const wait = 60_000;
    const look = async (): Promise<boolean> => {
      shown = await runProgram(['audit', 'list', '--limit', '2', '--data', data], { environment: { COLUMNS: '80' } });
      return isFollowing;
    };
    await until('it follows', look, wait);
    const followed = await follower;
    assert.equal(await followed.stop('SIGINT'), 0);
    await running.stop();
    assert.ok(
      shown.stdout.split('\n').every((line) => line.length <= 80),
      shown.stdout,
    );
    assert.match(shown.stdout, /^seq +at +principal +action +outcome/);
    assert.match(
      shown.stderr,
      /There are more: these are the newest 2\. --limit shows more of them, --all shows all\./,
    );
  });
});

interface Told {
  readonly action: string;
  readonly target: string | null;
  readonly principal: string | null;
}
