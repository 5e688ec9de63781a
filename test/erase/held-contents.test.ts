import assert from 'node:assert/strict';
import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { nodeFileSystem } from '../../lib/git/file-system.js';
import { hashObject } from '../../lib/git/objects/objects.js';
import type { EraseStep } from '../../lib/erase/erase-step.js';
import { listErasures } from '../../lib/operations/documents/list-erasures.js';
import { perform } from '../../lib/operations/perform.js';
import { countOf } from '../support/counts.js';
import { makeWorkbench, readAll, type Workbench } from '../support/faults/workbench.js';
import { Gate } from '../support/faults/gate.js';
import { eraseAt } from '../support/store/erase-at.js';
import { requireSound } from '../support/store/evidence.js';
import { operator } from '../support/store/service.js';
import { inOnePiece, TestMirror } from '../support/store/test-mirror.js';

/** The campaign has every test with and without the git program. Here those that are alike in both take turns. */
const isFull = countOf('HELD_CONTENTS', { usual: 1, campaign: 2 }) > 1;

for (const git of ['auto', 'never'] as const) {
  const itWithGit = git === 'auto' || isFull ? it : (): void => undefined;
  const itWithoutGit = git === 'never' || isFull ? it : (): void => undefined;

  describe(`A large content that a run of a connector holds (git ${git})`, function () {
    this.timeout(120_000);
    let bench: Workbench;
    let mirror: TestMirror;
    /** Called just before files are listed. */
    let whenListing: (() => Promise<unknown>) | undefined;
    let atStep: ((step: EraseStep) => Promise<unknown> | undefined) | undefined;

    beforeEach(async () => {
      whenListing = undefined;
      atStep = undefined;
      bench = await makeWorkbench({
        git,
        fs: {
          ...nodeFileSystem,
          readdir: async (path) => {
            if (path.endsWith('content.git/objects')) await whenListing?.();
            return nodeFileSystem.readdir(path);
          },
        },
        onEraseStep: async (step) => {
          await atStep?.(step);
        },
      });
      mirror = await TestMirror.open(bench.workspace, 'docs');
    });
    afterEach(() => bench.remove());

    const looseFile = (oid: string): string => join(bench.paths.repository, 'objects', oid.slice(0, 2), oid.slice(2));

    async function joinPacks(): Promise<void> {
      for (const name of ['one', 'two', 'three']) {
        await bench.actor.create(`many/${name}-${Math.trunc(performance.now())}.md`, name);
        await bench.workspace.checkpointer.run();
      }
      assert.ok(await bench.workspace.maintainer.run());
    }

    async function waitOf(id: string): Promise<string | null | undefined> {
      const { items } = (await perform(bench.workspace, operator, listErasures, { after: '', limit: 10 })).result;
      const receipt = items.find((each) => each.id === id);
      assert.equal(receipt?.hindrance, null);
      return receipt?.waitsFor;
    }

    it('stays for it, where a document with the same content is erased before it commits', async () => {
      const { actor, workspace } = bench;
      const text = large('shared');
      let receipt = '';
      await mirror.sync({
        written: { 'big.bin': text },
        whenRead: async () => {
          await actor.create('a/secret.bin', text);
          await actor.create('a/unrelated.md', 'unrelated');
          await joinPacks();
          receipt = (await eraseAt(workspace, 'a/secret.bin')).id;
          const waits = new Promise<string>((resolve) => {
            void workspace.eraser.finished(receipt, undefined, resolve);
          });
          assert.match(await waits, /holds the same large content/);
          assert.match((await waitOf(receipt)) ?? '', /holds the same large content/);
          // Neither another erase nor a backup waits for the run.
          const other = await eraseAt(workspace, 'a/unrelated.md');
          assert.equal((await workspace.eraser.finished(other.id)).phase, 'final');
          await workspace.eraser.holdOff(async () => undefined);
          assert.equal(workspace.journal.reader.erasures.find(receipt)?.phase, 'moved');
        },
      });
      assert.equal((await workspace.eraser.finished(receipt)).phase, 'final');
      assert.equal(await waitOf(receipt), null);
      assert.deepEqual(workspace.journal.reader.objects.staged(), []);
      assert.deepEqual(bench.reported, []);
      for (const isAgain of [false, true]) {
        if (isAgain) await bench.reopen();
        await requireSound(bench.workspace, bench.files.dataFolder ?? '', git === 'auto');
        bench.workspace.forgetContent();
        assert.ok((await readAll(bench.actor, 'docs/big.bin')) === text);
      }
    });

    itWithoutGit('is gone with the erased document, where the run ends without a commit', async () => {
      const { actor, workspace } = bench;
      const text = large('shared');
      await actor.create('a/secret.bin', text);
      await joinPacks();
      const stage = workspace.stages.open({ type: 'connector', id: mirror.caller.principalId });
      const { blobOid } = await stage.add(inOnePiece(text));
      const { id } = await eraseAt(workspace, 'a/secret.bin');
      const waits = new Promise<string>((resolve) => void workspace.eraser.finished(id, undefined, resolve));
      await waits;
      await stage.close();
      assert.equal((await workspace.eraser.finished(id)).phase, 'final');
      assert.equal(await workspace.repository.has(blobOid), false);
      await requireSound(workspace, bench.files.dataFolder ?? '', git === 'auto');
    });

    itWithGit('of an erased document that nobody holds goes before packs can be joined again', async () => {
      const { actor, workspace } = bench;
      await actor.create('a/secret.bin', large('secret'));
      await workspace.checkpointer.run();
      const { maintainer } = workspace;
      const standAside = maintainer.stoodAside.bind(maintainer);
      maintainer.stoodAside = async (work) => {
        const result = await standAside(work);
        await maintainer.run();
        return result;
      };
      const { id } = await eraseAt(workspace, 'a/secret.bin');
      assert.equal((await workspace.eraser.finished(id)).phase, 'final');
      assert.equal(await workspace.repository.has(blobOf(large('secret'))), false);
      assert.deepEqual(workspace.journal.reader.objects.staged(), []);
    });

    it('that comes while the erase of a document with the same content sweeps is gone with it', async () => {
      const { actor, workspace } = bench;
      const text = large('secret');
      await actor.create('a/secret.bin', text);
      await joinPacks();
      const stage = workspace.stages.open({ type: 'connector', id: mirror.caller.principalId });
      // It has its name, and no file yet, when the sweep looks.
      const gate = new Gate();
      const { repository } = workspace;
      const stageBlob = repository.stageBlob.bind(repository);
      repository.stageBlob = (source, announce) =>
        stageBlob(source, async (blob) => {
          await announce?.(blob);
          await gate.pass();
        });
      const adding = stage.add(inOnePiece(text));
      await gate.reached;
      let isSwept = false;
      atStep = async (step) => {
        if (step !== 'swept' || isSwept) return;
        isSwept = true;
        gate.open();
        await adding;
        await stage.close();
      };
      const { id } = await eraseAt(workspace, 'a/secret.bin');
      assert.equal((await workspace.eraser.finished(id)).phase, 'final');
      assert.equal(await repository.has(blobOf(text)), false);
      assert.deepEqual(bench.reported, []);
    });

    itWithoutGit('holds up neither the erase of another document, nor a backup', async () => {
      const { actor, workspace } = bench;
      const stage = workspace.stages.open({ type: 'connector', id: mirror.caller.principalId });
      const { blobOid } = await stage.add(inOnePiece(large('held')));
      await actor.create('p/personal.md', 'personal');
      const { id } = await eraseAt(workspace, 'p/personal.md');
      assert.equal((await workspace.eraser.finished(id)).phase, 'final');
      await workspace.eraser.holdOff(async () => undefined);
      assert.equal(await workspace.repository.has(blobOid), true);
      await stage.close();
      assert.equal(await workspace.repository.has(blobOid), false);
      assert.deepEqual(bench.reported, []);
    });

    if (git === 'auto') {
      it('keeps its own file, where it comes after a joining of packs has begun', async () => {
        const { workspace } = bench;
        const stage = workspace.stages.open({ type: 'connector', id: mirror.caller.principalId });
        await bench.actor.create('a/there.bin', large('there'));
        let isAdded = false;
        let blobOid = '';
        whenListing = async () => {
          if (isAdded) return;
          isAdded = true;
          ({ blobOid } = await stage.add(inOnePiece(large('held'))));
        };
        await workspace.maintainer.run();
        whenListing = undefined;
        assert.ok(existsSync(looseFile(blobOid)));
        await stage.close();
        assert.equal(await workspace.repository.has(blobOid), false);
      });
    }

    itWithGit('that is missing is reported once, and every other erase becomes final', async () => {
      const { actor, workspace } = bench;
      await actor.create('a/damaged.bin', large('damaged'));
      for (const name of ['x', 'y']) await actor.create(`a/${name}.md`, `${name}secret`);
      await workspace.checkpointer.run();
      // The index would report it, too.
      await workspace.search.settled();
      const lost = blobOf(large('damaged'));
      rmSync(looseFile(lost));
      for (const name of ['x', 'y']) {
        const { id } = await eraseAt(workspace, `a/${name}.md`);
        assert.equal((await workspace.eraser.finished(id)).phase, 'final');
      }
      assert.equal(bench.reported.length, 1);
      assert.match(`${bench.reported[0]?.what} ${String(bench.reported[0]?.cause)}`, new RegExp(`missing.*${lost}`));
      assert.deepEqual(workspace.eraser.missing, [lost]);
    });

    itWithoutGit('that rows name, and that nothing else leads to, is not removed by a sweep', async () => {
      const { actor, workspace } = bench;
      const kept = await actor.create('a/kept.md', 'kept');
      await actor.create('a/secret.md', 'secret');
      await workspace.checkpointer.run();
      const { number } = workspace.view(operator).document(kept.location) ?? assert.fail();
      const version = workspace.journal.reader.versions.bySequence(number, 1) ?? assert.fail();
      const blobOid = blobOf('secret');
      atStep = (step) =>
        step !== 'copied'
          ? undefined
          : workspace.journal.write({
              run: ({ tables, state }) => {
                if (tables.versions.bySequence(number, 2) !== undefined) return;
                tables.versions.insert({
                  ...version,
                  document: number,
                  sequence: 2,
                  id: version.id.replace(/^..../, '0000'),
                  commit: version.id,
                  blobOid,
                  author: operator.principalId,
                  operation: 'update',
                  message: null,
                  originalAuthor: null,
                  moment: state.commits,
                });
              },
            });
      const { id } = await eraseAt(workspace, 'a/secret.md');
      assert.equal((await workspace.eraser.finished(id)).phase, 'final');
      assert.equal(bench.reported.length, 1);
      assert.match(bench.reported[0]?.what ?? '', /only rows name/);
      assert.equal(await workspace.repository.has(blobOid), true);
    });
  });
}

/** Binary, since the analysis of a long text for the search index is not under test. */
const large = (word: string): string => `\u0000${word} `.repeat(180_000);

const blobOf = (text: string): string => hashObject('blob', Buffer.from(text));
