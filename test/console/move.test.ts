import assert from 'node:assert/strict';
import type { WatchedPage } from '../support/browser/chromium.js';
import { openConsole, type ConsolePerson, type ConsoleTest } from './support/open-console.js';

describe('Moving and renaming in the console', function () {
  this.timeout(120_000);

  let test: ConsoleTest;
  let admin: ConsolePerson;
  let editor: ConsolePerson;

  before(async function () {
    test = await openConsole(this);
    admin = await test.person('Admin', { '': 'approver' });
    editor = await test.person('Editor', { team: 'editor', shared: 'editor' });
    await test.person('Reader', { shared: 'reader' });
    await test.person('Team reader', { team: 'reader' });
    for (const at of ['team/a.md', 'team/b.md', 'team/plans/c.md', 'shared/d.md', 'secret/e.md']) {
      await admin.rest.create(at, 'text');
    }
  });
  after(() => test?.close());

  it('moves a document by keyboard alone, goes along with it, and takes it back', async () => {
    const person = await test.open(editor, '~/d/team/a.md?move');
    person.expect(404);
    await folder(person, 'shared').waitFor();
    assert.equal(await folder(person, 'secret').count(), 0);
    await folder(person, 'acme, you cannot write here').waitFor();
    await person.judge('the tree of folders');
    // The tree has the focus: down to "team", open it, down to "plans", choose it.
    await person.page.locator('dialog [role=row]:focus').waitFor();
    for (const key of ['ArrowDown', 'ArrowDown', 'ArrowRight']) await person.page.keyboard.press(key);
    await folder(person, 'plans').waitFor();
    await person.page.keyboard.press('ArrowDown');
    await person.page.keyboard.press('Space');
    await person.page.getByText('To team/plans').waitFor();
    await person.get('button', 'Move').press('Enter');
    await person.page.waitForURL(/\/d\/team\/plans\/a\.md$/);
    assert.ok(await exists('team/plans/a.md'));
    await person.get('button', 'Undo').click();
    await person.page.waitForURL(/\/d\/team\/a\.md$/);
    assert.ok(await exists('team/a.md'));
    person.judgeConsole('moved and back');
  });

  it('moves once when the answer is lost: another press says that it is done', async () => {
    await admin.rest.create('team/lost.md', 'text');
    const person = await test.open(editor, '~/f/team');
    const keys: (string | undefined)[] = [];
    await person.page.route('**/moves', async (route) => {
      keys.push(route.request().headers()['idempotency-key']);
      if (keys.length > 1) return route.continue();
      await route.fetch();
      return route.abort('connectionreset');
    });
    await person.get('button', 'Actions for lost.md').click();
    await person.get('menuitem', 'Move').click();
    // A second press finds the tree as it was.
    await folder(person, 'team').waitFor();
    await folder(person, 'team').getByRole('button', { name: 'Open' }).click();
    await folder(person, 'plans').click();
    await person.get('button', 'Move').click();
    await person.page.getByText('The service could not be reached. Check').waitFor();
    assert.ok(await exists('team/plans/lost.md'));
    person.forgive();
    await person.get('button', 'Move').click();
    await person.page.getByText('Moved lost.md to plans.').first().waitFor();
    await person.page.getByRole('dialog').waitFor({ state: 'detached' });
    assert.equal(keys.length, 2);
    assert.equal(keys[0], keys[1]);
    person.judgeConsole('moved once');
  });

  it('shows who would gain access before it moves, and again when that has changed', async () => {
    const person = await test.open(editor, '~/d/team/b.md?move', { scheme: 'dark' });
    person.expect(409);
    await folder(person, 'shared').click();
    await person.get('button', 'Move').click();
    const gains = person.page.getByRole('list', { name: 'Gains access' });
    await gains.getByText('Reader becomes reader').waitFor();
    await person.page.getByRole('list', { name: 'Loses access' }).getByText('Team reader').waitFor();
    await person.judge('the report in the dark');
    await person.get('button', 'Move and give access').click();
    await person.page.getByText('Tick the box first.').waitFor();
    assert.ok(await exists('team/b.md'));

    const late = await test.server.host.principal('<b>Late</b> reader');
    await test.server.host.grant('reader', { type: 'principal', id: late }, 'shared');
    await person.page.getByRole('checkbox').check();
    await person.get('button', 'Move and give access').click();
    await person.page.getByText('The report has changed').waitFor();
    await gains.getByText('<b>Late</b> reader becomes reader').waitFor();
    assert.equal(await person.page.getByRole('checkbox').isChecked(), false);
    assert.ok(await exists('team/b.md'));

    await person.page.getByRole('checkbox').check();
    await person.get('button', 'Move and give access').click();
    await person.page.waitForURL(/\/d\/shared\/b\.md$/);
    assert.ok(await exists('shared/b.md'));
  });

  it('leaves a folder in place when no one should gain access', async () => {
    const person = await test.open(editor, '~/f/team/plans?move', { width: 320, height: 640 });
    person.expect(409);
    await folder(person, 'shared').click();
    await person.get('button', 'Move').click();
    await person.get('heading', 'More people would get access').waitFor();
    await person.judge('the report on a phone');
    await person.get('button', 'Do not move').click();
    await person.page.getByRole('dialog').waitFor({ state: 'detached' });
    assert.ok(await exists('team/plans/c.md'));
  });

  it('says who lost access by a move, with the way to share it again', async () => {
    await test.server.host.grant(
      'reader',
      { type: 'principal', id: (await test.person('Plan reader')).id },
      'team/plans',
    );
    const person = await test.open(admin, '~/d/team/plans/c.md?move');
    // The page behind the dialog may look again at the old place before it is left.
    person.expect(404);
    await folder(person, 'team').click();
    await person.get('button', 'Move').click();
    await person.page.getByRole('list', { name: 'Lost access' }).getByText('Plan reader').waitFor();
    await person.judge('who lost access');
    await person.page.getByRole('link', { name: 'Share it again' }).click();
    await person.page.waitForURL(/\/d\/team\/c\.md\?share$/);
    await person.get('heading', 'Share c.md').waitFor();
  });

  it('renames, and says beside the field what stands against it', async () => {
    const person = await test.open(editor, '~/d/team/a.md?rename');
    person.expect(400, 409);
    const field = person.page.getByLabel('New name');
    await field.waitFor();
    await person.page.locator('dialog input:focus').waitFor();
    await person.page.keyboard.type('c');
    assert.equal(await field.inputValue(), 'c.md');
    await person.page.keyboard.press('Enter');
    await person.page.getByText(/c\.md/).and(person.page.locator('[role=alert]')).waitFor();
    await person.judge('a name that is taken');
    await field.fill('x/y');
    await person.page.keyboard.press('Enter');
    await person.page.getByText('A name has no slash.').waitFor();
    await field.fill('<i>new.md');
    await person.page.keyboard.press('Enter');
    await person.page.waitForURL(/\/d\/team\/%3Ci%3Enew\.md$/);
    person.judgeConsole('renamed');
  });

  it('names the claim that is in the way', async () => {
    await admin.rest.post('/v1/claims', { location: 'shared/d.md', purpose: 'rewriting' });
    const person = await test.open(editor, '~/d/shared/d.md?rename');
    person.expect(409);
    await person.page.getByLabel('New name').fill('dd.md');
    await person.page.keyboard.press('Enter');
    await person.page.locator('[role=alert]', { hasText: 'Admin has claimed this until' }).waitFor();
    assert.ok(await exists('shared/d.md'));
  });

  const folder = ({ page }: WatchedPage, name: string) => page.getByRole('row', { name, exact: true });

  const exists = async (location: string): Promise<boolean> =>
    (await admin.rest.get(`/v1/documents/${location}`)).status === 200;
});
