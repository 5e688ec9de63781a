import assert from 'node:assert/strict';
import { markSnippet } from '../../lib/console/web/screens/search/mark-snippet.js';
import { until } from '../support/until.js';
import { openConsole, type ConsolePerson, type ConsoleTest } from './support/open-console.js';

describe('The search of the console', function () {
  this.timeout(120_000);

  let test: ConsoleTest;
  let editor: ConsolePerson;

  before(async function () {
    test = await openConsole(this);
    editor = await test.person('Editor', { handbook: 'editor' });
    const admin = await test.person('Admin', { '': 'approver' });
    const hostile = '<img src=x onerror=alert(1)> the heron';
    await admin.rest.create('handbook/travel.md', 'Book trains for a heron of six hours.');
    await admin.rest.create('handbook/<b>heron.md', hostile);
    await admin.rest.create('handbook/birds.md', '# Birds\n\n## Of the mountains\n\nOne ptarmigan.\n');
    await admin.rest.create('secret/heron.md', 'The heron is here, too.');
    for (let index = 0; index < 24; index += 1) await admin.rest.create(`handbook/many/${index}.md`, `crane ${index}`);
  });
  after(() => test?.close());

  it('finds by words as they are typed, marks them, and is gone through by arrow keys', async () => {
    const person = await test.open(editor, '~/trash');
    await person.get('button', /^Account /).waitFor();
    await person.page.keyboard.press('/');
    await person.page.waitForURL(/\/search$/);
    await person.page.locator('input[type=search]:focus').waitFor();
    await person.page.keyboard.type('heron');
    await person.page.waitForURL(/\?q=heron$/);
    // The first letters may have been searched for before.
    const marks = person.page.locator('.hit mark');
    await until('the whole word is marked', async () => (await marks.allTextContents()).join(' ') === 'heron heron');
    assert.deepEqual(await person.page.locator('.hit-name').allTextContents(), ['<b>heron.md', 'travel.md']);
    await person.judge('with hits');
    await person.page.keyboard.press('ArrowDown');
    await person.page.keyboard.press('ArrowDown');
    await person.page.keyboard.press('Enter');
    await person.page.waitForURL(/\/d\/handbook\/travel\.md$/);
  });

  it('finds by the beginning of a word, leads to the section of a hit, and offers what was perhaps meant', async () => {
    const person = await test.open(editor, '~/search?q=ptarm');
    const link = person.page.locator('.hit-name');
    await link.waitFor();
    assert.match((await link.getAttribute('href')) ?? '', /birds\.md#of-the-mountains$/);
    await person.page.getByLabel('Search for').fill('ptramigan');
    await person.get('button', 'ptarmigan').waitFor();
    await person.judge('with a word that was perhaps meant');
    await person.get('button', 'ptarmigan').click();
    await person.page.waitForURL(/\?q=ptarmigan$/);
    await link.click();
    await person.page.waitForURL(/birds\.md#of-the-mountains$/);
  });

  it('shows folders by their names before documents, and leads to them', async () => {
    const person = await test.open(editor, '~/search?q=man');
    await person.page.getByLabel('Search for').fill('many');
    const folder = person.page.locator('.hit', { hasText: 'Folder in handbook' });
    await folder.waitFor();
    await person.judge('with a folder');
    await folder.locator('a').click();
    await person.page.waitForURL(/\/f\/handbook\/many$/);
  });

  it('keeps its filters in the address, and says what is empty', async () => {
    const person = await test.open(editor, '~/search?q=heron&in=handbook%2Fmany', { scheme: 'dark', width: 320 });
    await person.get('heading', 'Nothing found').waitFor();
    await person.judge('nothing found');
    await person.page.getByLabel('Folder').fill('handbook');
    await person.page.getByRole('list', { name: 'Results' }).waitFor();
    await person.judge('on a phone in the dark');
  });

  it('finds lines by an exact text or a pattern, and names what is wrong with one', async () => {
    const person = await test.open(editor, '~/search?q=heron');
    await person.page.getByText('Filters and query language').click();
    await person.page.getByLabel('Look for').selectOption('exact');
    await person.page.getByLabel('Search for').fill('a heron of');
    await person.page.getByRole('list', { name: 'Lines' }).waitFor();
    const lines = person.page.locator('.hit-lines code');
    await until('one line is left', async () => (await lines.allTextContents()).length === 1);
    assert.deepEqual(await lines.allTextContents(), ['Book trains for a heron of six hours.']);
    await person.judge('with lines');
    await person.page.getByLabel('Look for').selectOption('pattern');
    await person.page.getByLabel('Search for').fill('(?i)HERON$');
    await until(
      'both lines are there',
      async () => (await lines.allTextContents()).join() === '<img src=x onerror=alert(1)> the heron',
    );
    await person.page.getByLabel('Search for').fill('(heron');
    await person.page.getByText(/not in the syntax of RE2/).waitFor();
    await person.page.waitForURL(/match=pattern/);
  });

  it('loads more on demand, without a total', async () => {
    const person = await test.open(editor, '~/search?q=crane');
    await person.get('button', 'Load more').click();
    await person.page.locator('.hit').nth(23).waitFor();
    assert.equal(await person.get('button', 'Load more').count(), 0);
  });

  it('names what is wrong with a folder that is none', async () => {
    const person = await test.open(editor, '~/search?q=crane&in=..%2Fx');
    person.expect(400);
    await person.get('heading', 'That did not work').waitFor();
    await person.get('button', 'Copy request id').waitFor();
    await person.judge('a bad folder');
  });
});

describe('The marks of a snippet', () => {
  it('cut it into its parts, and lose nothing', () => {
    const parts = markSnippet('one two three', [
      [0, 3],
      [8, 13],
    ]);
    assert.deepEqual(
      parts.map(({ text, isMarked }) => [text, isMarked]),
      [
        ['one', true],
        [' two ', false],
        ['three', true],
      ],
    );
    assert.equal(markSnippet('none', []).length, 1);
  });
});
