import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { listErasures } from '../../lib/operations/documents/list-erasures.js';
import { perform } from '../../lib/operations/perform.js';
import { makeWorkbench, readAll, type Workbench } from '../support/faults/workbench.js';
import { eraseAt } from '../support/store/erase-at.js';
import { operator } from '../support/store/service.js';

for (const git of ['auto', 'never'] as const) {
  describe(`An erase over a history with a hole (git ${git})`, function () {
    this.timeout(60_000);
    let bench: Workbench;

    beforeEach(async () => {
      bench = await makeWorkbench({ git });
      const { actor, workspace } = bench;
      await actor.create('a/x.md', 'one');
      await actor.update('a/x.md', 'two');
      await actor.create('b/y.md', 'quokkasecret');
      await actor.create('a/z.md', 'stays');
      await actor.create('c/w.md', 'kestrelsecret');
      await workspace.checkpointer.run();
    });
    afterEach(() => bench.remove());

    const ask = (...parameters: string[]): string =>
      String(execFileSync('git', ['-C', bench.paths.repository, ...parameters])).trim();

    /** Takes an object out of the closed workspace, and opens it again. */
    async function lose(oid: string): Promise<void> {
      await bench.close();
      const { repository } = bench.paths;
      const packs = join(repository, 'objects', 'pack');
      const aside = join(repository, 'aside');
      mkdirSync(aside);
      for (const name of readdirSync(packs)) renameSync(join(packs, name), join(aside, name));
      for (const name of readdirSync(aside).filter((each) => each.endsWith('.pack'))) {
        execFileSync('git', ['-C', repository, 'unpack-objects', '-q'], { input: readFileSync(join(aside, name)) });
      }
      rmSync(aside, { recursive: true });
      rmSync(join(repository, 'objects', oid.slice(0, 2), oid.slice(2)));
      await bench.open();
    }

    async function hindranceOf(id: string): Promise<string | null | undefined> {
      const { items } = (await perform(bench.workspace, operator, listErasures, { after: '', limit: 10 })).result;
      return items.find((each) => each.id === id)?.hindrance;
    }

    /** The last commit that changed a file. */
    const commitOf = (file: string): string => ask('rev-list', '-1', 'main', '--', file);

    for (const [what, file, path, free] of [
      ['a folder', 'a/x.md', 'a', 'b/y.md'],
      ['a root folder', 'a/z.md', '', 'c/w.md'],
    ] as const) {
      it(`stays open where it needs ${what} that is missing, and the others become final`, async () => {
        const lost = ask('rev-parse', `${commitOf(file)}:${path}`);
        await lose(lost);
        const { workspace } = bench;
        const stuck = await eraseAt(workspace, 'a/x.md');
        const other = await eraseAt(workspace, free);
        await assert.rejects(workspace.eraser.finished(stuck.id), { code: 'INTERNAL' });
        assert.equal((await workspace.eraser.finished(other.id)).phase, 'final');
        assert.match((await hindranceOf(stuck.id)) ?? '', new RegExp(`${lost}.*cartulary verify.*backup`));
        assert.equal(await hindranceOf(other.id), null);
        assert.equal(await readAll(bench.actor, 'a/z.md'), 'stays');
      });
    }

    it('says which commit is missing, and what to do', async () => {
      const lost = commitOf('a/x.md');
      await lose(lost);
      const { workspace } = bench;
      const { id } = await eraseAt(workspace, 'a/x.md');
      await assert.rejects(workspace.eraser.finished(id), { code: 'INTERNAL' });
      assert.match((await hindranceOf(id)) ?? '', new RegExp(`${lost}.*cartulary verify`));
    });
  });
}
