import assert from 'node:assert/strict';
import { parseFolderLocation, parseLocation } from '../../lib/domain/location.js';
import { nodeFileSystem, type FileSystem } from '../../lib/git/file-system.js';
import type { EraseStep } from '../../lib/erase/erase-step.js';
import { createDocument } from '../../lib/operations/documents/create-document.js';
import { restoreVersion } from '../../lib/operations/documents/restore-version.js';
import { importDocuments } from '../../lib/operations/folders/import-documents.js';
import { perform } from '../../lib/operations/perform.js';
import { parsePrecondition } from '../../lib/api/requests/parse-precondition.js';
import { countOf } from '../support/counts.js';
import { Gate } from '../support/faults/gate.js';
import { makeWorkbench, readAll, type Workbench } from '../support/faults/workbench.js';
import { Clone } from '../support/store/clone.js';
import { eraseAt } from '../support/store/erase-at.js';
import { findTraces, requireSound } from '../support/store/evidence.js';
import { operator } from '../support/store/service.js';
import { inOnePiece, TestMirror } from '../support/store/test-mirror.js';

/** A content of the erased document that others bring, too: in a pack alone, its pack has the same name. */
const sameText = 'the same content\n';

const onlyThere = 'quokkasecret';

/** The campaign holds every step with and without the git program. Here they take turns. */
const isFull = countOf('HELD_STEPS', { usual: 1, campaign: 2 }) > 1;

for (const git of ['auto', 'never'] as const) {
  describe(`Everything that is written while a step is held (git ${git})`, function () {
    this.timeout(120_000);
    let held: Held | undefined;
    let world: World;

    beforeEach(async () => {
      held = undefined;
      world = await makeWorld(git, () => held);
    });
    afterEach(async () => {
      held?.gate.open();
      await world.bench.remove();
    });

    /** Reads all texts from the repository, also after a restart, and lets everything be verified then. */
    async function requireAll(texts: Readonly<Record<string, string>>): Promise<void> {
      const { bench } = world;
      assert.deepEqual(bench.reported, []);
      for (const isAgain of [false, true]) {
        if (isAgain) await bench.reopen();
        bench.workspace.forgetContent();
        for (const [location, text] of Object.entries(texts)) {
          assert.ok((await readAll(bench.actor, location)) === text, `${location} has another text`);
        }
      }
      await requireSound(bench.workspace, bench.files.dataFolder ?? '', git === 'auto');
      assert.deepEqual(findTraces(bench.files.dataFolder ?? '', [onlyThere, 'secret/same.md'], []), []);
    }

    async function requireErased(...ids: readonly string[]): Promise<void> {
      const { eraser } = world.bench.workspace;
      for (const id of ids) assert.equal((await eraser.finished(id)).phase, 'final');
    }

    async function eraseBoth(): Promise<string[]> {
      const { workspace } = world.bench;
      const first = await eraseAt(workspace, 'secret/same.md');
      return [first.id, (await eraseAt(workspace, 'secret/large.bin')).id];
    }

    // Between "moved" and the sweep's decision everything is alike: the decision is held below.
    const steps: readonly EraseStep[] =
      git === 'never' ? ['copied'] : isFull ? ['rewritten', 'copied', 'swept'] : ['rewritten', 'swept'];
    for (const step of steps) {
      it(`stays: an erase, at "${step}"`, async () => {
        held = { gate: new Gate(), step };
        const ids = await eraseBoth();
        await held.gate.reached;
        const texts = await writeEverything(world);
        ids.push((await eraseAt(world.bench.workspace, 'kept/other.md')).id);
        held.gate.open();
        await requireErased(...ids);
        await requireAll(texts);
      });
    }

    const itWithGit = git === 'auto' || isFull ? it : (): void => undefined;
    itWithGit('stays: an erase, just before it decides what its sweep removes', async () => {
      const { checkpointer } = world.bench.workspace;
      const checkpoint = checkpointer.run.bind(checkpointer);
      held = { gate: new Gate(), step: 'dropped' };
      const ids = await eraseBoth();
      await held.gate.reached;
      // The sweep's own checkpoint is the last one before it decides.
      const decision = new Gate();
      let checkpoints = 0;
      checkpointer.run = async () => {
        checkpoints += 1;
        if (checkpoints === 1) await checkpoint();
        await decision.pass();
      };
      held.gate.open();
      await decision.reached;
      const texts = await writeEverything(world);
      ids.push((await eraseAt(world.bench.workspace, 'kept/other.md')).id);
      checkpointer.run = checkpoint;
      decision.open();
      await requireErased(...ids);
      await requireAll(texts);
    });

    it('stays: a joining of packs, before it removes the old ones', async () => {
      const { actor, workspace } = world.bench;
      for (const name of ['one', 'two', 'three', 'four']) {
        await actor.create(`many/${name}.md`, name);
        await workspace.checkpointer.run();
      }
      held = {
        gate: new Gate(),
        isCall: (call, path) => call === 'unlink' && /objects\/pack\/pack-[0-9a-f]{40}\.idx$/.test(path),
      };
      const joining = workspace.maintainer.run();
      await held.gate.reached;
      const texts = await writeEverything(world);
      const ids = await eraseBoth();
      held.gate.open();
      await joining;
      await requireErased(...ids);
      await requireAll(texts);
    });

    // What follows is the same without a git program.
    if (git === 'never') return;

    it('stays: a checkpoint, between its pack and main', async () => {
      const { actor, workspace } = world.bench;
      await actor.create('many/one.md', 'one');
      held = { gate: new Gate(), isCall: (call, path) => call === 'rename' && path.endsWith('refs/heads/main') };
      const checkpoint = workspace.checkpointer.run();
      await held.gate.reached;
      const texts = await writeEverything(world);
      const ids = await eraseBoth();
      held.gate.open();
      await checkpoint;
      await requireErased(...ids);
      await requireAll({ ...texts, 'many/one.md': 'one' });
    });

    it('stays: a backup, for which an erase waits and says so', async () => {
      const { eraser } = world.bench.workspace;
      const gate = new Gate();
      const backup = eraser.holdOff(() => gate.pass());
      const ids = await eraseBoth();
      const waits = new Promise<string>((resolve) => {
        void eraser.finished(ids[0] ?? '', undefined, resolve);
      });
      assert.match(await waits, /waits for a backup/);
      const texts = await writeEverything(world);
      gate.open();
      await backup;
      await requireErased(...ids);
      await requireAll(texts);
    });
  });
}

/**
 * Just large enough for a file of its own. Binary, since the analysis of a long text for the search index is not under
 * test.
 */
const large = (word: string): string => `\u0000${`${word} `.repeat(Math.ceil(1_060_000 / (word.length + 1)))}`;

/** What is held: a step of an erase, or a call of the file system. */
interface Held {
  readonly gate: Gate;
  readonly step?: EraseStep;
  readonly isCall?: (call: 'rename' | 'unlink', path: string) => boolean;
}

interface World {
  readonly bench: Workbench;
  readonly mirror: TestMirror;
}

/** @param heldNow tells what is held at the moment */
async function makeWorld(git: 'auto' | 'never', heldNow: () => Held | undefined): Promise<World> {
  const fs: FileSystem = {
    ...nodeFileSystem,
    rename: async (from, to) => {
      const held = heldNow();
      if (held?.isCall?.('rename', to) === true) await held.gate.pass();
      await nodeFileSystem.rename(from, to);
    },
    unlink: async (path) => {
      const held = heldNow();
      if (held?.isCall?.('unlink', path) === true) await held.gate.pass();
      await nodeFileSystem.unlink(path);
    },
  };
  const bench = await makeWorkbench({
    git,
    fs,
    onEraseStep: async (step) => {
      const held = heldNow();
      if (held?.step === step) await held.gate.pass();
    },
  });
  const mirror = await TestMirror.open(bench.workspace, 'docs');
  const { actor, workspace } = bench;
  const pushed = async (path: string, text: string): Promise<void> =>
    void (await (await Clone.of(actor)).commit({ write: { [path]: text } }).push());
  await pushed('secret/same.md', sameText);
  await actor.update('secret/same.md', onlyThere);
  await actor.create('secret/large.bin', large('same'));
  await actor.create('kept/two.md', 'first');
  await actor.update('kept/two.md', 'second');
  await actor.create('kept/deleted.md', 'was deleted');
  await actor.delete('kept/deleted.md');
  await actor.create('kept/other.md', 'goes too');
  await workspace.checkpointer.run();
  return { bench, mirror };
}

/** Every kind of write. @returns the texts to find afterwards */
async function writeEverything({ bench, mirror }: World): Promise<Record<string, string>> {
  const { actor, workspace } = bench;
  await (await Clone.of(actor)).commit({ write: { 'pushed/same.md': sameText } }).push();
  await (
    await Clone.of(actor)
  )
    .commit({ write: { 'pushed/a.md': 'pushed a' } })
    .commit({ write: { 'pushed/b.md': 'pushed b' } })
    .push();
  await mirror.sync({ written: { 'a.md': 'mirrored a', 'large.bin': large('mirrored') } });
  await mirror.sync({ written: { 'b.md': 'mirrored b' }, moved: { 'a.md': 'moved.md' } });
  const stream = inOnePiece(large('same'));
  const location = parseLocation('uploaded.bin');
  await perform(workspace, operator, createDocument, { location, content: { stream }, labels: [], message: null });
  await perform(workspace, operator, importDocuments, {
    into: parseFolderLocation('imported'),
    files: [
      { location: parseLocation('imported/a.md'), content: { bytes: Buffer.from('imported a') } },
      { location: parseLocation('imported/large.bin'), content: { bytes: Buffer.from(large('imported')) } },
    ],
    message: null,
  });
  await actor.undelete('kept/deleted.md');
  const { number } = workspace.view(operator).document(parseLocation('kept/two.md')) ?? assert.fail();
  const first = workspace.journal.reader.versions.bySequence(number, 1) ?? assert.fail();
  await perform(workspace, operator, restoreVersion, {
    location: parseLocation('kept/two.md'),
    versionId: first.id,
    precondition: parsePrecondition('*', 'If-Match'),
    message: null,
  });
  return {
    'pushed/same.md': sameText,
    'pushed/a.md': 'pushed a',
    'pushed/b.md': 'pushed b',
    'docs/moved.md': 'mirrored a',
    'docs/b.md': 'mirrored b',
    'docs/large.bin': large('mirrored'),
    'uploaded.bin': large('same'),
    'imported/a.md': 'imported a',
    'imported/large.bin': large('imported'),
    'kept/deleted.md': 'was deleted',
    'kept/two.md': 'first',
  };
}
