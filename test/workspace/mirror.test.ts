import assert from 'node:assert/strict';
import { openTestService, type TestService } from '../support/store/service.js';
import { TestMirror } from '../support/store/test-mirror.js';

describe('A mirror of a source', () => {
  let test: TestService;
  let mirror: TestMirror;

  beforeEach(async () => {
    test = await openTestService({ store: 'disk' });
    mirror = await TestMirror.open(test.workspace, 'docs/upstream');
  });
  afterEach(() => test.close());

  it('is one commit for each sync', async () => {
    const { journal } = test.workspace;
    const before = journal.state.commits;
    const result = await mirror.sync({ written: { 'a.md': 'a', 'b/c.md': 'c', 'b/d.png': '\0png' }, version: 'abc' });
    assert.deepEqual(result, {
      versionId: journal.state.head,
      created: 3,
      updated: 0,
      moved: 0,
      deleted: 0,
      leftOut: [],
    });
    assert.equal(journal.state.commits, before + 1);
  });
});
