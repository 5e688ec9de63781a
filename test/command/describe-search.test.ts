import assert from 'node:assert/strict';
import { describeSearch, reportSearch, type SearchReport } from '../../lib/commands/operator/report-search.js';
import type { SearchProgress } from '../../lib/indexing/search-keeper.js';
import { openTestService, type TestService } from '../support/store/service.js';

describe('the line of `status` about search', () => {
  let test: TestService | undefined;
  afterEach(async () => test?.close());

  it('is empty while no search has to wait', () => {
    assert.deepEqual(describeSearch(report({})), []);
  });

  it('shows how far work on the index is, and the answer to searches meanwhile', () => {
    const progress = { done: 128, documents: 300 };
    const tell = (task: SearchProgress['task']): string =>
      describeSearch(report({ answers: task !== 'build', progress: { ...progress, task } })).join();
    assert.match(tell('build'), /built, 128 of 300 documents; .* refused \(UNAVAILABLE\)/);
    assert.match(tell('meaning'), /meaning, 128 of 300 documents; .* words alone/);
    assert.match(tell('languages'), /languages, 128 of 300 documents; .* answers in en/);
    assert.match(tell('analysis'), /this version, 128 of 300 documents; .* answers/);
  });

  it('reports an index that could not be built', () => {
    assert.match(describeSearch(report({ answers: false })).join(), /no index/);
  });

  it('comes from the keeper of each workspace', async () => {
    test = await openTestService();
    await test.workspace.searchCaughtUp();
    assert.deepEqual(reportSearch(test.service), [report({})]);
    test.workspace.search.noteProgress({ task: 'meaning', done: 1, documents: 2 });
    assert.deepEqual(reportSearch(test.service)[0]?.progress, { task: 'meaning', done: 1, documents: 2 });
  });
});

const report = (search: Partial<SearchReport>): SearchReport => ({
  workspace: 'acme',
  answers: true,
  languages: ['en'],
  by_meaning: false,
  progress: null,
  ...search,
});
