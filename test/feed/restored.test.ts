import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Service } from '../../lib/app/service.js';
import { rootLocation } from '../../lib/domain/location.js';
import { endOfFeed } from '../../lib/feed/feed-position.js';
import { readFeed } from '../../lib/feed/read-feed.js';
import { perform } from '../../lib/operations/perform.js';
import { backUpWorkspace } from '../../lib/operations/workspaces/back-up-workspace.js';
import { Client } from '../support/store/client.js';
import { outcomeOf } from '../support/store/actor.js';
import { makeTestRandomness, openTestService, operator } from '../support/store/service.js';

const passphrase = 'correct horse battery staple';

describe('the feed of a workspace that is restored', () => {
  it('refuses positions of before the restore, also those that the backup holds', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'cartulary-restored-'));
    const test = await openTestService({ store: 'disk' });
    let service: Service | undefined;
    try {
      const admin = new Client(test.workspace, operator.principalId);
      await admin.create('a.md', 'one');
      const held = endOfFeed(test.workspace.view(operator));
      const backup = join(folder, 'b');
      await perform(test.workspace, operator, backUpWorkspace, { folder: backup, passphrase, cost: 1024 });
      await admin.create('b.md', 'two');
      const later = endOfFeed(test.workspace.view(operator));
      service = await Service.open({
        dataFolder: join(folder, 'restored'),
        git: 'auto',
        clock: test.clock,
        randomness: makeTestRandomness('restored'),
        onFault: (what, cause) => assert.fail(`${what}: ${String(cause)}`),
      });
      const restored = await service.restore({ backup, passphrase }, operator);
      const context = { principalId: operator.principalId, view: () => restored.view(operator) };
      const read = (after: string) => readFeed(context, { location: rootLocation, kinds: null, limit: 10, after });
      assert.equal(await outcomeOf(read(held)), 'INVALID_REQUEST bad_cursor');
      assert.equal(await outcomeOf(read(later)), 'INVALID_REQUEST bad_cursor');
      const { items, next } = await read('');
      assert.deepEqual(
        items.map(({ document }) => document.location),
        ['a.md'],
      );
      assert.deepEqual((await read(next)).items, []);
    } finally {
      await service?.close();
      await test.close();
      await rm(folder, { recursive: true, force: true });
    }
  });
});
