import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Service } from '../../lib/app/service.js';
import { hashObject } from '../../lib/git/objects/objects.js';
import { backUpWorkspace } from '../../lib/operations/workspaces/back-up-workspace.js';
import { perform } from '../../lib/operations/perform.js';
import { Actor } from '../support/store/actor.js';
import { makeTestRandomness, openTestService, operator } from '../support/store/service.js';
import { eraseAt, liveDocuments } from '../support/store/erase-at.js';
import { findTraces } from '../support/store/evidence.js';

const word = 'zebrafinchsecret';

describe('a backup during an erase', function () {
  this.timeout(60_000);

  it('has it finished where it is restored', async () => {
    const test = await openTestService({ store: 'disk' });
    const work = await mkdtemp(join(tmpdir(), 'cartulary-erase-'));
    const passphrase = 'correct horse battery staple';
    const folder = join(work, 'backup');
    let service: Service | undefined;
    try {
      const { workspace } = test;
      const actor = new Actor(workspace, operator.principalId);
      await actor.create('plan.md', word);
      await actor.create('other.md', 'other');
      // Both at once: the backup holds a moment at which the erase was accepted and not begun.
      const [{ id }] = await Promise.all([
        eraseAt(workspace, 'plan.md'),
        perform(workspace, operator, backUpWorkspace, { folder, passphrase, cost: 1024 }),
      ]);
      await workspace.eraser.finished(id);
      service = await Service.open({
        dataFolder: join(work, 'restored'),
        git: 'auto',
        clock: test.clock,
        randomness: makeTestRandomness('restored'),
        onFault: () => undefined,
      });
      const restored = await service.restore({ backup: folder, passphrase }, operator);
      const [receipt] = restored.journal.reader.erasures.list(Number.MAX_SAFE_INTEGER, 1);
      assert.equal(receipt?.id, id);
      await restored.eraser.finished(id);
      assert.deepEqual(Object.keys(await liveDocuments(restored)), ['other.md']);
      await service.close();
      assert.deepEqual(findTraces(join(work, 'restored'), [word, 'plan.md']), []);
    } finally {
      await service?.close().catch(() => undefined);
      await test.close();
      await rm(work, { recursive: true, force: true });
    }
  });
});

describe('an erase in memory', () => {
  it('takes the document out of the history and of the objects', async () => {
    const test = await openTestService();
    try {
      const { workspace } = test;
      const actor = new Actor(workspace, operator.principalId);
      await actor.create('plan.md', word);
      await actor.create('other.md', 'other');
      await workspace.checkpointer.run();
      const before = await liveDocuments(workspace);
      const { id } = await eraseAt(workspace, 'plan.md');
      await workspace.eraser.finished(id);
      assert.equal(await workspace.repository.has(hashObject('blob', Buffer.from(word))), false);
      const { 'plan.md': _, ...others } = before;
      assert.deepEqual(await liveDocuments(workspace), others);
      assert.deepEqual(await workspace.repository.fsck(), []);
    } finally {
      await test.close();
    }
  });
});
