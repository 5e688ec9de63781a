import assert from 'node:assert/strict';
import { openConsole, type ConsoleClient, type TestConsole } from '../support/http/console.js';

describe('the console’s rows for the browser and the trash', () => {
  let test: TestConsole;
  let ada: ConsoleClient;

  before(async () => {
    test = await openConsole();
    ada = await test.person('Ada', 'approver');
    for (const location of ['team/plans/a.md', 'team/plans/b.md', 'team/notes/c.md', 'other/d.md']) {
      await ada.post('/documents', { location, content: location });
    }
  });
  after(() => test.close());

  it('list folders and documents together, with the person’s role and the way here', async () => {
    const first = await ada.get('/entries?location=team&limit=1');
    assert.equal(first.status, 200);
    assert.deepEqual(first.json.folder, {
      location: 'team',
      name: 'team',
      read_only: false,
      source: null,
      role: 'approver',
    });
    assert.deepEqual(first.json.trail, [
      { location: '', name: '' },
      { location: 'team', name: 'team' },
    ]);
    const cursor = encodeURIComponent(first.json.next_cursor);
    const second = await ada.get(`/entries?location=team&limit=1&cursor=${cursor}`);
    assert.deepEqual([...first.json.items, ...second.json.items].map(show), [
      'team/notes/ approver',
      'team/plans/ approver',
    ]);
    const newest = await ada.get('/entries?location=team/plans&sort=newest');
    assert.deepEqual(newest.json.items.map(show), ['team/plans/a.md approver', 'team/plans/b.md approver']);
  });

  it('begin where the person has a place, and answer alike for hidden and absent folders', async () => {
    const rosa = await test.person('Rosa', 'reader', 'team/plans');
    const start = await rosa.get('/entries');
    assert.deepEqual([start.json.folder, start.json.trail], [null, []]);
    assert.deepEqual(start.json.items.map(show), ['team/plans/ reader']);
    const hidden = await rosa.get('/entries?location=other');
    const absent = await rosa.get('/entries?location=nowhere');
    assert.deepEqual([hidden.refusal, absent.refusal], ['NOT_FOUND', 'NOT_FOUND']);
    assert.equal((await rosa.get('/entries?sort=size')).refusal, 'INVALID_REQUEST bad_field');
    const nobody = await test.person('Nobody');
    assert.deepEqual((await nobody.get('/entries')).json.items, []);
    assert.deepEqual((await nobody.get('/trash')).json.items, []);
  });

  it('list what was deleted, and bring back the one that is named', async () => {
    const made = await ada.post('/documents', { location: 'bin/x.md', content: 'first' });
    await ada.delete('/documents/bin/x.md', { 'If-Match': made.etag });
    const trash = await ada.get('/trash?location=bin');
    const [item] = trash.json.items;
    assert.deepEqual(
      [item.type, item.location, item.deleted_by.display_name, item.occupant, item.document.size],
      ['document', 'bin/x.md', 'Ada', null, 5],
    );
    const rosa = await test.person('Rosa', 'reader');
    assert.deepEqual((await rosa.get('/trash')).json.items, [], 'a reader may bring nothing back');
    const body = { location: 'bin/x.md', document_id: item.document.id };
    assert.equal((await rosa.post('/trash/undeletes', body)).refusal, 'NOT_FOUND');
    await ada.post('/documents', { location: 'bin/x.md', content: 'second' });
    assert.equal((await ada.get('/trash?location=bin')).json.items[0].occupant, 'document');
    assert.equal((await ada.post('/trash/undeletes', body)).refusal, 'CONFLICT location_occupied');
    const second = await ada.get('/documents/bin/x.md');
    await ada.delete('/documents/bin/x.md', { 'If-Match': second.etag });
    assert.equal((await ada.post('/trash/undeletes', body)).status, 200);
    assert.equal((await ada.get('/documents/bin/x.md')).json.content, 'first');
  });

  const show = ({ role, folder, document }: ShownEntry): string =>
    `${folder === undefined ? document?.location : `${folder.location}/`} ${role}`;
});

interface ShownEntry {
  readonly role: string | null;
  readonly folder?: { readonly location: string };
  readonly document?: { readonly location: string };
}
