import assert from 'node:assert/strict';
import type { WatchedPage } from '../support/browser/chromium.js';
import { makePdf } from '../support/files/make-pdf.js';
import { mirror } from '../support/store/place.js';
import { until } from '../support/until.js';
import { openConsole, type ConsolePerson, type ConsoleTest } from './support/open-console.js';

const guide = `---
owner: desk
---
# Travel guide

Book trains for trips under **six hours**. See the [hotels](#hotels) and [the other page](other.md).

## Hotels

| City | Rate |
| --- | ---: |
| Bern | 140 |

- [x] Ask the desk
- [ ] Keep the receipt

### Breakfast

\`\`\`js
const answer = 42;
\`\`\`

![A map](img/map.png) and ![a logo](https://example.com/logo.png).

## Trains

> Second class, unless a night train is meant. The fox runs. The dog sleeps.
`;

/** One grey dot. */
const dot = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR42mOoBwAAgQCBU9cmVwAAAABJRU5ErkJggg==',
  'base64',
);

describe('The reader', function () {
  this.timeout(120_000);

  let test: ConsoleTest;
  let approver: ConsolePerson;
  let editor: ConsolePerson;
  let reader: ConsolePerson;
  let stranger: ConsolePerson;
  const wide = { width: 1440, height: 900 };

  before(async function () {
    test = await openConsole(this);
    approver = await test.person('Approver', { handbook: 'approver' });
    editor = await test.person('Editor', { handbook: 'editor' });
    reader = await test.person('Reader', { handbook: 'reader' });
    stranger = await test.person('Stranger');
    await editor.rest.create('handbook/guide.md', guide);
    await editor.rest.create('handbook/other.md', '# Other\n');
    const png = { 'If-None-Match': '*', 'Content-Type': 'image/png' };
    await editor.rest.send('PUT', '/v1/files/handbook/img/map.png', { body: dot, headers: png });
  });
  after(() => test?.close());

  it('shows Markdown as a page: headings, tables, tasks, code, images of the workspace', async () => {
    const page = await test.open(editor, '~/d/handbook/guide.md', wide);
    await page.get('heading', 'Travel guide').waitFor();
    await page.get('img', 'Done').waitFor();
    const image = page.get('img', 'A map');
    await image.scrollIntoViewIfNeeded();
    await until('the image of the workspace has come', () =>
      image.evaluate((element) => (element as unknown as { naturalWidth: number }).naturalWidth === 1),
    );
    const outside = page.get('link', 'Image: a logo');
    assert.equal(await outside.getAttribute('href'), 'https://example.com/logo.png');
    await page.judge('rendered');
    await page.page.setViewportSize({ width: 320, height: 640 });
    await page.judge('rendered on a phone');
  });

  it('leads by relative links to other documents, and by its contents to sections', async () => {
    const page = await test.open(reader, '~/d/handbook/guide.md', { width: 1440, height: 400 });
    const contents = page.page.getByRole('navigation', { name: 'Contents' });
    await contents.getByRole('link', { name: 'Trains' }).click();
    await until(
      'the contents mark the section that is read',
      async () => (await contents.locator('[aria-current]').textContent()) === 'Trains',
    );
    await page.get('link', 'the other page').focus();
    await page.page.keyboard.press('Enter');
    await page.page.waitForURL(test.addressOf('~/d/handbook/other.md'));
    await page.get('heading', 'Other').waitFor();
    assert.equal(await page.page.getByRole('link', { name: 'Edit' }).count(), 0);
    page.judgeConsole('the links');
  });

  it('shows the source, by an address of its own', async () => {
    const page = await test.open(reader, '~/d/handbook/guide.md', { ...wide, scheme: 'dark' });
    await page.get('link', 'Source').click();
    await page.page.waitForURL(/view=source$/);
    await shows(page, 'owner: desk');
    await page.judge('source in the dark');
  });

  it('keeps a link to one version, and says when it is an older one', async () => {
    const { json } = await editor.rest.create('handbook/old.md', 'First words.');
    await editor.rest.put('/v1/documents/handbook/old.md', { content: 'Second words.' });
    const page = await test.open(reader, `~/d/handbook/old.md?v=${json.version.id}`, wide);
    await shows(page, 'First words.');
    await shows(page, 'You are reading an older version');
    await page.judge('older version');
    await page.get('link', 'Go to current version').click();
    await shows(page, 'Second words.');
  });

  it('warns of characters that a reader does not see, and shows them in the source', async () => {
    await editor.rest.create('handbook/hidden.md', 'Pay \u202e001\u202c today.\nze\u200bro\n');
    const page = await test.open(reader, '~/d/handbook/hidden.md', wide);
    await shows(page, 'This text has 3 hidden characters');
    await page.page.getByText('Which ones').click();
    await shows(page, 'right-to-left override: line 1');
    await page.judge('hidden characters');
    await page.get('link', 'Show in source').click();
    await page.page.locator('mark', { hasText: 'U+200B' }).waitFor();
    await page.judge('hidden characters in the source');
  });

  it('shows an image, and tells about files and texts that it cannot show', async () => {
    const bytes = { 'If-None-Match': '*', 'Content-Type': 'application/pdf' };
    await editor.rest.send('PUT', '/v1/files/handbook/paper.pdf', { body: Buffer.from([0, 1, 2]), headers: bytes });
    await editor.rest.create('handbook/long.md', 'word '.repeat(120_000));
    const page = await test.open(reader, '~/d/handbook/img/map.png', wide);
    await page.get('img', 'map.png').waitFor();
    await page.judge('an image');
    await page.page.goto(test.addressOf('~/d/handbook/paper.pdf'));
    await page.get('link', 'Download file').waitFor();
    await page.judge('a file');
    await page.page.goto(test.addressOf('~/d/handbook/long.md'));
    await page.get('heading', 'This text is too long to show here').waitFor();
    await page.judge('a long text');
  });

  it('shows the text of a PDF page by page on request, at the page that the address names, or says why there is none', async () => {
    const headers = { 'If-None-Match': '*', 'Content-Type': 'application/pdf' };
    const body = makePdf([['Travel by train'], ['Hotels cost 140']]);
    await editor.rest.send('PUT', '/v1/files/handbook/travel.pdf', { body, headers });
    await editor.rest.send('PUT', '/v1/files/handbook/noise.pdf', { body: Buffer.from('%PDF-1.4 noise\0'), headers });
    await test.server.host.workspace.texts.files.settled();
    const page = await test.open(reader, '~/d/handbook/travel.pdf', wide);
    await shows(page, 'Text can be searched');
    await shows(page, '2 parts.');
    await page.get('button', 'Show its text').click();
    await page.get('heading', 'Page 2').waitFor();
    await shows(page, 'Hotels cost 140');
    await page.judge('the text of a file');
    await page.page.goto(test.addressOf('~/d/handbook/travel.pdf#page-2'));
    await page.page.reload();
    await shows(page, 'Hotels cost 140');
    await page.page.goto(test.addressOf('~/d/handbook/noise.pdf'));
    await shows(page, 'It is damaged, or is no file of its kind.');
    assert.equal(await page.page.getByRole('button', { name: 'Try again' }).count(), 0, 'a reader');
    await page.judge('a file without text');
    const editing = await test.open(editor, '~/d/handbook/noise.pdf', wide);
    await editing.get('button', 'Try again').click();
    await shows(editing, 'Text is being read');
    await editing.judge('a text that waits');
  });

  it('says that a mirror is changed at its source', async () => {
    await editor.rest.create('handbook/mirrored/copy.md', 'copied');
    await mirror(test.server.host, 'handbook/mirrored');
    const page = await test.open(editor, '~/d/handbook/mirrored/copy.md', wide);
    await shows(page, 'This document is a mirror');
    assert.equal(await page.page.getByRole('link', { name: 'Edit' }).count(), 0);
    await page.judge('a mirror');
  });

  it('is the same page for a document out of reach and for none', async () => {
    const page = await test.open(stranger, '~/d/handbook/guide.md', wide);
    page.expect(404);
    const text = async (address: string): Promise<string> => {
      await page.page.goto(test.addressOf(address));
      await page.get('heading', /does not exist, or you do not have access/).waitFor();
      return page.page.locator('.state').innerText();
    };
    assert.equal(await text('~/d/handbook/guide.md'), await text('~/d/handbook/none.md'));
    await page.judge('nothing to read');
  });

  it('a reader page adds and removes labels', async () => {
    await editor.rest.create('handbook/labelled.md', 'text');
    const page = await test.open(editor, '~/d/handbook/labelled.md', wide);
    await page.get('button', 'Add labels').click();
    await page.page.getByLabel('New label').fill('draft');
    await page.page.keyboard.press('Enter');
    await page.get('button', 'Remove label draft').waitFor();
    await page.judge('labels');
    await page.get('button', 'Remove label draft').click();
    await page.get('button', 'Remove label draft').waitFor({ state: 'detached' });
    await page.get('button', 'Done').click();
    assert.deepEqual((await editor.rest.get('/v1/labels?location=handbook/labelled.md')).json.labels, []);
  });

  it('takes and releases a claim, and an approver breaks the claim of another person', async () => {
    await editor.rest.create('handbook/claimed.md', '# Part\n');
    const page = await test.open(editor, '~/d/handbook/claimed.md', wide);
    const take = async (): Promise<void> => {
      await page.get('button', /^More actions/).click();
      await page.get('menuitem', 'Claim for editing').click();
      await page.page.getByLabel('Purpose (optional)').fill('New rates');
      await page.judge('the dialog of a claim');
      await page.get('button', 'Take claim').click();
      await page.get('button', 'Release claim').waitFor();
    };
    await take();
    await page.get('button', 'Release claim').click();
    await page.get('button', 'Release claim').waitFor({ state: 'detached' });
    await take();
    const other = await test.open(approver, '~/d/handbook/claimed.md', wide);
    await shows(other, 'New rates');
    await other.get('button', 'Break claim').click();
    await other.judge('the question before a claim is broken');
    await other.page.getByRole('dialog').getByRole('button', { name: 'Break claim' }).click();
    // The question has a button of the same name until it is answered.
    await other.page.getByRole('dialog').waitFor({ state: 'detached' });
    await other.get('button', 'Break claim').waitFor({ state: 'detached' });
    await page.get('button', 'Release claim').waitFor({ state: 'detached' });
    page.judgeConsole('the holder');
  });

  it('renames its document, and deletes it with a way back', async () => {
    await editor.rest.create('handbook/plan.md', '# Plan\n');
    const page = await test.open(editor, '~/d/handbook/plan.md', wide);
    // The old address is followed for a moment longer.
    page.expect(404);
    const choose = async (name: string): Promise<void> => {
      await page.get('button', /^More actions/).click();
      await page.get('menuitem', name).click();
    };
    await choose('Rename document');
    await page.page.getByLabel('New name').fill('goal.md');
    await page.page.keyboard.press('Enter');
    await page.page.waitForURL(test.addressOf('~/d/handbook/goal.md'));
    await page.get('heading', 'Plan').waitFor();
    await choose('Delete document');
    await page.page.waitForURL(test.addressOf('~/f/handbook'));
    await page.page.locator('.toast', { hasText: 'is deleted' }).getByRole('button', { name: 'Undo' }).click();
    await page.page.waitForURL(test.addressOf('~/d/handbook/goal.md'));
    await page.get('heading', 'Plan').waitFor();
    page.judgeConsole('renamed, deleted and brought back');
  });

  const shows = (page: WatchedPage, text: string): Promise<void> =>
    page.page.getByText(text).first().waitFor({ state: 'visible' });
});
