import assert from 'node:assert/strict';
import { openMcpServer, type McpClient, type McpTestServer, type Said } from '../support/http/open-mcp.js';

const plan =
  '# Plan\n\nintro\n\n## Tasks\n\n- one\n- two\n- three\n- four\n\n### Later\n\nfive\n\n## Notes\n\nnone\n\n## Log\n\nfirst\n';
const apply = { on_stale: 'apply' };

describe('edit_org_doc on a document that has changed since', () => {
  let server: McpTestServer;
  let ada: McpClient;
  let bo: McpClient;
  let count = 0;
  before(async () => {
    server = await openMcpServer();
    ada = (await server.agent('editor', 'team', 'Ada')).client;
    bo = (await server.agent('editor', 'team', 'Bo')).client;
  });
  after(() => server.close());

  it('writes on the present version when asked to, and says what others changed', async () => {
    const document = await write();
    const theirs = await edit(bo, document, swap('none', 'some'));
    const { done } = await edit(ada, document, swap('- two', '- 2'), apply);
    assert.equal(await textOf(document), plan.replace('none', 'some').replace('- two', '- 2'));
    assert.deepEqual([done.parent_commit, done.replayed, done.dry_run], [theirs.done.commit, false, false]);
    const { meanwhile } = done;
    assert.deepEqual([meanwhile.versions, meanwhile.commit], [1, theirs.done.commit]);
    assert.deepEqual([meanwhile.modified_by.name, meanwhile.diff_truncated], ['Bo', false]);
    assert.match(meanwhile.diff, /-none\n\+some\n/);
    assert.doesNotMatch(done.diff, /some/, 'its own change is told by itself');
    assert.equal('meanwhile' in (await edit(bo, { ...document, commit: done.commit }, swap('five', '5'))).done, false);
  });

  it('refuses by default, and where something that the edit relies on has changed', async () => {
    const document = await write();
    const append = (section: string) => [{ op: 'append_to_section', section, new_text: 'x' }];
    const behind = (section: string) => [{ op: 'insert_after_section', section, new_text: 'x' }];
    const cases: readonly (readonly [string, string, string, unknown])[] = [
      ['its own text', '- two', '- 2', swap('- two', '- zwei')],
      ['the line before it', '- one', '- 1', swap('- two', '- zwei')],
      ['the next line with words', '- three', '- 3', swap('- two', '- zwei')],
      ['the rest of its line', 'intro', 'intro, and more', swap('intro', 'Intro')],
      ['the heading above it', '## Tasks', '## Done', swap('- three', '- drei')],
      ['a second place', 'intro', 'none', swap('none', 'some')],
      ['a replaced section', '- two', '- 2', [{ op: 'replace_section', section: 'later', new_text: 'x' }]],
      ['a section below a replaced one', 'five', '5', [{ op: 'replace_section', section: 'later', new_text: 'x' }]],
      ['the heading of an appended section', '## Notes', '## Remarks', append('notes')],
      ['the heading that ends an appended section', '## Notes', '**Notes**', append('later')],
      ['its level', '## Notes', '### Notes', append('tasks')],
      ['its absence', '## Notes\n\n', '', append('tasks')],
      ['another one before it', 'five', 'five\n\n## Later still', append('tasks')],
      ['the end of the text that ends it', 'first', 'first\n\n## More', append('log')],
      ['a heading in an appended section', 'five', 'five\n\n#### Much later', append('tasks')],
      ['the end of a section behind which is added', '## Notes', '**Notes**', behind('later')],
      ['another heading of these words', 'intro', 'intro\n\n## Notes\n\nold', append('notes')],
    ];
    for (const [what, from, to, edits] of cases) {
      const present = await write();
      assert.equal((await edit(bo, present, swap(from, to))).refusal, '', what);
      const said = await edit(ada, present, edits, apply);
      const isFarFromIt = what === 'a replaced section';
      assert.equal(said.refusal, isFarFromIt ? '' : 'CONFLICT stale_if_match', what);
      if (!isFarFromIt) assert.equal(await textOf(present), plan.replace(from, to), what);
    }
    await edit(bo, document, swap('none', 'some'));
    const refused = await edit(ada, document, swap('- two', '- 2'));
    assert.equal(refused.refusal, 'CONFLICT stale_if_match');
    assert.match(refused.error.hint, /on_stale/);
    assert.equal(await textOf(document), plan.replace('none', 'some'));
  });

  it('adds to a section whose words and surroundings others changed, but not its end', async () => {
    for (const op of ['append_to_section', 'insert_after_section']) {
      const document = await write();
      const edits = [...swap('five', 'six'), ...swap('none', 'some\n\n### Sub'), ...swap('intro', '## More\n\nintro')];
      await edit(bo, document, edits);
      const said = await edit(ada, document, [{ op, section: 'tasks', new_text: 'x' }], apply);
      assert.equal(said.refusal, '', op);
      assert.match(await textOf(document), /six\n+x\n\n## Notes/);
    }
    const document = await write();
    await edit(bo, document, swap('## Notes', '**Notes**'));
    const before = [{ op: 'insert_before_section', section: 'later', new_text: 'x' }];
    assert.equal((await edit(ada, document, before, apply)).refusal, '', 'it needs no end');
  });

  it('follows a text that has moved down, with the line ends of the document', async () => {
    const document = await write(plan.replaceAll('\n', '\r\n'));
    await edit(bo, document, [{ op: 'insert_before_section', section: 'tasks', new_text: '## New\n\nwords' }]);
    const { done } = await edit(ada, document, swap('- two\n- three', '- 2\n- 3'), apply);
    const expected = plan.replace('## Tasks', '## New\n\nwords\n\n## Tasks').replace('- two\n- three', '- 2\n- 3');
    assert.equal(await textOf(document), expected.replaceAll('\n', '\r\n'));
    assert.equal(done.replacements, 1);
  });

  it('answers a repetition as done although others wrote before and after, and writes nothing twice', async () => {
    const document = await write();
    await edit(bo, document, swap('none', 'some'));
    const line = [{ op: 'append', new_text: 'second' }];
    const first = await edit(ada, document, line, apply);
    await edit(bo, { ...document, commit: first.done.commit }, swap('five', '5'));
    const head = server.head;
    const tried = await edit(ada, document, line, { ...apply, dry_run: true });
    const again = await edit(ada, document, line, apply);
    assert.deepEqual(again.done, { ...first.done, replayed: true });
    const { commit: _, ...shown } = again.done;
    assert.deepEqual(tried.done, { ...shown, dry_run: true });
    assert.equal(server.head, head);
    const both = await write();
    await edit(bo, both, swap('none', 'some'));
    const sent = await Promise.all([edit(ada, both, line, apply), edit(ada, both, line, apply)]);
    assert.equal(sent.filter(({ done }) => done.replayed).length, 1);
    assert.equal((await textOf(both)).split('second').length, 2);
  });

  it('knows each of a few of its own edits again, and refuses where it cannot know', async () => {
    const document = await write();
    const add = (word: number) => [{ op: 'append', new_text: `line ${word}` }];
    for (let word = 1; word <= 8; word += 1) assert.equal((await edit(ada, document, add(word), apply)).refusal, '');
    assert.equal((await edit(ada, document, add(1), apply)).done.replayed, true);
    assert.equal((await edit(ada, document, add(9), apply)).done.replayed, false);
    assert.equal((await edit(ada, document, add(10), apply)).refusal, 'CONFLICT stale_if_match');
    assert.equal((await edit(ada, document, add(1), apply)).refusal, 'CONFLICT stale_if_match');
    assert.equal((await textOf(document)).split('line').length, 10);
  });

  it('shows the same without writing', async () => {
    const document = await write();
    await edit(bo, document, swap('none', 'some'));
    const edits = swap('- two', '- 2');
    const tried = (await edit(ada, document, edits, { ...apply, dry_run: true })).done;
    assert.equal((await textOf(document)).includes('- 2'), false);
    const { commit: _, ...done } = (await edit(ada, document, edits, apply)).done;
    assert.deepEqual(tried, { ...done, dry_run: true });
    const blocked = { ...apply, dry_run: true };
    await bo.call('claim', { action: 'take', location: document.location, section: 'tasks' });
    assert.equal((await edit(ada, document, swap('- four', '- 4'), blocked)).refusal, 'CONFLICT claimed');
    assert.equal((await edit(ada, document, swap('- four', '- 4'), apply)).refusal, 'CONFLICT claimed');
  });

  it('lets the holder of a claim write in its section, and nowhere else', async () => {
    const document = await write();
    const { location } = document;
    await ada.call('claim', { action: 'take', location, section: 'tasks' });
    await edit(bo, document, swap('none', 'some'));
    const own = [
      { op: 'append_to_section', section: 'later', new_text: 'six' },
      { old_text: '- four\n', new_text: '' },
    ];
    const { done } = await edit(ada, document, own);
    assert.equal(done.meanwhile.modified_by.name, 'Bo');
    const present = plan.replace('none', 'some').replace('- four\n', '').replace('five', 'five\nsix');
    assert.equal(await textOf(document), present);
    assert.deepEqual((await edit(ada, document, own)).done, { ...done, replayed: true });
    for (const edits of [
      swap('intro', 'Intro'),
      [{ op: 'insert_after_section', section: 'tasks', new_text: '## More\n\nx' }],
      [{ op: 'insert_before_section', section: 'tasks', new_text: '## More\n\nx' }],
      swap('## Tasks', '## Jobs'),
    ]) {
      assert.equal((await edit(ada, document, edits)).refusal, 'CONFLICT stale_if_match', JSON.stringify(edits));
    }
    assert.equal(await textOf(document), present);
    // What it has written there itself since is not what its commit shows.
    assert.equal((await edit(ada, document, swap('five', '5'))).refusal, 'CONFLICT stale_if_match');
    await ada.call('claim', { action: 'release', location });
    const freed = await edit(ada, { location, commit: done.parent_commit }, swap('- one', '- 1'));
    assert.equal(freed.refusal, 'CONFLICT stale_if_match');
  });

  it('does not let a claim stand for a text that its holder never saw', async () => {
    const document = await write();
    const { location } = document;
    await edit(bo, document, swap('- three', '- 3'));
    await ada.call('claim', { action: 'take', location, section: 'tasks' });
    assert.equal((await edit(ada, document, swap('- one', '- 1'))).refusal, 'CONFLICT stale_if_match');
    assert.equal((await edit(ada, document, swap('- one', '- 1'), apply)).refusal, '', 'its surroundings are the same');
  });

  it('takes about one call for each edit of many agents at once, each in the section that it claimed', async function () {
    this.timeout(60_000);
    const agents = await Promise.all(
      Array.from({ length: 12 }, (_, index) => server.agent('editor', 'team', `Agent ${index}`)),
    );
    const parts = agents.map((_, index) => `## Part ${index}\n\nstep 0 of ${index}\n`);
    const document = await write(`# All\n\n${parts.join('\n')}`);
    const { location } = document;
    let calls = 0;
    await Promise.all(
      agents.map(async ({ client }, index) => {
        const taken = await client.call('claim', { action: 'take', location, section: `part-${index}` });
        assert.equal(taken.refusal, '', 'although others write meanwhile');
        let { commit } = document;
        for (let step = 0; step < 3; step += 1) {
          for (let refusal = 'none yet'; refusal !== ''; calls += 1) {
            const to = swap(`step ${step} of ${index}\n`, `step ${step + 1} of ${index}\n`);
            const said = await edit(client, { location, commit }, to);
            ({ refusal } = said);
            commit = said.done?.commit ?? said.error.current_commit;
          }
        }
      }),
    );
    assert.equal(await textOf(document), `# All\n\n${parts.join('\n')}`.replaceAll('step 0', 'step 3'));
    assert.ok(calls <= 40, `${calls} calls for 36 edits`);
  });

  it('loses no line of a log to which many agents add at once', async () => {
    const agents = await Promise.all(
      Array.from({ length: 12 }, (_, index) => server.agent('editor', 'team', `Writer ${index}`)),
    );
    const document = await write();
    const said = await Promise.all(
      agents.map(({ client }, index) =>
        edit(client, document, [{ op: 'append_to_section', section: 'log', new_text: `by ${index}.` }], apply),
      ),
    );
    assert.deepEqual(said.filter(({ refusal }) => refusal !== '').length, 0);
    const text = await textOf(document);
    for (const [index] of agents.entries()) assert.ok(text.includes(`\nby ${index}.\n`), text);
    assert.equal(text.length, plan.length + agents.map((_, index) => `by ${index}.\n`).join('').length);
  });

  const edit = (client: McpClient, { location, commit }: Written, edits: unknown, more: object = {}): Promise<Said> =>
    client.call('edit_org_doc', { location, expected_commit: commit, edits, ...more });

  const swap = (old_text: string, new_text: string) => [{ old_text, new_text }];

  const textOf = async ({ location }: Written): Promise<string> =>
    (await ada.call('read_org_doc', { location })).done.text;

  async function write(content = plan, name = 'md'): Promise<Written> {
    count += 1;
    const location = `team/stale-${count}.${name}`;
    return { location, commit: (await ada.call('write_org_doc', { location, content })).done.commit };
  }
});

interface Written {
  readonly location: string;
  readonly commit: string;
}
