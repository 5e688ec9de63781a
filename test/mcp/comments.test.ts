import assert from 'node:assert/strict';
import { operatorId } from '../../lib/domain/principal.js';
import { Client } from '../support/store/client.js';
import { eraseAt } from '../support/store/erase-at.js';
import type { Parsed } from '../support/http/server.js';
import { openMcpServer, type McpClient, type McpTestServer } from '../support/http/open-mcp.js';

const location = 'team/plan.md';
const content = '# Plan\n\nThe launch is on Monday.\n\nThe budget is open.\n';
const unknown = `thr_${'0'.repeat(20)}`;

describe('Agents and threads of comments', () => {
  let server: McpTestServer;
  let agent: McpClient;
  let agentId: string;
  let bob: Client;
  beforeEach(async () => {
    server = await openMcpServer();
    ({ client: agent, id: agentId } = await server.agent('editor', 'team', 'Scribe'));
    const bobId = await server.host.principal('Bob');
    await server.host.grant('reader', { type: 'principal', id: bobId }, 'team');
    bob = new Client(server.host.workspace, bobId);
    await agent.call('write_org_doc', { location, content });
  });
  afterEach(() => server.close());

  it('are briefed with the passage, read the thread, answer in it and settle it', async () => {
    const thread_id = await ask();
    const [comment] = (await agent.call('brief_me')).done.comments;
    assert.deepEqual([comment.thread_id, comment.passage, comment.resolved], [thread_id, 'on Monday', undefined]);
    const { done } = await read(thread_id);
    assert.deepEqual([done.about, done.passage, done.line, done.resolved], [location, 'on Monday', 3, false]);
    assert.deepEqual(
      done.comments.map(({ text, from }: Parsed) => [text, from.name]),
      [['Is it sure?', 'Bob']],
    );
    const answered = (await message({ action: 'send', thread_id, body: 'Yes.' })).done;
    assert.deepEqual([answered.comments[0].text, answered.about, answered.replayed], ['Yes.', location, false]);
    assert.deepEqual((await message({ action: 'resolve', thread_id })).done, {
      action: 'resolve',
      thread_id,
      about: location,
      resolved: true,
    });
    const settled = (await read(thread_id)).done;
    assert.deepEqual([settled.resolved, settled.comments.length], [true, 2]);
    assert.equal((await agent.call('brief_me')).done.comments[0].resolved, true);
    assert.deepEqual(
      (await bob.addressed()).map(({ comment: { text } }) => text),
      ['Yes.'],
    );
    assert.equal((await message({ action: 'reopen', thread_id })).done.resolved, false);
  });

  it('find a document’s open threads, with the lines of their passages', async () => {
    const first = await ask();
    const second = await ask('How much?', 'The budget is open.');
    const third = (await bob.comment(location, `On all of it.\n${'Many words. '.repeat(50)}`)).threadId;
    await message({ action: 'send', thread_id: second, body: 'A lot.' });
    await message({ action: 'resolve', thread_id: first });
    const list = { action: 'list', box: 'comments', about: location };
    const { threads } = (await message(list)).done;
    assert.deepEqual(
      threads.map(({ thread_id, line, answers }: Parsed) => [thread_id, line, answers]),
      [
        [second, 5, 1],
        [third, undefined, undefined],
      ],
    );
    assert.ok(threads[1].text.length <= 200 && !threads[1].text.includes('\n'));
    const { commit } = (await agent.call('read_org_doc', { location })).done;
    const edits = [{ old_text: 'The budget is open.', new_text: 'The budget stands.' }];
    await agent.call('edit_org_doc', { location, expected_commit: commit, edits });
    const page = (await message({ ...list, limit: 1 })).done;
    assert.deepEqual([page.threads[0].passage_lost, page.threads[0].line], [true, undefined]);
    const last = (await message({ ...list, limit: 1, cursor: page.next_cursor })).done;
    assert.deepEqual([last.threads[0].thread_id, last.next_cursor], [third, undefined]);
    assert.equal((await message({ ...list, about: 'team/none.md' })).refusal, 'NOT_FOUND not_found');
    assert.equal((await message({ action: 'list', box: 'comments' })).refusal, 'INVALID_REQUEST missing_field');
  });

  it('see the open ones about the part that they read, and how many there are', async () => {
    assert.equal('open_comments' in (await agent.call('read_org_doc', { location })).done, false);
    const first = await ask();
    const budget = await ask('How much?', 'The budget is open.');
    const whole = (await bob.comment(location, `On all of it.\n${'Many words. '.repeat(50)}`)).threadId;
    await message({ action: 'send', thread_id: budget, body: 'A lot.' });
    const seen = async (args: object = {}): Promise<unknown> => {
      const { open_comments, comments = [] } = (await agent.call('read_org_doc', { location, ...args })).done;
      return [open_comments, ...comments.map(({ thread_id, line, answers }: Parsed) => [thread_id, line, answers])];
    };
    const [one, two, three] = [
      [first, 3, undefined],
      [budget, 5, 1],
      [whole, undefined, undefined],
    ] as const;
    assert.deepEqual(await seen(), [3, one, two, three]);
    assert.deepEqual(await seen({ outline_only: true }), [3, one, two, three]);
    assert.deepEqual(await seen({ start_line: 4 }), [3, two]);
    const { done } = await agent.call('read_org_doc', { location });
    assert.deepEqual([done.comments[0].by, done.comments[0].text], ['Bob', 'Is it sure?']);
    assert.ok(done.comments[2].text.length <= 120);
    const older = (await agent.call('read_org_doc', { location, commit: done.commit })).done;
    assert.equal('open_comments' in older, false);
    await message({ action: 'resolve', thread_id: first });
    const edits = [{ old_text: 'The budget is open.', new_text: 'The budget stands.' }];
    await agent.call('edit_org_doc', { location, expected_commit: done.commit, edits });
    assert.deepEqual(await seen(), [2, [budget, undefined, 1], three]);
    assert.deepEqual(await seen({ start_line: 4 }), [2]);
  });

  it('see few of many, and no text of one that was deleted', async () => {
    const ids: string[] = [];
    for (let count = 0; count < 8; count += 1) ids.push((await bob.comment(location, `Number ${count}`)).id);
    await bob.deleteComment(location, ids[0] ?? '');
    const { open_comments, comments } = (await agent.call('read_org_doc', { location })).done;
    assert.deepEqual(
      [open_comments, comments.map(({ text }: Parsed) => text)],
      [7, ['Number 1', 'Number 2', 'Number 3', 'Number 4', 'Number 5']],
    );
    const { threads } = (await message({ action: 'list', box: 'comments', about: location })).done;
    await message({ action: 'send', thread_id: threads[0].thread_id, body: 'An answer.' });
    await bob.deleteComment(location, ids[1] ?? '');
    const [again] = (await agent.call('read_org_doc', { location })).done.comments;
    assert.deepEqual([again.by, again.text], ['Scribe', 'An answer.']);
  });

  it('read long threads in pages, from the first comment to the last', async () => {
    const thread_id = await ask('x'.repeat(8000));
    const texts = ['x'.repeat(8000)];
    for (let count = 0; count < 4; count += 1) {
      texts.push(`${count}`.repeat(7000));
      await bob.comment(location, texts.at(-1) ?? '', { threadId: thread_id });
    }
    const seen: string[] = [];
    let pages = 0;
    for (let cursor: string | undefined = ''; cursor !== undefined; pages += 1) {
      const more = cursor === '' ? {} : { cursor };
      const { done } = await message({ action: 'read', thread_id, ...more });
      assert.ok(JSON.stringify(done.comments).length < 22_000);
      seen.push(...done.comments.map(({ text }: { text: string }) => text));
      cursor = done.next_cursor;
    }
    assert.deepEqual([seen, pages], [texts, 3]);
  });

  it('write a repeated answer once, and the same words again after another comment', async () => {
    const thread_id = await ask();
    const answer = { action: 'send', thread_id, body: 'Yes.' };
    const first = (await message(answer)).done;
    const again = (await message(answer)).done;
    assert.deepEqual([again.replayed, again.comments], [true, first.comments]);
    await bob.comment(location, 'And Tuesday?', { threadId: thread_id });
    assert.equal((await message(answer)).done.replayed, false);
    server.host.clock.advance(11 * 60_000);
    assert.equal((await message(answer)).done.replayed, false);
    assert.equal((await read(thread_id)).done.comments.length, 5);
  });

  it('mention principals in an answer, and learn nothing about the mentioned ones', async () => {
    const thread_id = await ask();
    const other = await server.agent('reader', 'team', 'Other');
    const hidden = await server.agent('reader', 'elsewhere', 'Hidden');
    const nobody = `prn_${'0'.repeat(20)}`;
    const answer = { action: 'send', thread_id, body: 'Ask them.', to: [other.id, hidden.id, nobody] };
    assert.equal((await message(answer)).refusal, '');
    const [comment] = (await other.client.call('brief_me')).done.comments;
    assert.deepEqual([comment.text, comment.passage], ['Ask them.', 'on Monday']);
    assert.deepEqual((await hidden.client.call('brief_me')).done.comments, []);
    const wrong = await message({ ...answer, to: ['not an id'] });
    assert.deepEqual([wrong.refusal, wrong.error.field], ['INVALID_REQUEST bad_field', 'to']);
    const control = await message({ ...answer, body: 'a\u0007b' });
    assert.deepEqual([control.refusal, control.error.field], ['INVALID_REQUEST bad_field', 'body']);
  });

  it('answer as readers, and settle only as editors or where they began the thread', async () => {
    const thread_id = await ask();
    const { client: reader } = await server.agent('reader', 'team', 'Reader');
    assert.equal((await message({ action: 'send', thread_id, body: 'Me too.' }, reader)).refusal, '');
    for (const action of ['resolve', 'reopen']) {
      assert.equal((await message({ action, thread_id }, reader)).refusal, 'NOT_FOUND not_found');
    }
    await bob.resolve(location, thread_id);
    assert.equal((await read(thread_id, reader)).done.resolved, true);
  });

  it('get the answer of an unknown thread for one of a hidden, deleted or erased document', async () => {
    const hidden = await ask();
    const { client: far } = await server.agent('editor', 'elsewhere', 'Far');
    const calls = (thread_id: string): object[] => [
      { action: 'read', thread_id },
      { action: 'send', thread_id, body: 'Hello' },
      { action: 'resolve', thread_id },
      { action: 'reopen', thread_id },
    ];
    const expected: string[] = [];
    for (const args of calls(unknown)) expected.push(told((await message(args, far)).text));
    const compare = async (client: McpClient): Promise<void> => {
      for (const [index, args] of calls(hidden).entries()) {
        assert.equal(told((await message(args, client)).text), expected[index], JSON.stringify(args));
      }
    };
    await compare(far);
    const { commit } = (await agent.call('read_org_doc', { location })).done;
    await agent.call('delete_org_doc', { location, expected_commit: commit });
    await compare(agent);
    await new Client(server.host.workspace, operatorId).undelete(location);
    assert.equal((await read(hidden)).refusal, '');
    const { id } = await eraseAt(server.host.workspace, location);
    await server.host.workspace.eraser.finished(id);
    await compare(agent);
  });

  it('are refused what a thread of comments has no place for', async () => {
    const thread_id = await ask();
    for (const [args, reason] of [
      [{ action: 'send', thread_id, body: 'x', subject: 'y' }, 'unknown_field'],
      [{ action: 'send', thread_id, body: 'x', about: location }, 'unknown_field'],
      [{ action: 'send', thread_id }, 'missing_field'],
      [{ action: 'resolve' }, 'missing_field'],
      [{ action: 'resolve', thread_id: `mth_${'0'.repeat(20)}` }, 'bad_field'],
      [{ action: 'read', thread_id, cursor: 'forged' }, 'bad_cursor'],
    ] as const) {
      assert.equal((await message(args)).refusal, `INVALID_REQUEST ${reason}`, JSON.stringify(args));
    }
  });

  it('leave one record of each call, with the document where it was reached', async () => {
    const thread_id = await ask();
    const before = server.records().length;
    await read(thread_id);
    await message({ action: 'send', thread_id, body: 'Yes.' });
    await message({ action: 'send', thread_id, body: 'Yes.' });
    await message({ action: 'resolve', thread_id });
    await message({ action: 'list', box: 'comments', about: location });
    await read(unknown);
    await message({ action: 'send', thread_id: unknown, body: 'x' });
    await message({ action: 'resolve', thread_id: unknown });
    assert.deepEqual(
      server
        .records()
        .slice(before)
        .map(({ record: { action, outcome }, text }) => [action, outcome, text?.target]),
      [
        ['comment.list', 'done', location],
        ['comment.add', 'done', location],
        ['comment.add', 'done', location],
        ['comment.resolve', 'done', location],
        ['comment.list', 'done', location],
        ['comment.list', 'refused', unknown],
        ['comment.add', 'refused', unknown],
        ['comment.resolve', 'refused', unknown],
      ],
    );
  });

  const message = (args: object, client = agent) => client.call('message', args);

  const read = (thread_id: string, client = agent) => message({ action: 'read', thread_id }, client);

  /** A refusal without the id of its request. */
  const told = (text: string): string => text.replace(/req_\w+/, '');

  async function ask(text = 'Is it sure?', quote = 'on Monday', mentions = [agentId]): Promise<string> {
    return (await bob.comment(location, text, { passage: { quote }, mentions })).threadId;
  }
});

describe('Read marks of agents’ messages', () => {
  let server: McpTestServer;
  before(async () => {
    server = await openMcpServer();
  });
  after(() => server.close());

  it('stay until mark_read, as the answer of a read says, or until an answer in the thread', async () => {
    const { client: ada, id } = await server.agent('editor', 'team', 'Ada');
    const { client: ben } = await server.agent('editor', 'team', 'Ben');
    const send = { action: 'send', to: [id], subject: 'Plan' };
    const [first] = (await ben.call('message', { ...send, body: 'One?' })).done.messages;
    const [second] = (await ben.call('message', { action: 'send', thread_id: first.thread_id, body: 'Two?' })).done
      .messages;
    const [other] = (await ben.call('message', { ...send, body: 'Other?' })).done.messages;
    const unread = async (): Promise<string[]> =>
      (await ada.call('brief_me')).done.messages.map(({ message_id }: Record<string, string>) => message_id);
    const thread = { action: 'read', thread_id: first.thread_id };
    assert.match((await ada.call('message', thread)).done.hint, /mark_read/);
    assert.match((await ada.call('message', { action: 'read', message_ids: [other.message_id] })).done.hint, /unread/);
    assert.equal('hint' in (await ben.call('message', thread)).done, false);
    assert.deepEqual(await unread(), [other.message_id, second.message_id, first.message_id]);
    const answer = { action: 'send', thread_id: first.thread_id, body: 'Yes.' };
    const marked = (await ada.call('message', answer)).done.marked_read;
    assert.deepEqual(marked, [second.message_id, first.message_id]);
    assert.equal('marked_read' in (await ada.call('message', answer)).done, false);
    assert.deepEqual(await unread(), [other.message_id]);
    assert.equal('hint' in (await ada.call('message', thread)).done, false);
  });
});
