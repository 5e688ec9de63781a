import assert from 'node:assert/strict';
import type { AuditText } from '../../lib/domain/audit-record.js';
import type { ExportedRecord } from '../../lib/audit/exported-line.js';
import { openConsole, type ConsoleClient, type TestConsole } from '../support/http/console.js';

const minute = 60_000;

describe('A page that is opened in the console', () => {
  let test: TestConsole;
  let ada: ConsoleClient;

  beforeEach(async () => {
    test = await openConsole();
    ada = await test.person('Ada', 'approver');
    await ada.post('/documents', { location: 'team/a.md', content: 'one two' });
    await ada.post('/comments', { location: 'team/a.md', text: 'Is it so?', passage: { quote: 'two' } });
  });
  afterEach(() => test.close());

  it('has its document, its comments and what it follows in one record', async () => {
    const records = await recordsOf(async () => {
      const { status, json } = await ada.get('/reader/team/a.md');
      assert.equal(status, 200);
      assert.deepEqual(
        [json.content, json.comments.items[0].text, json.comments.next_cursor],
        ['one two', 'Is it so?', null],
      );
      assert.equal(json.comments.items[0].anchor.quote, 'two');
      assert.equal((await live(ada, 'team/a.md', json.page)).status, 200);
    });
    assert.deepEqual(
      records.map(({ action, outcome, target, detail }) => [action, outcome, target, detail]),
      [['document.read', 'done', 'team/a.md', '{"with":["comments","changes"]}']],
    );
  });

  it('of a folder says in its record that it follows the folder', async () => {
    const records = await recordsOf(async () => {
      const { json } = await ada.get('/entries?location=team');
      assert.equal((await live(ada, 'team', json.page)).status, 200);
      const root = (await ada.get('/entries')).json;
      assert.equal((await live(ada, '', root.page)).status, 200);
    });
    assert.deepEqual(
      records.map(({ action, detail }) => [action, detail]),
      [
        ['folder.browse', '{"with":["changes"]}'],
        ['folder.browse', '{"with":["changes"]}'],
      ],
    );
  });

  it('covers nothing else: another place, another session, a later time and an invented page have their records', async () => {
    await ada.post('/documents', { location: 'team/b.md', content: 'x' });
    const { page } = (await ada.get('/reader/team/a.md')).json;
    const bob = await test.person('Bob', 'approver');
    const records = await recordsOf(async () => {
      await live(ada, 'team/b.md', page);
      await live(ada, 'team', page);
      await live(bob, 'team/a.md', page);
      await live(ada, 'team/a.md', 'invented');
      await live(ada, 'team/a.md', `${page}A`);
      test.server.host.clock.advance(minute - 1);
      await live(ada, 'team/a.md', page);
      test.server.host.clock.advance(1);
      await live(ada, 'team/a.md', page);
    });
    assert.deepEqual(
      records.map(({ action, target }) => `${action} ${target ?? ''}`),
      ['team/b.md', 'team', 'team/a.md', 'team/a.md', 'team/a.md', 'team/a.md'].map(
        (place) => `location.watch ${place}`,
      ),
    );
  });

  it('hides no refusal: who has lost the place is refused, and the log says so', async () => {
    const cy = await test.person('Cy', 'reader', 'team');
    const { page } = (await cy.get('/reader/team/a.md')).json;
    await test.server.host.revoke('reader', { type: 'principal', id: cy.principalId }, 'team');
    const records = await recordsOf(async () => {
      assert.equal((await live(cy, 'team/a.md', page)).refusal, 'NOT_FOUND');
    });
    assert.deepEqual(
      records.map(({ action, outcome }) => [action, outcome]),
      [['location.watch', 'refused']],
    );
  });

  it('goes on with its comments where it has more than come with it', async () => {
    for (let index = 0; index < 105; index += 1) {
      await ada.post('/comments', { location: 'team/a.md', text: `comment ${index}` });
    }
    const { comments } = (await ada.get('/reader/team/a.md')).json;
    assert.equal(comments.items.length, 100);
    const query = new URLSearchParams({ location: 'team/a.md', limit: '100', cursor: comments.next_cursor });
    const more = await ada.get(`/comments?${query.toString()}`);
    assert.deepEqual([more.status, more.json.items.length, more.json.next_cursor], [200, 6, null]);
  });

  const live = (client: ConsoleClient, location: string, page: string): ReturnType<ConsoleClient['get']> =>
    client.get(`/live?${new URLSearchParams({ location, page }).toString()}`);

  /** What the log says of the work. */
  async function recordsOf(work: () => Promise<unknown>): Promise<Told[]> {
    const before = test.server.records().length;
    await work();
    return test.server
      .records()
      .slice(before)
      .map(({ record: { action, outcome }, text }) => ({
        action,
        outcome,
        target: text?.target ?? null,
        detail: text?.detail ?? null,
      }));
  }
});

type Told = Pick<ExportedRecord['record'], 'action' | 'outcome'> & Pick<AuditText, 'target' | 'detail'>;
