import assert from 'node:assert/strict';
import { parseLocation } from '../../lib/domain/location.js';
import { operatorId } from '../../lib/domain/principal.js';
import { takeClaim } from '../../lib/operations/claims/take-claim.js';
import { perform } from '../../lib/operations/perform.js';
import { changePolicy } from '../../lib/operations/workspaces/change-policy.js';
import { Actor } from '../support/store/actor.js';
import { openTestService, type TestService } from '../support/store/service.js';

describe('Each write of one group', () => {
  let test: TestService;
  let admin: Actor;
  let ada: Actor;

  beforeEach(async () => {
    test = await openTestService();
    admin = new Actor(test.workspace, operatorId);
    ada = new Actor(test.workspace, (await test.person('editor', '')).id);
  });
  afterEach(() => test.close());

  it('goes by the policy that the one before it has set', async () => {
    await admin.create('a.md');
    const set = (portableNames: boolean) => perform(test.workspace, admin.caller, changePolicy, { portableNames });
    await set(false);
    assert.deepEqual(await outcomes(set(true), admin.create('A.md')), ['done', 'name_taken']);
    assert.deepEqual(await outcomes(set(false), admin.create('A.md')), ['done', 'done']);
  });

  it('finds the folders that the one before it has made, and none that a refused one made', async () => {
    await admin.create('a.md');
    const writes = [admin.create('new/one.md'), admin.create('a.md/two.md'), admin.create('new/three.md')];
    assert.deepEqual(await outcomes(...writes), ['done', 'name_taken', 'done']);
    const { items } = test.workspace.view(admin.caller).documents(parseLocation('new'), '', 10);
    assert.deepEqual(
      items.map(({ name }) => name),
      ['one.md', 'three.md'],
    );
  });

  it('meets the claim that the one before it has taken', async () => {
    await admin.create('a.md');
    const location = parseLocation('a.md');
    const claim = perform(test.workspace, ada.caller, takeClaim, { location });
    assert.deepEqual(await outcomes(claim, admin.update('a.md', 'two')), ['done', 'claimed']);
  });

  const outcomes = async (...writes: Promise<unknown>[]): Promise<unknown[]> =>
    (await Promise.allSettled(writes)).map((each) =>
      each.status === 'fulfilled' ? 'done' : (each.reason as { details: { reason?: string } }).details.reason,
    );
});
