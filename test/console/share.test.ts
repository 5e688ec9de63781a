import assert from 'node:assert/strict';
import { openConsole, type ConsolePerson, type ConsoleTest } from './support/open-console.js';
import type { WatchedPage } from '../support/browser/chromium.js';

const hostile = '<img src=x onerror=alert(1)>';

describe('Sharing in the console', function () {
  this.timeout(120_000);

  let test: ConsoleTest;
  let admin: ConsolePerson;
  let lead: ConsolePerson;
  let editor: ConsolePerson;
  let colleague: ConsolePerson;
  let stranger: ConsolePerson;

  before(async function () {
    test = await openConsole(this);
    const { host } = test.server;
    admin = await test.person('Admin', { '': 'approver' });
    lead = await test.person('Lead', { team: 'approver' });
    editor = await test.person('Editor', { team: 'editor' });
    colleague = await test.person('New colleague');
    stranger = await test.person('Stranger');
    const bot = await host.principal('Travel bot', 'agent');
    const inner = await host.group(hostile, { type: 'principal', id: bot });
    const outer = await host.group('Staff', { type: 'group', id: inner });
    await host.grant('reader', { type: 'group', id: outer }, '');
    await admin.rest.create('team/a.md', 'a');
  });
  after(() => test?.close());

  it('gives a new colleague access to a folder, by keyboard alone', async () => {
    const { page, ...person } = await open(lead, '~/f/team?share');
    await page.locator('dialog input:focus').waitFor();
    await page.keyboard.type('coll');
    await page.getByRole('option', { name: /New colleague/ }).waitFor();
    await person.watched.judge('with a list of names');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await person.watched.get('button', 'Leave out New colleague').waitFor();
    await page.keyboard.press('Tab');
    await page.locator('dialog select:focus').waitFor();
    await page.keyboard.press('e');
    await page.keyboard.press('Tab');
    assert.equal(await reads(colleague), 404);
    await page.keyboard.press('Enter');
    const role = page.getByLabel('Role of New colleague');
    await role.waitFor();
    assert.equal(await role.inputValue(), 'editor');
    assert.equal(await reads(colleague), 200);
    await page.getByText('Shared team with New colleague as editor.').waitFor({ state: 'attached' });
    await person.watched.judge('shared');
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    assert.match(page.url(), /\/f\/team$/);
  });

  async function open(who: ConsolePerson, address: string, look = {}) {
    const watched = await test.open(who, address, look);
    return { watched, page: watched.page };
  }

  it('changes a role in place, takes access away, and gives it back', async () => {
    const { watched, page } = await open(lead, '~/f/team?share', { scheme: 'dark' });
    await page.getByLabel('Role of New colleague').selectOption('Reader');
    await page.getByText('New colleague is now reader.').waitFor({ state: 'attached' });
    const remove = watched.get('button', 'Remove access of New colleague');
    await remove.click();
    await page.locator('button:focus', { hasText: 'Undo' }).waitFor();
    assert.equal(await reads(colleague), 404);
    await watched.judge('with a removed row in the dark');
    await page.keyboard.press('Enter');
    await page.locator('[aria-label="Remove access of New colleague"]:focus').waitFor();
    assert.equal(await reads(colleague), 200);
  });

  it('says why everyone reaches a document, group by group, and shows hostile names as text', async () => {
    const { watched, page } = await open(lead, '~/d/team/a.md?share', { width: 320, height: 700 });
    await watched.get('tab', 'Everyone with access').click();
    await page.getByText('Travel bot').waitFor();
    const told = await rows(watched, 'Everyone with access').filter({ hasText: 'Travel bot' }).innerText();
    assert.match(told, /Staff\s*›[\s,]*<img src=x onerror=alert\(1\)>\s*›[\s,]*Reader of\s+the workspace acme/);
    await watched.judge('everyone with access, on a phone');
    await watched.get('tab', 'Everyone with access').press('ArrowLeft');
    await page.getByText('No access has been given on this document itself.').waitFor();
    await watched.judge('nothing on the document itself');
  });

  it('says why a colleague reaches a folder, and leads to where each way is taken away', async () => {
    const { host } = test.server;
    const leaver = await test.person('Leaver', { team: 'reader' });
    await host.grant(
      'editor',
      { type: 'group', id: await host.group('Movers', { type: 'principal', id: leaver.id }) },
      'team',
    );
    assert.equal(await reads(leaver), 200);
    const { page, watched } = await open(admin, '~/f/team');
    const showWays = async (): Promise<void> => {
      await watched.get('button', 'Share').click();
      await watched.get('tab', 'Everyone with access').click();
      await rows(watched, 'Everyone with access').first().waitFor();
    };
    await showWays();
    const row = rows(watched, 'Everyone with access').filter({ hasText: 'Leaver' });
    const ways = await row.locator('li').allInnerTexts();
    assert.deepEqual(ways.map((way) => way.replaceAll(/\s+/g, ' ')).sort(), [
      'Movers › , Editor of this folder',
      'Reader of this folder',
    ]);
    await row.getByRole('button', { name: 'this folder' }).last().click();
    await watched.get('button', 'Remove access of Leaver').click();
    await page.getByLabel('Role of Leaver').waitFor({ state: 'detached' });
    assert.equal(await reads(leaver), 200);
    await watched.get('tab', 'Everyone with access').click();
    await row.getByRole('link', { name: 'Movers' }).click();
    await watched.get('button', 'Remove Leaver').click();
    await watched.get('button', 'Remove from group').click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    assert.equal(await reads(leaver), 404);
    await page.goBack();
    await showWays();
    await row.waitFor({ state: 'detached' });
    await watched.judge('everyone with access');
  });

  it('leads from an inherited row to where it can be removed, and only those who may', async () => {
    const { watched, page } = await open(admin, '~/f/team?share');
    const above = rows(watched, 'From folders above').filter({ hasText: 'Staff' });
    await above.getByText('where you can change it').waitFor();
    await above.getByRole('link').click();
    await page.waitForURL(/\/f\/\?share$/);
    await watched.get('heading', 'Share acme').waitFor();
    await watched.get('button', 'Remove access of Staff').waitFor();
    const { watched: other, page: otherPage } = await open(lead, '~/f/team?share');
    await otherPage.getByText('whose approvers can change it').first().waitFor();
    assert.equal(await otherPage.getByText('where you can change it').count(), 0);
    other.judgeConsole('inherited rows');
  });

  it('asks before one gives up one’s own role, and refuses to leave the workspace without an admin', async () => {
    const other = await test.person('Other lead', { team: 'approver' });
    const { watched, page } = await open(other, '~/f/team?share');
    await watched.get('button', 'Remove access of Other lead').click();
    await watched.get('heading', 'Give up your own access?').waitFor();
    await watched.judge('asked about one’s own access');
    await watched.get('button', 'Remove access').click();
    await page.locator('.toast', { hasText: 'You no longer have access to team.' }).waitFor();
    assert.equal(await reads(other), 404);

    const { host } = test.server;
    const root = host.workspace.journal.reader.principals.list().find(({ displayName }) => displayName === 'Root');
    await host.revoke('approver', { type: 'principal', id: root?.id ?? '' }, '');
    const { watched: last } = await open(admin, '~/f/?share');
    last.expect(409);
    await last.get('button', 'Remove access of Admin').click();
    await last.get('button', 'Remove access').click();
    await last.page.getByText(/Nobody would be left who can sign in and administer the workspace/).waitFor();
    await last.judge('the last admin');
  });

  it('shows those who may not share who has access, without controls, and others nothing', async () => {
    const { watched, page } = await open(editor, '~/f/team?share');
    await watched.get('heading', 'Who can reach team').waitFor();
    await page.getByText('Travel bot').waitFor();
    // The editor is in neither group.
    await page.getByText('a group that you cannot see').first().waitFor();
    const dialog = page.getByRole('dialog');
    for (const role of ['combobox', 'tab'] as const) assert.equal(await dialog.getByRole(role).count(), 0);
    assert.equal(await dialog.getByRole('button', { name: /^(?:Share|Remove)/ }).count(), 0);
    await watched.judge('for an editor');
    const { watched: none } = await open(stranger, '~/f/team?share');
    none.expect(404);
    await none.page
      .getByRole('dialog')
      .getByText(/does not exist, or you do not have access/)
      .waitFor();
  });

  it('tells an admin where to add someone who is not there yet', async () => {
    const { watched, page } = await open(admin, '~/f/team?share');
    await page.locator('dialog input:focus').waitFor();
    await page.keyboard.type('nobody of this name');
    await page.getByText('No one here has a name that begins so.').waitFor();
    await watched.judge('with nobody found');
    await page.getByRole('link', { name: 'Add a person in Access' }).click();
    await page.waitForURL(/\/access$/);
  });

  const rows = (person: WatchedPage, list: string) =>
    person.page.getByRole('list', { name: list }).locator(':scope > li');

  const reads = async (person: ConsolePerson): Promise<number> =>
    (await person.rest.get('/v1/documents/team/a.md')).status;
});
