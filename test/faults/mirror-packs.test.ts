import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { nodeFileSystem } from '../../lib/git/file-system.js';
import { yieldToLoop } from '../../lib/scheduling/yield-to-loop.js';
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
      const stage = bench.workspace.stages.open({ type: 'connector', id: mirror.caller.principalId });
      const shown = await stage.add(inOnePiece('shown'));
      const again = await stage.add(inOnePiece('there before'));
      await stage.show();
      const hidden = await bench.workspace.stages
        .open({ type: 'connector', id: mirror.caller.principalId })
        .add(inOnePiece('hidden'));
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
      const stage = bench.workspace.stages.open({ type: 'connector', id: mirror.caller.principalId });
      const { blobOid } = await stage.add(inOnePiece('shown'));
      await stage.show();
      assert.equal(await bench.workspace.repository.has(blobOid), true);
      await bench.reopen();
      assert.equal(await bench.workspace.repository.has(blobOid), false);
      assert.deepEqual(await bench.workspace.repository.fsck(), []);
    });

    it('stay for one mirror where another with the same contents gives up', async () => {
      const other = await TestMirror.open(bench.workspace, 'other', 'prn_con00000000000000000000001');
      const stages = [mirror, other].map(({ caller }) =>
        bench.workspace.stages.open({ type: 'connector', id: caller.principalId }),
      );
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

  describe(`A pack of a mirror's contents that is being dropped (git ${git})`, () => {
    it('stays where another mirror shows the same contents at that moment', async () => {
      let whenDropping = (): Promise<unknown> => Promise.resolve();
      const bench = await makeWorkbench({
        git,
        fs: {
          ...nodeFileSystem,
          async unlink(path) {
            const waitFor = whenDropping;
            if (/objects\/pack\/pack-.*\.idx$/.test(path)) await waitFor();
            return nodeFileSystem.unlink(path);
          },
        },
      });
      try {
        const mirror = await TestMirror.open(bench.workspace, 'docs');
        const other = await TestMirror.open(bench.workspace, 'other', 'prn_con00000000000000000000001');
        const [first, second] = [mirror, other].map(({ caller }) =>
          bench.workspace.stages.open({ type: 'connector', id: caller.principalId }),
        );
        assert.ok(first !== undefined && second !== undefined);
        for (const stage of [first, second]) await stage.add(inOnePiece('the same'));
        await first.show();
        const packs = join(bench.paths.repository, 'objects', 'pack');
        const shown = await readdir(packs);
        let showing: Promise<void> | undefined;
        whenDropping = () => {
          showing ??= second.show();
          return Promise.race([showing, turns(20_000)]);
        };
        await first.close();
        assert.ok(showing !== undefined);
        await showing;
        const { objects } = bench.workspace.journal.reader;
        assert.deepEqual(await readdir(packs), shown);
        assert.equal(objects.stagedPacks().length, 1);
        await second.close();
        assert.deepEqual(await readdir(packs), []);
        assert.deepEqual(objects.stagedPacks(), []);
      } finally {
        await bench.remove();
      }
    });
  });
}

/** Gives others their turns on the event loop. */
async function turns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn += 1) await yieldToLoop();
}
