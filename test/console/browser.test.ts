import assert from 'node:assert/strict';
import { parseLocation } from '../../lib/domain/location.js';
import { importDocuments } from '../../lib/operations/folders/import-documents.js';
import { perform } from '../../lib/operations/perform.js';
import type { WatchedPage } from '../support/browser/chromium.js';
import { operator } from '../support/store/service.js';
import { until } from '../support/until.js';
import { openConsole, type ConsolePerson, type ConsoleTest } from './support/open-console.js';

const hostile = '<img src=x onerror="document.title=1">&lt;.md';
const many = 10_000;
/** Pages of 200 that are loaded of them. */
const pages = 4;

describe('The browser of the console', function () {
  this.timeout(120_000);

  let test: ConsoleTest;
  let admin: ConsolePerson;
  let editor: ConsolePerson;
  let reader: ConsolePerson;

  before(async function () {
    test = await openConsole(this);
    admin = await test.person('Admin', { '': 'approver' });
    editor = await test.person('Editor', { 'team/handbook': 'editor' });
    reader = await test.person('Reader', { 'team/handbook': 'reader' });
    const agent = await test.server.host.principal('Scribe', 'agent');
    await test.server.host.grant('editor', { type: 'principal', id: agent }, '');
    const scribe = test.server.as(await test.server.host.key(agent));
    const { rest } = admin;
    await rest.post('/v1/documents', {
      location: 'team/handbook/a.md',
      content: 'a',
      labels: ['<b>bold</b>', 'policy'],
    });
    await rest.create('team/handbook/b.md', 'b');
    await rest.create('team/handbook/c.md', 'c');
    await rest.create(`team/handbook/${hostile}`, 'x');
    await rest.create('team/handbook/onboarding/first.md', 'x');
    await rest.create('team/secret/plan.md', 'x');
    test.server.host.clock.advance(60_000);
    await scribe.create('team/handbook/by-agent.md', 'x');
    assert.equal((await scribe.post('/v1/claims', { location: 'team/handbook/b.md' })).status, 201);
  });
  after(() => test?.close());

  it('leads from the highest reachable folder down, and shows kinds, labels, claims and last writers', async () => {
    const person = await test.open(editor);
    await person.get('link', 'team/handbook').click();
    await at(person, 'onboarding').waitFor();
    assert.deepEqual(await names(person), ['onboarding', hostile, 'a.md', 'b.md', 'by-agent.md', 'c.md']);
    await person.get('link', 'Documents').first().waitFor();
    assert.match(await at(person, 'by-agent.md').innerText(), /Scribe\s*agent/);
    assert.match(await at(person, 'b.md').innerText(), /claimed by Scribe/);
    assert.match(await at(person, 'a.md').innerText(), /<b>bold<\/b>\s*policy/);
    assert.equal(await person.page.locator('.entries img').count(), 0, 'a name is never markup');
    assert.equal(await person.page.title(), 'handbook · Cartulary');
    await person.get('button', 'Last change').click();
    await until('the newest comes first', async () => (await names(person))[1] === 'by-agent.md');
    await person.judge('a folder, the newest first');
    await person.get('button', 'Name').click();
    await person.get('link', 'onboarding').click();
    await person.get('link', 'first.md').waitFor();
    assert.deepEqual(await person.page.locator('.crumbs').innerText(), 'Documents\nteam/handbook\nonboarding');
  });

  it('is used by keyboard alone: rows are selected, labelled, deleted and brought back', async () => {
    const person = await test.open(editor, '~/f/team/handbook');
    const { keyboard } = person.page;
    await at(person, 'onboarding').focus();
    for (const key of ['ArrowDown', 'ArrowDown', 'Space', 'Shift+ArrowDown']) await keyboard.press(key);
    await person.get('toolbar', 'Selected rows').getByText('2 selected').waitFor();
    await person.judge('two rows selected');
    await person.get('button', 'Labels').press('Enter');
    await person.get('textbox', 'Add a label').waitFor();
    for (const key of ['k', 'e', 'y', 'Enter', 'Enter']) await keyboard.press(key);
    await until('both have the label', async () => (await person.page.getByText('key', { exact: true }).count()) === 2);
    await person.judge('labels saved');
    await keyboard.press('Escape');
    await at(person, 'c.md').focus();
    await keyboard.press('Escape');
    await keyboard.press('Delete');
    await at(person, 'c.md').waitFor({ state: 'detached' });
    assert.equal((await editor.rest.get('/v1/documents/team/handbook/c.md')).status, 404);
    assert.equal(await focused(person), 'document:team/handbook/by-agent.md', 'the row before has the focus');
    await person.get('button', 'Undo').press('Enter');
    await at(person, 'c.md').waitFor();
    assert.equal((await editor.rest.get('/v1/documents/team/handbook/c.md')).json.content, 'c');
    await at(person, 'onboarding').focus();
    await keyboard.press('Shift+F10');
    await person.get('menuitem', 'Export as zip').waitFor();
    await person.judge('the menu of a row');
    await keyboard.press('Escape');
    await person.get('menuitem', 'Export as zip').waitFor({ state: 'detached' });
    assert.equal(await focused(person), 'folder:team/handbook/onboarding', 'the row has the focus again');
    await keyboard.press('Enter');
    await person.get('link', 'first.md').waitFor();
  });

  it('shows within seconds what others write', async () => {
    const person = await test.open(reader, '~/f/team/handbook/onboarding');
    await at(person, 'first.md').waitFor();
    const followed = person.page.waitForResponse((response) => response.url().includes('/live?'));
    await person.page.reload();
    await followed;
    await at(person, 'first.md').waitFor();
    await editor.rest.create('team/handbook/onboarding/second.md', 'x');
    await at(person, 'second.md').waitFor();
    person.judgeConsole('a change by somebody else');
  });

  it('deletes the row that has the focus, though others have come above it', async () => {
    await editor.rest.create('team/handbook/drafts/kept.md', 'x');
    await editor.rest.create('team/handbook/drafts/old.md', 'x');
    const person = await test.open(editor, '~/f/team/handbook/drafts');
    const followed = person.page.waitForResponse((response) => response.url().includes('/live?'));
    await person.page.reload();
    await followed;
    await at(person, 'old.md').focus();
    await editor.rest.create('team/handbook/drafts/first.md', 'x');
    await at(person, 'first.md').waitFor();
    assert.equal(await focused(person), 'document:team/handbook/drafts/old.md');
    await person.page.keyboard.press('Delete');
    await at(person, 'old.md').waitFor({ state: 'detached' });
    await at(person, 'kept.md').waitFor();
  });

  it('asks before it deletes several things, and says which ones stay', async () => {
    await editor.rest.create('team/handbook/old/x.md', 'x');
    const person = await test.open(editor, '~/f/team/handbook');
    await person.get('checkbox', 'Select old').check({ force: true });
    await person.get('checkbox', 'Select b.md').check({ force: true });
    await person.get('button', 'Delete').click();
    await person.get('dialog', 'Delete “old”?').getByText('Other selected rows stay').waitFor();
    await person.judge('the question');
    await person.get('button', 'Delete “old”').click();
    await at(person, 'old').waitFor({ state: 'detached' });
    await at(person, 'b.md').waitFor();
    await person.get('button', 'Undo').click();
    await at(person, 'old').waitFor();
    assert.equal((await editor.rest.get('/v1/documents/team/handbook/old/x.md')).status, 200);
  });

  it('makes a folder, and says when its name cannot be', async () => {
    const person = await test.open(editor, '~/f/team/handbook');
    await person.get('button', 'New folder').click();
    await person.page.keyboard.type('onboarding');
    person.expect(409);
    await person.page.keyboard.press('Enter');
    await person.page.getByRole('alert').getByText('lives at "team/handbook/onboarding" already').waitFor();
    await person.judge('a name that is taken');
    await person.get('textbox', 'Name').fill('plans');
    await person.page.keyboard.press('Enter');
    await person.get('heading', 'This folder is empty').waitFor();
    assert.equal(person.page.url(), test.addressOf('~/f/team/handbook/plans'));
    await person.judge('an empty folder');
  });

  it('uploads by button and by drag, names what is taken, and stores bytes as they are', async () => {
    const person = await test.open(editor, '~/f/team/handbook');
    const bytes = Buffer.from([0, 255, 10, 13, 0, 128]);
    const chooser = person.page.waitForEvent('filechooser');
    await person.get('button', 'Upload files').click();
    person.expect(409);
    await (
      await chooser
    ).setFiles([
      { name: 'a.md', mimeType: '', buffer: Buffer.from('the next version') },
      { name: 'e\u0301tude.bin', mimeType: 'application/pdf', buffer: bytes },
    ]);
    const panel = person.get('region', 'Uploads');
    await panel.getByText('1 stored, 1 not stored').waitFor();
    await panel.getByText('A document is at team/handbook/a.md already.').waitFor();
    await at(person, '\u00e9tude.bin').waitFor();
    await person.judge('one stored, one taken');
    const stored = await editor.rest.get('/v1/files/team/handbook/%C3%A9tude.bin');
    assert.deepEqual([stored.bytes, stored.headers['content-type']], [bytes, 'application/pdf']);
    await person.get('button', 'Add as new version: a.md').click();
    await panel.getByText('2 files stored').waitFor();
    assert.equal((await editor.rest.get('/v1/documents/team/handbook/a.md')).json.content, 'the next version');
    await person.page.evaluate(dropFile);
    await panel.getByText('3 files stored').waitFor();
    assert.equal((await editor.rest.get('/v1/documents/team/handbook/dropped.md')).json.content, 'by drag');
    await person.get('link', 'Trash').click();
    await panel.waitFor();
    await person.get('button', 'Close the list of uploads').click();
    await panel.waitFor({ state: 'detached' });
    person.judgeConsole('uploads');
  });

  it('deletes a folder once when the answer is lost, and takes it back', async () => {
    await admin.rest.create('team/handbook/lost/a.md', 'x');
    const person = await test.open(editor, '~/f/team/handbook');
    await person.page.route(
      '**/folder-deletions',
      async (route) => {
        await route.fetch();
        await route.abort('connectionreset');
      },
      { times: 1 },
    );
    await person.get('button', 'Actions for lost').click();
    await person.get('menuitem', /^Delete/).click();
    await person.page.getByRole('dialog').getByRole('button', { name: 'Delete “lost”' }).click();
    await person.page.getByText('The service could not be reached. Check').waitFor();
    person.forgive();
    await person.judge('a deletion without an answer');
    await person.get('button', 'Try again').click();
    await person.page.getByText('“lost” went to the trash.').waitFor();
    assert.equal((await admin.rest.get('/v1/documents/team/handbook/lost/a.md')).status, 404);
    await person.get('button', 'Undo').click();
    await person.page.getByText('“lost” came back.').waitFor();
    assert.equal((await admin.rest.get('/v1/documents/team/handbook/lost/a.md')).status, 200);
    person.judgeConsole('deleted once');
  });

  it('offers readers nothing that would be refused, and people without grants a calm answer', async () => {
    const person = await test.open(reader, '~/f/team/handbook');
    await at(person, 'a.md').waitFor();
    for (const name of ['New document', 'New folder', 'Upload files']) {
      assert.equal(await person.page.getByText(name, { exact: true }).count(), 0, name);
    }
    assert.equal(await person.page.getByRole('checkbox').count(), 0);
    await person.get('button', 'Actions for a.md').click();
    await person.get('menuitem', 'Download').waitFor();
    const offered = await person.page.getByRole('menuitem').allInnerTexts();
    assert.deepEqual(offered, ['Show history', 'Download', 'Copy location', 'Share']);
    await person.judge('as a reader');
    person.expect(404);
    for (const folder of ['team/secret', 'team/absent']) {
      await person.page.goto(test.addressOf(`~/f/${folder}`));
      await person.get('heading', 'This folder does not exist, or you do not have access to it').waitFor();
    }
    await person.judge('a folder out of reach');
    const nobody = await test.open(await test.person('Nobody'));
    await nobody.get('heading', 'Nothing is shared with you yet').waitFor();
    await nobody.judge('without grants');
  });

  it('keeps what it shows when the service cannot answer, and says so where it has nothing to show', async () => {
    const person = await test.open(editor, '~/f/team/handbook');
    await at(person, 'a.md').waitFor();
    person.expect(503);
    const body = JSON.stringify({ error: { code: 'UNAVAILABLE', message: 'x', request_id: 'req_lost' } });
    const unavailable = { status: 503, headers: { 'Retry-After': '0', 'Content-Type': 'application/json' }, body };
    await person.page.route('**/entries?**', (route) => route.fulfill(unavailable));
    await person.get('link', 'onboarding').click();
    await person.get('heading', 'The service cannot answer at the moment').waitFor();
    await person.page.getByText('req_lost').waitFor();
    await person.judge('503');
    await person.page.goBack();
    await at(person, 'a.md').waitFor();
    await person.page.unroute('**/entries?**');
    await person.get('link', 'onboarding').click();
    await person.get('link', 'first.md').waitFor();
  });

  it('shows ten thousand documents with few elements, and goes on where the loaded ones end', async () => {
    const files = Array.from({ length: many }, (_, index) => ({
      location: parseLocation(`large/${String(index).padStart(5, '0')}.md`),
      content: { bytes: Buffer.from('x') },
    }));
    await perform(test.server.host.workspace, operator, importDocuments, {
      into: parseLocation('large'),
      files,
      message: null,
    });
    const person = await test.open(admin, '~/f/large');
    await at(person, '00000.md').focus();
    const height = (): Promise<number> => person.page.locator('.entry-rows').evaluate((rows) => rows.clientHeight);
    for (let page = 1; page < pages; page += 1) {
      const before = await height();
      await person.page.keyboard.press('End');
      await until('the next page is there', async () => (await height()) > before);
    }
    await person.page.keyboard.press('End');
    assert.equal(await focused(person), `document:large/00${pages * 200 - 1}.md`);
    const rows = await person.page.locator('.entry').count();
    assert.ok(rows < 100, `${rows} rows are rendered`);
    await person.page.keyboard.press('Control+a');
    await person.page.getByText(/^(?:[89]\d\d|1\d{3}) selected$/).waitFor();
    await person.judge('many selected');
  });

  it('fits a narrow phone in the dark', async () => {
    const person = await test.open(editor, '~/f/team/handbook', { width: 320, height: 640, scheme: 'dark' });
    await at(person, 'a.md').waitFor();
    await person.judge('a phone');
    await person.get('button', 'Actions for the folder handbook').click();
    await person.get('menuitem', 'Upload a folder').waitFor();
    await person.judge('the menu of a folder on a phone');
  });

  const at = (person: WatchedPage, name: string) => person.page.locator(`[data-key$="/${name}"]`);

  const names = (person: WatchedPage): Promise<string[]> => person.page.locator('.entry-link').allInnerTexts();

  const focused = (person: WatchedPage) => person.page.evaluate('document.activeElement.dataset.key');
});

/** Runs in the browser: drops a file onto the page. */
const dropFile = `
  const dataTransfer = new DataTransfer();
  dataTransfer.items.add(new File(['by drag'], 'dropped.md'));
  for (const type of ['dragenter', 'dragover', 'drop'])
    document.body.dispatchEvent(new DragEvent(type, { dataTransfer, bubbles: true, cancelable: true }));
`;
