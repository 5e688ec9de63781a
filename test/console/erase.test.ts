import assert from 'node:assert/strict';
import { until } from '../support/until.js';
import { goodPassword } from '../support/signin/open-sign-in.js';
import { WatchedPage } from '../support/browser/chromium.js';
import { openConsole, type ConsolePerson, type ConsoleTest } from './support/open-console.js';

const hostile = '<img src=x onerror="document.title=1"> heron.md';
const minute = 60_000;

describe('Erasing in the console', function () {
  this.timeout(120_000);

  let test: ConsoleTest;
  let admin: ConsolePerson;
  let approver: ConsolePerson;
  let editor: ConsolePerson;

  before(async function () {
    test = await openConsole(this);
    admin = await test.person('Admin', { '': 'approver' });
    approver = await test.person('Approver', { handbook: 'approver' });
    editor = await test.person('Editor', { handbook: 'editor' });
    await admin.rest.create('handbook/secret-heron.md', 'cormorant');
    await admin.rest.create('handbook/other.md', 'other');
    await admin.rest.create(`handbook/${hostile}`, 'hostile');
  });
  after(() => test?.close());

  it('is offered to approvers and to nobody else, whose address for it leads nowhere', async () => {
    const person = await test.open(editor, '~/d/handbook/secret-heron.md');
    assert.ok(!(await menuOf(person, 'secret-heron.md')).some((label) => /erase/i.test(label)));
    const { id } = (await editor.rest.get('/v1/documents/handbook/secret-heron.md')).json;
    person.expect(404);
    await person.page.goto(test.addressOf(`~/erase/handbook/secret-heron.md?document=${id}`));
    await person.get('heading', /does not exist/).waitFor();
    await person.page.goto(test.addressOf('~/erasures/era_none'));
    await person.get('heading', /does not exist/).waitFor();
    await person.page.goto(test.addressOf('~/erasures'));
    await person.get('heading', 'Nothing was erased').waitFor();
    await person.judge('nothing erased');
  });

  it('destroys a document after its name and a new sign-in, and leaves its name nowhere', async () => {
    const context = await test.browserOf(approver);
    const person = new WatchedPage(await context.newPage());
    const other = new WatchedPage(await context.newPage());
    const open = async (address: string): Promise<WatchedPage> => {
      const tab = new WatchedPage(await context.newPage());
      await tab.page.goto(test.addressOf(address));
      return tab;
    };
    const { clock, workspace } = test.server.host;
    clock.advance(60 * minute);
    // What a browser keeps: a draft, a comment half written, a page in another tab.
    await person.page.goto(test.addressOf('~/edit/handbook/secret-heron.md'));
    await person.page.locator('.cm-content').click();
    await person.page.keyboard.type('a draft about herons ');
    await until('the draft is kept', async () => (await keptIn(person)).includes('a draft about herons'));
    await person.page.goto(test.addressOf('~/d/handbook/secret-heron.md'));
    await person.get('textbox', 'Write a comment').fill('heron, half said');
    await other.page.goto(test.addressOf('~/d/handbook/secret-heron.md'));
    await other.page.locator('.reader-text').waitFor();
    assert.match(await keptIn(person), /heron, half said/);
    const writer = await open('~/edit/handbook/secret-heron.md');
    await writer.page.getByText('Your draft is back').waitFor();
    await writer.page.locator('.cm-content').click();
    const finder = await open('~/search?q=cormorant');
    await finder
      .get('link', /secret-heron\.md/)
      .first()
      .waitFor();
    const auditor = await open('~/audit?location=handbook%2Fsecret-heron.md');
    await auditor.get('list', 'Readers').waitFor();

    await menuOf(person, 'secret-heron.md');
    await person.get('menuitem', 'Erase document…').press('Enter');
    await person.get('heading', 'What cannot be recalled').waitFor();
    assert.match(await person.page.locator('.facts').innerText(), /1 version, no comments, 9 bytes of content/);
    await person.judge('what dies');
    await person.get('link', 'Sign in again').click();
    await person.page.getByLabel('Password').fill('wrong');
    await person.page.keyboard.press('Enter');
    await person.page.getByText('That is not your password.').waitFor();
    await person.page.getByLabel('Password').fill(goodPassword);
    await person.page.keyboard.press('Enter');

    const name = person.get('textbox', 'Type the document’s name');
    await name.fill('secret-heron');
    await person.get('button', 'Erase for good').click();
    await person.page.getByText('That is not the name of this document.').waitFor();
    await person.judge('another name');
    assert.equal((await admin.rest.get('/v1/documents/handbook/secret-heron.md')).status, 200);
    await name.fill('secret-heron.md');
    let release = (): void => undefined;
    const held = workspace.eraser.holdOff(() => new Promise<void>((resolve) => (release = resolve)));
    for (const tab of [other, writer, finder, auditor]) tab.expect(404);
    // Still unkept when the erase begins.
    await writer.page.keyboard.type('one more word about herons');
    await person.page.keyboard.press('Enter');
    await person.get('heading', 'Receipt of an erase').waitFor();
    await person.page.getByText('You may leave this page').waitFor();
    await until('the history is rewritten', async () =>
      /Taken out of the history\s*done/.test(await person.get('list', 'Phases of the erase').innerText()),
    );
    await person.judge('under way');
    assert.equal((await admin.rest.get('/v1/documents/handbook/secret-heron.md')).status, 404);
    // It may be left, and come back to.
    await person.get('link', 'Trash').first().click();
    await person.get('heading', 'Trash').waitFor();
    await person.get('link', 'Erased').click();
    await person.page.getByText('under way').waitFor();
    await person.get('link', /^A document/).click();
    release();
    await held;
    await person.page.getByText('No file of this workspace holds a trace of it.').waitFor();
    await person.judge('the receipt');

    await until('the other tab has left the document', () => Promise.resolve(/\/f\/handbook/.test(other.page.url())));
    await other.get('link', 'other.md').waitFor();
    for (const tab of [writer, auditor]) {
      await tab.page.waitForURL(/\/f\/handbook$/);
      await tab.get('link', 'other.md').waitFor();
    }
    await finder.get('heading', 'Nothing found').waitFor();
    // The words that were searched for are the person's own.
    await finder.page.locator('input[type=search]').fill('');
    await finder.get('heading', 'Nothing found').waitFor({ state: 'detached' });
    for (const tab of [person, other, writer, finder, auditor]) {
      const kept = `${await keptIn(tab)}\n${await tab.page.content()}\n${await tab.page.title()}`;
      assert.doesNotMatch(kept, /secret-heron|cormorant|half said|about herons/, tab.page.url());
      assert.equal(await tab.page.evaluate('JSON.stringify(history.state)'), 'null');
    }
    const base = `${test.signIn.url}/console/api/workspaces/${encodeURIComponent(test.workspace)}`;
    const rows = ['/trash', '/entries?location=handbook', '/search?q=cormorant', '/search?q=heron', '/erasures'];
    for (const row of [...rows, '/changes', '/audit', '/documents?location=handbook', '/history?location=handbook']) {
      const answer = await context.request.get(base + row, {
        headers: { 'Sec-Fetch-Site': 'same-origin', 'X-Cartulary-Console': '1' },
      });
      const named = (await answer.text()).split(/(?<=\},)/).filter((text) => text.includes('secret-heron'));
      assert.deepEqual(named, [], row);
    }
    assert.doesNotMatch(JSON.stringify(test.server.records()), /secret-heron/);
    await person.page.goto(test.addressOf('~/d/handbook/secret-heron.md'));
    person.expect(404);
    await person.get('heading', /does not exist/).waitFor();
    assert.doesNotMatch(await person.page.title(), /heron/);
  });

  it('leaves the name of what is not there out of the tab, and follows nothing there', async () => {
    const person = new WatchedPage(await (await test.browserOf(approver)).newPage());
    person.expect(404);
    const asked: string[] = [];
    person.page.on('request', (request) => void asked.push(new URL(request.url()).pathname));
    await person.page.goto(test.addressOf('~/d/handbook/heron-of-nowhere.md'));
    await person.get('heading', /does not exist/).waitFor();
    await person.page.evaluate(noteTitles);
    await person.page.evaluate('fetch(location.href)');
    assert.deepEqual(await person.page.evaluate('[...titles]'), ['Not found · Cartulary']);
    assert.deepEqual(
      asked.filter((path) => path.endsWith('/live')),
      [],
    );
  });

  it('takes the name of what goes out of the tab of who is reading it, and does not bring it back', async () => {
    await admin.rest.create('handbook/heron-that-goes.md', 'soon gone');
    const person = await test.open(approver, '~/d/handbook/heron-that-goes.md');
    await person.page.getByText('soon gone').waitFor();
    person.expect(404);
    const { streams } = test.server.host.workspace.workLimits;
    await until('the page follows its place', () => streams.use.used > 0);
    assert.equal((await admin.rest.delete('/v1/documents/handbook/heron-that-goes.md')).status, 200);
    await person.get('heading', /does not exist/).waitFor();
    await person.page.evaluate(noteTitles);
    await until('the page has stopped following', () => streams.use.used === 0);
    await person.page.evaluate('fetch(location.href)');
    assert.deepEqual(await person.page.evaluate('[...titles]'), ['Not found · Cartulary']);
  });

  it('takes a hostile name as text, on a phone in the dark and by keyboard alone, out of the trash', async () => {
    const location = `handbook/${hostile}`;
    assert.equal((await admin.rest.delete(`/v1/documents/${encodeURIComponent(location)}`)).status, 200);
    const person = await test.open(approver, '~/trash', { width: 320, height: 640, scheme: 'dark' });
    await person.get('link', `Erase ${location}`).press('Enter');
    await person.get('textbox', 'Type the document’s name').fill(hostile);
    await person.judge('a hostile name');
    await person.page.keyboard.press('Enter');
    await person.page.getByText('No file of this workspace holds a trace of it.').waitFor();
    await person.judge('the receipt on a phone');
  });

  it('says that the service cannot answer, and erases nothing then', async () => {
    const { id } = (await admin.rest.get('/v1/documents/handbook/other.md')).json;
    const person = await test.open(approver, '~/f/handbook');
    await person.get('link', 'other.md').waitFor();
    person.expect(503);
    const unavailable = { status: 503, headers: { 'Retry-After': '0' }, json: { error: { code: 'UNAVAILABLE' } } };
    await person.page.route('**/erase-previews**', (route) => route.fulfill(unavailable));
    await person.page.goto(test.addressOf(`~/erase/handbook/other.md?document=${id}`));
    await person.get('heading', 'The service cannot answer at the moment').waitFor();
    await person.page.unroute('**/erase-previews**');
    await person.get('button', 'Try again').click();
    await person.page.route('**/erasures', (route) => route.fulfill(unavailable));
    await person.get('textbox', 'Type the document’s name').fill('other.md');
    await person.get('button', 'Erase for good').click();
    await person.page.locator('.field-error').waitFor();
    await person.judge('503');
    assert.equal((await admin.rest.get('/v1/documents/handbook/other.md')).status, 200);
  });

  const menuOf = async (person: WatchedPage, name: string): Promise<string[]> => {
    await person.get('button', `More actions for ${name}`).click();
    await person.get('menuitem', 'Copy location').waitFor();
    return person.page.getByRole('menuitem').allInnerTexts();
  };
});

/** A script that notes in the set `titles` which titles the tab has from now on. */
const noteTitles = `
  window.titles = new Set([document.title]);
  const observer = new MutationObserver(() => titles.add(document.title));
  observer.observe(document.head, { childList: true, subtree: true, characterData: true });
`;

/** Everything that a page's browser keeps for it: both storages, every record of every database, caches and cookies. */
function keptIn({ page }: WatchedPage): Promise<string> {
  return page.evaluate(`(async () => {
    const kept = [JSON.stringify(localStorage), JSON.stringify(sessionStorage), document.cookie];
    for (const name of await caches.keys()) {
      const cache = await caches.open(name);
      for (const request of await cache.keys()) kept.push(request.url, await (await cache.match(request)).text());
    }
    kept.push(JSON.stringify((await navigator.serviceWorker?.getRegistrations?.()) ?? []));
    for (const { name } of await indexedDB.databases()) {
      const database = await new Promise((resolve) => {
        const request = indexedDB.open(name);
        request.onsuccess = () => resolve(request.result);
      });
      for (const store of database.objectStoreNames) {
        const records = await new Promise((resolve) => {
          const request = database.transaction(store).objectStore(store).getAll();
          request.onsuccess = () => resolve(request.result);
        });
        kept.push(JSON.stringify(records));
      }
      database.close();
    }
    return kept.join('\\n');
  })()`);
}
