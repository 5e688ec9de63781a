import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { makeWorkbench, type Workbench } from '../support/faults/workbench.js';
import { eraseAt, liveDocuments } from '../support/store/erase-at.js';
import { findTraces, requireSound } from '../support/store/evidence.js';
import { Sqlite } from '../support/store/sqlite.js';

describe('an erase of objects not yet carried into the repository', function () {
  this.timeout(60_000);
  let bench: Workbench;
  let dataFolder: string;

  beforeEach(async () => {
    bench = await makeWorkbench();
    dataFolder = bench.files.dataFolder ?? '';
  });
  afterEach(() => bench.remove());

  for (const checkpointed of [false, true]) {
    const when = checkpointed ? 'in which its rows had just been deleted' : 'in which its rows wait';
    it(`leaves no stored form of it in the sidecar and its log, ${when}`, async () => {
      const { actor, workspace } = bench;
      // Behind the other in the tree: an entry that comes first in both trees would have the same stored form.
      await actor.create('z-kept.md', 'kept');
      await workspace.checkpointer.run();
      let before = { types: [] as string[], pieces: [] as Buffer[] };
      // No checkpoint comes between the writes and the look at the waiting objects.
      await workspace.checkpointer.exclusively(async () => {
        await actor.create('quokka-dossier.md', makeText('short', 600));
        await actor.update('quokka-dossier.md', makeText('long', 60_000));
        before = pendingPieces();
      });
      assert.deepEqual([...new Set(before.types)].toSorted(), ['blob', 'commit', 'tree']);
      assert.ok(before.pieces.length > 40);
      for (const piece of before.pieces.slice(0, 8)) {
        assert.ok(
          findTraces(dataFolder, [], [piece]).some((line) => line.includes('sidecar.sqlite')),
          'it waited there',
        );
      }
      if (checkpointed) await workspace.checkpointer.run();

      const { id } = await eraseAt(workspace, 'quokka-dossier.md');
      await workspace.eraser.finished(id);
      assert.deepEqual(bench.reported, []);
      assert.deepEqual(findTraces(dataFolder, ['quokka-dossier'], before.pieces), []);
      assert.deepEqual(Object.keys(await liveDocuments(workspace)), ['z-kept.md']);
      await requireSound(workspace, dataFolder);
    });
  }

  /**
   * The waiting objects of the sidecar in their stored form: contents, trees with names, commits. Each piece holds at
   * most a page.
   */
  function pendingPieces(): { readonly types: string[]; readonly pieces: Buffer[] } {
    const sidecar = new Sqlite(bench.paths.sidecar, { readonly: true });
    const rows = sidecar
      .prepare<[], { type: string; deflated: Buffer }>('SELECT type, deflated FROM pending_object ORDER BY number')
      .all();
    sidecar.close();
    const pieces = rows.flatMap(({ deflated }) => {
      const found: Buffer[] = [];
      for (let at = 2; at + 24 <= deflated.length; at += 1000) found.push(deflated.subarray(at, at + 24));
      return found;
    });
    return { types: rows.map(({ type }) => type), pieces };
  }
});

/** Letters that zlib hardly compresses. */
function makeText(seed: string, length: number): string {
  let text = '';
  for (let number = 0; text.length < length; number++) {
    text += `${createHash('sha256').update(`${seed} ${number}`).digest('base64')}\n`;
  }
  return text.slice(0, length);
}
