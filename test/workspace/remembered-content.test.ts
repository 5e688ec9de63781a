import assert from 'node:assert/strict';
import { operatorId } from '../../lib/domain/principal.js';
import { Actor } from '../support/store/actor.js';
import { openTestService, type TestService } from '../support/store/service.js';

describe('Content that was just written', () => {
  let test: TestService;
  beforeEach(async () => {
    test = await openTestService({ store: 'disk' });
  });
  afterEach(() => test.close());

  it('is read from memory, until everything in memory is forgotten', async () => {
    const { objects } = test.workspace;
    const { current } = await new Actor(test.workspace, operatorId).create('a.md', 'a text');
    assert.equal(objects.contentInMemory(current)?.toString(), 'a text');
    objects.forget();
    assert.equal(objects.contentInMemory(current), undefined);
    assert.equal((await objects.readContent(current)).toString(), 'a text');
  });

  it('is a copy of its own, which keeps no larger block in memory', async () => {
    const { objects } = test.workspace;
    const { current } = await new Actor(test.workspace, operatorId).create('a.md', 'short');
    assert.ok((objects.contentInMemory(current)?.buffer.byteLength ?? 10_000) < 100);
  });
});
