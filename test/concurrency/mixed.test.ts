import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import * as fc from 'fast-check';
import { operatorId } from '../../lib/domain/principal.js';
import { rootLocation } from '../../lib/domain/location.js';
import { verifyChain } from '../../lib/audit/verify-chain.js';
import { exportChain } from '../../lib/audit/export.js';
import { pathsOf } from '../../lib/journal/workspace-files.js';
import { Actor, outcomeOf } from '../support/store/actor.js';
import { gather } from '../support/gather.js';
import { openTestService, type TestService } from '../support/store/service.js';
import { countOf, leastOf, seedOf } from '../support/counts.js';

const names = ['a', 'b', 'c'];
const paths = names.flatMap((x) => [x, ...names.flatMap((y) => [`${x}/${y}`, `${x}/${y}/d`])]);
const path = fc.constantFrom(...paths);
const folder = fc.constantFrom('', ...paths);
const command = fc.oneof(
  { weight: 4, arbitrary: fc.record({ does: fc.constant('create' as const), path }) },
  { weight: 2, arbitrary: fc.record({ does: fc.constant('update' as const), path }) },
  { weight: 2, arbitrary: fc.record({ does: fc.constant('delete' as const), path }) },
  { weight: 1, arbitrary: fc.record({ does: fc.constant('undelete' as const), path }) },
  { weight: 3, arbitrary: fc.record({ does: fc.constant('move' as const), path, folder }) },
  { weight: 2, arbitrary: fc.record({ does: fc.constant('rename' as const), path, name: fc.constantFrom(...names) }) },
  { weight: 1, arbitrary: fc.record({ does: fc.constant('create-folder' as const), path }) },
);

const runs = countOf('MIXED_WRITES', { usual: 3, campaign: 200 });

describe('Simultaneous writes of all kinds', () => {
  let test: TestService;
  let someone: Actor;

  before(async () => {
    test = await openTestService({ store: 'disk' });
    someone = new Actor(test.workspace, operatorId);
  });
  after(() => test.close());

  it('leave rows and repository in agreement, every commit in one line, and the chain sound', async function () {
    this.timeout(60_000 + runs * 3_000);
    let commits = 0;
    let serial = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(command, { minLength: 40, maxLength: 80, size: 'max' }), async (commands) => {
        const checkpoint = test.workspace.checkpointer.run();
        const outcomes = await Promise.all(
          commands.map((done) => {
            serial += 1;
            return outcomeOf(perform(done, serial));
          }),
        );
        await checkpoint;
        await test.workspace.checkpointer.run();
        for (const outcome of outcomes) {
          assert.match(
            outcome,
            /^(?:done|NOT_FOUND|CONFLICT (?:name_taken|location_occupied)|INVALID_REQUEST into_itself)$/,
          );
        }
        commits += outcomes.filter((outcome) => outcome === 'done').length;

        const inGit = git('ls-tree', '-r', '-z', '--format=%(objectname) %(path)', 'main')
          .split('\0')
          .filter((line) => line !== '' && !line.endsWith('.keep'))
          .toSorted();
        const documents = [...test.workspace.view(someone.caller).walk(rootLocation)];
        const inRows = documents.map(({ location, current }) => `${current.blobOid} ${location}`).toSorted();
        assert.deepEqual(inGit, inRows);
      }),
      { numRuns: runs, seed: seedOf(20260105) },
    );
    assert.ok(commits > leastOf(runs, 100, 12), `${commits} commits`);
    assert.equal(git('rev-list', '--count', 'main').trim(), String(commits));
    assert.equal(git('rev-list', '--count', '--min-parents=2', 'main').trim(), '0');
    assert.equal(git('fsck', '--strict').trim(), '');
    const source = { workspace: 'acme', tables: test.workspace.journal.reader, archives: null };
    assert.ok(verifyChain(await gather(exportChain(source, true))).sound);
  });

  const repository = (): string => pathsOf(test.dataFolder ?? '', 'acme').repository;

  const git = (...args: string[]): string => execFileSync('git', ['-C', repository(), ...args], { encoding: 'utf8' });

  function perform(done: Command, serial: number): Promise<unknown> {
    switch (done.does) {
      case 'create':
        return someone.create(done.path, `text ${serial}`);
      case 'update':
        return someone.update(done.path, `text ${serial}`);
      case 'delete':
        return someone.delete(done.path);
      case 'undelete':
        return someone.undelete(done.path);
      case 'move':
        return someone.move(done.path, done.folder, true);
      case 'rename':
        return someone.rename(done.path, done.name, true);
      case 'create-folder':
        return someone.createFolder(done.path);
    }
  }
});

type Command = typeof command extends fc.Arbitrary<infer Value> ? Value : never;
