import assert from 'node:assert/strict';
import { sendMessage } from '../../lib/operations/messages/send-message.js';
import { Client } from '../support/store/client.js';
import { until } from '../support/until.js';
import type { WatchedPage } from '../support/browser/chromium.js';
import { openConsole, type ConsolePerson, type ConsoleTest } from './support/open-console.js';

const hostile = '<img src=x onerror="document.title=1">.md';
const hour = 3_600_000;

describe('What changed, in the console', function () {
  this.timeout(120_000);

  let test: ConsoleTest;
  let admin: ConsolePerson;
  let editor: ConsolePerson;
  let agentId: string;

  before(async function () {
    test = await openConsole(this);
    const { host } = test.server;
    admin = await test.person('Admin', { '': 'approver' });
    editor = await test.person('Editor', { handbook: 'editor', notes: 'reader' });
    agentId = await host.principal('Answering agent', 'agent');
    await host.grant('editor', { type: 'principal', id: agentId }, 'handbook');
    const agent = test.server.as(await host.key(agentId));
    await admin.rest.create('handbook/travel.md', 'by train');
    await admin.rest.create('handbook/old.md', 'old');
    await admin.rest.create('notes/read-only.md', 'note');
    await admin.rest.create('secret/plan.md', 'secret');
    host.clock.advance(8 * 24 * hour);
    await agent.put('/v1/documents/handbook/travel.md', { content: 'by plane', message: 'Planes, as agreed' });
    host.clock.advance(26 * hour);
    await agent.post('/v1/documents', { location: `handbook/${hostile}`, content: 'spam' });
    host.clock.advance(60_000);
    await editor.rest.delete('/v1/documents/handbook/old.md');
    await admin.rest.put('/v1/documents/secret/plan.md', { content: 'more secret' });
    host.clock.advance(60_000);
  });
  after(() => test?.close());

  it('lists what happened in reach by day, the newest first, with who and why, and nothing of what is hidden', async () => {
    const person = await test.open(editor, '~/f/');
    await person.get('link', 'What changed').press('Enter');
    await until('the changes are listed', async () => (await rows(person)).length >= 3);
    const listed = await rows(person);
    assert.match(listed[0] ?? '', /^old\.md deleted in handbook Editor person/);
    assert.match(listed[1] ?? '', /^<img src=x .*\.md created in handbook Answering agent agent/);
    assert.ok(
      listed.some((row) => row.startsWith('travel.md edited in handbook Planes, as agreed Answering agent agent')),
    );
    assert.doesNotMatch(listed.join(' '), /secret|plan/);
    assert.deepEqual((await person.page.locator('.changes-day').allInnerTexts()).slice(0, 2), ['Today', 'Yesterday']);
    await person.judge('what changed');
    // A reader of a place may not undo there.
    const ways = await person.page
      .getByRole('link', { name: /^Undo what/ })
      .evaluateAll((links) => links.map((link) => link.getAttribute('aria-label')));
    assert.ok(ways.length > 0 && ways.every((name) => name?.includes('in handbook')));
    await person.get('link', 'Show the difference in handbook/travel.md').click();
    await person.page.locator('.diff-mark').first().waitFor();
  });

  it('filters by folder and kind, which the address keeps, and says when nothing fits', async () => {
    const person = await test.open(editor, '~/changes');
    await person.page.getByRole('combobox', { name: 'Kind' }).selectOption('Deleted');
    await until('only deletions are left', async () => (await rows(person)).length === 1);
    assert.match(person.page.url(), /kind=deleted/);
    await person.get('textbox', 'Folder').fill('notes');
    await person.page.keyboard.press('Enter');
    await person.get('heading', 'Nothing changed in that time').waitFor();
    await person.judge('nothing that fits');
    await person.page.goto(test.addressOf('~/changes?folder=secret'));
    await person.get('heading', 'Nothing changed in that time').waitFor();
    await person.page.goto(test.addressOf('~/changes?folder=absent'));
    await person.get('heading', 'Nothing changed in that time').waitFor();
    const nobody = await test.open(await test.person('Nobody'), '~/changes');
    await nobody.get('heading', 'Nothing changed in that time').waitFor();
    await nobody.judge('someone without grants');
  });

  it('shows new changes at the top as they happen, marks those since the last visit, and leads to an undo', async () => {
    const person = await test.open(editor, '~/changes', { width: 320, height: 700, scheme: 'dark' });
    await until('the changes are listed', async () => (await rows(person)).length >= 3);
    assert.equal(await person.page.locator('.change.new').count(), 0, 'nothing is new at the first visit');
    await admin.rest.put('/v1/documents/handbook/travel.md', { content: 'by ship' });
    await until(
      'the change comes to the top',
      async () => (await rows(person))[0]?.startsWith('travel.md edited') === true,
    );
    test.server.host.clock.advance(60_000);
    await person.page.goto(test.addressOf('~/f/'));
    await person.get('heading', 'Documents').waitFor();
    await admin.rest.put('/v1/documents/handbook/travel.md', { content: 'by bike' });
    await person.page.goto(test.addressOf('~/changes'));
    await person.page.locator('.change.new').waitFor();
    assert.equal(await person.page.locator('.change.new').count(), 1);
    await person.judge('new since the last visit, on a phone in the dark');
    test.server.host.clock.advance(2 * hour);
    await person.get('link', 'Undo what Admin did in handbook since then').first().press('Enter');
    await person.page.getByRole('list', { name: 'What would happen' }).getByText('handbook/travel.md').waitFor();
  });

  it('shows comments, labels and claims as they happen, what one did about a document in one row', async () => {
    const person = await test.open(editor, '~/changes');
    await until('the changes are listed', async () => (await rows(person)).length >= 3);
    const location = 'notes/read-only.md';
    await admin.rest.post('/v1/labels', { location, labels: ['policy'] });
    for (const text of ['Is it so?', '<b>It is.</b>']) await admin.rest.post('/v1/comments', { location, text });
    await until(
      'the row is at the top',
      async () =>
        (await rows(person))[0]?.startsWith('read-only.md commented 2 times, labels changed in notes Admin') === true,
    );
    assert.equal((await rows(person)).filter((row) => row.startsWith('read-only.md')).length, 1);
    await person.page.getByRole('combobox', { name: 'Kind' }).selectOption('Labels');
    await until('only labels are left', async () => (await rows(person)).length === 1);
    assert.match((await rows(person))[0] ?? '', /^read-only\.md labels changed in notes Admin/);
    await person.judge('what is done beside the text');
    await person.get('link', 'read-only.md').click();
    await person.page.getByText('<b>It is.</b>').waitFor();
  });

  it('has a line for unread messages, which are read, answered and marked there', async () => {
    const sender = new Client(test.server.host.workspace, agentId);
    const body = 'Which train? <b>Today</b>';
    for (const subject of ['A question', '<script>alert(1)</script>']) {
      await sender.perform(sendMessage, { to: [editor.id], subject, body });
    }
    const person = await test.open(editor, '~/changes');
    await person.page.getByText('You have unread messages').click();
    const list = person.get('list', 'Unread messages');
    await list.getByText('<script>alert(1)</script>').waitFor();
    await person.get('button', 'Mark as read').first().press('Enter');
    await until('one is left', async () => (await list.getByRole('listitem').count()) === 1);
    await person.get('button', 'Read and answer').click();
    await list.getByText(body).waitFor();
    await person.judge('a message');
    await person.get('textbox', 'Answer').fill('The one at nine.');
    await person.get('button', 'Send answer').click();
    await person.page.getByText('Your answer is sent.').waitFor();
    await until('none is left', async () => (await person.page.getByText('You have unread messages').count()) === 0);
    const other = await test.open(admin, '~/changes');
    await until('the changes are listed', async () => (await rows(other)).length >= 3);
    assert.equal(await other.page.getByText('You have unread messages').count(), 0);
  });

  it('says that the service cannot answer, and never that nothing changed', async () => {
    const person = await test.open(editor, '~/f/');
    await person.get('link', 'What changed').waitFor();
    person.expect(503);
    const unavailable = { status: 503, headers: { 'Retry-After': '0' }, json: { error: { code: 'UNAVAILABLE' } } };
    await person.page.route('**/recent-changes**', (route) => route.fulfill(unavailable));
    await person.get('link', 'What changed').click();
    await person.get('heading', 'The service cannot answer at the moment').waitFor();
    await person.judge('503');
    await person.page.unroute('**/recent-changes**');
    await person.get('button', 'Try again').click();
    await until('the changes are listed', async () => (await rows(person)).length >= 3);
  });

  const rows = async ({ page }: WatchedPage): Promise<string[]> =>
    (await page.locator('.change-main').allInnerTexts()).map((text) => text.replaceAll(/\s+/g, ' '));
});
