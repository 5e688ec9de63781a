import assert from 'node:assert/strict';
import type { Parsed } from '../support/http/server.js';
import { openMcpServer, type McpClient, type McpTestServer, type Said } from '../support/http/open-mcp.js';

const plan = '# Plan\n\nintro\n\n## Tasks\n\n- one\n- two\n\n## Notes, and more!\n\nnone\n';
const absent = '0'.repeat(40);

/** The answer to an agent's mistake must be enough to do it right the next time. */
describe('The answer to a refused agent', () => {
  let server: McpTestServer;
  let agent: McpClient;
  let other: McpClient;
  let count = 0;
  before(async () => {
    server = await openMcpServer();
    agent = (await server.agent('editor', 'team', 'Ada')).client;
    other = (await server.agent('editor', 'team', 'Bo')).client;
  });
  after(() => server.close());

  it('names the allowed values of an argument, not only the fault', async () => {
    const document = await write();
    const told_of: readonly (readonly [string, object, RegExp])[] = [
      [
        'edit_org_doc',
        { ...document, edits: [{ op: 'delete_section', new_text: '' }] },
        /must be one of replace_text, /,
      ],
      ['claim', { action: 'renew' }, /must be one of take, release, list/],
      ['message', { action: 'list', box: 'outbox' }, /must be one of inbox, sent/],
      ['delete_org_doc', { ...document, expected_commit: 'main' }, /expected_commit must be a commit: 40 hexadecimal/],
      ['list_org_docs', { changed_since: '2026-11-21' }, /such as 2026-11-21T14:00:00Z/],
      ['search_org_knowledge', { query: '' }, /query must not be empty/],
      ['list_org_docs', { limit: -1 }, /limit must be at least 1/],
      ['read_org_doc', { location: document.location, start_line: 13 }, /there are 12 lines/],
      ['read_org_doc', { location: document.location, start_column: 7 }, /there are 6 characters in that line/],
      ['read_org_doc', { location: document.location, section: 'tasks', start_line: 10 }, /has the lines 5 to 9/],
    ];
    for (const [tool, args, message] of told_of) {
      const said = await agent.call(tool, args);
      assert.equal(said.error.reason, 'bad_field', tool);
      assert.match(said.error.message, message);
    }
  });

  it('names arguments as the tools call them', async () => {
    const document = await write();
    const named: readonly (readonly [string, object, string])[] = [
      ['write_org_doc', { location: 'team/x.md', content: 'x', note: 'a\u0007' }, 'note'],
      ['claim', { action: 'take', location: document.location, purpose: 'a\nb' }, 'purpose'],
      ['search_org_knowledge', { query: 'x', label: 'a,b' }, 'label'],
      ['search_org_knowledge', { query: 'x* y*' }, 'query'],
      ['edit_org_doc', { ...document, edits: [{ op: 'append', new_text: '\ud800' }] }, 'edits.0.new_text'],
      ['message', { action: 'list', about: 'a//b' }, 'about'],
      ['brief_me', { since: 'yesterday' }, 'since'],
      ['brief_me', { cursor: 'forged' }, 'cursor'],
    ];
    for (const [tool, args, field] of named) {
      const said = await agent.call(tool, args);
      assert.deepEqual([said.error.code, said.error.field], ['INVALID_REQUEST', field], told(said));
    }
  });

  it('keeps a text a text: characters that no text holds are refused before they make a document unreadable', async () => {
    const document = await write();
    for (const [tool, args, field] of [
      ['write_org_doc', { location: 'team/zero.md', content: 'a\u0000b' }, 'content'],
      ['write_org_doc', { ...document, content: `${plan}\u0000` }, 'content'],
      ['edit_org_doc', { ...document, edits: [{ old_text: 'intro', new_text: '\u0000' }] }, 'edits.0.new_text'],
    ] as const) {
      const said = await agent.call(tool, args);
      assert.deepEqual([said.refusal, said.error.field], ['INVALID_REQUEST bad_field', field]);
    }
    assert.equal((await agent.call('read_org_doc', { location: document.location })).done.text, plan);
  });

  it('names the probable headings', async () => {
    const document = await write();
    for (const [tool, args] of [
      ['read_org_doc', { location: document.location, section: 'the tasks' }],
      ['claim', { action: 'take', location: document.location, section: 'task' }],
      ['edit_org_doc', { ...document, edits: [{ op: 'append_to_section', section: 'todo', new_text: 'x' }] }],
    ] as const) {
      const said = await agent.call(tool, args);
      assert.equal(said.refusal, 'INVALID_REQUEST no_such_section');
      assert.deepEqual(said.error.sections, ['plan', 'tasks', 'notes-and-more'], tool);
    }
    const many = await write(Array.from({ length: 40 }, (_, index) => `## Part ${index}\n`).join('\n'));
    const said = await agent.call('read_org_doc', { location: many.location, section: 'part thirty 7' });
    assert.equal(said.error.sections[0], 'part-7');
    assert.equal(said.error.sections.length, 8);
    const none = await agent.call('read_org_doc', { location: many.location, section: 'quagzip' });
    assert.deepEqual(none.error.sections, []);
  });

  it('knows a heading by its words however they are punctuated', async () => {
    const document = await write();
    for (const section of ['Notes, and more!', '## Notes, and more!', 'notes and MORE', 'notes-and-more']) {
      const { done } = await agent.call('read_org_doc', { location: document.location, section });
      assert.equal(done?.section, 'notes-and-more', section);
    }
  });

  it('says to send the same edits again only where the shown change leaves room for them', async () => {
    const document = await write();
    await other.call('edit_org_doc', { ...document, edits: [{ old_text: '- one', new_text: '- 1' }] });
    const hintOf = async (tool: string, args: object): Promise<string> => {
      const said = await agent.call(tool, args);
      assert.equal(said.refusal, 'CONFLICT stale_if_match');
      return said.error.hint;
    };
    const edit = (old_text: string) => [{ old_text, new_text: '- x' }];
    assert.match(await hintOf('edit_org_doc', { ...document, edits: edit('- two') }), /send them again/);
    const others = [
      await hintOf('edit_org_doc', { ...document, edits: edit('- one') }),
      await hintOf('write_org_doc', { ...document, content: 'x' }),
      await hintOf('delete_org_doc', document),
      await hintOf('read_org_doc', document),
    ];
    assert.deepEqual([...new Set(others)], [others[0]]);
    assert.match(others[0] ?? '', /See what changed/);
    const unknown = await hintOf('edit_org_doc', { ...document, expected_commit: absent, edits: edit('- two') });
    assert.match(unknown, /is no version/);
  });

  it('takes the workspace root by its displayed name', async () => {
    const { client } = await server.agent('approver', '', 'Root');
    const { reach }: { reach: [Parsed] } = (await client.call('brief_me')).done;
    assert.deepEqual(reach, [{ location: '', role: 'approver' }]);
    const location: string = reach[0].location;
    for (const [tool, args] of [
      ['list_org_folders', { location }],
      ['list_org_docs', { location }],
      ['search_org_knowledge', { query: 'plan', location }],
      ['brief_me', { location }],
      ['claim', { action: 'list', location }],
      ['who_can_read', { location }],
    ] as const) {
      assert.equal((await client.call(tool, args)).refusal, '', tool);
    }
    assert.equal((await agent.call('who_can_read', { location })).refusal, 'NOT_FOUND not_found');
    assert.deepEqual((await agent.call('list_org_folders', { location })).done.folders, [
      { location: 'team', role: 'editor' },
    ]);
    const taken = await client.call('claim', { action: 'take', location });
    assert.equal(taken.refusal, 'INVALID_REQUEST bad_location');
  });

  it('takes a day, and a time without an offset as UTC', async () => {
    for (const [since, expected] of [
      ['2026-01-02', '2026-01-02T00:00:00.000Z'],
      ['2026-01-02T03:04', '2026-01-02T03:04:00.000Z'],
      ['2026-01-02 03:04:05', '2026-01-02T03:04:05.000Z'],
      ['2026-01-02T03:04:05.5+02:00', '2026-01-02T01:04:05.500Z'],
    ] as const) {
      assert.equal((await agent.call('brief_me', { since, keep_bookmark: true })).done.since, expected);
    }
    for (const since of ['2026-13-02', '2026', 'yesterday']) {
      assert.equal((await agent.call('brief_me', { since })).refusal, 'INVALID_REQUEST bad_cursor', since);
    }
  });

  it('explains why a claim on a section blocks every write, once its heading is gone', async () => {
    const document = await write();
    await agent.call('claim', { action: 'take', location: document.location, section: 'tasks' });
    const renamed = await agent.call('edit_org_doc', {
      ...document,
      edits: [{ old_text: '## Tasks', new_text: 'Tasks' }],
    });
    const blocked = await other.call('edit_org_doc', {
      location: document.location,
      expected_commit: renamed.done.commit,
      edits: [{ old_text: 'intro', new_text: 'x' }],
    });
    assert.deepEqual([blocked.refusal, blocked.error.section], ['CONFLICT claimed', 'tasks']);
    assert.match(blocked.error.message, /heading is gone/);
  });

  it('releases a claim by its heading’s words, and again without harm', async () => {
    const document = await write();
    const { location } = document;
    for (const [section, named] of [
      ['notes-and-more', '## Notes, and more!'],
      ['tasks', 'Tasks'],
      [undefined, undefined],
    ]) {
      await agent.call('claim', { action: 'take', location, ...(section === undefined ? {} : { section }) });
      const release = { action: 'release', location, ...(named === undefined ? {} : { section: named }) };
      for (let time = 0; time < 2; time += 1) {
        assert.equal((await agent.call('claim', release)).done?.released, true, named);
      }
      assert.deepEqual((await agent.call('claim', { action: 'list', location })).done.claims, []);
      assert.equal((await other.call('claim', release)).refusal, 'INVALID_REQUEST no_claim');
    }
    const never = { action: 'release', location, section: 'plan' };
    assert.equal((await agent.call('claim', never)).refusal, 'INVALID_REQUEST no_claim');
    // Of two in a row the one in force is meant.
    await agent.call('claim', { action: 'take', location });
    assert.equal((await agent.call('claim', { action: 'release', location })).done.released, true);
    assert.deepEqual((await agent.call('claim', { action: 'list', location })).done.claims, []);
  });

  it('holds the whole of a text that is too long for a search of its sections', async () => {
    const document = await write(`# A\n\none\n\n# B\n\n${'line\n'.repeat(10_000)}`);
    const { location } = document;
    const taken = await agent.call('claim', { action: 'take', location, section: 'a' });
    assert.deepEqual([taken.done.claims[0].section, taken.done.claims[0].holds_document], ['a', true]);
    const short = await write();
    const part = await agent.call('claim', { action: 'take', location: short.location, section: 'tasks' });
    assert.equal(part.done.claims[0].holds_document, false);
    const edits = [{ op: 'append', new_text: 'more' }];
    const blocked = await other.call('edit_org_doc', { ...document, edits });
    assert.deepEqual([blocked.refusal, blocked.error.section], ['CONFLICT claimed', 'a']);
    assert.match(blocked.error.message, /holds the whole document/);
    assert.equal((await agent.call('edit_org_doc', { ...document, edits })).refusal, '');
  });

  it('makes no document by edits that further edits could not change', async () => {
    const document = await write('text\n');
    const much = 'x'.repeat(600_000);
    const grown = await agent.call('edit_org_doc', {
      ...document,
      edits: [
        { op: 'append', new_text: much },
        { op: 'append', new_text: much },
      ],
    });
    assert.deepEqual([grown.refusal, grown.error.limit], ['INVALID_REQUEST content_too_large', 1024 * 1024]);
    for (const name of ['old_text', 'new_text']) {
      const edit = { old_text: 'text', new_text: 'x', [name]: 'x'.repeat(1024 * 1024 + 1) };
      const long = await agent.call('edit_org_doc', { ...document, edits: [edit] });
      assert.deepEqual([long.refusal, long.error.field], ['INVALID_REQUEST content_too_large', `edits.0.${name}`]);
    }
  });

  const told = ({ error }: Said): string => `${error.field}: ${error.message}`;

  async function write(content = plan): Promise<{ readonly location: string; readonly expected_commit: string }> {
    count += 1;
    const location = `team/doc-${count}.md`;
    const { done } = await agent.call('write_org_doc', { location, content });
    return { location, expected_commit: done.commit };
  }
});
