import assert from 'node:assert/strict';
import { setPrincipalState } from '../../lib/operations/principals/set-principal-state.js';
import { perform } from '../../lib/operations/perform.js';
import { requireChromium, type Look, type TestBrowser, type WatchedPage } from '../support/browser/chromium.js';
import { operator } from '../support/store/service.js';
import { goodPassword, openSignIn, type SignInTest } from '../support/signin/open-sign-in.js';
import { serveSamples } from './serve-samples.js';

const timeout = 120_000;

describe('The pages of signing in, in Chromium', function () {
  this.timeout(timeout);

  let browser: TestBrowser;

  before(function () {
    browser = requireChromium(this);
  });
  afterEach(() => browser.close());

  it('would be noticed if they were neither accessible nor within their policy', async () => {
    const samples = await serveSamples();
    try {
      const person = await browser.person();
      await person.page.goto(samples.addressOf('sign-in'));
      await person.judge('as it is');
      await person.page.evaluate("document.querySelector('label').remove()");
      await assert.rejects(person.judge('without a label'), /label/);
      await person.page.evaluate("document.body.setAttribute('style', 'width: 2000px')");
      assert.throws(() => person.judgeConsole('with a style'), /Content Security Policy/);
    } finally {
      await samples.close();
    }
  });

  for (const look of [
    { scheme: 'light', width: 900 },
    { scheme: 'dark', width: 320 },
  ] satisfies Look[]) {
    it(`are accessible and complain of nothing, ${look.scheme} and ${look.width} pixels wide`, async () => {
      const samples = await serveSamples();
      try {
        const person = await browser.person(look);
        for (const name of samples.names) {
          await person.page.goto(samples.addressOf(name));
          await person.judge(name);
        }
      } finally {
        await samples.close();
      }
    });
  }
});

describe('Signing in, in Chromium', function () {
  this.timeout(timeout);

  let browser: TestBrowser;
  let test: SignInTest;
  let person: WatchedPage;

  before(function () {
    browser = requireChromium(this);
  });
  beforeEach(async () => {
    test = await openSignIn();
    person = await browser.person();
  });
  afterEach(async () => {
    person.judgeConsole('at the end');
    await browser.close();
    await test.close();
  });

  it('a person opens a link, chooses a password by the keyboard alone, signs out and in again', async () => {
    const path = await test.link(await test.server.host.principal('Ada'), 'ada@example.org');
    const { page } = person;
    await page.goto(test.url + path);
    assert.equal(await heading(), 'Welcome, Ada');
    await person.judge('welcome');
    await type('New password', 'too short');
    await page.keyboard.press('Enter');
    assert.equal(await heading(), 'Welcome, Ada', 'the browser itself asks for more');
    await page.getByLabel('New password').fill('aaaaaaaaaaaaaaaaa');
    await page.keyboard.press('Tab');
    await type('The same again', 'aaaaaaaaaaaaaaaaa');
    await enter();
    assert.equal(await alert(), 'That password is too easy to guess.');
    await person.judge('an easy password');
    await type('New password', goodPassword);
    await page.keyboard.press('Tab');
    await type('The same again', goodPassword);
    await enter();
    assert.equal(page.url(), `${test.url}/console`);
    await page.goto(`${test.url}/signin/sessions`);
    await press('Sign out');
    assert.equal(await heading(), 'You are signed out');
    await person.judge('signed out');
    await follow('Sign in again');
    await type('E-mail or sign-in name', 'ada@example.org');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Tab');
    await type('Password', goodPassword);
    await enter();
    assert.equal(page.url(), `${test.url}/console`);
    await page.goto(test.url + path);
    assert.equal(await heading(), 'This link does not work any more');
    await person.judge('link spent');
  });

  it('a wrong password is reported, many cause a wait, and an admin helps with a link', async () => {
    const id = await test.person('Ada', 'ada');
    await signIn('ada', 'wrong');
    assert.equal(await alert(), 'That name and password do not match.');
    assert.equal(await person.page.getByLabel('E-mail or sign-in name').inputValue(), 'ada');
    await person.judge('wrong');
    for (let guess = 0; guess < 5; guess += 1) {
      await fill({ Password: `guess ${guess}` });
      await press('Sign in');
    }
    assert.equal(await alert(), 'Too many attempts. Wait a second, and try again.');
    await follow('Forgotten password?');
    assert.equal(await heading(), 'Forgotten password');
    await person.judge('forgotten');
    await person.page.goto(test.url + (await test.link(id)));
    assert.equal(await heading(), 'Choose a new password');
    await fill({ 'New password': goodPassword, 'The same again': goodPassword });
    await press('Change password and sign in');
    assert.equal(person.page.url(), `${test.url}/console`);
  });

  it('a person sees where they are signed in and ends it elsewhere; being disabled ends it here', async () => {
    const id = await test.person('Ada', 'ada');
    const elsewhere = test.visitor({ 'User-Agent': 'Mozilla/5.0 (Windows NT 10.0) Firefox/140.0' });
    await elsewhere.signIn('ada');
    await signIn('ada', goodPassword);
    await person.page.goto(`${test.url}/signin/sessions`);
    await person.judge('sessions');
    await person.page.getByRole('button', { name: /^End the session of Firefox on Windows/ }).click();
    await person.page.getByText('Firefox on Windows').waitFor({ state: 'detached' });
    assert.ok(!(await elsewhere.isSignedIn()));
    await perform(test.server.host.workspace, operator, setPrincipalState, { principalId: id, disabled: true });
    await person.page.reload();
    assert.equal(await heading(), 'Sign in');
  });

  it('a person returns to their page after signing in', async () => {
    await test.person('Ada', 'ada');
    await person.page.goto(`${test.url}/signin/sessions`);
    await fill({ 'E-mail or sign-in name': 'ada', Password: goodPassword });
    await press('Sign in');
    assert.equal(await heading(), 'Where you are signed in');
  });

  it('a hostile name does nothing on any page', async () => {
    const id = await test.server.host.principal('<img src=x onerror=alert(1)>"><script>alert(2)</script>');
    let dialogs = 0;
    person.page.on('dialog', (dialog) => {
      dialogs += 1;
      void dialog.dismiss();
    });
    await person.page.goto(test.url + (await test.link(id, 'eve')));
    assert.match(await heading(), /^Welcome, <img src=x onerror=alert\(1\)>"><script>/);
    await person.judge('hostile');
    assert.equal(dialogs, 0);
  });

  const heading = (): Promise<string> => person.page.locator('h1').innerText();

  const alert = (): Promise<string> => person.page.getByRole('alert').innerText();

  const press = (name: string): Promise<void> =>
    leave(() => person.page.getByRole('button', { name, exact: true }).click());

  const follow = (name: string): Promise<void> => leave(() => person.page.getByRole('link', { name }).click());

  const enter = (): Promise<void> => leave(() => person.page.keyboard.press('Enter'));

  /** Makes a step to another page, and waits for it. Until then the old page may answer, and take the typing. */
  async function leave(act: () => Promise<void>): Promise<void> {
    await Promise.all([person.page.waitForEvent('load'), act()]);
  }

  /** Types into the field to which the page itself gave the focus. */
  async function type(label: string, text: string): Promise<void> {
    const field = person.page.getByLabel(label, { exact: true });
    await field.and(person.page.locator(':focus')).waitFor();
    await person.page.keyboard.type(text);
  }

  async function fill(fields: Readonly<Record<string, string>>): Promise<void> {
    for (const [label, value] of Object.entries(fields)) {
      await person.page.getByLabel(label, { exact: true }).fill(value);
    }
  }

  async function signIn(name: string, password: string): Promise<void> {
    await person.page.goto(`${test.url}/signin`);
    await fill({ 'E-mail or sign-in name': name, Password: password });
    await press('Sign in');
  }
});
