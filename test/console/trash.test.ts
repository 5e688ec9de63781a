import assert from 'node:assert/strict';
import { until } from '../support/until.js';
import type { WatchedPage } from '../support/browser/chromium.js';
import { openConsole, type ConsolePerson, type ConsoleTest } from './support/open-console.js';

const hostile = '<img src=x onerror="document.title=1">.md';

describe('The trash of the console', function () {
  this.timeout(120_000);

  let test: ConsoleTest;
  let editor: ConsolePerson;

  before(async function () {
    test = await openConsole(this);
    editor = await test.person('Editor', { handbook: 'editor' });
    const admin = await test.person('Admin', { '': 'approver' });
    const { rest } = admin;
    for (const location of ['handbook/a.md', `handbook/${hostile}`, 'handbook/plan.md', 'secret/plan.md']) {
      await rest.create(location, `content of ${location}`);
      test.server.host.clock.advance(1000);
      assert.equal((await rest.delete(`/v1/documents/${encodeURIComponent(location)}`)).status, 200);
    }
    for (const name of ['x', 'y']) await rest.create(`handbook/old/${name}.md`, name);
    test.server.host.clock.advance(1000);
    await rest.post('/v1/folder-deletions', { location: 'handbook/old' });
    await rest.create('handbook/plan.md', 'another');
  });
  after(() => test?.close());

  it('shows what the person may bring back, the last deletion first, and nothing of others', async () => {
    const person = await test.open(editor, '~/trash');
    await person.get('list', 'Deleted documents and folders').waitFor();
    assert.deepEqual(await names(person), ['old', 'plan.md', hostile, 'a.md']);
    const row = person.page.locator('.trashed', { hasText: 'a.md' });
    assert.match(await row.innerText(), /in\s*handbook\s*deleted by\s*Admin\s*person/);
    await person.judge('the trash');
    await person.get('link', 'old').click();
    await until('the documents of the folder are listed', async () => (await names(person)).join(' ') === 'y.md x.md');
    assert.equal(await person.get('textbox', 'Only below this folder').inputValue(), 'handbook/old');
    await person.get('textbox', 'Only below this folder').fill('secret');
    await person.page.keyboard.press('Enter');
    await person.get('heading', 'Nothing to bring back here').waitFor();
    await person.judge('nothing here');
  });

  it('brings back a deleted document: found from the first page, without a word of documentation', async () => {
    const person = await test.open(editor);
    await person.get('link', 'Trash').press('Enter');
    await person.get('button', 'Bring back handbook/a.md').press('Enter');
    await person.page.getByText('“a.md” is back.').waitFor();
    await person.judge('brought back');
    await person.get('button', 'Show').press('Enter');
    await person.page.waitForURL(test.addressOf('~/d/handbook/a.md'));
    assert.equal((await editor.rest.get('/v1/documents/handbook/a.md')).json.content, 'content of handbook/a.md');
  });

  it('brings back a folder and a document at once', async () => {
    const person = await test.open(editor, '~/trash', { width: 320, height: 640, scheme: 'dark' });
    await person.get('checkbox', 'Select handbook/old').check();
    await person.get('checkbox', `Select handbook/${hostile}`).check();
    await person.judge('two selected on a phone');
    await person.get('button', 'Bring back selected').click();
    await until('only the taken one is left', async () => (await names(person)).join(' ') === 'plan.md');
    for (const location of ['handbook/old/x.md', `handbook/${encodeURIComponent(hostile)}`]) {
      assert.equal((await editor.rest.get(`/v1/documents/${location}`)).status, 200, location);
    }
  });

  it('overwrites nothing where the place is taken, and offers the way out', async () => {
    const person = await test.open(editor, '~/trash');
    await person.page.getByText('place taken').waitFor();
    await person.get('button', 'Bring back handbook/plan.md').click();
    await person.get('dialog', 'Another document has this place now').waitFor();
    await person.judge('the place is taken');
    await person.get('button', 'Rename it').click();
    await person.get('textbox', 'New name').fill('newer-plan.md');
    await person.page.keyboard.press('Enter');
    await person.page.getByText('“plan.md” is back.').waitFor();
    await person.get('heading', 'There is nothing to bring back').waitFor();
    await person.judge('an empty trash');
    const contentOf = async (location: string) => (await editor.rest.get(`/v1/documents/${location}`)).json.content;
    assert.equal(await contentOf('handbook/plan.md'), 'content of handbook/plan.md');
    assert.equal(await contentOf('handbook/newer-plan.md'), 'another');
  });

  it('says that the service cannot answer, and never that the trash is empty', async () => {
    const person = await test.open(await test.person('Nobody'), '~/f/');
    await person.get('heading', 'Nothing is shared with you yet').waitFor();
    person.expect(503);
    const unavailable = { status: 503, headers: { 'Retry-After': '0' }, json: { error: { code: 'UNAVAILABLE' } } };
    await person.page.route('**/workspaces/*/trash**', (route) => route.fulfill(unavailable));
    await person.get('link', 'Trash').click();
    await person.get('heading', 'The service cannot answer at the moment').waitFor();
    await person.judge('503');
    await person.page.unroute('**/workspaces/*/trash**');
    await person.get('button', 'Try again').click();
    await person.get('heading', 'There is nothing to bring back').waitFor();
  });

  const names = (person: WatchedPage): Promise<string[]> =>
    person.page.locator('.trashed-line:first-child bdi').allInnerTexts();
});
