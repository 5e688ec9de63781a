import assert from 'node:assert/strict';
import { runCommand } from '../../lib/commands/carrier/run-command.js';
import type { ServerFacts } from '../../lib/commands/command.js';
import { openTestServer, type HttpClient, type TestServer } from '../support/http/server.js';
import { until } from '../support/until.js';

const running: ServerFacts = { url: 'x', pid: 1, version: 'x', started_at: 'x', is_temporary: false };

describe('`cartulary changes list`', () => {
  let server: TestServer;
  let ada: HttpClient;
  let leaving: AbortController;
  let told: Told[];

  beforeEach(async () => {
    server = await openTestServer();
    ada = await server.person('approver', '', 'Ada');
    await ada.create('plans/a.md');
    await ada.create('notes/b.md');
    leaving = new AbortController();
    told = [];
  });
  afterEach(() => server.close());

  it('lists what is there, in a place if one is named', async () => {
    assert.deepEqual(await ask({}), { result: { told: 2 } });
    assert.deepEqual(shown(), ['entered notes/b.md -', 'entered plans/a.md -']);
    told = [];
    assert.deepEqual(await ask({ location: '/plans/' }), { result: { told: 1 } });
    assert.deepEqual(shown(), ['entered plans/a.md -']);
    assert.deepEqual(await ask({ since_now: true }), { result: { told: 0 } });
  });

  it('goes on with what comes, of the kinds that are asked for, until its caller leaves', async () => {
    const following = ask({ since_now: true, follow: true, kind: 'created,deleted' });
    await until('it listens', () => server.host.workspace.feedTail.size === 1);
    await ada.put('/v1/documents/plans/a.md', { content: 'two' });
    await ada.create('plans/c.md');
    await ada.delete('/v1/documents/plans/a.md');
    await until('both are told', () => told.length === 2);
    leaving.abort();
    assert.deepEqual(await following, { result: { told: 2 } });
    assert.deepEqual(shown(), ['created plans/c.md Ada', 'deleted plans/a.md Ada']);
    assert.equal(server.host.workspace.feedTail.size, 0);
  });

  it('ends with a reason where its place is gone, and for what it cannot do', async () => {
    const following = ask({ location: 'plans/a.md', follow: true });
    await until('it listens', () => told.length === 1);
    await ada.delete('/v1/documents/plans/a.md');
    assert.match(JSON.stringify(await following), /NOT_FOUND.*There is no such document or folder/);
    assert.match(JSON.stringify(await ask({ location: 'none' })), /NOT_FOUND/);
    assert.match(JSON.stringify(await ask({ kind: 'created,read' })), /bad_field.*"kind"|kind must be one or more of/);
    assert.match(JSON.stringify(await ask({ follow: true }, null)), /needs a running server/);
  });

  const ask = (fields: Readonly<Record<string, unknown>>, facts: ServerFacts | null = running) =>
    runCommand(
      { command: 'changes.list', fields },
      {
        host: server.host.service,
        server: facts,
        address: 'http://localhost',
        signal: leaving.signal,
        onFault: (what, cause) => assert.fail(`${what}: ${String(cause)}`),
        onProgress(part) {
          told.push(...(part as { readonly changes: readonly Told[] }).changes);
          return Promise.resolve();
        },
      },
    );

  const shown = (): string[] =>
    told.map(({ kind, document, actor }) => `${kind} ${document.location} ${actor?.display_name ?? '-'}`);
});

interface Told {
  readonly kind: string;
  readonly document: { readonly location: string | null };
  readonly actor: { readonly display_name: string } | null;
}
