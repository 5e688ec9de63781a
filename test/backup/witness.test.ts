import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Service } from '../../lib/app/service.js';
import { anyCommit } from '../../lib/audit/verify.js';
import { perform } from '../../lib/operations/perform.js';
import { verifyWorkspace, type VerifyOptions } from '../../lib/integrity/verify.js';
import type { Workspace } from '../../lib/workspace/workspace.js';
import { eraseAt } from '../support/store/erase-at.js';
import { Actor } from '../support/store/actor.js';
import { makeTestRandomness, openTestService, operator, type TestService } from '../support/store/service.js';
import { uncarryRestart } from './earlier-build.js';
import { verifyAudit } from '../support/store/verify-audit.js';
import { Sqlite } from '../support/store/sqlite.js';

const hour = 60 * 60 * 1000;

for (const isEarlier of [false, true]) describeWitness(isEarlier);

/** @param isEarlier whether an earlier build made the workspace, so that no commit carries the restart */
function describeWitness(isEarlier: boolean): void {
  describe(`the repository as a witness of the log of a workspace made from a clone${isEarlier ? ' by an earlier build' : ''}`, function () {
    this.timeout(60_000);
    let test: TestService;
    let work: string;
    let service: Service;

    beforeEach(async () => {
      work = await mkdtemp(join(tmpdir(), 'cartulary-witness-'));
      test = await openTestService({ store: 'disk' });
    });
    afterEach(async () => {
      await service.close();
      await test.close();
      await rm(work, { recursive: true, force: true });
    });

    /**
     * A workspace made from a clone of a workspace with these documents. Some were erased before the clone.
     * @param later how far the clock is set forward before the restore
     */
    async function recover(names: readonly string[], erased: readonly string[] = [], later = 0): Promise<Workspace> {
      const actor = new Actor(test.workspace, operator.principalId);
      for (const name of names) {
        await actor.create(name);
        test.clock.advance(1000);
      }
      for (const name of erased) {
        await test.workspace.eraser.finished((await eraseAt(test.workspace, name)).id);
      }
      await test.workspace.checkpointer.run();
      const clone = join(work, 'clone');
      execFileSync('git', ['clone', '-q', join(test.dataFolder ?? '', 'acme', 'content.git'), clone]);
      test.clock.advance(later);
      service = await open();
      const workspace = await service.restore({ clone, name: 'acme' }, operator);
      if (!isEarlier) return workspace;
      await service.close();
      uncarryRestart(join(work, 'data'));
      service = await open();
      return service.find('acme') ?? assert.fail();
    }

    function open(): Promise<Service> {
      return Service.open({
        dataFolder: join(work, 'data'),
        git: 'auto',
        clock: test.clock,
        randomness: makeTestRandomness('recovered'),
        onFault: () => undefined,
      });
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
      const workspace = await recover(['a.md', 'b.md']);
      test.clock.advance(-24 * hour);
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
      const workspace = await recover(['a.md', 'b.md', 'c.md']);
      test.clock.advance(-24 * hour);
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
      const workspace = await recover(['a.md', 'b.md', 'c.md'], ['a.md'], -24 * hour);
      assert.deepEqual(await findProblems(), []);
      const recovered = workspace.journal.reader.audit.after(0, 1)[0];
      assert.equal(recovered?.action, 'workspace.recover');
      const clone = join(work, 'later');
      execFileSync('git', ['clone', '-q', join(work, 'data', 'acme', 'content.git'), clone]);
      const restartedFrom = recovered?.version ?? undefined;
      const verdict = (await perform(workspace, operator, verifyAudit, { clone, restartedFrom })).result;
      assert.ok(verdict.sound, JSON.stringify(verdict));
    });
  });
}
