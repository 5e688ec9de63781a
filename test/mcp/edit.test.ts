import assert from 'node:assert/strict';
import { parseLocation } from '../../lib/domain/location.js';
import { Refusal } from '../../lib/domain/refusal.js';
import { editDocument } from '../../lib/operations/documents/edit-document.js';
import { addClient, type Client } from '../support/store/client.js';
import { openMcpServer, type McpClient, type McpTestServer, type Said } from '../support/http/open-mcp.js';

const text = '# Plan\n\nintro\n\n## Tasks\n\n- one\n- two\n\n### Later\n\nthree\n\n## Notes\n\nnone\n';

describe('edit_org_doc', () => {
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

  it('replaces exact text, and shows the change', async () => {
    const document = await write();
    const { done } = await edit(document, [{ old_text: '- two', new_text: '- 2' }]);
    assert.equal(done.diff, '@@ -5,7 +5,7 @@\n ## Tasks\n \n - one\n-- two\n+- 2\n \n ### Later\n \n');
    assert.deepEqual([done.replacements, done.parent_commit, done.replayed], [1, document.commit, false]);
    assert.equal(await textOf(document.location), text.replace('- two', '- 2'));
    assert.equal(done.bytes, Buffer.byteLength(text) - 2);
    assert.equal(done.lines, 16);
  });

  it('applies edits in order, all or none', async () => {
    const document = await write();
    const bad = await edit(document, [
      { old_text: '- one', new_text: '- 1' },
      { old_text: 'nowhere', new_text: '' },
    ]);
    assert.equal(bad.refusal, 'INVALID_REQUEST no_match');
    assert.equal(bad.error.edit_index, 1);
    assert.equal(await textOf(document.location), text);
    await edit(document, [
      { old_text: '- one', new_text: '- 1' },
      { old_text: '- 1\n- two', new_text: '- 1 and 2' },
    ]);
    assert.equal(await textOf(document.location), text.replace('- one\n- two', '- 1 and 2'));
  });

  it('replaces the expected number of places, and no other number', async () => {
    const document = await write('a b a b a\n');
    const twice = await edit(document, [{ old_text: 'a', new_text: 'c', count: 2 }]);
    assert.equal(twice.refusal, 'INVALID_REQUEST ambiguous');
    assert.deepEqual(twice.error.lines, [1, 1, 1]);
    await edit(document, [{ old_text: 'a', new_text: 'c', count: 3 }]);
    assert.equal(await textOf(document.location), 'c b c b c\n');
    const overlapping = await write('aaa');
    assert.equal(
      (await edit(overlapping, [{ old_text: 'aa', new_text: '', count: 2 }])).refusal,
      'INVALID_REQUEST ambiguous',
    );
  });

  it('names the nearest lines when nothing matches', async () => {
    const document = await write();
    const { refusal, error } = await edit(document, [{ old_text: '###  later', new_text: 'x' }]);
    assert.equal(refusal, 'INVALID_REQUEST no_match');
    assert.deepEqual(error.nearest, [{ line: 10, text: '### Later' }]);
  });

  it('names a line by a misspelled word, and none where no line is similar', async () => {
    const document = await write();
    const { error } = await edit(document, [{ old_text: 'tree', new_text: '3' }]);
    assert.deepEqual(error.nearest, [{ line: 12, text: 'three' }]);
    const none = await edit(document, [{ old_text: 'quagzip', new_text: '' }]);
    assert.deepEqual(none.error.nearest, []);
  });

  it('works on sections and keeps their heading lines', async () => {
    const ops = [
      ['replace_section', 'notes', 'some', text.replace('none', 'some')],
      ['replace_section', 'Notes', '\n\nsome\n\n', text.replace('none', 'some')],
      ['append_to_section', 'later', 'four', text.replace('three', 'three\nfour')],
      ['insert_before_section', 'notes', '## New\n\nx', text.replace('## Notes', '## New\n\nx\n\n## Notes')],
      ['insert_after_section', 'tasks', '## New\n\nx', text.replace('three\n', 'three\n\n## New\n\nx\n')],
      ['append', undefined, 'end', `${text}end\n`],
    ] as const;
    for (const [op, section, new_text, expected] of ops) {
      const document = await write();
      const said = await edit(document, [{ op, new_text, ...(section === undefined ? {} : { section }) }]);
      assert.equal(said.refusal, '', op);
      assert.equal(await textOf(document.location), expected, op);
    }
  });

  it('fills an empty section, also at the end of a text without a line end', async () => {
    for (const [content, expected] of [
      ['# A\n## B\n## C', '# A\n## B\n\nx\n\n## C'],
      ['## B', '## B\n\nx'],
      ['B\n---\n\n\n# C\n', 'B\n---\n\nx\n\n\n# C\n'],
    ] as const) {
      const document = await write(content);
      assert.equal((await edit(document, [{ op: 'replace_section', section: 'b', new_text: 'x' }])).refusal, '');
      assert.equal(await textOf(document.location), expected);
    }
  });

  it('replaces a section with those below it only where the new text covers them', async () => {
    const document = await write();
    const replace = (new_text: string, section = 'tasks') => ({ op: 'replace_section', section, new_text });
    const lost = await edit(document, [replace('- three')]);
    assert.deepEqual([lost.refusal, lost.error.section], ['INVALID_REQUEST heading_lost', 'later']);
    assert.equal((await edit(document, [replace('', 'plan')])).error.section, 'tasks');
    assert.equal((await edit(document, [replace('text with ### Later in it')])).refusal, lost.refusal);
    assert.equal((await edit(document, [replace('```\n### Later\n```')])).refusal, lost.refusal);
    // Kept, with other words below it; or named by an edit that removes it first.
    const kept = await edit(document, [replace('- three\n\n### Later\n\nnothing')], { dry_run: true });
    assert.equal(kept.refusal, '');
    const gone = await edit(document, [{ old_text: '### Later\n\nthree\n', new_text: '' }, replace('- three')]);
    assert.equal(gone.refusal, '');
    assert.equal(await textOf(document.location), text.replace('- one\n- two\n\n### Later\n\nthree', '- three\n'));
    const twice = await write('# A\n\n## B\n\none\n\n## B\n\ntwo\n');
    assert.equal((await edit(twice, [replace('## B\n\none', 'a')])).refusal, lost.refusal);
  });

  it('empties a section without leaving a hole', async () => {
    for (const [content, expected] of [
      ['# A\n\none\n\n# B\n\ntwo\n', '# A\n\n# B\n\ntwo\n'],
      ['B\n===\n\ntwo', 'B\n==='],
    ] as const) {
      const document = await write(content);
      const section = content.startsWith('#') ? 'a' : 'b';
      assert.equal((await edit(document, [{ op: 'replace_section', section, new_text: '' }])).refusal, '');
      assert.equal(await textOf(document.location), expected);
    }
    const empty = await write('# A\n');
    const nothing = await edit(empty, [{ op: 'replace_section', section: 'a', new_text: '' }]);
    assert.equal(nothing.refusal, 'INVALID_REQUEST no_change');
  });

  it('asks for the meant one of several headings', async () => {
    const document = await write('## A\n\n## A\n');
    const { refusal, error } = await edit(document, [{ op: 'append_to_section', section: 'A', new_text: 'x' }]);
    assert.equal(refusal, 'INVALID_REQUEST section_ambiguous');
    assert.deepEqual(error.sections, ['a', 'a-1']);
    const none = await edit(document, [{ op: 'append_to_section', section: 'C', new_text: 'x' }]);
    assert.equal(none.refusal, 'INVALID_REQUEST no_such_section');
  });

  it('refuses an edit that would remove or double a heading', async () => {
    const document = await write();
    const refusals = [
      [{ old_text: 'three\n\n', new_text: 'three ' }, 'heading_lost'],
      [{ old_text: 'intro', new_text: '```\nintro' }, 'heading_lost'],
      [{ op: 'replace_section', section: 'tasks', new_text: '~~~\ncode' }, 'heading_lost'],
      [{ op: 'replace_section', section: 'notes', new_text: '## Notes\n\nsome' }, 'heading_doubled'],
      [{ old_text: 'intro', new_text: 'intro\n\n## Tasks' }, 'heading_doubled'],
    ] as const;
    for (const [each, reason] of refusals) {
      assert.equal((await edit(document, [each])).refusal, `INVALID_REQUEST ${reason}`, JSON.stringify(each));
    }
    // A heading named by the edit itself may change, and a closed code block hides nothing.
    const meant = [
      { old_text: '## Notes', new_text: '## Remarks' },
      { old_text: 'intro', new_text: '```\n# no heading\n```' },
    ];
    assert.equal((await edit(document, meant)).refusal, '');
    const program = await write('# a comment\n# a comment\nx = 1\n', 'py');
    assert.equal((await edit(program, [{ old_text: 'x = 1', new_text: '# a comment' }])).refusal, '');
  });

  it('finds words in another Unicode form, and writes in the form that stands there', async () => {
    const decomposed = '# Cafe\u0301 notes\n\nThe cafe\u0301 opens at 8.\n\n## 한국\n\nx\n'.normalize('NFD');
    const document = await write(decomposed);
    const { done } = await edit(document, [
      { old_text: 'The café opens at 8', new_text: 'The café closes à 9' },
      { op: 'append_to_section', section: '한국', new_text: 'y' },
    ]);
    assert.equal(done.replacements, 2);
    const expected = decomposed.replace('opens at 8', 'closes a\u0300 9').replace('x\n', 'x\ny\n');
    assert.equal(await textOf(document.location), expected);
    for (const section of ['café-notes', 'Café notes', 'cafe\u0301-notes', '## Café notes']) {
      const { done: read } = await agent.call('read_org_doc', { location: document.location, section });
      assert.match(read.text, /^# Cafe\u0301 notes/, section);
    }
    const composed = await write('# Caf\u00e9\n\none\n');
    await edit(composed, [{ old_text: 'Cafe\u0301', new_text: 'Bar' }]);
    assert.equal(await textOf(composed.location), '# Bar\n\none\n');
  });

  it('refuses words that stand in several places in another Unicode form, with their lines', async () => {
    const document = await write('cafe\u0301 one\n\ncafe\u0301 two\n');
    const refused = await edit(document, [{ old_text: 'café', new_text: 'bar' }]);
    assert.equal(refused.refusal, 'INVALID_REQUEST ambiguous');
    assert.deepEqual(refused.error.lines, [1, 3]);
    const { done } = await edit(document, [{ old_text: 'café', new_text: 'bar', count: 2 }]);
    assert.equal(done.replacements, 2);
    const beside = await write('\u0061\u0301\u00e1\u0061\u0301');
    const both = await edit(beside, [{ old_text: 'á'.repeat(3), new_text: 'x' }]);
    assert.equal(both.done.replacements, 1, 'places of several lengths side by side');
    const half = await write('cafe\u0301s\n');
    assert.equal(
      (await edit(half, [{ old_text: 'cafe', new_text: 'tea' }])).done.replacements,
      1,
      'exactly as it stands',
    );
    assert.equal(
      (await edit(await write('caf\u00e9s\n'), [{ old_text: 'cafe', new_text: 'tea' }])).refusal,
      'INVALID_REQUEST no_match',
    );
  });

  it('finds the first heading behind a byte order mark, and keeps the mark', async () => {
    const document = await write('\ufeff# With mark\n\none\n');
    const { done } = await edit(document, [{ op: 'replace_section', section: 'with-mark', new_text: 'two' }]);
    assert.equal(done.replacements, 1);
    assert.equal(await textOf(document.location), '\ufeff# With mark\n\ntwo\n');
  });

  it('matches LF in a CRLF document, which keeps its line ends', async () => {
    const document = await write('# A\r\n\r\none\r\ntwo\r\n');
    const { done } = await edit(document, [
      { old_text: 'one\ntwo', new_text: 'three\nfour' },
      { op: 'append_to_section', section: 'a', new_text: 'five\nsix' },
    ]);
    assert.equal(await textOf(document.location), '# A\r\n\r\nthree\r\nfour\r\nfive\r\nsix\r\n');
    assert.ok(done.diff.includes('-one\r\n'));
    const mixed = await write('a\r\nb\nc\n');
    await edit(mixed, [{ old_text: 'a\nb', new_text: 'x\ny' }]);
    assert.equal(await textOf(mixed.location), 'x\r\ny\nc\n'.replace('y\n', 'y\n'));
    const plain = await write('a\nb\n');
    await edit(plain, [{ old_text: 'a\r\nb', new_text: 'x\r\ny' }]);
    assert.equal(await textOf(plain.location), 'x\ny\n');
  });

  it('shows without writing when asked to', async () => {
    const document = await write();
    const { done } = await edit(document, [{ old_text: '- one', new_text: '- 1' }], { dry_run: true });
    assert.deepEqual([done.dry_run, done.commit, done.replacements], [true, undefined, 1]);
    assert.equal(await textOf(document.location), text);
    assert.equal((await agent.call('read_org_doc', { location: document.location })).done.commit, document.commit);
    await agent.call('claim', { action: 'take', location: document.location });
    const blocked = await edit(document, [{ old_text: '- one', new_text: '- 1' }], { dry_run: true }, other);
    assert.equal(blocked.refusal, 'CONFLICT claimed');
  });

  it('shows a writer with a stale commit what happened, and whether its edits would still apply', async () => {
    const document = await write();
    const theirs = await edit(document, [{ old_text: '- one', new_text: '- 1' }], {}, other);
    const stale = await edit(document, [{ old_text: '- two', new_text: '- 2' }]);
    assert.equal(stale.refusal, 'CONFLICT stale_if_match');
    const { error } = stale;
    assert.equal(error.current_commit, theirs.done.commit);
    assert.deepEqual([error.modified_by.kind, error.modified_by.name], ['agent', 'Bo']);
    assert.equal(typeof error.modified_at, 'string');
    assert.equal(error.edits_still_apply, true);
    assert.ok(error.diff.includes('-- one\n+- 1\n'));
    assert.equal(await textOf(document.location), text.replace('- one', '- 1'));
    const gone = await edit(document, [{ old_text: '- one', new_text: '- eins' }]);
    assert.equal(gone.error.edits_still_apply, false);
    const again = await edit({ ...document, commit: error.current_commit }, [{ old_text: '- two', new_text: '- 2' }]);
    assert.equal(again.refusal, '');
  });

  it('answers the same edit again as done, for its author alone', async () => {
    const document = await write();
    const edits = [{ old_text: '- one', new_text: '- 1' }];
    const first = await edit(document, edits);
    const head = server.head;
    const again = await edit(document, edits);
    assert.deepEqual([again.done.commit, again.done.replayed], [first.done.commit, true]);
    const { commit: _, ...shown } = again.done;
    const tried = await edit(document, edits, { dry_run: true });
    assert.deepEqual(tried.done, { ...shown, dry_run: true });
    const byOther = await edit(document, edits, { dry_run: true }, other);
    assert.equal(byOther.refusal, 'CONFLICT stale_if_match');
    assert.equal(again.done.diff, first.done.diff);
    assert.equal((await edit(document, edits, {}, other)).refusal, 'CONFLICT stale_if_match');
    assert.equal(server.head, head);
    await edit({ ...document, commit: first.done.commit }, [{ old_text: '- two', new_text: '- 2' }]);
    assert.equal((await edit(document, edits)).refusal, 'CONFLICT stale_if_match');
  });

  it('finds a stale commit inside the transaction: of many edits on one commit exactly one is written', async () => {
    const document = await write();
    const said = await Promise.all(
      Array.from({ length: 8 }, (_, index) =>
        edit(document, [{ old_text: 'intro', new_text: `intro ${index}` }], {}, index % 2 === 0 ? agent : other),
      ),
    );
    assert.equal(said.filter(({ refusal }) => refusal === '').length, 1);
    assert.equal(said.filter(({ refusal }) => refusal === 'CONFLICT stale_if_match').length, 7);
  });

  it('gives a writer overtaken meanwhile as much as a later one, and knows its own edits', async () => {
    const { workspace } = server.host;
    const document = await write();
    const [ada, bo] = await Promise.all(
      ['ada', 'bo'].map((name) => addClient({ service: server.host, workspace }, name, 'editor', 'team')),
    );
    assert.ok(ada !== undefined && bo !== undefined);
    const location = parseLocation(document.location);
    const edits = (newText: string) => [{ op: 'replace_text', oldText: '- one', newText, count: 1 }] as const;
    const send = (client: Client, newText: string) => {
      const input = { location, expected: document.commit, edits: edits(newText), message: null, followsNewer: false };
      return client
        .perform(editDocument, input)
        .catch((error: unknown) => (error instanceof Refusal ? error : assert.fail(String(error))));
    };
    // All are prepared before the first transaction: no step on their way waits.
    const before = workspace.journal.state.commits;
    const [first, same, late] = await Promise.all([send(ada, '- 1'), send(ada, '- 1'), send(bo, '- eins')]);
    assert.equal(workspace.journal.state.commits, before + 1);
    assert.ok(!(first instanceof Refusal) && !(same instanceof Refusal) && late instanceof Refusal);
    assert.notEqual(first.isRepeat, same.isRepeat, 'whichever came first');
    assert.equal(same.version.id, first.version.id);
    assert.ok(late.details?.reason === 'stale_if_match');
    const { editsStillApply, changes, current } = late.details;
    assert.equal(editsStillApply, false);
    assert.equal(current.id, first.version.id);
    assert.ok(changes?.diff.includes('-- one\n+- 1\n'));
    const later = await send(bo, '- eins');
    assert.ok(later instanceof Refusal);
    assert.deepEqual(later.details, late.details);
  });

  it('refuses an edit without effect, binary content, and too long a result', async () => {
    const document = await write();
    assert.equal(
      (await edit(document, [{ old_text: '- one', new_text: '- one' }])).refusal,
      'INVALID_REQUEST no_change',
    );
    const rest = server.as(await server.host.key((await server.agent('editor', 'team')).id));
    const { etag } = await rest.send('POST', '/v1/documents?location=team/binary', {
      body: Buffer.from([0, 1, 2]),
      headers: { 'Idempotency-Key': 'binary' },
    });
    const binary = await edit({ location: 'team/binary', commit: etag.slice(1, -1) }, [
      { op: 'append', new_text: 'x' },
    ]);
    assert.equal(binary.refusal, 'INVALID_REQUEST not_text');
    const grown = Array.from({ length: 50 }, () => ({ op: 'append', new_text: 'x'.repeat(150_000) }));
    const wide = await write(`${'a '.repeat(1000)}\n`);
    const exploded = await edit(wide, [{ old_text: 'a', new_text: 'y'.repeat(20_000), count: 1000 }]);
    assert.equal(exploded.refusal, 'INVALID_REQUEST content_too_large');
    assert.equal((await edit(document, grown.slice(0, 2))).refusal, '');
  });

  it('refuses arguments without meaning for the operation', async () => {
    const document = await write();
    const faults = [
      [{ op: 'append', new_text: 'x', section: 'a' }, 'unknown_field', 'edits.0.section'],
      [{ op: 'append', new_text: 'x', count: 2 }, 'unknown_field', 'edits.0.count'],
      [{ op: 'replace_section', new_text: 'x', section: 'a', old_text: 'y' }, 'unknown_field', 'edits.0.old_text'],
      [{ op: 'replace_section', new_text: 'x' }, 'missing_field', 'edits.0.section'],
      [{ new_text: 'x' }, 'missing_field', 'edits.0.old_text'],
      [{ old_text: 'x' }, 'missing_field', 'edits.0.new_text'],
      [{ old_text: '', new_text: 'x' }, 'missing_field', 'edits.0.old_text'],
      [{ old_text: 'x', new_text: 'y', colour: 'red' }, 'unknown_field', 'edits.0.colour'],
    ] as const;
    for (const [each, reason, field] of faults) {
      const { refusal, error } = await edit(document, [each]);
      assert.deepEqual([refusal, error.field], [`INVALID_REQUEST ${reason}`, field]);
    }
  });

  it('takes nulls for omitted arguments, and a list in the form of text', async () => {
    const document = await write();
    const edits = JSON.stringify([{ op: null, old_text: '- one', new_text: '- 1', count: null, section: null }]);
    assert.equal((await edit(document, edits, { dry_run: null, claim_id: null, note: null })).refusal, '');
  });

  async function write(content = text, name = 'md'): Promise<{ readonly location: string; readonly commit: string }> {
    count += 1;
    const location = `team/doc-${count}.${name}`;
    return { location, commit: (await agent.call('write_org_doc', { location, content })).done.commit };
  }

  async function edit(
    { location, commit }: { readonly location: string; readonly commit: string },
    edits: unknown,
    more: object = {},
    client = agent,
  ): Promise<Said> {
    return client.call('edit_org_doc', { location, expected_commit: commit, edits, ...more });
  }

  async function textOf(location: string): Promise<string> {
    return (await agent.call('read_org_doc', { location })).done.text;
  }
});
