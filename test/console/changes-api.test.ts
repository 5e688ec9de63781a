import assert from 'node:assert/strict';
import { openConsole, type ConsoleClient, type TestConsole } from '../support/http/console.js';

const since = '2000-01-01T00:00:00Z';

describe('the console’s API for what changed', () => {
  let test: TestConsole;
  let admin: ConsoleClient;
  let editor: ConsoleClient;

  before(async () => {
    test = await openConsole();
    admin = await test.person('Admin', 'approver');
    editor = await test.person('Editor', 'editor', 'handbook');
    for (let index = 0; index < 12; index += 1) {
      await admin.post('/documents', {
        location: `${index % 2 === 0 ? 'handbook' : 'secret'}/${index}.md`,
        content: 'x',
      });
    }
    await admin.delete('/documents/handbook/4.md');
    await admin.post('/renames', { location: 'handbook/2.md', type: 'document', to: 'two.md' });
  });
  after(() => test.close());

  it('gives the same by pages of any size, and nothing out of reach', async () => {
    const whole = await read(editor, 'limit=200');
    assert.ok(whole.length >= 5);
    assert.doesNotMatch(whole.join(' '), /secret/);
    for (const limit of [1, 2, 3]) assert.deepEqual(await read(editor, `limit=${limit}`), whole);
    assert.deepEqual(await read(editor, 'limit=200&location=handbook'), whole);
    assert.deepEqual(await read(editor, 'limit=200&location=secret'), []);
    assert.deepEqual(
      await read(editor, 'limit=1&action=created'),
      whole.filter((each) => each.startsWith('created')),
    );
  });

  it('tells hidden changes by nothing: neither by an item, nor by a page that is not full', async () => {
    const page = async () => (await editor.get(`/recent-changes?since=${since}&limit=3`)).json;
    const { items, next_cursor: cursor } = await page();
    for (let index = 0; index < 60; index += 1) {
      await admin.post('/documents', { location: `secret/more-${index}.md`, content: 'x' });
    }
    const after = await page();
    assert.deepEqual(after.items, items);
    assert.equal(after.next_cursor.length, cursor.length);
  });

  it('tells comments, labels and claims among the changes, in order, and none of a hidden or deleted document', async () => {
    const labels = { location: 'handbook/6.md', labels: ['policy'] };
    await admin.post('/labels', labels);
    await admin.post('/comments', { location: 'handbook/6.md', text: 'Is it so?' });
    await admin.post('/comments', { location: 'secret/1.md', text: 'Hidden.' });
    await admin.post('/comments', { location: 'handbook/8.md', text: 'Goes with its document.' });
    await editor.post('/claims', { location: 'handbook/6.md' });
    await admin.delete('/documents/handbook/8.md');
    await admin.post('/comments', { location: 'handbook/10.md', text: 'The last.' });
    const whole = await read(editor, 'limit=200');
    assert.deepEqual(whole.slice(0, 4), [
      'comment_added handbook/10.md',
      'claimed handbook/6.md',
      'comment_added handbook/6.md',
      'label_set handbook/6.md',
    ]);
    for (const limit of [1, 2, 3, 7]) assert.deepEqual(await read(editor, `limit=${limit}`), whole, String(limit));
    const of = (action: string): string[] => whole.filter((each) => each.startsWith(`${action} `));
    for (const action of ['comment_added', 'created']) {
      assert.deepEqual(await read(editor, `limit=1&action=${action}`), of(action));
    }
    const before = await editor.get(`/recent-changes?since=${since}&limit=3`);
    for (let index = 0; index < 60; index += 1) {
      await admin.post('/comments', { location: 'secret/1.md', text: `Hidden ${index}.` });
    }
    const after = await editor.get(`/recent-changes?since=${since}&limit=3`);
    assert.deepEqual(after.json.items, before.json.items);
    assert.equal(after.json.next_cursor.length, before.json.next_cursor.length);
    assert.deepEqual(await read(editor, 'limit=200'), whole, 'a step full of hidden ones does not end the list');
  });

  it('refuses a cursor of another query, and a time that is none', async () => {
    const { json } = await editor.get(`/recent-changes?since=${since}&limit=1`);
    const other = await editor.get(`/recent-changes?since=${since}&limit=1&action=moved&cursor=${json.next_cursor}`);
    assert.equal(other.refusal, 'INVALID_REQUEST bad_cursor');
    assert.match((await editor.get('/recent-changes?since=yesterday')).refusal, /bad_field/);
  });

  it('keeps messages to their addressees', async () => {
    const [threadId, id] = ['thr_none', 'msg_none'];
    for (const answer of [
      await editor.get(`/message?message=${id}`),
      await editor.post('/message-marks', { message: id, is_read: true }),
      await editor.post('/message-answers', { thread_id: threadId, text: 'x' }),
    ]) {
      assert.equal(answer.refusal, 'NOT_FOUND');
    }
    assert.deepEqual((await editor.get('/unread-messages')).json.items, []);
  });

  const read = async (who: ConsoleClient, query: string): Promise<string[]> => {
    const found: string[] = [];
    for (let cursor = ''; ;) {
      const { status, json } = await who.get(`/recent-changes?since=${since}&${query}${cursor}`);
      assert.equal(status, 200);
      for (const { action, location } of json.items) found.push(`${action} ${location}`);
      if (json.next_cursor === null) return found;
      cursor = `&cursor=${json.next_cursor}`;
    }
  };
});
