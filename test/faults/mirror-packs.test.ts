import assert from 'node:assert/strict';
import { inOnePiece, TestMirror } from '../support/store/test-mirror.js';
import { readMirror } from '../support/store/read-mirror.js';
import { makeWorkbench, type Workbench } from '../support/faults/workbench.js';

for (const git of ['auto', 'never'] as const) {
  describe(`Contents that wait for a mirror's commit (git ${git})`, () => {
    let bench: Workbench;
    let mirror: TestMirror;
    beforeEach(async () => {
      bench = await makeWorkbench({ git });
      mirror = await TestMirror.open(bench.workspace, 'docs');
    });
    afterEach(() => bench.remove());

    it('are gone after a process that ended before the commit, shown or not', async () => {
      await mirror.sync({ written: { 'a.md': 'there before' } });
      const stage = bench.workspace.stages.open(mirror.caller.principalId);
      const shown = await stage.add(inOnePiece('shown'));
      const again = await stage.add(inOnePiece('there before'));
      await stage.show();
      const hidden = await bench.workspace.stages.open(mirror.caller.principalId).add(inOnePiece('hidden'));
      await bench.reopen();
      const { repository, journal } = bench.workspace;
      assert.equal(await repository.has(hidden.blobOid), false);
      // Content of a version is in the same pack, which stays then.
      assert.equal(await repository.has(again.blobOid), true);
      assert.equal(await repository.has(shown.blobOid), true);
      assert.deepEqual(journal.reader.objects.stagedPacks(), []);
      assert.deepEqual(await repository.fsck(), []);
    });

    it('are gone where no version has any of them', async () => {
      const stage = bench.workspace.stages.open(mirror.caller.principalId);
      const { blobOid } = await stage.add(inOnePiece('shown'));
      await stage.show();
      assert.equal(await bench.workspace.repository.has(blobOid), true);
      await bench.reopen();
      assert.equal(await bench.workspace.repository.has(blobOid), false);
      assert.deepEqual(await bench.workspace.repository.fsck(), []);
    });

    it('stay for one mirror where another with the same contents gives up', async () => {
      const other = await TestMirror.open(bench.workspace, 'other', 'prn_con00000000000000000000001');
      const stages = [mirror, other].map(({ caller }) => bench.workspace.stages.open(caller.principalId));
      for (const stage of stages) {
        await stage.add(inOnePiece('the same'));
        await stage.show();
      }
      await stages[0]?.close();
      await other.sync({ written: { 'a.md': 'the same' } });
      await stages[1]?.close();
      await bench.reopen();
      const found = await readMirror({ workspace: bench.workspace, folder: other.folder });
      assert.equal(found.get('a.md')?.text, 'the same');
    });
  });
}
