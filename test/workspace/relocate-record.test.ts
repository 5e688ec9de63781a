import assert from 'node:assert/strict';
import { Actor, outcomeOf } from '../support/store/actor.js';
import { openTestService, type TestService } from '../support/store/service.js';

describe('a refused move', () => {
  let test: TestService;
  afterEach(async () => test.close());

  it('is recorded even where the new location would be too long to be one', async () => {
    test = await openTestService();
    const { id } = await test.person('editor');
    const editor = new Actor(test.workspace, id);
    const long = Array.from({ length: 5 }, () => 'x'.repeat(200)).join('/');
    await editor.create(`${'y'.repeat(200)}.md`);
    const before = test.workspace.journal.state.chain.seq;
    assert.equal(await outcomeOf(editor.move(`${'y'.repeat(200)}.md`, long)), 'INVALID_REQUEST bad_location');
    const record = test.workspace.journal.reader.audit.find(before + 1);
    assert.deepEqual([record?.action, record?.code, record?.principal], ['item.move', 'INVALID_REQUEST', id]);
  });
});
