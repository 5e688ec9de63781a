import assert from 'node:assert/strict';
import { Client } from '../support/store/client.js';
import type { WatchedPage } from '../support/browser/chromium.js';
import { until } from '../support/until.js';
import { openConsole, type ConsolePerson, type ConsoleTest } from './support/open-console.js';

const text = '# Guide\n\nThe **fox** runs far. The dog sleeps.\n\nA last line.\n';

describe('Comments and claims in the reader', function () {
  this.timeout(120_000);

  let test: ConsoleTest;
  let approver: ConsolePerson;
  let editor: ConsolePerson;
  let reader: ConsolePerson;
  const wide = { width: 1440, height: 900 };

  before(async function () {
    test = await openConsole(this);
    approver = await test.person('Approver', { a: 'approver' });
    editor = await test.person('Editor', { a: 'editor' });
    reader = await test.person('Reader', { a: 'reader' });
  });
  after(() => test?.close());

  it('are written on the whole document, answered, resolved and reopened', async () => {
    const [page, location] = await openFresh('whole');
    await write(page, 'Write a comment', 'Is this still true?');
    await page.get('button', 'Answer').click();
    await write(page, 'Write an answer', 'It is.');
    await page.judge('a thread');
    await page.get('button', 'Resolve').click();
    await page.get('button', 'Show resolved').click();
    await page.get('button', 'Reopen').click();
    await page.get('button', 'Resolve').waitFor();
    assert.deepEqual(await clientOf(reader).remarks(location), ['Is this still true?', 'It is.']);
  });

  it('comments quote the words that were selected in the rendered text, and mark them', async () => {
    const [page, location] = await openFresh('passage');
    await page.page.evaluate(`(() => {
      const paragraph = document.querySelector('.prose p');
      const range = document.createRange();
      range.setStart(paragraph.childNodes[0], 0);
      range.setEnd(paragraph.childNodes[2], 5);
      getSelection().addRange(range);
    })()`);
    await page.page.locator('.selection-action button').click();
    await page.judge('a passage that was chosen');
    await write(page, 'Write a comment', 'Which fox?');
    const [comment] = (await clientOf(reader).comments(location)).items;
    assert.equal(comment?.anchor.type === 'passage' && comment.anchor.quote, 'The **fox** runs');
    await until('the passage is marked', async () => (await marked(page, 'comment'))?.toString() === 'The fox runs');
    await page.get('link', 'Source').click();
    await until(
      'it is marked in the source',
      async () => (await marked(page, 'comment'))?.toString() === 'The **fox** runs',
    );
    page.judgeConsole('the marks');
  });

  it('are edited and deleted by their writer, and deleted by an approver', async () => {
    const [page, location] = await openFresh('own');
    await write(page, 'Write a comment', 'Frist.');
    const act = async (on: WatchedPage, name: string): Promise<void> => {
      await on
        .get('button', /^Actions for the comment/)
        .first()
        .click();
      await on.get('menuitem', name).click();
    };
    await act(page, 'Edit comment');
    await page.page.getByLabel('Comment', { exact: true }).fill('First.');
    await page.get('button', 'Save comment').click();
    await page.page.locator('.comment-text', { hasText: 'First.' }).waitFor();
    const moderator = await test.open(approver, `~/d/${location}`, wide);
    await act(moderator, 'Delete comment');
    await moderator.judge('the question before a comment is deleted');
    await moderator.page.getByRole('dialog').getByRole('button', { name: 'Delete comment' }).click();
    await moderator.page.locator('.comment-text').waitFor({ state: 'detached' });
    await page.page.locator('.comment-text').waitFor({ state: 'detached' });
    assert.deepEqual(await clientOf(reader).remarks(location), []);
  });

  it('of others appear while the page is open, marked as new, and so do versions, labels and claims', async () => {
    const [page, location] = await openFresh('live');
    test.server.host.clock.advance(1000);
    await clientOf(editor).comment(location, 'Look at this.');
    await page.page.locator('.comment.new', { hasText: 'Look at this.' }).waitFor();
    await clientOf(editor).labels('add', location, 'checked');
    await page.page.getByRole('list', { name: 'Labels' }).getByText('checked').waitFor();
    await clientOf(editor).update(location, '# Guide\n\nRewritten.\n');
    await page.page.getByText('Rewritten.').waitFor();
    await page.judge('after changes of others');
  });

  it('show a claim of an agent within seconds, and its end', async () => {
    const [page, location] = await openFresh('claimed');
    const { host } = test.server;
    const agent = await host.principal('Editing agent', 'agent');
    await host.grant('editor', { type: 'principal', id: agent }, 'a');
    const { id } = await clientOf({ id: agent }).claim(location, undefined, 600, 'Correcting the rates');
    await page.page.getByText('Correcting the rates').waitFor();
    await page.page.locator('.notice', { hasText: 'Editing agent' }).getByText('agent', { exact: true }).waitFor();
    await page.judge('a claim of an agent');
    await clientOf({ id: agent }).release(id);
    await page.page.getByText('Correcting the rates').waitFor({ state: 'detached' });
  });

  it('leave the page when its reader loses access', async () => {
    const guest = await test.person('Guest', { a: 'reader' });
    const [page] = await openFresh('revoked', guest);
    page.expect(404);
    await test.server.host.revoke('reader', { type: 'principal', id: guest.id }, 'a');
    await page.get('heading', /does not exist, or you do not have access/).waitFor();
    assert.equal(await page.page.getByText('The dog sleeps').count(), 0);
  });

  it('keep what was typed when the service cannot be reached, and send it once', async () => {
    const [page, location] = await openFresh('retry');
    await page.page.route('**/comments', (route) =>
      route.request().method() === 'POST' ? route.abort('connectionrefused') : route.continue(),
    );
    await page.page.getByLabel('Write a comment').fill('Kept.');
    await page.get('button', 'Comment').click();
    await page.page.getByText('The service could not be reached. Check').waitFor();
    page.forgive();
    await page.page.unrouteAll();
    await page.page.reload();
    assert.equal(await page.page.getByLabel('Write a comment').inputValue(), 'Kept.');
    await page.get('button', 'Comment').click();
    await page.page.locator('.comment-text', { hasText: 'Kept.' }).waitFor();
    assert.deepEqual(await clientOf(reader).remarks(location), ['Kept.']);
  });

  it('show what was stored by a try without an answer, before a changed text is sent', async () => {
    const [page, location] = await openFresh('changed');
    await page.page.route('**/comments', async (route) => {
      if (route.request().method() !== 'POST') return route.continue();
      await route.fetch();
      return route.abort('connectionreset');
    });
    const box = page.page.getByLabel('Write a comment');
    await box.fill('First.');
    await page.get('button', 'Comment').click();
    await page.page.getByText('The service could not be reached. Check').waitFor();
    page.forgive();
    await page.page.unrouteAll();
    page.expect(409);
    await box.fill('First. Second.');
    await page.get('button', 'Comment').click();
    await page.page.getByText('The first try succeeded').waitFor();
    await page.page.locator('.comment-text', { hasText: 'First.' }).waitFor();
    assert.equal(await box.inputValue(), 'First. Second.');
    assert.deepEqual(await clientOf(reader).remarks(location), ['First.']);
    await box.fill('Second.');
    await page.get('button', 'Comment').click();
    await page.page.locator('.comment-text', { hasText: 'Second.' }).waitFor();
    assert.deepEqual(await clientOf(reader).remarks(location), ['First.', 'Second.']);
  });

  const clientOf = ({ id }: { readonly id: string }): Client => new Client(test.server.host.workspace, id);

  const openFresh = async (name: string, person = reader): Promise<[WatchedPage, string]> => {
    const location = `a/${name}.md`;
    await editor.rest.create(location, text);
    const page = await test.open(person, `~/d/${location}`, wide);
    await page.get('heading', 'Guide').waitFor();
    return [page, location];
  };

  /** The texts that are marked in the page under a name. */
  const marked = (page: WatchedPage, name: string): Promise<unknown> =>
    page.page.evaluate(`[...(CSS.highlights.get('${name}') ?? [])].map(String)`);

  const write = async (page: WatchedPage, label: string, words: string): Promise<void> => {
    await page.page.getByLabel(label).fill(words);
    await page.page.keyboard.press('Control+Enter');
    await page.page.locator('.comment-text', { hasText: words }).waitFor();
  };
});
