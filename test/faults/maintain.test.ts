import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Oid } from '../../lib/git/objects/objects.js';
import type { MaintenanceReport, Repository, RepositoryStats } from '../../lib/git/repositories/repository.js';
import { Maintainer } from '../../lib/journal/maintain.js';
import { fsck } from '../support/git/fixture.js';
import { TestClock } from '../support/store/service.js';
import { until } from '../support/until.js';
import { checkSelf, Evidence } from './check.js';
import { makeWorkbench, readAll, type Workbench } from '../support/faults/workbench.js';

/** Binary, since the analysis of a long text for the search index is not under test. */
const large = `\u0000large ${'text '.repeat(220_000)}`;

for (const program of ['auto', 'never'] as const) {
  describe(`joining packs (${program === 'auto' ? 'with' : 'without'} the git program)`, () => {
    let bench: Workbench;
    beforeEach(async () => {
      bench = await makeWorkbench({ git: program });
    });
    afterEach(() => bench.remove());

    /** A file that git has begun to write. */
    const partsOfPacks = (): string[] =>
      readdirSync(bench.paths.repository, { recursive: true })
        .map(String)
        .filter((name) => /tmp_|^packing\//.test(name));
    const packs = (): number =>
      readdirSync(join(bench.paths.repository, 'objects', 'pack')).filter((name) => name.endsWith('.pack')).length;

    it('keeps their number down while checkpoints add to them, without effect on readers', async () => {
      const { actor, workspace } = bench;
      await actor.create('large.md', large);
      const { oid } = await workspace.staging.stage(
        (async function* () {
          yield Buffer.from(`not written yet: ${large}`);
        })(),
        [],
      );
      const progress = { created: 0, isOver: false, reads: 0 };
      const readNext = async (): Promise<void> => {
        workspace.objects.forget(); // from the repository each time
        const i = progress.reads % (progress.created + 1);
        const [location, text] = i === 0 ? ['large.md', large] : [`many/${i - 1}.md`, `text ${i - 1}`];
        assert.equal(await readAll(actor, location), text);
        progress.reads += 1;
      };
      const write = async (i: number): Promise<void> => {
        await actor.create(`many/${i}.md`, `text ${i}`);
        await workspace.checkpointer.run();
      };
      let most = 0;
      for (let i = 0; i < 130; i++) {
        await Promise.all([write(i), readNext()]);
        progress.created = i + 1;
        most = Math.max(most, packs());
      }
      const joining = workspace.maintainer.run().then(() => (progress.isOver = true));
      while (!progress.isOver) await readNext();
      await joining;
      assert.ok(most > 5 && most <= 50, `${most} packs at a time`);
      assert.ok(packs() < 20, `${packs()} packs in the end`);
      assert.ok(progress.reads > 130, 'there was a read while packs were being joined');
      assert.deepEqual(bench.reported, []);

      workspace.objects.forget();
      assert.equal(await readAll(actor, 'large.md'), large);
      for (let i = 0; i < 130; i += 7) assert.equal(await readAll(actor, `many/${i}.md`), `text ${i}`);
      assert.equal(await workspace.repository.has(oid), true, 'a staged blob was pruned');
      assert.ok(readdirSync(join(bench.paths.repository, 'objects')).includes(oid.slice(0, 2)), 'it has no file now');
      assert.deepEqual(await workspace.repository.fsck(), []);
      await bench.reopen();
      const evidence = new Evidence(bench.paths.folder);
      await checkSelf(evidence, bench.workspace);
      evidence.close();
    }).timeout(120_000);

    if (program === 'auto') {
      it('is interrupted for a rewrite of packs, and leaves no remains', async () => {
        const { actor, workspace } = bench;
        let documents = 0;
        const addPacks = async (): Promise<void> => {
          for (const end = documents + 12; documents < end; documents += 1) {
            await actor.create(`${documents}.bin`, makeContent());
            await workspace.checkpointer.run();
          }
        };
        await addPacks();
        let before = packs();
        /** Interrupts a joining after some time. @returns whether that was before its end */
        const callOff = async (isTime: () => boolean): Promise<boolean> => {
          const calling = new AbortController();
          const state = { isThrough: false };
          const joining = workspace.repository.maintain(() => false, calling.signal);
          void joining.finally(() => (state.isThrough = true));
          // Looks in every turn, because git packs for a few hundredths of a second.
          while (!isTime() && !state.isThrough) await nextTurn();
          calling.abort();
          const { isCalledOff } = await joining;
          if (isCalledOff !== true) return false;
          assert.deepEqual(partsOfPacks(), []);
          assert.equal(fsck(bench.paths.repository), '');
          // git may have joined the packs already, and be removing the old ones, when the call to stop reaches it.
          assert.ok(packs() <= before);
          return packs() === before;
        };
        assert.ok(await callOff(() => true), 'before it had begun to pack');
        const interrupt = async (): Promise<boolean> => {
          const isInterrupted = await callOff(() => partsOfPacks().length > 0);
          // On a busy machine git may be through before anybody looks. Then it gets more to join.
          if (!isInterrupted) await addPacks();
          before = packs();
          return isInterrupted;
        };
        await until('it is interrupted while git packs', interrupt, 150_000);
        await workspace.repository.maintain();
        assert.ok(packs() < before);
        assert.deepEqual(await workspace.repository.fsck(), []);
        for (let i = 0; i < documents; i++) assert.equal((await actor.read(`${i}.bin`)).length, 800_001);
      }).timeout(180_000);
    }

    const ending = program === 'auto' ? 'is cut off by closing' : 'is awaited by closing';
    it(`${ending}, which leaves a sound repository`, async () => {
      const texts = new Map<string, string>();
      /** @returns whether it was still under way when the repository was closed */
      const closeWhileJoining = async (): Promise<boolean> => {
        for (let i = 0; i < 12; i++) {
          const location = `${texts.size}.bin`;
          texts.set(location, makeContent());
          await bench.actor.create(location, texts.get(location) ?? '');
          await bench.workspace.checkpointer.run();
        }
        const joining = bench.workspace.maintainer.run();
        await nextTurn();
        await bench.close();
        const isCutOff = (await joining) === undefined;
        assert.equal(fsck(bench.paths.repository), '');
        await bench.open();
        for (const [location, text] of texts) assert.equal(await bench.actor.read(location), text);
        return isCutOff;
      };
      if (program === 'never') assert.equal(await closeWhileJoining(), false);
      // Closing has other work first; where git has finished by then, it gets more to join.
      else await until('closing comes before git is through', closeWhileJoining, 60_000);
      const evidence = new Evidence(bench.paths.folder);
      await checkSelf(evidence, bench.workspace);
      evidence.close();
    }).timeout(120_000);
  });
}

describe('the joining of packs', () => {
  it('makes checkpoints wait when they are faster, so that there are never more than 50', async () => {
    const slow = new SlowRepository();
    const maintainer = new Maintainer({
      repository: slow,
      isKept: () => false,
      clock: new TestClock(),
      onFault: (cause) => assert.fail(String(cause)),
      onDamage: assert.fail,
    });
    const progress = { added: 0 };
    const adding = (async () => {
      for (; progress.added < 200; progress.added++) {
        await maintainer.roomForPack();
        slow.packs += 1;
        slow.most = Math.max(slow.most, slow.packs);
        maintainer.notePack();
      }
    })();
    while (progress.added < 200) {
      await nextTurn();
      slow.finish?.();
      slow.finish = undefined;
    }
    await adding;
    assert.ok(slow.most <= 50, `${slow.most} packs at a time`);
    assert.ok(slow.joinings > 3);
  });

  it('waits longer while other work is about to rewrite packs, and makes up for it', async () => {
    const slow = new SlowRepository();
    const maintainer = new Maintainer({
      repository: slow,
      isKept: () => false,
      clock: new TestClock(),
      onFault: (cause) => assert.fail(String(cause)),
      onDamage: assert.fail,
    });
    const add = (packs: number): void => {
      for (let pack = 0; pack < packs; pack++) {
        slow.packs += 1;
        maintainer.notePack();
      }
    };
    await maintainer.heldOff(async () => {
      add(39);
      assert.equal(slow.joinings, 0);
    });
    assert.equal(slow.joinings, 1);
    slow.finish?.();
    await maintainer.run();
    await maintainer.heldOff(async () => {
      add(50);
      assert.equal(slow.joinings, 2);
    });
    slow.finish?.();
    await maintainer.run();
  });

  it('yields at once to a rewrite of packs, which would otherwise add too many waits', async () => {
    const slow = new SlowRepository();
    const faults: unknown[] = [];
    const maintainer = new Maintainer({
      repository: slow,
      isKept: () => false,
      clock: new TestClock(),
      onFault: (cause) => void faults.push(cause),
      onDamage: assert.fail,
    });
    const add = (packs: number): void => {
      for (let pack = 0; pack < packs; pack++) {
        slow.packs += 1;
        maintainer.notePack();
      }
    };
    add(25);
    assert.equal(slow.joinings, 1);
    let finish: () => void = () => undefined;
    const written = new Promise<void>((resolve) => (finish = resolve));
    const order: string[] = [];
    const aside = maintainer.stoodAside(async (goOn) => {
      order.push('begun');
      assert.ok(slow.isCalledOff);
      add(25);
      // Objects that it waits for itself may still be added.
      await maintainer.roomForPack();
      goOn();
      void maintainer.roomForPack().then(() => order.push('room'));
      await written;
      slow.packs = 1;
      order.push('written');
    });
    await nextTurn();
    assert.deepEqual(order, ['begun']);
    finish();
    await aside;
    await nextTurn();
    assert.deepEqual(order, ['begun', 'written', 'room']);
    assert.deepEqual([slow.joinings, faults], [1, []]);
    add(19);
    assert.equal(slow.joinings, 2);
    slow.finish?.();
    await maintainer.run();
  });

  it('lets checkpoints continue when it fails, reports it once, and is not tried again at once', async () => {
    const slow = new SlowRepository();
    slow.fail = true;
    const faults: unknown[] = [];
    const maintainer = new Maintainer({
      repository: slow,
      isKept: () => false,
      clock: new TestClock(),
      onFault: (cause) => void faults.push(cause),
      onDamage: assert.fail,
    });
    for (let i = 0; i < 80; i++) {
      const waiting = maintainer.roomForPack();
      if (slow.finish !== undefined) {
        slow.finish();
        slow.finish = undefined;
      }
      await waiting;
      slow.packs += 1;
      maintainer.notePack();
    }
    assert.equal(slow.joinings, 1);
    assert.equal(faults.length, 1);
  });

  /** Counts packs alone. Its joining takes as long as the test wants. */
  class SlowRepository implements Pick<Repository, 'maintain' | 'stats'> {
    packs = 0;
    most = 0;
    joinings = 0;
    finish: (() => void) | undefined;
    fail = false;
    isCalledOff = false;

    async stats(): Promise<RepositoryStats> {
      return { packs: this.packs, looseObjects: 0, bytes: 0 };
    }

    async maintain(_isKept?: (oid: Oid) => boolean, callOff?: AbortSignal): Promise<MaintenanceReport> {
      this.joinings += 1;
      const joined = this.packs;
      await new Promise<void>((resolve) => {
        this.finish = resolve;
        callOff?.addEventListener('abort', () => resolve());
      });
      this.isCalledOff = callOff?.aborted === true;
      if (this.isCalledOff) {
        const stats = await this.stats();
        return { before: stats, after: stats, missing: null, damaged: [], isCalledOff: true };
      }
      if (this.fail) throw new Error('no space left');
      const before = await this.stats();
      this.packs += 2; // the joined ones and the loose ones, before the old ones go
      this.most = Math.max(this.most, this.packs);
      this.packs -= joined + 1;
      return { before, after: await this.stats(), missing: null, damaged: [] };
    }
  }
});

const makeContent = (): string => `\u0000${randomBytes(400_000).toString('hex')}`;
