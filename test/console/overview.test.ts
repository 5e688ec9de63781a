import assert from 'node:assert/strict';
import { until } from '../support/until.js';
import { openConsole, type ConsolePerson, type ConsoleTest } from './support/open-console.js';

const hour = 3_600_000;

describe('The overview in the console', function () {
  this.timeout(120_000);

  let test: ConsoleTest;
  let admin: ConsolePerson;

  before(async function () {
    test = await openConsole(this);
    admin = await test.person('Admin', { '': 'approver' });
    await admin.rest.create('handbook/travel.md', 'by train');
    test.server.host.clock.advance(2 * hour);
    for (let count = 0; count < 3; count += 1) {
      await admin.rest.put('/v1/documents/handbook/travel.md', { content: `by train ${count}` });
    }
    for (let count = 0; count < 5; count += 1) await admin.rest.get('/v1/documents/handbook/travel.md');
    for (let count = 0; count < 4; count += 1) await admin.rest.get('/v1/documents/absent.md');
  });
  after(() => test?.close());

  it('shows admins what needs them with its remedy, what is used and what happened, also without colour', async () => {
    // The page asks again only after half a minute.
    const { journal, search } = test.server.host.workspace;
    await until('nothing waits', () => search.isReady && journal.reader.objects.pendingTotals().objects === 0);
    const person = await test.open(admin, '~/f/');
    await person.get('link', 'Overview').press('Enter');
    const needs = person.get('list', 'What needs you');
    await needs.getByText('No backup was made with this service.').waitFor();
    assert.equal(await needs.getByRole('listitem').count(), 1);
    await person.page.getByText(/^It finds everything that was saved/).waitFor();
    assert.match(await person.page.locator('#storage-used').innerText(), /bytes of 1000 GB, less than 1 %/);
    await person.page.getByText('Nothing waits.').waitFor();
    assert.match(await person.get('figure', /^Changes/).innerText(), /^Changes\s+4 in all\s+Most: 3, /);
    await person.page.getByText('The same as a table').click();
    const rows = await person.page.locator('.chart-table tbody tr').allInnerTexts();
    assert.equal(rows.length, 24);
    const [reads = 0, changes = 0, refused = 0] = (rows.at(-1) ?? '').split('\t').slice(1).map(Number);
    assert.deepEqual([changes, refused], [3, 4]);
    assert.ok(reads >= 5);
    assert.match(rows.at(-3) ?? '', /\t1\t0$/, 'the hour of the first document');
    await person.judge('the overview');
    await person.get('radio', '14 days').check();
    await until(
      'there is a row for each day',
      async () => (await person.page.locator('.chart-table tbody tr').count()) === 14,
    );
    assert.match(await person.page.locator('.overview-command').last().innerText(), /^git clone http:.*\/git\/acme$/);
  });

  it('leads from a webhook or a mirror in trouble to its page, with the remedy', async () => {
    const { json: hook } = await admin.rest.post('/v1/webhooks', { name: 'Index', url: 'https://hooks.example/in' });
    const settings = { url: 'https://git.example/notes.git' };
    const mirror = { name: 'Notes', location: 'notes', kind: 'git', settings };
    const { json: connector } = await admin.rest.post('/v1/connectors', mirror);
    await admin.rest.send('PUT', `/v1/connectors/${connector.id}/pause`);
    await test.server.host.workspace.journal.write({
      run: ({ tables }) => tables.webhooks.stop(hook.id, 'restored'),
    });
    const person = await test.open(admin, '~/overview');
    const needs = person.get('list', 'What needs you');
    const webhook = needs.getByRole('listitem').filter({ hasText: 'The webhook Index on all documents has stopped.' });
    assert.match(await webhook.innerText(), /The one that was backed up may still tell this receiver/);
    await webhook.getByRole('link', { name: 'Show' }).click();
    await person.get('heading', /^Index/).waitFor();
    await person.page.getByText('Stopped: the workspace was restored from a backup').waitFor();
    await person.page.goBack();
    const waits = needs.getByRole('listitem').filter({ hasText: 'The mirror notes waits for somebody.' });
    const waiting = person.get('list', 'Waiting work');
    await waiting.getByText('Mirrors that wait for a person').waitFor();
    assert.match((await waiting.innerText()).replaceAll(/\s+/g, ' '), /person 1 Webhooks that have stopped 1/);
    await person.judge('work that waits');
    await waits.getByRole('link', { name: 'Show' }).click();
    await person.get('heading', /^Notes/).waitFor();
  });

  it('is nothing for others, fits a phone in the dark, and knows when the service cannot answer', async () => {
    const approver = await test.person('Approver', { handbook: 'approver' });
    const other = await test.open(approver, '~/f/');
    await other.get('link', 'Documents').waitFor();
    assert.equal(await other.page.getByRole('link', { name: 'Overview' }).count(), 0);
    other.expect(404);
    await other.page.goto(test.addressOf('~/overview'));
    await other.get('heading', /does not exist/).waitFor();
    await other.judge('no admin');
    const person = await test.open(admin, '~/f/', { width: 320, height: 700, scheme: 'dark' });
    person.expect(503);
    const unavailable = { status: 503, headers: { 'Retry-After': '0' }, json: { error: { code: 'UNAVAILABLE' } } };
    await person.page.route('**/overview', (route) =>
      route.request().resourceType() === 'document' ? route.continue() : route.fulfill(unavailable),
    );
    await person.get('link', 'Overview').click();
    await person.get('heading', 'The service cannot answer at the moment').waitFor();
    await person.page.unroute('**/overview');
    await person.get('button', 'Try again').click();
    await person.get('heading', 'What needs you').waitFor();
    await person.judge('on a phone in the dark');
  });
});
