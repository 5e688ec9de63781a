import assert from 'node:assert/strict';
import { locateListed } from '../support/http/listed.js';
import { openMcpServer, type McpClient, type McpTestServer } from '../support/http/open-mcp.js';

describe('MCP tools for reading', () => {
  let server: McpTestServer;
  let agent: McpClient;
  let agentId: string;
  before(async () => {
    server = await openMcpServer();
    ({ client: agent, id: agentId } = await server.agent('editor', 'team', 'Ada'));
  });
  after(() => server.close());

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
        assert.deepEqual([done.start_line, done.media_type], [start, 'text/plain']);
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
        first.outline.map(({ id, start_line }: Record<string, unknown>) => [id, start_line]),
        [
          ['a', 1],
          ['b', 404],
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

    it('bound text and outline together, and go on in an outline of many headings', async () => {
      const location = 'team/changelog.md';
      const entries = Array.from({ length: 400 }, (_, index) => `## Release "${index}"\n\nfixed\n`);
      await write(location, `# Changelog\n\n${entries.join('\n')}`);
      for (const max_chars of [500, 2000]) {
        const { text, outline, outline_complete } = (await agent.call('read_org_doc', { location, max_chars })).done;
        assert.ok(text.length > max_chars / 2 && text.length + JSON.stringify(outline).length <= max_chars);
        assert.deepEqual([outline[0].heading, outline_complete], ['Changelog', false]);
      }
      const headings: string[] = [];
      let start_line: number | undefined = 1;
      while (start_line !== undefined) {
        const { done } = await agent.call('read_org_doc', { location, outline_only: true, start_line });
        assert.ok(JSON.stringify(done.outline).length <= 20_000);
        headings.push(...done.outline.map(({ heading }: { heading: string }) => heading));
        assert.equal(done.outline_complete, done.next_start_line === undefined);
        start_line = done.next_start_line;
      }
      assert.deepEqual(headings, ['Changelog', ...Array.from({ length: 400 }, (_, index) => `Release "${index}"`)]);
    });

    it('outline a document of more than 1 MiB, and read its sections', async () => {
      const rest = server.as(await server.host.key(agentId));
      const parts = Array.from({ length: 30 }, (_, index) => `## Part ${index}\n\n${'words '.repeat(7000)}\n\n`);
      const content = `# Book\n\n${parts.join('')}`;
      assert.ok(content.length > 1024 * 1024);
      await rest.send('POST', '/v1/documents?location=team/book.md', {
        body: Buffer.from(content),
        headers: { 'Idempotency-Key': 'book' },
      });
      const first = (await agent.call('read_org_doc', { location: 'team/book.md' })).done;
      assert.deepEqual([first.outline.length, first.outline_complete], [31, true]);
      const { done } = await agent.call('read_org_doc', { location: 'team/book.md', section: 'Part 7' });
      assert.ok(done.text.startsWith('## Part 7\n'));
    });

    it('outline a long plain text as outline_only does, without the blocks in it', async () => {
      const location = 'team/manual.txt';
      const block = '----\nif (mkdir("zanzibar") < 0)\n  die();\n----\n';
      await write(location, `The Manual\n==========\n\nText.\n\n[source]\n${block}\n${'more words\n'.repeat(2000)}`);
      const first = (await agent.call('read_org_doc', { location })).done;
      const only = (await agent.call('read_org_doc', { location, outline_only: true })).done;
      assert.deepEqual(only.outline, first.outline);
      assert.deepEqual(
        first.outline.map(({ id }: { id: string }) => id),
        ['the-manual'],
      );
      const [hit] = (await agent.call('search_org_knowledge', { query: 'zanzibar' })).done.hits;
      assert.equal(hit.section, 'the-manual');
    });

    it('go on at the section and line where a search finds words far behind', async () => {
      const location = 'team/pumps.md';
      const chapter = (number: number): string =>
        `## Pump ${number}\n\n${'It needs oil now and then.\n'.repeat(400)}\n`;
      const text = Array.from({ length: 60 }, (_, number) => chapter(number)).join('');
      await write(location, `${text}## Pump last\n\nA capybara sits on it.\n`);
      const [hit] = (await agent.call('search_org_knowledge', { query: 'capybara' })).done.hits;
      assert.deepEqual([hit.location, hit.section], [location, 'pump-last']);
      const { done } = await agent.call('read_org_doc', { location, start_line: hit.start_line });
      assert.ok(done.text.startsWith('A capybara sits'));
      const missed = (await agent.call('search_org_knowledge', { query: 'capibara' })).done;
      assert.deepEqual(missed, { hits: [], did_you_mean: ['capybara'] });
    });

    it('find folders by their names, beside documents', async () => {
      await write('team/zeppelin logs/a.md', 'An airship.\n');
      const { done } = await agent.call('search_org_knowledge', { query: 'zeppelin' });
      assert.deepEqual(done, { hits: [], folders: ['team/zeppelin logs'] });
      const { done: inside } = await agent.call('search_org_knowledge', { query: 'airship folder:zeppelin' });
      assert.equal(inside.hits[0].location, 'team/zeppelin logs/a.md');
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
      assert.match(done.no_text, /not text/);
      assert.equal(done.resource, 'cartulary://doc/team/picture.png');
      const replaced = { location: 'team/picture.png', expected_commit: done.commit, content: 'text\n' };
      assert.equal((await agent.call('write_org_doc', replaced)).refusal, 'INVALID_REQUEST not_text');
      const resource = (await agent.request('resources/read', { uri: 'cartulary://doc/team/picture.png' })).json.result;
      assert.equal(resource.contents[0].blob, 'iVBORwA=');
    });

    it('refuse arguments without meaning together', async () => {
      await write('team/plain.md', 'text\n');
      const faults: readonly (readonly [string, object, string])[] = [
        ['read_org_doc', { location: 'team/plain.md', outline_only: true, start_column: 2 }, 'unknown_field'],
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
        { location: 'deep/a', role: 'reader' },
        { location: 'deep/b/c', role: 'editor' },
        { location: 'other' },
      ]);
      assert.deepEqual((await low.call('list_org_folders', { location: 'deep' })).done.folders, [
        { location: 'deep/a', role: 'reader' },
        { location: 'deep/b' },
      ]);
      assert.deepEqual((await low.call('list_org_folders', { location: 'nowhere' })).done.folders, []);

      const seen: string[] = [];
      let cursor: string | undefined;
      do {
        const page = { recursive: true, limit: 1, ...(cursor === undefined ? {} : { cursor }) };
        const { done } = await low.call('list_org_docs', page);
        seen.push(...locateListed(done).map(({ location, role }) => `${location} ${role}`));
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

    it('say once what most listed documents share', async () => {
      const { client } = await server.agent('editor', 'shared', 'Grace');
      for (const name of ['a/one.md', 'a/two.txt', 'b/three.md']) {
        await client.call('write_org_doc', { location: `shared/${name}`, content: 'text\n' });
      }
      const other = await server.agent('approver', 'shared', 'Bo');
      await other.client.call('write_org_doc', { location: 'shared/a/four.md', content: 'text\n' });
      const { done } = await client.call('list_org_docs', { location: 'shared', recursive: true });
      assert.deepEqual([done.location, done.role, done.modified_by], ['shared', 'editor', 'Grace']);
      const brief = done.documents.map(({ name, modified_by, media_type, role }: Record<string, string>) =>
        [name, modified_by, media_type, role].join(' '),
      );
      assert.deepEqual(brief, ['a/four.md Bo  ', 'a/one.md   ', 'a/two.txt  text/plain ', 'b/three.md   ']);
      const inside = (await client.call('list_org_docs', { location: 'shared', recursive: true, limit: 3 })).done;
      assert.equal(inside.location, 'shared/a');
    });

    it('say where to look when a folder has no documents of its own, and what is a document', async () => {
      const { client } = await server.agent('editor', 'empty', 'Eve');
      assert.deepEqual((await client.call('list_org_docs')).done, { documents: [], folders: ['empty'] });
      assert.deepEqual((await client.call('list_org_folders')).done, {
        folders: [{ location: 'empty', role: 'editor' }],
      });
      await client.call('write_org_doc', { location: 'empty/below/one.md', content: 'text\n' });
      const { done } = await client.call('list_org_docs', { location: 'empty' });
      assert.deepEqual(done, { documents: [], folders: ['empty/below'] });
      const document = (await client.call('list_org_docs', { location: 'empty/below/one.md' })).done;
      assert.deepEqual(document, { documents: [], is_document: true });
      const { client: stranger } = await server.agent('reader', 'elsewhere');
      for (const location of ['empty/below/one.md', 'empty/none.md']) {
        assert.deepEqual((await stranger.call('list_org_docs', { location })).done, { documents: [] });
      }
    });

    it('fit into an answer, however long the names are, and go on behind the last', async () => {
      const { client } = await server.agent('editor', 'names', 'Ada');
      const long = 'n'.repeat(240);
      const folder = `names/${[long, long, long].join('/')}`;
      for (let index = 10; index < 70; index += 1) {
        const location = `names/${index}/${long}/${long}/${long}/${index}.md`;
        await client.call('write_org_doc', { location, content: 'quokka\n' });
        await client.call('claim', { action: 'take', location });
      }
      await client.call('write_org_doc', { location: `${folder}/last.md`, content: 'quokka\n' });
      await client.call('claim', { action: 'take', location: `${folder}/last.md` });
      for (const [tool, args, member] of [
        ['list_org_docs', { location: 'names', recursive: true, limit: 200 }, 'documents'],
        ['list_org_folders', { location: 'names', limit: 200 }, 'folders'],
        ['claim', { action: 'list', location: 'names', limit: 200 }, 'claims'],
        ['search_org_knowledge', { query: 'quokka', limit: 50 }, 'hits'],
      ] as const) {
        const found = new Set<string>();
        let count = 0;
        let pages = 0;
        for (let cursor: string | undefined = ''; cursor !== undefined; pages += 1) {
          const said = await client.call(tool, { ...args, ...(cursor === '' ? {} : { cursor }) });
          assert.ok(said.text.length < 45_000, `${tool} ${said.text.length}`);
          for (const item of said.done[member]) found.add(item.location ?? `${said.done.location}/${item.name}`);
          count += said.done[member].length;
          cursor = said.done.next_cursor;
        }
        assert.deepEqual([found.size, count, pages > 1 || tool === 'list_org_folders'], [61, 61, true], tool);
      }
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
        const { done } = await agent.call('list_org_docs', { location: 'team', changed_since: since });
        assert.deepEqual(
          locateListed(done).map(({ location }: { location: string }) => location),
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

  async function write(location: string, content: string): Promise<string> {
    const said = await agent.call('write_org_doc', { location, content });
    assert.equal(said.refusal, '');
    return said.done.commit;
  }
});
