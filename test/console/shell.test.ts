import assert from 'node:assert/strict';
import { perform } from '../../lib/operations/perform.js';
import { changePolicy } from '../../lib/operations/workspaces/change-policy.js';
import { operator } from '../support/store/service.js';
import { openConsole, type ConsolePerson, type ConsoleTest } from './support/open-console.js';

describe('The frame of the console', function () {
  this.timeout(120_000);

  let test: ConsoleTest;
  let editor: ConsolePerson;

  before(async function () {
    test = await openConsole(this);
    editor = await test.person('Editor', { handbook: 'editor' });
  });
  after(() => test?.close());

  it('leads a stranger to the sign-in and back, and a person to their documents', async () => {
    const stranger = await test.browser.person();
    stranger.expect(401);
    await stranger.page.goto(test.addressOf('~/trash'));
    await stranger.page.getByLabel('E-mail').fill(editor.signInName);
    await stranger.page.getByLabel('Password', { exact: true }).fill('four blue heron stairs');
    await stranger.page.getByRole('button', { name: 'Sign in' }).click();
    await stranger.page.waitForURL(test.addressOf('~/trash'));
    await stranger.page.goto(test.addressOf('/'));
    await stranger.page.waitForURL(test.addressOf('~/f/'));
    stranger.judgeConsole('the sign-in');
  });

  it('shows the title of the workspace at its head and in the browser’s tab', async () => {
    const person = await test.open(editor, '~/trash');
    await person.page.getByRole('link', { name: test.workspace }).first().waitFor();
    const { workspace } = test.server.host;
    await perform(workspace, operator, changePolicy, { workspaceTitle: 'Acme handbook' });
    try {
      await person.page.reload();
      await person.page.getByRole('link', { name: 'Acme handbook' }).waitFor();
      await person.get('heading', 'Trash').waitFor();
      assert.equal(await person.page.title(), 'Trash · Acme handbook');
    } finally {
      await perform(workspace, operator, changePolicy, { workspaceTitle: null });
    }
  });

  it('has a menu that works by keyboard, and gives the focus back', async () => {
    const person = await test.open(editor, '~/trash');
    await person.get('heading', 'Trash').waitFor();
    await person.get('button', /^Account /).focus();
    await person.page.keyboard.press('ArrowDown');
    await person.get('menuitem', 'Sign out').waitFor();
    await person.judge('with its menu open');
    await person.page.keyboard.press('Escape');
    await person.get('menuitem', 'Sign out').waitFor({ state: 'detached' });
    await person.page.locator('button.account:focus').waitFor();
  });

  it('changes its theme, and keeps it', async () => {
    const person = await test.open(editor, '~/trash');
    const theme = () => person.page.evaluate('document.documentElement.dataset.theme');
    assert.equal(await theme(), 'light');
    for (const name of ['Theme: same as device', 'Theme: light']) {
      await person.get('button', /^Account /).click();
      await person.get('menuitem', name).click();
    }
    assert.equal(await theme(), 'dark');
    await person.page.reload();
    await person.get('heading', 'Trash').waitFor();
    assert.equal(await theme(), 'dark');
    await person.judge('in the dark');
  });

  it('shows the same page for a workspace of others and for none, and for a screen that is not there', async () => {
    const person = await test.open(editor, '~/nothing');
    for (const address of ['~/nothing', '/w/no-such/f/', '/w/%ff/f/']) {
      await person.page.goto(test.addressOf(address));
      await person.get('heading', /does not exist, or you do not have access/).waitFor();
    }
    await person.judge('nothing there');
  });

  it('signs out, and shows nothing to the next person at the machine', async () => {
    const person = await test.open(editor, '~/trash');
    await person.get('button', /^Account /).click();
    await person.get('menuitem', 'Sign out').click();
    await person.page.waitForURL(/\/signin\/out$/);
    person.expect(401);
    await person.page.goBack();
    await person.page.waitForURL(/\/signin\?return=/);
  });
});
