import assert from 'node:assert/strict';
import { WatchedPage } from '../support/browser/chromium.js';
import { openConsole, type ConsolePerson, type ConsoleTest } from './support/open-console.js';

const save = 'Control+s';

describe('The editor of the console', function () {
  this.timeout(120_000);

  let test: ConsoleTest;
  let editor: ConsolePerson;
  let second: ConsolePerson;
  let reader: ConsolePerson;

  before(async function () {
    test = await openConsole(this);
    editor = await test.person('Editor', { handbook: 'editor' });
    second = await test.person('Second editor', { handbook: 'editor' });
    reader = await test.person('Reader', { handbook: 'reader' });
  });
  after(() => test?.close());

  it('shows two people’s changes of one document to the second, who loses nothing', async () => {
    const text = '# Travel\n\nBook early.\n\nHotels cost 120.\n\nAsk first.\n';
    await editor.rest.create('handbook/travel.md', text);
    const [one, two] = [await openEditor(editor, 'handbook/travel.md'), await openEditor(second, 'handbook/travel.md')];
    await writeAfter(one, 'Book early.', ' Trains first.');
    await one.page.getByPlaceholder('What changed?').fill('Trains');
    await writeAfter(two, 'Book early.', ' Planes last.');
    await writeAfter(two, 'Hotels cost 120.', ' A night.');
    await one.page.keyboard.press(save);
    await says(one, /^Saved/);

    two.expect(409);
    await two.page.keyboard.press(save);
    await two.get('heading', 'Someone else changed this document').waitFor();
    await says(two, 'Editor');
    await says(two, /Trains/);
    await two.judge('two changes side by side');
    // Nothing is decided for the person, and the rest merges by itself.
    assert.equal(await two.get('button', 'Save the result').isDisabled(), true);
    await two.get('button', 'Go to next undecided part').press('Enter');
    await two.page.keyboard.press('Space');
    await two.page.keyboard.press('ArrowRight');
    await two.page.keyboard.press('ArrowRight');
    assert.equal(await two.get('radio', 'Theirs, then mine').isChecked(), true);

    // A third change arrives in the meantime: the merge is merged again.
    await editor.rest.put('/v1/documents/handbook/travel.md', {
      content: (await stored('handbook/travel.md')).replace('Ask first.', 'Ask the office.'),
    });
    await two.get('button', 'Save the result').press('Enter');
    await two.page.locator('.part', { hasText: 'Ask the office.' }).waitFor();
    await two.get('button', 'Edit the result').waitFor();
    await two.get('button', 'Save the result').press('Enter');
    await says(two, /^Saved/);
    const merged =
      '# Travel\n\nBook early. Trains first.\nBook early. Planes last.\n\nHotels cost 120. A night.\n\nAsk the office.\n';
    assert.equal(await stored('handbook/travel.md'), merged);
    assert.equal(await sourceOf(two).evaluate((element) => element.textContent?.includes('Planes last.')), true);
    two.judgeConsole('after the merge');
    one.judgeConsole('the first to save');
  });

  it('disables saving while an agent has a claim, and enables it when the claim ends', async () => {
    await editor.rest.create('handbook/claimed.md', 'One line.\n');
    const page = await openEditor(editor, 'handbook/claimed.md');
    const claim = await second.rest.post('/v1/claims', {
      location: 'handbook/claimed.md',
      purpose: 'New <b>rates</b>',
    });
    await says(page, 'Someone is working on this document');
    await says(page, 'New <b>rates</b>');
    assert.equal(await page.get('button', /^Save/).isDisabled(), true);
    await writeAfter(page, 'One line.', ' And more.');
    await says(page, 'Draft kept in this browser');
    await page.page.keyboard.press(save);
    await page.judge('claimed by another');
    assert.equal(await stored('handbook/claimed.md'), 'One line.\n');
    await second.rest.delete(`/v1/claims?id=${(claim.json as { id: string }).id}`);
    await says(page, 'The claim has ended. You can save again.');
    await page.page.keyboard.press(save);
    await says(page, /^Saved/);
    assert.equal(await stored('handbook/claimed.md'), 'One line. And more.\n');

    await page.get('button', 'Claim document').click();
    await page.get('button', 'Release claim').waitFor();
    const refused = await second.rest.put('/v1/documents/handbook/claimed.md', { content: 'Theirs.' });
    assert.equal(refused.status, 409);
    await page.get('button', 'Release claim').click();
    await page.get('button', 'Claim document').waitFor();
    page.judgeConsole('after the claims');
  });

  it('keeps a draft through a reload and a lost connection, for its writer alone', async () => {
    await editor.rest.create('handbook/draft.md', 'Stored.\n');
    const context = await test.browserOf(editor);
    const page = new WatchedPage(await context.newPage());
    await page.page.goto(test.addressOf('~/edit/handbook/draft.md'));
    await writeAfter(page, 'Stored.', ' Written.');
    await says(page, 'Draft kept in this browser');
    page.page.on('dialog', (dialog) => void dialog.accept());
    await page.page.reload();
    await says(page, 'Your draft is back');
    await page.judge('a restored draft');
    assert.match((await sourceOf(page).textContent()) ?? '', /Stored\. Written\./);

    // Someone else signs in on the same browser.
    await context.addCookies([{ ...(await test.sessionOf(second)), url: test.signIn.url }]);
    const other = new WatchedPage(await context.newPage());
    await other.page.goto(test.addressOf('~/edit/handbook/draft.md'));
    await sourceOf(other).getByText('Stored.', { exact: true }).waitFor();
    assert.equal(await other.page.getByText('Your draft is back').count(), 0);
    other.judgeConsole('the draft of another');
    await other.page.close();
    await context.addCookies([{ ...(await test.sessionOf(editor)), url: test.signIn.url }]);

    await context.setOffline(true);
    await page.page.keyboard.press(save);
    await says(page, /The service cannot be reached, so this is not saved yet/);
    await context.setOffline(false);
    page.forgive();
    await page.get('button', 'Save again').click();
    await says(page, /^Saved/);
    assert.equal(await stored('handbook/draft.md'), 'Stored. Written.\n');
    page.judgeConsole('the connection is back');
  });

  it('gives back every byte that was not touched', async () => {
    for (const [name, text] of [
      ['crlf.md', '\ufeff# Title\r\n\r\nOne.  \r\nTwo\ttabs.\r\nEdit me.\r\nno end'],
      ['mixed.md', 'a\r\nb\rc\nEdit me.\r\n\u2028 \u0085 \u00a0 e\u0301 \u200b\u202e\r\n\r\n'],
    ] as const) {
      await editor.rest.create(`handbook/${name}`, text);
      const page = await openEditor(editor, `handbook/${name}`);
      await page.page.keyboard.press(save);
      await says(page, /^Saved/);
      assert.equal(await stored(`handbook/${name}`), text);
      await writeAfter(page, 'Edit me.', ' Now.');
      await page.page.keyboard.press(save);
      await says(page, /^Saved/);
      assert.equal(await stored(`handbook/${name}`), text.replace('Edit me.', 'Edit me. Now.'));
      page.judgeConsole(name);
    }
  });

  it('is safe from what a document says', async () => {
    const hostile = '<img src=x onerror=alert(1)>\n\n[x](javascript:alert(1))\n\n<script>alert(1)</script>\n';
    await editor.rest.create('handbook/hostile.md', hostile);
    const page = await test.open(editor, '~/edit/handbook/hostile.md', { width: 1280, height: 800, scheme: 'dark' });
    await page.get('region', 'Preview').getByText('<script>alert(1)</script>').waitFor();
    assert.equal(await page.page.locator('.editor-preview script, .editor-preview img').count(), 0);
    assert.equal(await page.page.locator('a[href^="javascript:"]').count(), 0);
    await page.judge('a hostile document');
  });

  it('makes a document once, where it was told to, though the answer was lost', async () => {
    const page = await test.open(editor, '~/new?folder=handbook');
    const location = page.get('textbox', 'Location');
    await location.waitFor();
    assert.equal(await location.inputValue(), 'handbook/');
    await page.page.keyboard.press(save);
    await says(page, 'Write the name of the document after the folder.');
    await page.judge('a location that is missing');
    await location.fill('handbook/New rates');
    await sourceOf(page).click();
    assert.equal(await location.inputValue(), 'handbook/New rates.md');
    await page.page.keyboard.type('- one');
    await page.page.keyboard.press('Enter');
    await page.page.keyboard.type('two');
    // The request arrives, and its answer does not.
    await page.page.route('**/documents', async (route) => {
      await route.fetch();
      await route.abort('connectionreset');
    });
    await page.page.keyboard.press(save);
    await says(page, /this is not saved yet/);
    await page.page.unroute('**/documents');
    page.forgive();
    await page.page.keyboard.type(' and more');
    await page.page.keyboard.press(save);
    await page.page.waitForURL(/\/d\/handbook\/New%20rates\.md$/);
    assert.equal(await stored('handbook/New%20rates.md'), '- one\n- two and more');
    assert.equal(await versionsOf('handbook/New rates.md'), 2);
    page.judgeConsole('a document made');
  });

  it('says that a name is taken, and lets a reader read', async () => {
    await editor.rest.create('handbook/taken.md', 'Theirs.');
    const page = await test.open(editor, '~/new?folder=handbook');
    await page.get('textbox', 'Location').fill('handbook/taken.md');
    page.expect(409);
    await page.page.keyboard.press(save);
    await says(page, 'Something is at this location already. Choose another one.');
    await page.judge('a name that is taken');
    assert.equal(await stored('handbook/taken.md'), 'Theirs.');

    const phone = await test.open(reader, '~/edit/handbook/taken.md', { width: 320, height: 640 });
    await says(phone, 'You may read this document, but not change it');
    assert.equal(await phone.get('button', /^Save/).isDisabled(), true);
    await phone.judge('a reader with a phone');
    phone.expect(404);
    await phone.page.goto(test.addressOf('~/edit/secret/plan.md'));
    await phone.get('heading', /does not exist, or you do not have access/).waitFor();
    await phone.judge('nothing to edit');
  });

  it('asks before it is left with unsaved changes, and gives a draft up on request', async () => {
    await editor.rest.create('handbook/left.md', 'Stored.\n');
    const page = await openEditor(editor, 'handbook/left.md');
    await writeAfter(page, 'Stored.', ' Written.');
    await page.get('link', 'Trash').click();
    await page.get('heading', 'Leave without saving?').waitFor();
    await page.judge('asked before leaving');
    await page.get('button', 'Cancel').click();
    await page.get('button', 'Discard').click();
    await page.get('button', 'Discard changes').click();
    await sourceOf(page).getByText('Stored.', { exact: true }).waitFor();
    await page.get('link', 'Trash').click();
    await page.page.waitForURL(/\/trash$/);
    page.judgeConsole('left');
  });

  it('brings no draft back that was given up', async () => {
    await editor.rest.create('handbook/given-up.md', 'Stored.\n');
    for (const [address, written] of [
      ['~/edit/handbook/given-up.md', 'Stored.'],
      ['~/new?folder=handbook', undefined],
    ] as const) {
      const page = await test.open(editor, address);
      await sourceOf(page).click();
      await page.page.keyboard.type('Given up. ');
      await says(page, 'Draft kept in this browser');
      page.page.on('dialog', (dialog) => void dialog.accept());
      await page.page.reload();
      await says(page, 'Your draft is back');
      await page.get('button', 'Discard').last().click();
      await page.get('button', 'Discard changes').click();
      await page.page.getByText('Your draft is back').waitFor({ state: 'detached' });
      await sourceOf(page)
        .getByText(written ?? 'Write here', { exact: true })
        .waitFor();
      assert.equal(await page.page.getByText('Given up.').count(), 0, address);
      page.judgeConsole(address);
    }
  });

  it('leaves the draft alone once another tab has the document', async () => {
    await editor.rest.create('handbook/tabs.md', 'Stored.\n');
    const context = await test.browserOf(editor);
    const one = new WatchedPage(await context.newPage());
    await one.page.goto(test.addressOf('~/edit/handbook/tabs.md'));
    await writeAfter(one, 'Stored.', ' First.');
    await says(one, 'Draft kept in this browser');
    const two = new WatchedPage(await context.newPage());
    await two.page.goto(test.addressOf('~/edit/handbook/tabs.md'));
    await two.get('button', 'Go on here').click();
    await writeAfter(two, 'Stored. First.', ' Second.');
    await says(two, 'Draft kept in this browser');
    await says(one, 'You are editing this document in another tab');
    assert.equal(await one.page.getByText('Your draft is back').count(), 0);
    await one.page.evaluate("window.dispatchEvent(new Event('pagehide'))");
    // A change is read after those that were asked for before it.
    const kept = await one.page.evaluate(`new Promise((resolve) => {
      indexedDB.open('cartulary-drafts').onsuccess = ({ target }) => {
        target.result.transaction('drafts', 'readwrite').objectStore('drafts').getAll().onsuccess = (read) =>
          resolve(read.target.result.map(({ text }) => text));
      };
    })`);
    assert.deepEqual(kept, ['Stored. First. Second.\n']);
    two.judgeConsole('the second tab');
  });

  it('gives each new document a draft of its own, though two tabs begin at once', async () => {
    const context = await test.browserOf(editor);
    const begin = async (): Promise<WatchedPage> => {
      const page = new WatchedPage(await context.newPage());
      // The other tab takes the place after this one has looked.
      await page.page.addInitScript(`{
        const look = navigator.locks.query.bind(navigator.locks);
        let looks = 0;
        navigator.locks.query = async () => (looks++ === 0 ? { held: [], pending: [] } : look());
      }`);
      await page.page.goto(test.addressOf('~/new?folder=handbook'));
      await sourceOf(page).click();
      return page;
    };
    const one = await begin();
    await one.page.keyboard.type('The first one.');
    await says(one, 'Draft kept in this browser');
    const two = await begin();
    assert.equal(await two.page.getByText('The first one.').count(), 0);
    await two.page.keyboard.type('The second one.');
    await says(two, 'Draft kept in this browser');
    two.judgeConsole('the second new document');
    await Promise.all([one.page.close(), two.page.close()]);
    const texts = new Set<string | null>();
    for (const _ of [1, 2]) {
      const page = new WatchedPage(await context.newPage());
      await page.page.goto(test.addressOf('~/new?folder=handbook'));
      await says(page, 'Your draft is back');
      texts.add(await sourceOf(page).textContent());
    }
    assert.deepEqual(texts, new Set(['The first one.', 'The second one.']));
  });

  it('takes what is written during the creation along, and waits for nothing after it', async () => {
    const page = await test.open(editor, '~/new?folder=handbook');
    await page.get('textbox', 'Location').fill('handbook/quick.md');
    await sourceOf(page).click();
    await page.page.keyboard.type('Before.');
    let goOn = (): void => undefined;
    const written = new Promise<void>((resolve) => {
      goOn = resolve;
    });
    let isCreated = false;
    await page.page.route('**/documents', async (route) => {
      await written;
      isCreated = true;
      await route.continue();
    });
    // The lists of the page come late.
    await page.page.route(
      () => isCreated,
      async (route) => {
        const isList = route.request().method() === 'GET' && /session|\/folders/.test(route.request().url());
        if (!isList) await route.fallback();
      },
    );
    await page.page.keyboard.press(save);
    await says(page, 'Saving…');
    await page.page.keyboard.type(' During.');
    goOn();
    await page.page.waitForURL(/\/edit\/handbook\/quick\.md$/, { timeout: 10_000 });
    await sourceOf(page).getByText('Before. During.', { exact: true }).waitFor();
    assert.equal(await stored('handbook/quick.md'), 'Before.');
    page.judgeConsole('a document made quickly');
  });

  it('knows where a new document is that was made before its answer was lost', async () => {
    const page = await test.open(editor, '~/new?folder=handbook');
    await page.get('textbox', 'Location').fill('handbook/lost.md');
    await sourceOf(page).click();
    await page.page.keyboard.type('One.');
    await page.page.route('**/documents', async (route) => {
      await route.fetch();
      await route.abort('connectionreset');
    });
    await page.page.keyboard.press(save);
    await says(page, /this is not saved yet/);
    await page.page.unroute('**/documents');
    await page.page.keyboard.type(' Two.');
    // The document is found to be there, and the change of it does not arrive.
    await page.page.route('**/documents/**', (route) => route.abort('connectionreset'));
    const refused = page.page.waitForRequest((request) => request.method() === 'PUT');
    await page.page.keyboard.press(save);
    await refused;
    await says(page, /this is not saved yet/);
    await says(page, 'Draft kept in this browser');
    await page.page.unroute('**/documents/**');
    page.forgive();
    page.page.on('dialog', (dialog) => void dialog.accept());
    await page.page.reload();
    await says(page, 'Your draft is back');
    assert.equal(await page.get('textbox', 'Location').inputValue(), 'handbook/lost.md');
    await page.page.keyboard.press(save);
    await page.page.waitForURL(/\/d\/handbook\/lost\.md$/);
    assert.equal(await stored('handbook/lost.md'), 'One. Two.');
  });

  it('renews its own claim shortly before it ends, and leaves a longer one as it is', async () => {
    await editor.rest.create('handbook/own.md', 'One line.\n');
    const location = 'handbook/own.md';
    const claimNow = async (): Promise<{ expires_at: string; purpose: string | null }> => {
      const { json } = await editor.rest.get(`/v1/claims?location=${encodeURIComponent(location)}`);
      const [claim] = (json as { items: { expires_at: string; purpose: string | null }[] }).items;
      assert.ok(claim);
      return claim;
    };
    const context = await test.browserOf(editor);
    // Ten minutes pass in half a second.
    await context.addInitScript(`{
      const every = window.setInterval;
      window.setInterval = (deed, delay) => every(deed, delay === 600_000 ? 500 : delay);
    }`);
    const page = new WatchedPage(await context.newPage());
    // The browser's clock is an hour ahead of the service's.
    await editor.rest.post('/v1/claims', { location, ttl_seconds: 7200, purpose: 'Rates' });
    const { expires_at: end } = await claimNow();
    await page.page.goto(test.addressOf(`~/edit/${location}`));
    await page.get('button', 'Release claim').waitFor();
    // The second look begins after all that the first one led to.
    const isLook = (answer: { url(): string; request(): { method(): string } }): boolean =>
      answer.request().method() === 'GET' && answer.url().includes('/claims');
    await page.page.waitForResponse(isLook);
    await page.page.waitForResponse(isLook);
    assert.deepEqual(await claimNow().then(({ expires_at, purpose }) => [expires_at, purpose]), [end, 'Rates']);

    await editor.rest.post('/v1/claims', { location, ttl_seconds: 60 });
    const renewed = page.page.waitForResponse((answer) => answer.request().method() === 'POST');
    assert.equal((await renewed).status(), 200);
    const { expires_at: later, purpose } = await claimNow();
    assert.equal(Date.parse(end) - Date.parse(later), 90 * 60_000);
    assert.equal(purpose, 'Rates');
  });

  const stored = async (location: string): Promise<string> => {
    const { json } = await editor.rest.get(`/v1/documents/${location}`);
    return (json as { content: string }).content;
  };

  const versionsOf = async (location: string): Promise<number> => {
    const { json } = await editor.rest.get(`/v1/history?location=${encodeURIComponent(location)}`);
    return (json as { items: readonly object[] }).items.length;
  };

  const openEditor = async (person: ConsolePerson, location: string): Promise<WatchedPage> => {
    const page = await test.open(person, `~/edit/${location}`);
    await sourceOf(page).waitFor();
    return page;
  };

  const sourceOf = ({ page }: WatchedPage) => page.getByRole('textbox', { name: 'Text of the document' });

  /** Writes at the end of a line that has these words. */
  const writeAfter = async (page: WatchedPage, words: string, text: string): Promise<void> => {
    await sourceOf(page).getByText(words, { exact: true }).click();
    await page.page.keyboard.press('End');
    await page.page.keyboard.type(text);
  };

  const says = ({ page }: WatchedPage, words: string | RegExp): Promise<void> =>
    page.getByText(words).first().waitFor();
});
