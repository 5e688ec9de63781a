import assert from 'node:assert/strict';
import { operatorId } from '../../lib/domain/principal.js';
import { Client } from '../support/store/client.js';
import { eraseAt } from '../support/store/erase-at.js';
import { openMcpServer, type McpClient, type McpTestServer } from '../support/http/open-mcp.js';
import type { Parsed } from '../support/http/server.js';

const absent = '0'.repeat(40);

describe('What a document was', () => {
  let server: McpTestServer;
  let agent: McpClient;
  let other: McpClient;
  let keeper: Client;
  before(async () => {
    server = await openMcpServer();
    ({ client: agent } = await server.agent('editor', 'team', 'Ada'));
    ({ client: other } = await server.agent('editor', 'team', 'Bo'));
    keeper = new Client(server.host.workspace, operatorId);
  });
  after(() => server.close());

  it('is read by its commit, with who wrote it and why, in parts and by section', async () => {
    const location = 'team/old.md';
    const first = await write(location, '# One\n\nold\n\n## Two\n\nolder\n', 'the beginning');
    const second = await replace(other, location, '# One\n\nnew\n', 'shorter');
    const { done } = await read({ location, commit: first });
    assert.deepEqual(
      [done.text, done.commit, done.current_commit, done.note, done.modified_by.name, done.claims],
      ['# One\n\nold\n\n## Two\n\nolder\n', first, second, 'the beginning', 'Ada', undefined],
    );
    const section = (await read({ location, commit: first, section: 'two' })).done;
    assert.deepEqual([section.text, section.start_line], ['## Two\n\nolder\n', 5]);
    const current = (await read({ location, commit: second })).done;
    assert.deepEqual([current.text, current.current_commit, current.note], ['# One\n\nnew\n', undefined, 'shorter']);
    assert.equal((await read({ location })).done.note, 'shorter');
    assert.equal((await read({ location, commit: first, section: 'none' })).refusal, 'INVALID_REQUEST no_such_section');
  });

  it('is compared with now: a diff, and who wrote when and why', async () => {
    const location = 'team/compared.md';
    const first = await write(location, '# One\n\nold\n');
    await replace(other, location, '# One\n\nnewer\n', 'better');
    const third = await replace(other, location, '# One\n\nnewest\n');
    const { done } = await read({ location, since_commit: first });
    assert.equal(done.diff, '@@ -1,3 +1,3 @@\n # One\n \n-old\n+newest\n');
    assert.deepEqual([done.commit, done.since_commit, done.role], [third, first, 'editor']);
    assert.deepEqual(
      done.versions.map(({ by, note }: Parsed) => [by.name, note]),
      [
        ['Bo', undefined],
        ['Bo', 'better'],
      ],
    );
    const none = (await read({ location, since_commit: third })).done;
    assert.deepEqual([none.versions, none.diff], [[], '']);
    const pinned = await read({ location, since_commit: first, expected_commit: first });
    assert.equal(pinned.refusal, 'CONFLICT stale_if_match');
  });

  it('comes into briefs with the note of its last version', async () => {
    const location = 'noted/plan.md';
    const { client } = await server.agent('editor', 'noted', 'Noter');
    await client.call('write_org_doc', { location, content: 'text\n', note: `Why ${'x'.repeat(200)}` });
    await keeper.create('noted/silent.md', 'text\n');
    const { changes } = (await client.call('brief_me')).done;
    assert.deepEqual(
      changes.map(({ note }: Parsed) => note),
      [undefined, `Why ${'x'.repeat(115)}…`],
    );
    await keeper.rename(location, 'renamed.md', true);
    const [moved] = (await client.call('brief_me')).done.changes;
    assert.deepEqual([moved.location, moved.note], ['noted/renamed.md', undefined]);
  });

  it('is compared in parts that go on, and names the last 20 versions of many', async () => {
    const location = 'team/many.md';
    const lines = Array.from({ length: 400 }, (_, index) => `line ${index}`);
    const first = await write(location, lines.join('\n'));
    for (let count = 0; count < 22; count += 1) {
      lines[count * 18] = `changed ${count} ${'x'.repeat(60)}`;
      await replace(other, location, lines.join('\n'));
    }
    const whole = (await read({ location, since_commit: first })).done;
    assert.deepEqual([whole.versions.length, whole.older_versions], [20, 2]);
    let diff = '';
    let parts = 0;
    for (let start: number | undefined = 1; start !== undefined; parts += 1) {
      const args = { location, since_commit: first, max_chars: 1000, start_line: start, expected_commit: whole.commit };
      const { done } = await read(args);
      assert.ok(done.diff.length <= 1000);
      diff += done.diff;
      start = done.next_start_line;
    }
    assert.equal(diff, whole.diff);
    assert.ok(parts > 2);
  });

  it('says why there is no diff, of binary content and of too many changes', async () => {
    const location = 'team/large.txt';
    const text = (word: string): Buffer => Buffer.from(`${word} ${'x'.repeat(60)}\n`.repeat(60_000));
    await keeper.create(location, text('old').toString());
    const first = (await read({ location, outline_only: true })).done.commit;
    await keeper.update(location, text('new').toString());
    const large = (await read({ location, since_commit: first })).done;
    assert.deepEqual([large.no_diff, large.diff, large.versions.length], ['too_large', undefined, 1]);
    await keeper.update(location, `${text('new').toString()}end\n`);
    const again = (await read({ location, since_commit: large.commit })).done;
    assert.match(again.diff, /^@@ -59998,3 \+59998,4 @@\n(?: new x{60}\n){3}\+end\n$/);
    await keeper.update(location, 'a\0b');
    assert.equal((await read({ location, since_commit: first })).done.no_diff, 'binary');
  });

  it('is not there for one who cannot read it now, as an unknown commit is not', async () => {
    const location = 'team/moved.md';
    const first = await write(location, 'secret of old\n');
    await replace(agent, location, 'now\n');
    const elsewhere = (await read({ location: 'team/compared.md' })).done.commit;
    const { client: far } = await server.agent('reader', 'far', 'Far');
    for (const name of ['commit', 'since_commit']) {
      for (const [client, commit, refusal] of [
        [far, first, 'NOT_FOUND not_found'],
        [agent, elsewhere, 'INVALID_REQUEST no_such_version'],
      ] as const) {
        const [said, unknown] = [
          await read({ location, [name]: commit }, client),
          await read({ location, [name]: absent }, client),
        ];
        assert.equal(said.refusal, refusal);
        assert.equal(told(said.text), told(unknown.text));
      }
    }
    // Its reader of now reads what it was at a place that this reader does not know, and no word of that place.
    await keeper.move(location, 'far', true);
    const seen = await read({ location: 'far/moved.md', commit: first }, far);
    const changes = await read({ location: 'far/moved.md', since_commit: first }, far);
    assert.equal(seen.done.text, 'secret of old\n');
    assert.ok(!seen.text.includes('team') && !changes.text.includes('team'));
    assert.equal((await read({ location, commit: first })).refusal, 'NOT_FOUND not_found');
  });

  it('is gone with an erase, like any commit that never was', async () => {
    const location = 'team/erased.md';
    const first = await write(location, 'old\n');
    await replace(agent, location, 'new\n');
    const { id } = await eraseAt(server.host.workspace, location);
    await server.host.workspace.eraser.finished(id);
    await write(location, 'another\n');
    for (const name of ['commit', 'since_commit']) {
      const [gone, never] = await Promise.all([first, absent].map((commit) => read({ location, [name]: commit })));
      assert.equal(told(gone?.text ?? ''), told(never?.text ?? '-'));
    }
  });

  it('takes no argument without a meaning there, and a commit of 40 digits alone', async () => {
    const location = 'team/old.md';
    for (const [args, reason] of [
      [{ commit: absent, since_commit: absent }, 'unknown_field'],
      [{ since_commit: absent, section: 'one' }, 'unknown_field'],
      [{ since_commit: absent, outline_only: true }, 'unknown_field'],
      [{ commit: absent, expected_commit: absent }, 'unknown_field'],
      [{ commit: 'HEAD' }, 'bad_field'],
      [{ since_commit: '../x' }, 'bad_field'],
    ] as const) {
      assert.equal((await read({ location, ...args })).refusal, `INVALID_REQUEST ${reason}`, JSON.stringify(args));
    }
  });

  it('each read of a past version leaves one audit record', async () => {
    const location = 'team/recorded.md';
    const first = await write(location, 'old\n');
    const second = await replace(agent, location, 'new\n');
    const from = server.records().length;
    await read({ location, commit: first });
    await read({ location, since_commit: first });
    await read({ location, since_commit: absent });
    assert.deepEqual(
      server
        .records()
        .slice(from)
        .map(({ record: { action, outcome, version }, text }) => [
          action,
          outcome,
          version,
          text?.target,
          JSON.parse(text?.detail ?? '{}').from,
        ]),
      [
        ['document.read', 'done', first, location, undefined],
        ['document.diff', 'done', second, location, first],
        ['document.diff', 'refused', null, location, absent],
      ],
    );
  });

  const read = (args: object, client = agent) => client.call('read_org_doc', args);

  async function write(location: string, content: string, note?: string): Promise<string> {
    return (await agent.call('write_org_doc', { location, content, ...(note === undefined ? {} : { note }) })).done
      .commit;
  }

  async function replace(client: McpClient, location: string, content: string, note?: string): Promise<string> {
    const { commit } = (await client.call('read_org_doc', { location })).done;
    const args = { location, content, expected_commit: commit, allow_shrink: true };
    const said = await client.call('write_org_doc', { ...args, ...(note === undefined ? {} : { note }) });
    assert.equal(said.refusal, '');
    return said.done.commit;
  }
});

const told = (text: string): string => text.replace(/req_\w+/, '');
