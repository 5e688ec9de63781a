import assert from 'node:assert/strict';
import { until } from '../support/until.js';
import type { HttpClient } from '../support/http/server.js';
import { openConsole, type ConsolePerson, type ConsoleTest } from './support/open-console.js';

const hostile = '<img src=x onerror="document.title=1">.md';
const hour = 3_600_000;

describe('Undoing what one principal did, in the console', function () {
  this.timeout(120_000);

  let test: ConsoleTest;
  let admin: ConsolePerson;
  let editor: ConsolePerson;
  let agentId: string;
  let agent: HttpClient;

  before(async function () {
    test = await openConsole(this);
    const { host } = test.server;
    admin = await test.person('Admin', { '': 'approver' });
    editor = await test.person('Editor', { support: 'editor' });
    agentId = await host.principal('Answering agent', 'agent');
    await host.grant('editor', { type: 'principal', id: agentId }, 'support');
    await host.grant('editor', { type: 'principal', id: agentId }, 'other');
    agent = test.server.as(await host.key(agentId));
    for (const name of ['hello.md', 'prices.md', 'gone.md', 'claims.md']) {
      await editor.rest.create(`support/${name}`, `good ${name}`);
    }
    await admin.rest.create('other/elsewhere.md', 'good');
  });
  after(() => test?.close());

  it('undoes an agent’s hour, found from the folder without a word of documentation, and undoes the undo', async () => {
    const person = await test.open(editor, '~/f/support');
    await person.get('link', 'hello.md').waitFor();
    await misbehave();
    await person.get('button', 'Actions for the folder support').press('Enter');
    await person.get('menuitem', 'Undo somebody’s changes…').press('Enter');
    await person.get('heading', 'Choose who it was').waitFor();
    await person.judge('nobody chosen');
    await person.page.getByRole('combobox', { name: 'Who' }).selectOption({ label: 'Answering agent (agent)' });
    const list = person.get('list', 'What would happen');
    await list.waitFor();
    const rows = (await list.getByRole('listitem').allInnerTexts()).map((text) => text.replaceAll(/\s+/g, ' '));
    assert.deepEqual(rows.toSorted(), [
      `support/${hostile} was made then: goes to the trash`,
      'support/gone.md was deleted then: comes back',
      'support/hello.md gets its earlier text back Show the difference',
      'support/prices.md Left alone: somebody else has changed it since. left alone',
    ]);
    await person.judge('the preview');
    assert.equal(await contentOf('support/hello.md'), 'worse', 'a preview changes nothing');
    await person.get('textbox', 'Note (optional)').fill('It had misread the task');
    await person.get('button', 'Undo these changes').press('Enter');
    await person.page.getByText('3 documents were changed back').waitFor();
    await person.page.getByText('1: somebody else has changed it since').waitFor();
    await person.judge('undone');
    assert.equal(await contentOf('support/hello.md'), 'good hello.md');
    assert.equal(await contentOf('support/prices.md'), 'prices of the editor');
    assert.deepEqual([await isThere('support/gone.md'), await isThere(`support/${hostile}`)], [true, false]);
    assert.equal(await contentOf('other/elsewhere.md'), 'bad elsewhere', 'nothing outside of the folder');

    await person.get('button', 'Undo this undo').press('Enter');
    await person.get('button', 'Undo these changes').waitFor();
    assert.equal(
      await person.page.getByRole('combobox', { name: 'Who' }).locator('option:checked').innerText(),
      'Editor (you)',
    );
    await person.get('button', 'Undo these changes').press('Enter');
    await person.page.getByText('3 documents were changed back').waitFor();
    assert.equal(await contentOf('support/hello.md'), 'worse');
    assert.deepEqual([await isThere('support/gone.md'), await isThere(`support/${hostile}`)], [false, true]);
  });

  it('begins at the page of a principal, and does nothing but what was shown', async () => {
    const person = await test.open(admin, `~/access/principals/${agentId}`, {
      width: 320,
      height: 700,
      scheme: 'dark',
    });
    await person.get('link', 'Undo its changes').click();
    test.server.host.clock.advance(hour);
    await person.page.getByRole('combobox', { name: 'Since when' }).selectOption('The last 7 days');
    const list = person.get('list', 'What would happen');
    await list.getByText('other/elsewhere.md').waitFor();
    assert.equal(
      await person.page.getByRole('combobox', { name: 'Who' }).locator('option:checked').innerText(),
      'Answering agent (agent)',
    );
    await person.judge('the preview on a phone in the dark');
    await agent.create('other/later.md', 'after the preview');
    person.expect(409);
    await person.get('button', 'Undo these changes').click();
    await person.page.getByText('Things have changed meanwhile').waitFor();
    await list.getByText('other/later.md').waitFor();
    await person.judge('changed meanwhile');
    assert.equal(await contentOf('other/elsewhere.md'), 'bad elsewhere');
    await person.get('button', 'Undo these changes').click();
    await until('it is undone', async () => (await contentOf('other/elsewhere.md')) === 'good');
  });

  it('is nothing for readers and strangers, has an empty state, and knows when the service cannot answer', async () => {
    const reader = await test.person('Reader', { support: 'reader' });
    const person = await test.open(reader, '~/f/support');
    await person.get('button', 'Actions for the folder support').click();
    await person.get('menuitem', 'Export as zip').waitFor();
    assert.equal(await person.page.getByRole('menuitem', { name: /Undo/ }).count(), 0);
    person.expect(404);
    test.server.host.clock.advance(hour);
    for (const folder of ['support', 'secret']) {
      await person.page.goto(test.addressOf(`~/undo?folder=${folder}&principal=${agentId}`));
      await person.get('heading', 'You cannot undo changes in this folder').waitFor();
    }
    await person.judge('no editor');
    const own = await test.open(editor, '~/f/support');
    test.server.host.clock.advance(hour);
    own.expect(503);
    const unavailable = { status: 503, headers: { 'Retry-After': '0' }, json: { error: { code: 'UNAVAILABLE' } } };
    await own.page.route('**/reverts**', (route) => route.fulfill(unavailable));
    await own.page.goto(test.addressOf('~/undo?folder=support&principal=prn_nobody'));
    await own.get('heading', 'The service cannot answer at the moment').waitFor();
    await own.judge('503');
    await own.page.unroute('**/reverts**');
    await own.get('button', 'Try again').click();
    await own.get('heading', 'There is nothing to undo').waitFor();
    await own.judge('nothing to undo');
  });

  const at = (location: string): string => `/v1/documents/${encodeURIComponent(location)}`;

  const contentOf = async (location: string): Promise<unknown> => (await admin.rest.get(at(location))).json.content;

  const isThere = async (location: string): Promise<boolean> => (await admin.rest.get(at(location))).status === 200;

  /** What the agent does in its hour. */
  async function misbehave(): Promise<void> {
    test.server.host.clock.advance(hour);
    await agent.put(at('support/hello.md'), { content: 'bad' });
    await agent.put(at('support/hello.md'), { content: 'worse' });
    await agent.put(at('support/prices.md'), { content: 'bad prices' });
    await agent.delete(at('support/gone.md'));
    await agent.create(`support/${hostile}`, 'spam');
    await agent.put(at('other/elsewhere.md'), { content: 'bad elsewhere' });
    // Somebody has built on this one.
    await editor.rest.put(at('support/prices.md'), { content: 'prices of the editor' });
    test.server.host.clock.advance(60_000);
  }
});
