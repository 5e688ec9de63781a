import assert from 'node:assert/strict';
import { inDialog, shows } from './support/look.js';
import { openConsole, type ConsolePerson, type ConsoleTest } from './support/open-console.js';

describe('A person’s own keys, in the console', function () {
  this.timeout(120_000);

  let test: ConsoleTest;
  let bob: ConsolePerson;
  const wide = { width: 1280, height: 800 };

  before(async function () {
    test = await openConsole(this);
    bob = await test.person('Bob', { team: 'editor' });
  });
  after(() => test?.close());

  it('a person’s own keys are made, shown once, and revoked in the console', async () => {
    const page = await test.open(bob, '~/f/', wide);
    await page.get('button', /^Account/).click();
    await page.page.getByRole('menuitem', { name: 'Your keys' }).click();
    await page.get('heading', 'Your keys').waitFor();
    await page.get('button', 'Make a key').click();
    await page.page.getByLabel('Name', { exact: true }).fill('Laptop');
    await page.page.getByLabel(/^Git/).check();
    await page.judge('make a key');
    await inDialog(page, 'Make key').click();
    await shows(page, 'Store the key now');
    await shows(page, /git clone /);
    await page.page.getByLabel('I stored it').check();
    await inDialog(page, 'Done').click();
    await shows(page, 'Laptop');
    await page.judge('the own keys');
    await page.get('button', 'Revoke Laptop').click();
    await inDialog(page, 'Revoke token').click();
    await page.page.getByText('revoked', { exact: true }).first().waitFor();
    page.judgeConsole('the own keys');
  });

  it('made by somebody else are told on every page until the person says to know of them', async () => {
    const ada = await test.person('Ada', { '': 'approver' });
    const admin = await test.open(ada, `~/access/principals/${bob.id}`, wide);
    await admin.get('button', 'Mint token').click();
    await admin.page.getByLabel('Name', { exact: true }).fill('Quiet');
    await inDialog(admin, 'Mint token').click();
    await shows(admin, 'Store the key now');
    const page = await test.open(bob, '~/f/', wide);
    await shows(page, 'Somebody made a key that acts as you');
    await shows(page, /Quiet, made by Ada/);
    await page.judge('told of a key');
    if (process.env['KEYS_SHOT'] !== undefined) await page.page.screenshot({ path: process.env['KEYS_SHOT'] });
    await page.get('link', 'Your keys').click();
    await shows(page, 'made by Ada');
    await page.get('button', 'I know of it').click();
    await page.page.getByText('Somebody made a key that acts as you').waitFor({ state: 'detached' });
    await page.judge('a key of somebody else');
    assert.equal(await page.page.getByText('made by Ada').count(), 1);
  });

  it('need a sign-in of the last minutes, and the dialog leads there', async () => {
    const page = await test.open(bob, '~/keys', wide);
    test.server.host.clock.advance(6 * 60_000);
    await page.get('button', 'Make a key').click();
    await page.page.getByLabel('Name', { exact: true }).fill('Late');
    await page.page.getByLabel(/^Git/).check();
    await inDialog(page, 'Make key').click();
    const again = page.page.getByRole('dialog').getByRole('link', { name: 'Sign in again' });
    assert.match(String(await again.getAttribute('href')), /\/signin\/again\?return=/);
  });
});
