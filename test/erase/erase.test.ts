import assert from 'node:assert/strict';
import { parseFolderLocation } from '../../lib/domain/location.js';
import { hashObject } from '../../lib/git/objects/objects.js';
import { createGrant } from '../../lib/operations/grants/change-grant.js';
import { perform } from '../../lib/operations/perform.js';
import { rebuild } from '../../lib/operations/workspaces/rebuild.js';
import { dumpContent } from '../support/store/history.js';
import { makeWorkbench, type Workbench } from '../support/faults/workbench.js';
import { outcomeOf } from '../support/store/actor.js';
import { operator } from '../support/store/service.js';
import { eraseAt, liveDocuments } from '../support/store/erase-at.js';
import { answering, blobsOf, findTraces, requireSound } from '../support/store/evidence.js';
import { erased, makeWorld, shared } from '../support/store/erased-world.js';

for (const store of ['disk', 'disk without git'] as const) {
  describe(`an erase (${store})`, () => {
    let bench: Workbench;
    let dataFolder: string;
    beforeEach(async () => {
      bench = await makeWorkbench({ git: store === 'disk' ? 'auto' : 'never' });
      dataFolder = bench.files.dataFolder ?? '';
    });
    afterEach(() => bench.remove());

    it('leaves nothing of a document that was in every kind of commit, and everything of the others', async () => {
      const { workspace, clock } = bench;
      const ada = await makeWorld(workspace, clock);
      const { number, id } = workspace.view(operator).document(erased) ?? assert.fail();
      // The feed knows of it, and has to forget its document.
      const subject = { type: 'principal', id: ada.caller.principalId } as const;
      const grant = { scopeType: 'document', location: parseFolderLocation(erased), subject, role: 'reader' } as const;
      await perform(workspace, operator, createGrant, grant);
      const blobs = blobsOf(workspace, number);
      const before = await liveDocuments(workspace);
      delete before[erased];
      await workspace.checkpointer.run();
      await workspace.search.store();
      assert.ok(findTraces(dataFolder).length > 10, 'it is there before');

      const accepted = await eraseAt(workspace, erased);
      assert.equal(await outcomeOf(ada.read(erased)), 'NOT_FOUND');
      assert.equal(await outcomeOf(ada.undelete(erased)), 'NOT_FOUND');
      const receipt = await workspace.eraser.finished(accepted.id);
      assert.deepEqual(bench.reported, []);

      assert.deepEqual(findTraces(dataFolder), []);
      assert.deepEqual(findTraces(dataFolder, [id], []), [], 'its id');
      assert.deepEqual(answering(dataFolder, blobs), [hashObject('blob', Buffer.from(shared))]);
      assert.deepEqual(await liveDocuments(workspace), before);
      await requireSound(workspace, dataFolder, store === 'disk');
      assert.equal(receipt.phase, 'final');
      const rows = dumpContent(dataFolder);
      await rebuild(workspace, operator);
      assert.deepEqual(dumpContent(dataFolder), rows, 'the history gives every row again as it is');
      for (const [location, text] of Object.entries(before)) {
        if (location === 'archive/files/other.md') await ada.update(location, 'after', `"${text.slice(0, 40)}"`);
      }
      await bench.reopen();
      await requireSound(bench.workspace, dataFolder, store === 'disk');
      assert.deepEqual(findTraces(dataFolder), []);
    }).timeout(60_000);
  });
}
