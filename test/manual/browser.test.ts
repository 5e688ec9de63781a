import assert from 'node:assert/strict';
import { requireChromium, type Look, type TestBrowser } from '../support/browser/chromium.js';
import { OpenManual } from './open-manual.js';

/** A page of each kind: lists, pictures, long tables, long lines, and what the search shows. */
const judged = ['', 'start', 'settings', 'rest-search', 'search?q=access', 'search'];

describe('The manual, in Chromium', function () {
  this.timeout(120_000);

  let browser: TestBrowser;
  let manual: OpenManual;

  before(async function () {
    browser = requireChromium(this);
    manual = await OpenManual.open();
  });
  after(async () => {
    await browser?.close();
    await manual?.close();
  });

  for (const look of [
    { scheme: 'light', width: 1200 },
    { scheme: 'dark', width: 320 },
  ] satisfies Look[]) {
    it(`is accessible and fits, ${look.scheme} and ${look.width} pixels wide`, async () => {
      const person = await browser.person(look);
      // The icon is that of the sign-in pages, which are not on this port.
      person.expect(404);
      for (const name of judged) {
        await person.page.goto(`${manual.url}/docs/${name}`);
        await person.judge(name);
      }
    });
  }

  it('is read by keyboard: from the search to a section, and past the header', async () => {
    const person = await browser.person();
    person.expect(404);
    await person.page.goto(`${manual.url}/docs/`);
    await person.page.keyboard.press('Tab');
    assert.equal(await person.page.locator(':focus').innerText(), 'Skip to the text');
    await person.page.keyboard.press('Tab');
    await person.page.keyboard.press('Tab');
    await person.page.keyboard.type('passphrase');
    await person.page.keyboard.press('Enter');
    await person.page.waitForURL(/\/docs\/search\?q=passphrase$/);
    await person.page.locator('.results a').first().click();
    await person.page.waitForURL(/\/docs\/[\w-]+#[\w-]+$/);
    const target = new URL(person.page.url()).hash;
    await person.page.locator(`${target}:is(h1, h2, h3)`).waitFor();
    person.judgeConsole('reading');
  });

  it('the manual works without script', async () => {
    const context = await browser.context();
    const bare = await context.browser()?.newContext({ javaScriptEnabled: false });
    assert.ok(bare);
    const page = await bare.newPage();
    try {
      await page.goto(`${manual.url}/docs/`);
      await page.getByRole('searchbox').fill('webhook');
      await page.getByRole('button', { name: 'Search' }).click();
      await page.waitForURL(/search\?q=webhook$/);
      assert.ok((await page.locator('.results a').count()) > 3);
    } finally {
      await bare.close();
    }
  });
});
