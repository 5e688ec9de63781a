import assert from 'node:assert/strict';
import { parseFolderLocation } from '../../lib/domain/location.js';
import { perform } from '../../lib/operations/perform.js';
import { searchDocuments } from '../../lib/operations/documents/search-documents.js';
import type { SearchPosition } from '../../lib/search/ranking/search-position.js';
import { changePolicy } from '../../lib/operations/workspaces/change-policy.js';
import { Actor, outcomeOf } from '../support/store/actor.js';
import { openTestService, operator, type TestService } from '../support/store/service.js';
import { until } from '../support/until.js';
import { find } from './find.js';
import { holdFirstAnalysis } from './hold-analysis.js';

describe('search follows the journal', () => {
  let test: TestService;
  afterEach(async () => test.close());

  it('finds a written text as soon as the write is answered, and only its present text', async () => {
    test = await openTestService();
    const { id } = await test.person('editor');
    const editor = new Actor(test.workspace, id);
    await editor.create('handbook/leave.md', 'Thirty days of holiday.');
    assert.deepEqual(await find(test.workspace, id, 'holiday'), ['handbook/leave.md']);
    await editor.update('handbook/leave.md', 'Thirty days of vacation.');
    assert.deepEqual(await find(test.workspace, id, '+holiday'), []);
    assert.deepEqual(await find(test.workspace, id, '+vacation'), ['handbook/leave.md']);
  });

  it('continues beside a document that is one word of millions of letters', async () => {
    test = await openTestService();
    const { id } = await test.person('editor');
    const editor = new Actor(test.workspace, id);
    await editor.create('dump/hex.txt', 'a'.repeat(5_000_000));
    await editor.create('handbook/trains.md', 'Trains leave at noon.');
    assert.deepEqual(await find(test.workspace, id, 'trains'), ['handbook/trains.md']);
  });

  it('reads a document anew where a rename makes its text Markdown, HTML or neither', async () => {
    test = await openTestService();
    const { id } = await test.person('editor');
    const editor = new Actor(test.workspace, id);
    await editor.create('d/page.txt', 'see [here](sidegate) and <b title="gangway">now</b>');
    const words = ['here', 'sidegate', 'gangway', '"title gangway"', '"see here"'];
    const seenAs = async (name: string): Promise<string[]> => {
      const found = await Promise.all(words.map((word) => find(test.workspace, id, word)));
      return words.filter((_, index) => found[index]?.join() === `d/${name}`);
    };
    assert.deepEqual(await seenAs('page.txt'), ['here', 'sidegate', 'gangway', '"title gangway"', '"see here"']);
    await editor.rename('d/page.txt', 'page.md');
    assert.deepEqual(await seenAs('page.md'), ['here', '"see here"']);
    await editor.rename('d/page.md', 'other.markdown');
    assert.deepEqual(await seenAs('other.markdown'), ['here', '"see here"']);
    await editor.move('d/other.markdown', '');
    await editor.move('other.markdown', 'd');
    await editor.rename('d/other.markdown', 'page.html');
    assert.deepEqual(await seenAs('page.html'), ['here', 'sidegate', '"see here"']);
    await editor.rename('d/page.html', 'page.txt');
    assert.deepEqual(await seenAs('page.txt'), ['here', 'sidegate', 'gangway', '"title gangway"', '"see here"']);
  });

  it('follows renames and moves of folders, deletes and undeletes', async () => {
    test = await openTestService();
    const { id } = await test.person('editor');
    const editor = new Actor(test.workspace, id);
    await editor.create('a/b/charter.md', 'The charter of the abbey.');
    await editor.rename('a/b', 'c');
    assert.deepEqual(await find(test.workspace, id, 'abbey'), ['a/c/charter.md']);
    await editor.move('a/c', '');
    assert.deepEqual(await find(test.workspace, id, 'abbey', 'c'), ['c/charter.md']);
    await editor.delete('c/charter.md');
    assert.deepEqual(await find(test.workspace, id, 'abbey'), []);
    await editor.undelete('c/charter.md');
    assert.deepEqual(await find(test.workspace, id, 'abbey'), ['c/charter.md']);
  });

  it('shows each principal only its reach, from the next request on', async () => {
    test = await openTestService();
    const { id: editorId } = await test.person('editor');
    const { id: readerId } = await test.person('reader', 'open');
    const editor = new Actor(test.workspace, editorId);
    await editor.create('open/a.md', 'one seal');
    await editor.create('closed/b.md', 'another seal');
    await editor.create('closed/c.md', 'a third seal');
    assert.deepEqual(await find(test.workspace, readerId, 'seal'), ['open/a.md']);
    await test.grant('reader', { type: 'principal', id: readerId }, 'closed/c.md', 'document');
    assert.deepEqual(new Set(await find(test.workspace, readerId, 'seal')), new Set(['open/a.md', 'closed/c.md']));
    await test.revoke('reader', { type: 'principal', id: readerId }, 'open');
    assert.deepEqual(await find(test.workspace, readerId, 'seal'), ['closed/c.md']);
    await editor.move('closed/c.md', 'elsewhere', true);
    assert.deepEqual(await find(test.workspace, readerId, 'seal'), ['elsewhere/c.md']);
  });

  it('ranks by meaning where the policy asks for it, from when all documents are revised for it', async () => {
    test = await openTestService();
    const { id } = await test.person('editor');
    const { id: readerId } = await test.person('reader', 'open');
    const editor = new Actor(test.workspace, id);
    await editor.create('open/a.md', 'Boats leave the harbour with timber and grain.');
    await editor.create('closed/b.md', 'Grain and timber leave the harbour with boats.');
    await editor.create('open/c.md', 'The doctors see patients.');
    assert.deepEqual(await find(test.workspace, readerId, 'cargo'), []);
    await perform(test.workspace, operator, changePolicy, { searchByMeaning: true });
    await editor.create('open/d.md', 'Timber and grain leave the harbour in boats.');
    await test.workspace.searchCaughtUp();
    assert.deepEqual(await find(test.workspace, readerId, 'cargo'), ['open/a.md', 'open/d.md']);
    assert.deepEqual((await find(test.workspace, id, 'cargo')).toSorted(), ['closed/b.md', 'open/a.md', 'open/d.md']);
    assert.deepEqual(await find(test.workspace, id, '+cargo'), [], 'what is insisted on is not widened');
    await perform(test.workspace, operator, changePolicy, { searchByMeaning: false });
    await test.workspace.searchCaughtUp();
    assert.deepEqual(await find(test.workspace, id, 'cargo'), []);
  });

  it('finds inflected words of the policy’s languages, as soon as an index in them is whole', async () => {
    test = await openTestService();
    const { id } = await test.person('editor');
    const editor = new Actor(test.workspace, id);
    await editor.create('old/de.md', 'Alte Häuser am Markt');
    await editor.create('old/en.md', 'The contracts were signed');
    for (let number = 0; number < 300; number += 1) await editor.create(`many/${number}.md`, `Nummer ${number}`);
    assert.deepEqual(await find(test.workspace, id, 'haus'), []);
    const { search } = test.workspace;
    const release = holdFirstAnalysis(search);
    await perform(test.workspace, operator, changePolicy, { searchLanguages: ['en', 'de', 'ru'] });
    await until('an index is being filled', () => search.progress !== null);
    // The old index answers, whole and up to date, while the next one fills; both follow the writes.
    const answersOfBefore = await find(test.workspace, id, 'signing');
    const whileFilled = search.progress;
    await editor.create('new/ru.md', 'Новые договоры');
    await editor.update('many/299.md', 'Zwei Straßen weiter');
    await editor.rename('many/298.md', 'haus.md');
    await editor.rename('old', 'older');
    await editor.delete('many/297.md');
    assert.deepEqual(await find(test.workspace, id, 'strassen'), ['many/299.md']);
    release();
    await test.workspace.searchCaughtUp();
    assert.deepEqual(answersOfBefore, ['old/en.md']);
    assert.equal(whileFilled?.task, 'languages');
    assert.equal(whileFilled.documents, 302);
    assert.equal(search.progress, null);
    assert.deepEqual((await find(test.workspace, id, 'häusern')).toSorted(), ['many/haus.md', 'older/de.md']);
    assert.deepEqual(await find(test.workspace, id, 'договор'), ['new/ru.md']);
    assert.deepEqual(await find(test.workspace, id, 'strasse'), ['many/299.md']);
    assert.deepEqual(await find(test.workspace, id, '+Nummer +299'), []);
    assert.deepEqual(await find(test.workspace, id, '+nummern +297'), []);
    assert.deepEqual(await find(test.workspace, id, 'signing'), ['older/en.md']);
    await perform(test.workspace, operator, changePolicy, { searchLanguages: ['en'] });
    await test.workspace.searchCaughtUp();
    assert.deepEqual(await find(test.workspace, id, 'häusern'), []);
  });

  it('refuses a position from a page ranked in other languages', async () => {
    test = await openTestService();
    const { id } = await test.person('editor');
    const editor = new Actor(test.workspace, id);
    for (const name of ['a', 'b', 'c']) await editor.create(`${name}.md`, 'ladders');
    const ask = async (position: SearchPosition | null) => {
      const input = { query: 'ladder', location: parseFolderLocation(''), labels: [], limit: 2, position };
      return (await perform(test.workspace, editor.caller, searchDocuments, input)).result;
    };
    const { position } = await ask(null);
    assert.equal((await ask(position)).hits.length, 1);
    await perform(test.workspace, operator, changePolicy, { searchLanguages: ['de'] });
    await test.workspace.searchCaughtUp();
    assert.match(await outcomeOf(ask(position)), /^INVALID_REQUEST .*bad_cursor/);
  });

  it('refuses a query beyond the limits, and takes any text as a query', async () => {
    test = await openTestService();
    const { id } = await test.person('editor');
    await new Actor(test.workspace, id).create('a.md', 'meet at 10:30 sharp');
    assert.deepEqual(await find(test.workspace, id, '10:30'), ['a.md']);
    assert.match(await outcomeOf(find(test.workspace, id, 'x'.repeat(2001))), /^INVALID_REQUEST /);
  });
});
