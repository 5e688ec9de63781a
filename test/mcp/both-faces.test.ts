import assert from 'node:assert/strict';
import { verifySource } from '../../lib/audit/verify-source.js';
import { openMcpServer, type McpClient, type McpTestServer } from '../support/http/open-mcp.js';
import type { HttpClient } from '../support/http/server.js';

describe('REST and MCP agree', () => {
  let server: McpTestServer;
  let editor: ServiceAndModel;
  let reader: ServiceAndModel;
  let stranger: ServiceAndModel;

  before(async () => {
    server = await openMcpServer();
    const both = async (role: 'editor' | 'reader' | undefined, name: string): Promise<ServiceAndModel> => {
      const id = await server.host.principal(name, 'agent');
      if (role !== undefined) await server.host.grant(role, { type: 'principal', id }, 'team');
      const key = await server.host.key(id, ['rest', 'mcp']);
      return { id, rest: server.as(key), mcp: server.client(key) };
    };
    editor = await both('editor', 'Ada');
    reader = await both('reader', 'Bo');
    stranger = await both(undefined, 'Cy');
  });
  after(() => server.close());

  it('one reads the writes of the other, by the same name for each version', async () => {
    const { etag } = await editor.rest.create('team/rest.md', 'by REST\n');
    const read = (await editor.mcp.call('read_org_doc', { location: 'team/rest.md' })).done;
    assert.deepEqual(
      [read.text, `"${read.commit}"`, read.modified_by],
      ['by REST\n', etag, { kind: 'agent', name: 'Ada' }],
    );
    const { commit } = (
      await editor.mcp.call('edit_org_doc', {
        location: 'team/rest.md',
        expected_commit: read.commit,
        edits: [{ old_text: 'REST', new_text: 'MCP' }],
      })
    ).done;
    const again = await reader.rest.get(pathOf('team/rest.md'));
    assert.deepEqual([again.etag, again.json.content], [`"${commit}"`, 'by MCP\n']);
    const stale = await editor.rest.put(pathOf('team/rest.md'), { content: 'x' }, { 'If-Match': etag });
    assert.deepEqual([stale.refusal, stale.etag], ['CONFLICT stale_if_match', `"${commit}"`]);
  });

  it('both refuse the same, with the same code and reason', async () => {
    const { etag } = await editor.rest.create('team/both.md', 'text\n');
    const commit = etag.slice(1, -1);
    const old = '0'.repeat(40);
    const edits = [{ old_text: 'text', new_text: 'new' }];
    const pairs: readonly (readonly [string, Promise<{ refusal: string }>, Promise<{ refusal: string }>])[] = [
      [
        'a reader who writes',
        reader.rest.put(pathOf('team/both.md'), { content: 'x' }, { 'If-Match': etag }),
        reader.mcp.call('edit_org_doc', { location: 'team/both.md', expected_commit: commit, edits }),
      ],
      [
        'a stranger who reads',
        stranger.rest.get(pathOf('team/both.md')),
        stranger.mcp.call('read_org_doc', { location: 'team/both.md' }),
      ],
      [
        'what is not there',
        editor.rest.get(pathOf('team/none.md')),
        editor.mcp.call('read_org_doc', { location: 'team/none.md' }),
      ],
      [
        'a stale version',
        editor.rest.put(pathOf('team/both.md'), { content: 'x' }, { 'If-Match': `"${old}"` }),
        editor.mcp.call('write_org_doc', { location: 'team/both.md', content: 'x', expected_commit: old }),
      ],
      [
        'a stale delete',
        editor.rest.delete(pathOf('team/both.md'), { 'If-Match': `"${old}"` }),
        editor.mcp.call('delete_org_doc', { location: 'team/both.md', expected_commit: old }),
      ],
      [
        'a name that is taken',
        editor.rest.create('team/both.md', 'other'),
        editor.mcp.call('write_org_doc', { location: 'team/both.md', content: 'other' }),
      ],
      [
        'a place out of reach',
        editor.rest.create('elsewhere/x.md', 'x'),
        editor.mcp.call('write_org_doc', { location: 'elsewhere/x.md', content: 'x' }),
      ],
      [
        'a location that cannot be',
        editor.rest.create('team/../x.md', 'x'),
        editor.mcp.call('write_org_doc', { location: 'team/../x.md', content: 'x' }),
      ],
      [
        'a query of too many words',
        editor.rest.get(`/v1/search?q=${'%2Bword%20'.repeat(40)}x`),
        editor.mcp.call('search_org_knowledge', { query: `${'+word '.repeat(40)}x` }),
      ],
      [
        'a cursor of nobody',
        editor.rest.get('/v1/documents?location=team&cursor=x'),
        editor.mcp.call('list_org_docs', { location: 'team', cursor: 'x' }),
      ],
    ];
    for (const [title, rest, mcp] of pairs) {
      const [overRest, overMcp] = [(await rest).refusal, (await mcp).refusal];
      assert.equal(overMcp, overRest === 'NOT_FOUND' ? 'NOT_FOUND not_found' : overRest, title);
      assert.notEqual(overRest, '', title);
    }
  });

  it('a claim taken over one binds the other', async () => {
    await editor.rest.create('team/claimed.md', 'text\n');
    const { id, mcp, rest } = reader;
    await server.host.grant('editor', { type: 'principal', id }, 'team/claimed.md', 'document');
    await mcp.call('claim', { action: 'take', location: 'team/claimed.md' });
    const refused = await editor.rest.put(pathOf('team/claimed.md'), { content: 'x' });
    assert.equal(refused.refusal, 'CONFLICT claimed');
    assert.equal((await rest.put(pathOf('team/claimed.md'), { content: 'x' })).status, 200);
  });

  it('hidden, absent and not allowed are the same bytes, for every tool', async () => {
    await editor.rest.create('team/hidden.md', 'text\n');
    const commit = '1'.repeat(40);
    const edits = [{ old_text: 'text', new_text: 'new' }];
    const asks = (location: string): readonly (readonly [string, object])[] => [
      ['read_org_doc', { location }],
      ['edit_org_doc', { location, expected_commit: commit, edits }],
      ['edit_org_doc', { location, expected_commit: commit, edits, dry_run: true }],
      ['write_org_doc', { location, content: 'x', expected_commit: commit }],
      ['write_org_doc', { location, content: 'x' }],
      ['delete_org_doc', { location, expected_commit: commit }],
      ['claim', { action: 'take', location }],
      ['claim', { action: 'release', location }],
      ['who_can_read', { location }],
      ['message', { action: 'send', to: [editor.id], subject: 's', body: 'b', about: location }],
    ];
    const texts = new Set<string>();
    for (const location of ['team/hidden.md', 'team/absent.md', 'nowhere/absent.md']) {
      for (const [name, args] of asks(location)) {
        const said = await stranger.mcp.call(name, args);
        texts.add(said.text.replace(said.error.request_id, 'req'));
      }
    }
    assert.equal(texts.size, 1, [...texts].join('\n'));
    const readersTexts = new Set<string>();
    for (const location of ['team/hidden.md', 'team/absent.md']) {
      for (const [name, args] of asks(location).slice(1, 7)) {
        const said = await reader.mcp.call(name, args);
        assert.equal(said.error.your_role, 'reader');
        readersTexts.add(said.text.replace(said.error.request_id, 'req'));
      }
    }
    assert.equal(readersTexts.size, 1, [...readersTexts].join('\n'));
    // What a reader may do is not refused because of the role.
    const release = await reader.mcp.call('claim', { action: 'release', location: 'team/absent.md' });
    assert.deepEqual([release.refusal, release.error.your_role], ['NOT_FOUND not_found', undefined]);
    const lists = ['list_org_docs', 'list_org_folders', 'claim'] as const;
    for (const name of lists) {
      const action = name === 'claim' ? { action: 'list' } : {};
      const [there, absent] = [
        await stranger.mcp.call(name, { location: 'team', ...action }),
        await stranger.mcp.call(name, { location: 'nowhere', ...action }),
      ];
      assert.equal(there.text, absent.text);
    }
  });

  it('both leave their records in one chain, which verifies', async () => {
    const interfaces = new Set(server.records().map(({ record }) => record.interface));
    assert.ok(interfaces.has('rest') && interfaces.has('mcp'));
    const { name, journal } = server.host.workspace;
    const verdict = await verifySource({ workspace: name, tables: journal.reader, archives: null });
    assert.equal(verdict.sound, true);
  });

  it('a revoked grant has no effect from the next call on', async () => {
    const id = await server.host.principal('Di', 'agent');
    await server.host.grant('reader', { type: 'principal', id }, 'team');
    const client = server.client(await server.host.key(id, ['mcp']));
    await editor.rest.create('team/last.md', 'text\n');
    assert.equal((await client.call('read_org_doc', { location: 'team/last.md' })).refusal, '');
    const cursor = (await client.call('list_org_docs', { location: 'team', limit: 1 })).done.next_cursor;
    await server.host.revoke('reader', { type: 'principal', id }, 'team');
    assert.equal((await client.call('read_org_doc', { location: 'team/last.md' })).refusal, 'NOT_FOUND not_found');
    assert.deepEqual((await client.call('list_org_docs', { location: 'team', limit: 1, cursor })).done.documents, []);
    assert.deepEqual((await client.request('resources/list')).json.result.resources, []);
    assert.deepEqual((await client.call('search_org_knowledge', { query: 'text' })).done.hits, []);
  });
});

const pathOf = (location: string): string => `/v1/documents/${location}`;

/** One principal, by both of its faces. */
interface ServiceAndModel {
  readonly id: string;
  readonly rest: HttpClient;
  readonly mcp: McpClient;
}
