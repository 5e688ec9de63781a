import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseLocation } from '../../lib/domain/location.js';
import { runCommand, type RunOptions } from '../../lib/commands/carrier/run-command.js';
import { openConsole, type TestConsole } from '../support/http/console.js';
import { openMcpServer, type McpTestServer } from '../support/http/open-mcp.js';
import type { HttpAnswer, TestServer } from '../support/http/server.js';
import { Client } from '../support/store/client.js';
import { TestMirror } from '../support/store/test-mirror.js';

const readOnly = 'INVALID_REQUEST read_only_source';

describe('A mirror is read-only', function () {
  this.timeout(30_000);

  describe('over REST and MCP', () => {
    let server: McpTestServer;
    let filled: Filled;

    before(async () => {
      server = await openMcpServer();
      filled = await fill(server);
    });
    after(() => server.close());

    for (const role of ['editor', 'approver'] as const) {
      it(`for an ${role}, who learns which connector mirrors there`, async () => {
        await assertRefused(server, await server.person(role), '/v1', filled, readOnly);
      });
    }

    it('for a reader and a stranger, who learn nothing', async () => {
      for (const client of [await server.person('reader'), await server.person('approver', 'elsewhere')]) {
        await assertRefused(server, client, '/v1', filled, 'NOT_FOUND');
      }
    });

    it('for editors of one document of it, and nothing else', async () => {
      const id = await server.host.principal('Bo');
      await server.host.grant('editor', { type: 'principal', id }, 'team/docs/a.md', 'document');
      const bo = server.as(await server.host.key(id));
      assert.equal((await bo.put('/v1/documents/team/docs/a.md', { content: 'x' })).refusal, readOnly);
      assert.equal((await bo.put('/v1/documents/team/docs/sub/b.md', { content: 'x' })).refusal, 'NOT_FOUND');
    });

    it('for bytes at the address of a file, old and new', async () => {
      const ada = await server.person('approver');
      for (const [name, condition] of [
        ['a.md', { 'If-Match': '*' }],
        ['new.bin', { 'If-None-Match': '*' }],
      ] as const) {
        const headers = { 'Idempotency-Key': name, ...condition };
        const put = await ada.send('PUT', `/v1/files/team/docs/${name}`, { body: Buffer.from([0, 1]), headers });
        assert.equal(put.refusal, readOnly, name);
      }
    });

    it('in a revert of what its connector wrote: all is left alone, with the reason', async () => {
      const ada = await server.person('approver');
      const query = new URLSearchParams({
        location: 'team',
        principal_id: filled.mirror.caller.principalId,
        since: '1970-01-01T00:00:00.000Z',
      });
      const { items } = (await ada.get(`/v1/reverts?${query.toString()}`)).json as {
        items: { reason: string | null }[];
      };
      assert.deepEqual(new Set(items.map(({ reason }) => reason)), new Set(['read_only_source']));
    });

    it('for the tools of an agent, with a remedy', async () => {
      const { client } = await server.agent('approver');
      const { head } = server;
      const location = 'team/docs/a.md';
      const { commit } = (await client.call('read_org_doc', { location })).done as { commit: string };
      const edits = [{ old_text: 'changed', new_text: 'x' }];
      const said = [
        await client.call('write_org_doc', { location: 'team/docs/new.md', content: 'x' }),
        await client.call('write_org_doc', { location, content: 'x', expected_commit: commit }),
        await client.call('edit_org_doc', { location, expected_commit: commit, edits }),
        await client.call('delete_org_doc', { location, expected_commit: commit }),
        await client.call('claim', { action: 'take', location }),
      ];
      for (const { refusal, error } of said) {
        assert.equal(refusal, readOnly);
        assert.equal(error.connector?.name, 'Docs', JSON.stringify(error));
      }
      assert.equal(server.head, head);
      const stranger = (await server.agent('approver', 'elsewhere')).client;
      const hidden = await stranger.call('write_org_doc', { location, content: 'x', expected_commit: commit });
      assert.match(hidden.refusal, /^NOT_FOUND/);
    });

    it('and takes grants, labels, comments and messages', async () => {
      const { workspace } = server.host;
      const ada = new Client(workspace, (await server.host.person('approver')).id);
      const bo = await server.host.principal('Bo');
      await server.host.grant('reader', { type: 'principal', id: bo }, 'team/docs');
      await server.host.grant('editor', { type: 'principal', id: bo }, 'team/docs/sub/b.md', 'document');
      assert.deepEqual(await ada.labels('add', 'team/docs/a.md', 'kept'), ['kept']);
      await ada.comment('team/docs/a.md', 'A word.');
      await ada.send([bo], 'Look.', { about: parseLocation('team/docs/a.md') });
      await filled.mirror.sync({ written: { 'a.md': 'changed again\n' } });
      assert.deepEqual(await ada.remarks('team/docs/a.md'), ['A word.']);
      assert.deepEqual((await ada.record('team/docs/a.md')).labels, ['kept']);
      assert.deepEqual(await ada.labels('remove', 'team/docs/a.md', 'kept'), []);
      assert.equal(await new Client(workspace, bo).read('team/docs/a.md'), 'changed again\n');
    });
  });

  describe('in the console', () => {
    let test: TestConsole;

    before(async () => {
      test = await openConsole();
    });
    after(() => test.close());

    it('for approvers, with the name of the connector, and unknown to others', async () => {
      const filled = await fill(test.server);
      const ada = await test.person('Ada', 'approver');
      await assertRefused(test.server, ada, '', filled, readOnly);
      const bo = await test.person('Bo', 'approver', 'elsewhere');
      await assertRefused(test.server, bo, '', filled, 'NOT_FOUND');
    });
  });

  describe('on the command line', () => {
    it('for the operator of the service, too', async () => {
      const server = await openMcpServer();
      const folder = await mkdtemp(join(tmpdir(), 'cartulary-read-only-'));
      try {
        const { first } = await fill(server);
        const { workspace } = server.host;
        const run = (command: string, fields: Record<string, unknown>) =>
          runCommand({ command, fields }, optionsFor(server));
        const { head } = server;
        for (const [command, fields] of [
          ['document.restore', { location: 'team/docs/a.md', version: first }],
          ['folder.delete', { location: 'team/docs' }],
          ['folder.delete', { location: 'team' }],
          ['folder.delete', { location: 'team/docs/sub' }],
          ['claim.take', { location: 'team/docs/a.md' }],
        ] as const) {
          const answer = await run(command, fields);
          assert.ok('error' in answer, command);
          assert.deepEqual([answer.error.code, answer.error.details?.['reason']], readOnly.split(' '), command);
          assert.match(answer.error.message, /"Docs"/);
        }
        await writeFile(join(folder, 'a.md'), 'mine');
        await writeFile(join(folder, 'new.md'), 'mine');
        for (const dry_run of [true, false]) {
          const answer = await run('import', { directory: folder, into: 'team/docs', dry_run });
          assert.ok('result' in answer, JSON.stringify(answer));
          const { created, skipped } = answer.result as {
            created: number;
            skipped: { path: string; reason: string }[];
          };
          assert.deepEqual([created, skipped.map(({ path }) => path)], [0, ['a.md', 'new.md']]);
          assert.match(skipped[1]?.reason ?? '', /mirrors the source of the connector "Docs"/);
        }
        assert.equal(workspace.journal.state.head, head);
      } finally {
        await rm(folder, { recursive: true });
        await server.close();
      }
    });
  });
});

const moved =
  (location: string, to_folder: string): Write =>
  (client, base) =>
    client.post(`${base}/moves`, { location, to_folder, acknowledge_access_change: true });

const renamed =
  (location: string, name: string): Write =>
  (client, base) =>
    client.post(`${base}/renames`, { location, name });

function optionsFor({ host }: TestServer): RunOptions {
  const { workspace, clock } = host;
  const service = {
    clock,
    randomness: workspace.randomness,
    dataFolder: null,
    find: () => workspace,
    names: () => ['acme'],
  };
  const signal = new AbortController().signal;
  const onProgress = (): Promise<void> => Promise.resolve();
  return {
    host: service,
    server: null,
    address: '',
    signal,
    onProgress,
    onFault: () => undefined,
  } as unknown as RunOptions;
}

/** What REST and the console have in common. */
interface JsonClient {
  post(path: string, body: unknown): Promise<HttpAnswer>;
  put(path: string, body: unknown): Promise<HttpAnswer>;
  delete(path: string): Promise<HttpAnswer>;
  get(path: string): Promise<HttpAnswer>;
}

type Write = (client: JsonClient, base: string) => Promise<HttpAnswer>;

interface Filled {
  readonly mirror: TestMirror;
  /** The version that the first sync made. */
  readonly first: string;
  /** Id of the document that the second sync deleted. */
  readonly gone: string;
}

/** `team/docs` is a mirror; `team` and everything else in it is not. */
async function fill({ host }: TestServer): Promise<Filled> {
  const { workspace } = host;
  const mirror = await TestMirror.open(workspace, 'team/docs');
  const { versionId } = await mirror.sync({ written: { 'a.md': 'one\n', 'sub/b.md': 'two\n', 'gone.md': 'three\n' } });
  const ada = new Client(workspace, (await host.person('approver')).id);
  const gone = (await ada.record('team/docs/gone.md')).id;
  await mirror.sync({ written: { 'a.md': 'changed\n' }, deleted: ['gone.md'] });
  await ada.create('team/own.md');
  await ada.create('team/other/x.md');
  return { mirror, first: versionId ?? '', gone };
}

/** Each write of REST, at, above and below the mirror. */
function writesOf({ first, gone }: Filled): Readonly<Record<string, Write>> {
  return {
    'create a document': (client, base) =>
      client.post(`${base}/documents`, { location: 'team/docs/new.md', content: 'x' }),
    'create one in a new folder': (client, base) =>
      client.post(`${base}/documents`, { location: 'team/docs/new/deep/x.md', content: 'x' }),
    'update a document': (client, base) => client.put(`${base}/documents/team/docs/a.md`, { content: 'x' }),
    'delete a document': (client, base) => client.delete(`${base}/documents/team/docs/a.md`),
    'restore a version': (client, base) =>
      client.post(`${base}/restores`, { location: 'team/docs/a.md', version: first }),
    'undelete a document': (client, base) =>
      base === ''
        ? client.post('/trash/undeletes', { location: 'team/docs/gone.md', document_id: gone })
        : client.post(`${base}/undeletes`, { location: 'team/docs/gone.md' }),
    'rename a document': renamed('team/docs/a.md', 'c.md'),
    'move a document in': moved('team/own.md', 'team/docs'),
    'move a document out': moved('team/docs/a.md', 'team/other'),
    'move a document within': moved('team/docs/a.md', 'team/docs/sub'),
    'move a folder in': moved('team/other', 'team/docs'),
    'move a folder out': moved('team/docs/sub', 'team/other'),
    'rename a folder below': renamed('team/docs/sub', 'deeper'),
    'rename the mirror': renamed('team/docs', 'papers'),
    'move the mirror': moved('team/docs', 'team/other'),
    'rename a folder above': renamed('team', 'group'),
    'move a folder above': moved('team', 'archive'),
    'create a folder': (client, base) => client.post(`${base}/folders`, { location: 'team/docs/empty' }),
    'delete a folder below': (client, base) => client.post(`${base}/folder-deletions`, { location: 'team/docs/sub' }),
    'delete the mirror': (client, base) => client.post(`${base}/folder-deletions`, { location: 'team/docs' }),
    'delete a folder above': (client, base) => client.post(`${base}/folder-deletions`, { location: 'team' }),
    'claim a document': (client, base) => client.post(`${base}/claims`, { location: 'team/docs/a.md' }),
  };
}

/** Sends every write, which has to be refused and to change nothing. */
async function assertRefused(
  server: TestServer,
  client: JsonClient,
  base: string,
  filled: Filled,
  refusal: string,
): Promise<void> {
  const { head } = server;
  for (const [what, write] of Object.entries(writesOf(filled))) {
    const answer = await write(client, base);
    assert.equal(answer.refusal, refusal, `${what}: ${answer.text}`);
    if (refusal === 'NOT_FOUND') continue;
    const { connector } = answer.json.error.details;
    assert.deepEqual(connector, { id: filled.mirror.caller.principalId, kind: 'git', display_name: 'Docs' }, what);
    assert.match(answer.json.error.message, /"Docs"/, what);
  }
  assert.equal(server.head, head, 'nothing was written');
}
