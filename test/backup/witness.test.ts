import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Service } from '../../lib/app/service.js';
import { anyCommit } from '../../lib/audit/verify-chain.js';
import { perform } from '../../lib/operations/perform.js';
import { verifyWorkspace, type VerifyOptions } from '../../lib/integrity/verify-workspace.js';
import type { Workspace } from '../../lib/workspace/workspace.js';
import { eraseAt } from '../support/store/erase-at.js';
import { Actor } from '../support/store/actor.js';
import {
  makeTestRandomness,
  openTestService,
  operator,
  TestClock,
  type TestService,
} from '../support/store/service.js';
import { uncarryRestart } from './earlier-build.js';
import { verifyAudit } from '../support/store/verify-audit.js';
import { Sqlite } from '../support/store/sqlite.js';

const hour = 60 * 60 * 1000;

describe('the repository as a witness of the log of a workspace made from a clone', function () {
  this.timeout(60_000);
  let kept: string;
  let made: Made;
  /** Made at an earlier setting of the clock, from a clone that was made after an erase. */
  let madeEarlier: Made;

  before(async () => {
    kept = await mkdtemp(join(tmpdir(), 'cartulary-witness-'));
    const test = await openTestService({ store: 'disk' });
    const actor = new Actor(test.workspace, operator.principalId);
    for (const name of ['a.md', 'b.md', 'c.md']) {
      await actor.create(name);
      test.clock.advance(1000);
    }
    made = await makeFromClone(test, join(kept, 'made'));
    await test.workspace.eraser.finished((await eraseAt(test.workspace, 'a.md')).id);
    test.clock.advance(-24 * hour);
    madeEarlier = await makeFromClone(test, join(kept, 'made earlier'));
    await test.close();
  });
  after(() => rm(kept, { recursive: true, force: true }));

  for (const isEarlier of [false, true]) {
    describe(isEarlier ? 'by an earlier build' : 'by this build', () => describeWitness(isEarlier));
  }

  async function makeFromClone(test: TestService, dataFolder: string): Promise<Made> {
    await test.workspace.checkpointer.run();
    const clone = `${dataFolder}.clone`;
    execFileSync('git', ['clone', '-q', join(test.dataFolder ?? '', 'acme', 'content.git'), clone]);
    const service = await open(dataFolder, test.clock);
    await service.restore({ clone, name: 'acme' }, operator);
    await service.close();
    return { dataFolder, milliseconds: test.clock.milliseconds };
  }

  function open(dataFolder: string, clock: TestClock, seed = 'recovered'): Promise<Service> {
    const randomness = makeTestRandomness(seed);
    return Service.open({ dataFolder, git: 'auto', clock, randomness, onFault: () => undefined });
  }

  /** @param isEarlier whether an earlier build made the workspace, so that no commit carries the restart */
  function describeWitness(isEarlier: boolean): void {
    let clock: TestClock;
    let work: string;
    let service: Service;

    beforeEach(async () => {
      clock = new TestClock();
      work = await mkdtemp(join(tmpdir(), 'cartulary-witness-'));
    });
    afterEach(async () => {
      await service.close();
      await rm(work, { recursive: true, force: true });
    });

    /** Opens a copy of it. */
    async function recover(from: Made): Promise<Workspace> {
      const data = join(work, 'data');
      await cp(from.dataFolder, data, { recursive: true });
      if (isEarlier) uncarryRestart(data);
      clock.milliseconds = from.milliseconds;
      service = await open(data, clock, 'a copy');
      return service.find('acme') ?? assert.fail();
    }

    async function findProblems(): Promise<string[]> {
      const expected: Pick<VerifyOptions, 'restartedFrom'> = isEarlier ? { restartedFrom: anyCommit } : {};
      const options = { dataFolder: join(work, 'data'), name: 'acme', git: 'auto' as const, ...expected };
      return (await verifyWorkspace(options, () => undefined)).problems.map(({ message }) => message);
    }

    /** Removes the last records, after the signed ones. */
    function cutTail(from: number): void {
      const sidecar = new Sqlite(join(work, 'data', 'acme', 'sidecar.sqlite'));
      sidecar.prepare('DELETE FROM audit_record WHERE seq >= ?').run(from);
      sidecar.prepare('DELETE FROM audit_text WHERE seq >= ?').run(from);
      sidecar.prepare('DELETE FROM audit_checkpoint WHERE seq >= ?').run(from);
      sidecar.close();
    }

    it('reports a cut tail, at any later setting of the clock', async () => {
      const workspace = await recover(made);
      clock.advance(-24 * hour);
      const actor = new Actor(workspace, operator.principalId);
      for (const text of ['one', 'two', 'three']) await actor.update('b.md', text);
      await workspace.checkpointer.run();
      assert.deepEqual(await findProblems(), []);
      const { seq } = workspace.journal.state.chain;
      await service.close();
      cutTail(seq - 1);
      assert.match((await findProblems()).join('\n'), /the chain ends at \d+/);
    });

    it('reports it also after an erase removed the commit that the workspace was made from', async () => {
      const workspace = await recover(made);
      clock.advance(-24 * hour);
      const actor = new Actor(workspace, operator.principalId);
      await actor.update('b.md', 'one');
      await workspace.eraser.finished((await eraseAt(workspace, 'c.md')).id);
      for (const text of ['two', 'three']) await actor.update('b.md', text);
      await workspace.checkpointer.run();
      assert.deepEqual(await findProblems(), []);
      const { seq } = workspace.journal.state.chain;
      await service.close();
      cutTail(seq - 1);
      assert.match((await findProblems()).join('\n'), /the chain ends at \d+/);
    });

    it('is not heard where it speaks of the earlier log, though its newest commit was rewritten and seems later', async () => {
      const workspace = await recover(madeEarlier);
      assert.deepEqual(await findProblems(), []);
      const recovered = workspace.journal.reader.audit.after(0, 1)[0];
      assert.equal(recovered?.action, 'workspace.recover');
      const clone = join(work, 'later');
      execFileSync('git', ['clone', '-q', join(work, 'data', 'acme', 'content.git'), clone]);
      const restartedFrom = recovered?.version ?? undefined;
      const verdict = (await perform(workspace, operator, verifyAudit, { clone, restartedFrom })).result;
      assert.ok(verdict.sound, JSON.stringify(verdict));
    });
  }
});

/** A workspace made from a clone, before anything happened in it. */
interface Made {
  readonly dataFolder: string;
  /** The time of its clock. */
  readonly milliseconds: number;
}
