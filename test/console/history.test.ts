import assert from 'node:assert/strict';
import { WatchedPage } from '../support/browser/chromium.js';
import { until } from '../support/until.js';
import { openConsole, type ConsoleTest } from './support/open-console.js';
import { fillHistory, hostileName, type HistoryWorld } from './support/history-world.js';

const place = '~/history/handbook/travel.md';
/** The document with the slip that is taken back. */
const slip = '~/history/handbook/slip.md';

describe('The history of a document in the console', function () {
  this.timeout(120_000);

  let test: ConsoleTest;
  let world: HistoryWorld;

  before(async function () {
    test = await openConsole(this);
    world = await fillHistory(test);
  });
  after(() => test?.close());

  it('lists versions by day with who wrote them, of which kind, and why', async () => {
    const person = await test.open(world.reader, place);
    await entries(person).first().waitFor();
    const said = await entries(person).allInnerTexts();
    assert.equal(said.length, 5);
    const order = [
      /Edited\s+Editor\s+person\s+current/,
      /Edited/,
      /Drive\s+connector/,
      /Travel desk\s+agent/,
      /Created\s+Admin/,
    ];
    for (const [index, expected] of order.entries()) assert.match(said[index] ?? '', expected);
    await person.judge('the timeline');
    // What a stranger wrote is text, and what would turn it around is seen.
    assert.match(said[1] ?? '', /<script>alert\(2\)<\/script>[\s\S]*<img src=x onerror=alert\(1\)> U\+202Egnp\.exe/);
    assert.equal(await person.page.locator('.history-entry img, .history-entry script').count(), 0);
    assert.equal(await person.page.getByRole('link', { name: /^Restore/ }).count(), 0, 'a reader restores nothing');
  });

  it('compares the versions that a person chooses, and keeps them in the address', async () => {
    const person = await test.open(world.editor, place, { width: 1280 });
    await entries(person).first().waitFor();
    const boxes = person.page.getByRole('checkbox');
    await boxes.nth(0).focus();
    await person.page.keyboard.press('Space');
    await person.page.getByText('Choose a second version to compare.').waitFor();
    await boxes.nth(4).check();
    await person.judge('with two chosen versions');
    await person.get('link', 'Compare').click();
    await person.page.waitForURL(/from=[0-9a-f]{40}&to=[0-9a-f]{40}$/);
    await person.page.locator('.diff.side-by-side').waitFor();
    assert.deepEqual(await person.page.locator('del .diff-mark').first().allTextContents(), ['Travel']);
    await person.judge('side by side');
    // From change to change by keys; the focus goes along.
    await person.page.keyboard.press('Alt+ArrowDown');
    await person.page.keyboard.press('Alt+ArrowDown');
    await person.page.getByText('Change 2 of 5', { exact: true }).waitFor();
    await person.page.locator('[data-change="1"]:focus').waitFor();
    // Unchanged lines unfold.
    await person
      .get('button', /^Show \d+ unchanged lines$/)
      .first()
      .click();
    await person.page.getByRole('cell', { name: 'Rule 9 for trips.' }).first().waitFor();
    await person.get('button', 'Show in one column').click();
    await person.page.locator('.diff:not(.side-by-side)').waitFor();
    // Another version: the address follows, and a reload shows the same.
    const from = person.page.getByLabel('From');
    const before = await from.locator('option').nth(1).getAttribute('value');
    await from.focus();
    await from.selectOption(before ?? '');
    await person.page.waitForURL(new RegExp(`from=${before ?? ''}`));
    assert.equal(await from.evaluate(isFocused), true, 'the focus stays with the choice');
    await person.page.reload();
    await person.page.locator('ins .diff-mark').first().waitFor();
    assert.equal(await from.inputValue(), before);
  });

  it('takes back a wrong edit: shows what changes, restores the text before, and undoes that again', async () => {
    const wrong = await textOf();
    const person = await test.open(world.editor, slip, { width: 1280 });
    await person
      .get('link', /^Changes/)
      .first()
      .click();
    await person.get('link', 'Undo this change').click();
    await person.get('button', 'Restore this version').waitFor();
    assert.match(await person.page.locator('del').first().innerText(), /Traveling/);
    await person.judge('before a restore');
    await person.page.getByLabel('Note (optional)').fill('Back to the rules');
    await person.page.keyboard.press('Enter');
    await person.page.getByText('Restored an older version').waitFor();
    assert.match(await entries(person).first().innerText(), /Editor[\s\S]*current[\s\S]*Back to the rules/);
    assert.match(await textOf(), /Rule 1 for trips\./);
    // The wrong edit can still be read.
    const later = await entries(person).nth(1).getByRole('link', { name: /^View/ }).getAttribute('href');
    const version = new URL(later ?? '', person.page.url()).searchParams.get('v') ?? '';
    assert.equal(await textOf(version), wrong);
    await person.get('button', 'Undo').click();
    await until('the restore is undone', async () => (await textOf()) === wrong);
    await until('the timeline shows it', async () => (await entries(person).count()) === 7);
    await entries(person).nth(1).getByRole('link', { name: /^View/ }).click();
    await person.page.getByText('Rule 1 for trips.').waitFor();
    await person.page
      .getByRole('link', { name: /current version/i })
      .first()
      .waitFor();
    person.judgeConsole('after a restore');
  });

  it('restores nothing over a version that the person has not seen', async () => {
    const person = await test.open(world.editor, slip);
    await person
      .get('link', /^Restore/)
      .last()
      .click();
    await person.get('button', 'Restore this version').waitFor();
    await world.write(world.admin.id, 'handbook/slip.md', `${await textOf()}Meanwhile.\n`);
    person.expect(409);
    await person.get('button', 'Restore this version').click();
    await person.page.getByText('A newer version was written in the meantime').waitFor();
    await person.judge('overtaken');
    assert.match(await textOf(), /Meanwhile/);
    await person.get('button', 'Compare with it').click();
    await person.page.locator('del', { hasText: 'Meanwhile.' }).waitFor();
    await person.get('button', 'Restore this version').click();
    await person.page.getByText('Restored an older version').first().waitFor();
    assert.doesNotMatch(await textOf(), /Meanwhile/);
  });

  it('shows another person’s version within seconds', async () => {
    const person = await test.open(world.reader, slip);
    await entries(person).first().waitFor();
    await world.write(world.admin.id, 'handbook/slip.md', `${await textOf()}From elsewhere.\n`, 'Written elsewhere');
    await person.page.getByText('Written elsewhere').waitFor();
  });

  it('shows a version that came between the reading of the history and the first look for changes', async () => {
    const person = new WatchedPage(await (await test.browserOf(world.reader)).newPage());
    let release = (): void => undefined;
    const held = new Promise<void>((resolve) => (release = resolve));
    await person.page.route('**/live?**', async (route) => {
      await held;
      await route.continue();
    });
    await person.page.goto(test.addressOf(slip));
    await entries(person).first().waitFor();
    await world.write(world.admin.id, 'handbook/slip.md', `${await textOf()}In between.\n`, 'Written in between');
    release();
    await person.page.getByText('Written in between').waitFor();
  });

  it('shows one page for a stranger, an absent document and an absent version', async () => {
    const person = await test.open(world.stranger, place);
    person.expect(404);
    const texts: string[] = [];
    for (const address of [
      place,
      '~/history/handbook/none.md',
      `${place}?lines=current`,
      `${place}?to=${'0'.repeat(40)}`,
    ]) {
      await person.page.goto(test.addressOf(address));
      const heading = person.get('heading', /does not exist, or you do not have access/);
      await heading.waitFor();
      texts.push(await heading.innerText());
    }
    await person.judge('nothing there');
    assert.equal(texts[0], texts[1]);
    assert.equal(texts[2], texts[3]);
  });

  it('says that the service is unavailable, and comes back', async () => {
    const person = await test.open(world.reader, '~/trash');
    person.expect(503);
    let isDown = true;
    await person.page.route('**/history?*', (route) =>
      isDown ? route.fulfill({ status: 503, headers: { 'Retry-After': '0' } }) : route.continue(),
    );
    await person.page.goto(test.addressOf(place));
    const again = person.get('button', 'Try again');
    await again.waitFor();
    await person.judge('unavailable');
    isDown = false;
    await again.click();
    await entries(person).first().waitFor();
  });

  it('works on a phone in the dark', async () => {
    const person = await test.open(world.editor, place, { scheme: 'dark', width: 320 });
    await entries(person).first().waitFor();
    await person.judge('the timeline on a phone');
    await person
      .get('link', /^Changes/)
      .first()
      .click();
    await person.page.locator('.diff:not(.side-by-side)').waitFor();
    await person.judge('changes on a phone');
  });

  describe('who wrote each line', () => {
    it('names person, agent and connector, and leads to the change and to the text before it', async () => {
      const person = await test.open(world.reader, place, { width: 1280 });
      await person.get('link', 'Show who wrote each line').click();
      await person.page.locator('main:focus').waitFor();
      // Who changed that sentence?
      const stretch = person.page.locator('.lines-stretch', { hasText: 'by plane above 800 km' });
      await stretch.getByRole('button', { name: /Travel desk\s*agent/ }).waitFor();
      const others = person.page.locator('.lines-stretch', { hasText: 'came from the drive' });
      await others.getByRole('button', { name: /Drive\s*connector/ }).waitFor();
      await person.page.getByRole('button', { name: hostileName }).waitFor();
      await person.judge('who wrote each line');
      await stretch.getByRole('button').focus();
      await person.page.keyboard.press('Enter');
      await stretch.getByText('Planes, as agreed').waitFor();
      await person.judge('with its card');
      await person.page.keyboard.press('Tab');
      assert.equal(await stretch.getByRole('link', { name: 'Show this change' }).evaluate(isFocused), true);
      await person.page.keyboard.press('Escape');
      assert.equal(await stretch.getByRole('button').evaluate(isFocused), true);
      await person.page.keyboard.press('Enter');
      await stretch.getByRole('link', { name: 'Before this change' }).click();
      await person.page.locator('.lines-stretch', { hasText: 'Staff travel by train.' }).waitFor();
      assert.equal(await person.page.getByRole('button', { name: /agent/ }).count(), 0);
      await person.page.goBack();
      await stretch.getByRole('button').hover();
      await stretch.getByRole('link', { name: 'Show this change' }).click();
      await person.page.locator('ins', { hasText: 'by plane above 800 km' }).waitFor();
    });

    it('works on a phone in the dark', async () => {
      const person = await test.open(world.reader, `${place}?lines=current`, { scheme: 'dark', width: 320 });
      await person.page.locator('.lines-stretch').first().waitFor();
      await person.judge('lines on a phone');
    });
  });

  describe('of unusual size or kind', () => {
    it('says that bytes are not compared, and that equal content is the same', async () => {
      await world.admin.rest.create('handbook/photo.bin', 'x');
      await world.write(world.admin.id, 'handbook/photo.bin', 'a\0b');
      const last = await world.write(world.admin.id, 'handbook/photo.bin', 'a\0b');
      const person = await test.open(world.reader, `~/history/handbook/photo.bin?to=${last}`);
      await person.get('heading', 'Both versions have the same content').waitFor();
      await person.get('link', 'History').click();
      await person
        .get('link', /^Changes/)
        .nth(1)
        .click();
      await person.get('heading', 'These versions are not text').waitFor();
      await person.judge('not text');
      await person.page.goto(test.addressOf('~/history/handbook/photo.bin?lines=current'));
      await person.get('heading', 'This version is not text').waitFor();
    });

    it('pages through a history of 500 versions, without a total', async () => {
      await world.admin.rest.create('handbook/long.md', 'version 0');
      for (let count = 1; count < 500; count += 1)
        await world.write(world.admin.id, 'handbook/long.md', `version ${count}`);
      const person = await test.open(world.reader, '~/history/handbook/long.md');
      await entries(person).nth(49).waitFor();
      assert.equal(await entries(person).count(), 50);
      for (let page = 2; page <= 10; page += 1) {
        await person.get('button', 'Load more').click();
        await entries(person)
          .nth(50 * page - 1)
          .waitFor();
      }
      assert.equal(await person.get('button', 'Load more').count(), 0);
      assert.match(await entries(person).last().innerText(), /Created/);
      assert.doesNotMatch(await person.page.locator('main').innerText(), /\b500\b/);
    });

    it('shows 200 changes of 20,000 lines piece by piece, with the bar first', async () => {
      const lines = Array.from({ length: 20_000 }, (_, index) => `line ${index} of a long text`);
      await world.admin.rest.create('handbook/large.md', lines.join('\n'));
      const changed = lines.map((line, index) => (index % 100 === 50 ? `${line}, changed` : line));
      const to = await world.write(world.admin.id, 'handbook/large.md', changed.join('\n'));
      const person = await test.open(world.reader, '~/trash', { width: 1280 });
      // Counts the rows that come in one piece of work of the page.
      await person.page.addInitScript(`
        window.mostRows = 0;
        document.addEventListener('DOMContentLoaded', () => {
          new MutationObserver((changes) => {
            let rows = 0;
            for (const { addedNodes } of changes) for (const node of addedNodes)
              rows += node.nodeType === 1 ? node.querySelectorAll('.diff tr').length + (node.closest('.diff') ? node.querySelectorAll('tr').length : 0) : 0;
            window.mostRows = Math.max(window.mostRows, rows);
          }).observe(document, { childList: true, subtree: true });
        });`);
      await person.page.goto(test.addressOf(`~/history/handbook/large.md?to=${to}`));
      await person.page.getByText('200 changes').waitFor();
      await person.page.keyboard.press('Alt+ArrowUp');
      await person.get('button', 'Next change').click();
      await person.page.getByText('Change 2 of 200', { exact: true }).waitFor();
      await person.page.locator('[data-change="199"]').waitFor({ state: 'attached' });
      const most = Number(await person.page.evaluate('window.mostRows'));
      assert.ok(most > 0 && most < 300, `${most} rows came at once`);
      person.judgeConsole('a large diff');
    });
  });

  const textOf = async (version = ''): Promise<string> => {
    const query = version === '' ? '' : `?version=${version}`;
    return (await world.admin.rest.get(`/v1/documents/handbook/slip.md${query}`)).json.content as string;
  };

  const entries = ({ page }: WatchedPage) => page.locator('.history-entry');
});

const isFocused = (element: { readonly ownerDocument: { readonly activeElement: unknown } }): boolean =>
  element.ownerDocument.activeElement === element;
