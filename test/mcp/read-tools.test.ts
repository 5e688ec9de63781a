import assert from 'node:assert/strict';
import { openMcpServer, type McpClient, type McpTestServer } from '../support/http/open-mcp.js';

describe('MCP tools and resources', () => {
  let server: McpTestServer;
  let agent: McpClient;
  let agentId: string;
  before(async () => {
    server = await openMcpServer();
    ({ client: agent, id: agentId } = await server.agent('editor', 'team', 'Ada'));
  });
  after(() => server.close());

  async function write(location: string, content: string): Promise<string> {
    const said = await agent.call('write_org_doc', { location, content });
    assert.equal(said.refusal, '');
    return said.done.commit;
  }

  describe('that read', () => {
    const lines = Array.from({ length: 400 }, (_, index) => `line ${index + 1} ${'x'.repeat(90)}`);

    it('read in parts with line ends at their ends, which make up the whole', async () => {
      const location = 'team/parts.txt';
      await write(location, `${lines.join('\n')}\n`);
      let text = '';
      let start: number | undefined = 1;
      let parts = 0;
      let commit: string | undefined;
      while (start !== undefined) {
        const { done } = await agent.call('read_org_doc', {
          location,
          start_line: start,
          max_chars: 5000,
          ...(commit === undefined ? {} : { expected_commit: commit }),
        });
        assert.ok(done.text.length <= 5000 && done.text.endsWith('\n'));
        assert.equal(done.total_lines, 400);
        text += done.text;
        start = done.next_start_line;
        ({ commit } = done);
        parts += 1;
      }
      assert.equal(text, `${lines.join('\n')}\n`);
      assert.ok(parts > 7);
      await agent.call('write_org_doc', { location, content: `${text}more\n`, expected_commit: commit });
      const moved = await agent.call('read_org_doc', { location, start_line: 10, expected_commit: commit });
      assert.equal(moved.refusal, 'CONFLICT stale_if_match');
    });

    it('read at most 20,000 characters by default, with the outline of a longer text', async () => {
      const location = 'team/outlined.md';
      const content = `# A\n\n${lines.join('\n')}\n\n## B\n\n${lines.join('\n')}\n`;
      await write(location, content);
      const first = (await agent.call('read_org_doc', { location })).done;
      assert.ok(first.text.length <= 20_000 && first.text.length > 19_000);
      assert.deepEqual(
        first.outline.map(({ id, start_line, lines: count }: Record<string, unknown>) => [id, start_line, count]),
        [
          ['a', 1, 805],
          ['b', 404, 402],
        ],
      );
      assert.equal(first.outline[0].chars, content.length);
      const outline = (await agent.call('read_org_doc', { location, outline_only: true })).done;
      assert.deepEqual([outline.outline, outline.text], [first.outline, undefined]);
      const section = (await agent.call('read_org_doc', { location, section: 'B', max_chars: 60_000 })).done;
      assert.equal(section.text, content.slice(content.indexOf('## B')));
      assert.equal(
        (await agent.call('read_org_doc', { location, section: 'b', start_line: 3 })).refusal,
        'INVALID_REQUEST bad_field',
      );
      assert.equal((await agent.call('read_org_doc', { location, max_chars: 60_001 })).done.clamped.max_chars, 60_000);
    });

    it('continue within a line longer than a part, never within a character', async () => {
      const location = 'team/line.txt';
      const content = `short\n${'😀'.repeat(1500)}\nend\n`;
      await write(location, content);
      let text = '';
      let at: { start_line?: number; start_column?: number } | undefined = {};
      while (at !== undefined) {
        const { done }: { done: Record<string, never> } = await agent.call('read_org_doc', {
          location,
          max_chars: 501,
          ...at,
        });
        assert.ok(!/\p{Surrogate}/u.test(done['text'] ?? ''));
        text += String(done['text']);
        const column = done['next_start_column'];
        at =
          done['next_start_line'] === undefined
            ? undefined
            : { start_line: done['next_start_line'], ...(column === undefined ? {} : { start_column: column }) };
      }
      assert.equal(text, content);
      for (const beyond of [{ start_line: 4 }, { start_line: 1, start_column: 6 }]) {
        assert.equal((await agent.call('read_org_doc', { location, ...beyond })).refusal, 'INVALID_REQUEST bad_field');
      }
    });

    it('show only the record of binary content', async () => {
      const rest = server.as(await server.host.key(agentId));
      await rest.send('POST', '/v1/documents?location=team/picture.png', {
        body: Buffer.from([0x89, 0x50, 0x4e, 0x47, 0]),
        headers: { 'Idempotency-Key': 'picture' },
      });
      const { done } = await agent.call('read_org_doc', { location: 'team/picture.png' });
      assert.deepEqual([done.media_type, done.bytes, done.text], ['image/png', 5, undefined]);
      const resource = (await agent.request('resources/read', { uri: 'cartulary://doc/team/picture.png' })).json.result;
      assert.equal(resource.contents[0].blob, 'iVBORwA=');
    });

    it('refuse arguments without meaning together', async () => {
      await write('team/plain.md', 'text\n');
      const faults: readonly (readonly [string, object, string])[] = [
        ['read_org_doc', { location: 'team/plain.md', outline_only: true, max_chars: 1000 }, 'unknown_field'],
        ['write_org_doc', { location: 'team/x.md', content: '', allow_shrink: true }, 'unknown_field'],
        ['write_org_doc', { location: 'team/x.md', content: '', claim_id: 'clm_x' }, 'unknown_field'],
        ['claim', { action: 'list', ttl_seconds: 60 }, 'unknown_field'],
        ['claim', { action: 'take' }, 'missing_field'],
        ['claim', { action: 'release', claim_id: 'x', location: 'team/plain.md' }, 'unknown_field'],
        ['message', { action: 'list', body: 'x' }, 'unknown_field'],
        ['message', { action: 'list', box: 'sent', unread_only: true }, 'unknown_field'],
        ['message', { action: 'read', thread_id: 'mth_x', message_ids: ['msg_x'] }, 'unknown_field'],
        ['message', { action: 'send', to: ['x'], subject: 's' }, 'missing_field'],
        ['list_org_docs', { colour: 'red' }, 'unknown_field'],
        ['list_org_docs', { limit: 'five' }, 'bad_field'],
        ['list_org_docs', { cursor: 'nonsense' }, 'bad_cursor'],
        ['list_org_docs', { changed_since: 'yesterday' }, 'bad_field'],
        ['brief_me', { since: 'yesterday' }, 'bad_cursor'],
        ['read_org_doc', {}, 'missing_field'],
        ['read_org_doc', { location: '//team/plain.md' }, 'bad_location'],
        ['read_org_doc', { location: '../plain.md' }, 'bad_location'],
        ['edit_org_doc', { location: 'team/plain.md', edits: [] }, 'missing_field'],
        ['write_org_doc', { location: 'team/x.md', content: '\ud800' }, 'bad_field'],
        ['write_org_doc', { location: 'team/x.md', content: 'x'.repeat(1024 * 1024 + 1) }, 'content_too_large'],
      ];
      for (const [name, args, reason] of faults) {
        assert.equal(
          (await agent.call(name, args)).refusal,
          `INVALID_REQUEST ${reason}`,
          JSON.stringify(args).slice(0, 99),
        );
      }
      for (const more of [{ outline_only: true }, { start_line: 2 }, { start_column: 2 }, { section: 'a' }]) {
        const { refusal } = await agent.call('read_org_doc', { location: 'team/picture.png', ...more });
        assert.equal(refusal, 'INVALID_REQUEST not_text', JSON.stringify(more));
      }
      for (const args of [[], 'x', 1]) {
        const posted = await agent.request('tools/call', { name: 'list_org_docs', arguments: args });
        assert.ok(posted.status === 400 || posted.json.error !== undefined || posted.json.result.isError);
      }
    });
  });

  describe('that find', () => {
    it('list the topmost reachable folders, at any depth', async () => {
      const { client } = await server.agent('approver', '');
      for (const location of ['deep/a/one.md', 'deep/b/c/two.md', 'other/three.md', 'root.md']) {
        await client.call('write_org_doc', { location, content: 'found here\n' });
      }
      const { id, client: low } = await server.agent('reader', 'deep/a');
      await server.host.grant('editor', { type: 'principal', id }, 'deep/b/c');
      await server.host.grant('reader', { type: 'principal', id }, 'other/three.md', 'document');
      assert.deepEqual((await low.call('list_org_folders')).done.folders, [
        { location: 'deep/a', role: 'reader', read_only: false },
        { location: 'deep/b/c', role: 'editor', read_only: false },
        { location: 'other', read_only: false },
      ]);
      assert.deepEqual((await low.call('list_org_folders', { location: 'deep' })).done.folders, [
        { location: 'deep/a', role: 'reader', read_only: false },
        { location: 'deep/b', read_only: false },
      ]);
      assert.deepEqual((await low.call('list_org_folders', { location: 'nowhere' })).done.folders, []);

      const seen: string[] = [];
      let cursor: string | undefined;
      do {
        const page = { recursive: true, limit: 1, ...(cursor === undefined ? {} : { cursor }) };
        const { done } = await low.call('list_org_docs', page);
        seen.push(...done.documents.map(({ location, role }: Record<string, string>) => `${location} ${role}`));
        cursor = done.next_cursor;
      } while (cursor !== undefined);
      assert.deepEqual(seen, ['deep/a/one.md reader', 'deep/b/c/two.md editor', 'other/three.md reader']);

      const hits = (await low.call('search_org_knowledge', { query: 'found', location: 'deep' })).done.hits;
      assert.deepEqual(hits.map(({ location }: { location: string }) => location).toSorted(), [
        'deep/a/one.md',
        'deep/b/c/two.md',
      ]);
      assert.deepEqual((await low.call('who_can_read', { location: 'deep/a/one.md' })).done.readers.length, 2);
    });

    it('list only the changes since a time', async () => {
      const before = new Date(server.host.clock.now()).toISOString();
      server.host.clock.advance(1000);
      await write('team/changed.md', 'text\n');
      const inKarachi = new Date(Date.parse(before) + 5 * 60 * 60 * 1000).toISOString().replace('Z', '+05');
      for (const [since, changed] of [
        [before, ['team/changed.md']],
        [inKarachi, ['team/changed.md']],
        ['2099-12-31T23:59:60Z', []],
      ] as const) {
        const { documents } = (await agent.call('list_org_docs', { location: 'team', changed_since: since })).done;
        assert.deepEqual(
          documents.map(({ location }: { location: string }) => location),
          changed,
          since,
        );
      }
    });

    it('name the section and line of a hit', async () => {
      await write('team/hit.md', '# Top\n\nbefore\n\n## Below *here*\n\nthe [zephyr](https://x.example) blows\n');
      const [hit] = (await agent.call('search_org_knowledge', { query: 'zephyr' })).done.hits;
      assert.deepEqual([hit.section, hit.start_line], ['below-here', 7]);
    });
  });

  describe('as resources', () => {
    it('lists documents by pages, and reads them by their address', async () => {
      await write('team/with blank & ü.md', 'text\n');
      const uris: string[] = [];
      let cursor: string | undefined;
      do {
        const { result } = (await agent.request('resources/list', cursor === undefined ? {} : { cursor })).json;
        assert.equal(result.cacheScope, 'private');
        uris.push(...result.resources.map(({ uri }: { uri: string }) => uri));
        cursor = result.nextCursor;
      } while (cursor !== undefined);
      const uri = 'cartulary://doc/team/with%20blank%20%26%20%C3%BC.md';
      assert.ok(uris.includes(uri));
      const { contents } = (await agent.request('resources/read', { uri })).json.result;
      assert.deepEqual([contents[0].text, contents[0].uri, contents[0]['_meta'].role], ['text\n', uri, 'editor']);
      const { resourceTemplates } = (await agent.request('resources/templates/list')).json.result;
      assert.equal(resourceTemplates[0].uriTemplate, 'cartulary://doc/{+location}');
    });

    it('finds nothing where there is nothing, or could be nothing', async () => {
      const answers = [];
      for (const uri of [
        'cartulary://doc/team/none.md',
        'cartulary://doc/..',
        'cartulary://doc/%ff',
        'file:///etc/passwd',
        'x',
      ]) {
        const { json } = await agent.request('resources/read', { uri });
        answers.push(JSON.stringify(json.error).replaceAll(uri, 'URI'));
      }
      assert.equal(new Set(answers).size, 1, answers.join('\n'));
      const { json } = await agent.request('resources/list', { cursor: 'nonsense' });
      assert.equal(json.error.code, -32602);
    });
  });
});
