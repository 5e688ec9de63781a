import assert from 'node:assert/strict';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { encode } from 'gpt-tokenizer/encoding/o200k_base';
import { openMcpServer, type McpClient, type McpTestServer } from '../support/http/open-mcp.js';

const absent = '0'.repeat(40);

describe('MCP tools', () => {
  let server: McpTestServer;
  let agent: McpClient;
  let agentId: string;
  before(async () => {
    server = await openMcpServer();
    ({ client: agent, id: agentId } = await server.agent('editor', 'team', 'Ada'));
  });
  after(() => server.close());

  describe('as clients see them', () => {
    let listed: readonly Listed[];
    before(async () => {
      listed = (await agent.request('tools/list')).json.result.tools;
    });

    it('MCP tools are described by valid schemas', () => {
      const ajv = new Ajv2020();
      for (const { name, inputSchema, outputSchema } of listed) {
        assert.ok(ajv.validateSchema(inputSchema), `${name}: ${ajv.errorsText()}`);
        assert.ok(ajv.validateSchema(outputSchema), `${name}: ${ajv.errorsText()}`);
      }
    });

    it('cost a model no more than 3,000 tokens', () => {
      const told = listed.map(({ name, description, inputSchema }) => ({ name, description, inputSchema }));
      const tokens = told.reduce((sum, tool) => sum + encode(JSON.stringify(tool)).length, 0);
      assert.ok(tokens <= 3000, `${tokens} tokens`);
    });

    it('answer a read of an English document of 4 kB for no more than 130 tokens beyond its own', async () => {
      const sentence = (n: number): string =>
        `Whoever travels for clause ${n} books a train where the journey takes less than four hours, and keeps the receipt.`;
      const lines = Array.from({ length: 100 }, (_, n) => sentence(n));
      const content = `# Travel\n\n${lines.join('\n')}`.slice(0, 4096);
      await agent.call('write_org_doc', { location: 'team/typical.md', content });
      const { text } = await agent.call('read_org_doc', { location: 'team/typical.md' });
      const tokens = encode(text).length;
      const plain = encode(content).length;
      assert.ok(tokens - plain <= 130, `${tokens} tokens, ${plain} of them the document’s own`);
      await agent.call('delete_org_doc', { location: 'team/typical.md', expected_commit: JSON.parse(text).commit });
    });

    it('take flat and closed objects, without combinators that models’ interfaces refuse', () => {
      for (const { name, inputSchema, outputSchema } of listed) {
        assert.equal(inputSchema['additionalProperties'], false, name);
        assert.equal(outputSchema['type'], 'object', name);
        for (const word of ['oneOf', 'anyOf', 'allOf', '$ref', 'if', 'not']) {
          assert.ok(!JSON.stringify([inputSchema, outputSchema]).includes(`"${word}":`), `${name} ${word}`);
        }
      }
    });

    it('declare that they only read', () => {
      const reading = listed.filter(({ annotations }) => annotations['readOnlyHint'] === true).map(({ name }) => name);
      assert.deepEqual(reading.toSorted(), [
        'list_org_docs',
        'list_org_folders',
        'read_org_doc',
        'search_org_knowledge',
        'who_can_read',
      ]);
    });

    interface Listed {
      readonly name: string;
      readonly description: string;
      readonly inputSchema: Readonly<Record<string, unknown>>;
      readonly outputSchema: Readonly<Record<string, unknown>>;
      readonly annotations: Readonly<Record<string, boolean>>;
    }
  });

  describe('that write', () => {
    it('create, and answer the same create again as done, for its writer alone', async () => {
      const args = { location: 'team/new.md', content: '# New\n\ntext\n', note: 'first' };
      const first = await agent.call('write_org_doc', args);
      assert.deepEqual(
        [first.done.bytes, first.done.lines, first.done.created, first.done.replayed],
        [12, 3, true, false],
      );
      const again = await agent.call('write_org_doc', args);
      assert.deepEqual([again.done.commit, again.done.replayed], [first.done.commit, true]);
      assert.equal((await agent.call('write_org_doc', { ...args, content: 'other' })).refusal, 'CONFLICT name_taken');
      const { client } = await server.agent('editor', 'team');
      assert.equal((await client.call('write_org_doc', args)).refusal, 'CONFLICT name_taken');
    });

    it('replace the version that was read and no newer one, and answer the same again as done', async () => {
      const location = 'team/replaced.md';
      const commit = await write(location, 'one\n');
      const args = { location, content: 'two\n', expected_commit: commit };
      const second = await agent.call('write_org_doc', args);
      assert.deepEqual([second.done.created, second.done.parent_commit], [false, commit]);
      const again = await agent.call('write_org_doc', args);
      assert.deepEqual([again.done.commit, again.done.replayed], [second.done.commit, true]);
      const stale = await agent.call('write_org_doc', { ...args, content: 'three\n' });
      assert.deepEqual([stale.refusal, stale.error.current_commit], ['CONFLICT stale_if_match', second.done.commit]);
      assert.equal(stale.error.modified_by.id, agentId);
    });

    it('want a confirmation before most of a long text is removed', async () => {
      const location = 'team/long.md';
      const commit = await write(location, 'long text\n'.repeat(300));
      const args = { location, content: 'short\n', expected_commit: commit };
      assert.equal((await agent.call('write_org_doc', args)).refusal, 'INVALID_REQUEST large_shrink');
      assert.equal((await agent.call('write_org_doc', { ...args, allow_shrink: true })).refusal, '');
    });

    it('delete the version that was read, and answer the same again as done', async () => {
      const location = 'team/deleted.md';
      const commit = await write(location, 'text\n');
      assert.equal(
        (await agent.call('delete_org_doc', { location, expected_commit: absent })).refusal,
        'CONFLICT stale_if_match',
      );
      const args = { location, expected_commit: commit };
      const first = await agent.call('delete_org_doc', args);
      const again = await agent.call('delete_org_doc', args);
      assert.deepEqual([again.done.commit, again.done.replayed], [first.done.commit, true]);
      const { client } = await server.agent('editor', 'team');
      assert.equal((await client.call('delete_org_doc', args)).refusal, 'NOT_FOUND not_found');
      await write(location, 'another\n');
      assert.equal((await agent.call('delete_org_doc', args)).refusal, 'CONFLICT stale_if_match');
    });

    it('answer a repeated delete the same whether or not a hidden document was made there since', async () => {
      const id = await server.host.principal('Own', 'agent');
      const own = server.client(await server.host.key(id, ['mcp']));
      const keeper = (await server.agent('editor', 'shut')).client;
      const location = 'shut/own.md';
      const { commit } = (await keeper.call('write_org_doc', { location, content: 'text\n' })).done;
      await server.host.grant('editor', { type: 'principal', id }, location, 'document');
      const args = { location, expected_commit: commit };
      const first = await own.call('delete_org_doc', args);
      const before = await own.call('delete_org_doc', args);
      assert.deepEqual([before.done.commit, before.done.replayed], [first.done.commit, true]);
      await keeper.call('write_org_doc', { location, content: 'hidden\n' });
      const after = await own.call('delete_org_doc', args);
      assert.deepEqual([after.refusal, after.text], ['', before.text]);
      const other = await own.call('delete_org_doc', { location, expected_commit: absent });
      assert.equal(other.refusal, 'NOT_FOUND not_found');
      assert.equal((await keeper.call('read_org_doc', { location })).refusal, '');
    });

    it('hold the users of a claim to it', async () => {
      const location = 'team/claimed.md';
      const commit = await write(location, 'text\n');
      const { claim_id } = (await agent.call('claim', { action: 'take', location, ttl_seconds: 60 })).done.claims[0];
      const { client } = await server.agent('editor', 'team');
      const change = { location, expected_commit: commit, edits: [{ old_text: 'text', new_text: 'new' }] };
      for (const [name, args] of [
        ['edit_org_doc', change],
        ['write_org_doc', { location, expected_commit: commit, content: 'new\n' }],
        ['delete_org_doc', { location, expected_commit: commit }],
        ['claim', { action: 'take', location }],
      ] as const) {
        const said = await client.call(name, args);
        assert.deepEqual([said.refusal, said.error.holder.id], ['CONFLICT claimed', agentId], name);
      }
      const [listed] = (await client.call('claim', { action: 'list', location: 'team' })).done.claims;
      assert.deepEqual([listed.claim_id, listed.mine], [claim_id, false]);
      assert.equal((await client.call('claim', { action: 'release', claim_id })).refusal, 'NOT_FOUND not_found');
      server.host.clock.advance(61_000);
      const lost = await agent.call('edit_org_doc', { ...change, claim_id });
      assert.equal(lost.refusal, 'CONFLICT claim_lost');
      assert.equal((await client.call('edit_org_doc', change)).refusal, '');
      assert.equal((await agent.call('claim', { action: 'take', location })).refusal, '');
      assert.equal((await agent.call('claim', { action: 'release', location })).done.released, true);
      assert.equal((await client.call('claim', { action: 'release', location })).refusal, 'INVALID_REQUEST no_claim');
    });
  });

  it('take a stated default for an omitted one, also where it has no meaning', async () => {
    const { refusal } = await agent.call('write_org_doc', {
      location: 'team/filled-in.md',
      content: 'text\n',
      expected_commit: null,
      allow_shrink: false,
    });
    assert.equal(refusal, '');
    const listed = await agent.call('message', { action: 'list', box: 'sent', unread_only: false, limit: 20 });
    assert.equal(listed.refusal, '');
    const claims = await agent.call('claim', { action: 'list', ttl_seconds: 1800 });
    assert.deepEqual(claims.done.claims, []);
  });

  it('leave one record of a read: refused, where the requested part does not exist', async () => {
    const { done } = await agent.call('write_org_doc', { location: 'team/parts.md', content: '# One\n\n## Two\n' });
    const before = server.records().length;
    for (const part of [{ start_line: 100 }, { section: 'none' }, { section: 'two', start_line: 2 }]) {
      const { error } = await agent.call('read_org_doc', { location: 'team/parts.md', ...part });
      assert.equal(error.code, 'INVALID_REQUEST');
    }
    await agent.call('read_org_doc', { location: 'team/parts.md', start_line: 3 });
    const records = server.records().slice(before);
    assert.deepEqual(
      records.map(({ record: { action, outcome, code, version } }) => [action, outcome, code, version]),
      [
        ...Array.from({ length: 3 }, () => ['document.read', 'refused', 'INVALID_REQUEST', null]),
        ['document.read', 'done', null, done.commit],
      ],
    );
    const reasons = records.slice(0, 3).map(({ text }) => JSON.parse(text?.detail ?? '{}').reason);
    assert.deepEqual(reasons, ['bad_field', 'no_such_section', 'bad_field']);
  });

  it('leave one record of an unreadable call', async () => {
    const before = server.records().length;
    const calls: readonly [string, object, action: string][] = [
      ['read_org_doc', {}, 'tool.call'],
      ['claim', { action: 'steal' }, 'tool.call'],
      ['claim', { action: 'take' }, 'tool.call'],
      ['read_org_doc', { location: 'a//b' }, 'document.read'],
      ['list_org_docs', { cursor: 'forged' }, 'document.list'],
    ];
    for (const [name, args] of calls) assert.equal((await agent.call(name, args)).error.code, 'INVALID_REQUEST', name);
    await agent.request('resources/read', { uri: 'cartulary://doc/a//b' });
    await agent.request('resources/list', { cursor: 'forged' });
    const records = server.records().slice(before);
    assert.deepEqual(
      records.map(({ record: { action, principal, outcome, code } }) => [action, principal, outcome, code]),
      [
        ...calls.map(([, , action]) => [action, agentId, 'refused', 'INVALID_REQUEST']),
        ['document.read', agentId, 'refused', 'NOT_FOUND'],
        ['document.list', agentId, 'refused', 'INVALID_REQUEST'],
      ],
    );
    assert.deepEqual(JSON.parse(records[1]?.text?.detail ?? ''), { tool: 'claim', reason: 'bad_field' });
  });

  it('leave one record of a call of an unknown tool, and of an invalid message', async () => {
    const before = server.records().length;
    const { json } = await agent.request('tools/call', { name: 'drop_tables', arguments: {} });
    assert.deepEqual([json.error.code, json.error.message], [-32602, 'Unknown tool']);
    await agent.request('tools/call', { name: 'x'.repeat(500) });
    const flood = `[${'[],'.repeat(20_000)}[]]`;
    for (const [body, type, status] of [
      ['{', 'application/json', 400],
      ['[]', 'application/json', 400],
      [flood, 'application/json', 400],
      ['x'.repeat(9 * 1024 * 1024), 'application/json', 413],
      ['{}', 'text/plain', 415],
    ] as const) {
      assert.equal((await agent.post(body, { 'Content-Type': type })).status, status);
    }
    const records = server.records().slice(before);
    assert.deepEqual(
      records.map(({ record: { action, principal, outcome, code }, text }) => [
        action,
        principal,
        outcome,
        code,
        JSON.parse(text?.detail ?? '{}').reason,
      ]),
      [
        ...['bad_field', 'bad_field'].map((reason) => ['tool.call', agentId, 'refused', 'INVALID_REQUEST', reason]),
        ...['bad_json', 'bad_field', 'bad_field', 'body_too_large', 'unsupported_media_type'].map((reason) => [
          'request.make',
          agentId,
          'refused',
          'INVALID_REQUEST',
          reason,
        ]),
      ],
    );
    const tools = records.slice(0, 2).map(({ text }) => JSON.parse(text?.detail ?? '{}').tool);
    assert.deepEqual(tools, ['drop_tables', 'x'.repeat(100)]);
  });

  describe('when much is asked of them', () => {
    it('delay no other call for long, for any edit', async function () {
      this.timeout(60_000);
      const location = 'team/huge.md';
      const commit = await write(location, '# a\n'.repeat(200_000));
      const order: string[] = [];
      const edit = agent.call('edit_org_doc', {
        location,
        expected_commit: commit,
        edits: [{ old_text: `${'# a\n'.repeat(50_000)}b`, new_text: '' }],
      });
      const others = Array.from({ length: 3 }, () => agent.call('list_org_folders'));
      await Promise.all([
        edit.then(() => order.push('edit')),
        ...others.map((other) => other.then(() => order.push('other'))),
      ]);
      assert.equal((await edit).refusal, 'INVALID_REQUEST no_match');
      assert.equal(order.at(-1), 'edit', 'the others were answered while it was looked for');
    });
  });

  async function write(location: string, content: string): Promise<string> {
    const said = await agent.call('write_org_doc', { location, content });
    assert.equal(said.refusal, '');
    return said.done.commit;
  }
});
