import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Service } from '../../lib/app/service.js';
import { runCommand } from '../../lib/commands/carrier/run-command.js';
import type { Workspace } from '../../lib/workspace/workspace.js';
import { Actor } from '../support/store/actor.js';
import { makeTestRandomness, openTestService, operator, type TestService } from '../support/store/service.js';
import { eraseAt, liveDocuments } from '../support/store/erase-at.js';
import { findTraces } from '../support/store/evidence.js';

describe('an erase that the history blocks', function () {
  this.timeout(60_000);
  let test: TestService;
  let work: string;
  let clone: string;
  let service: Service;
  let faults: string[];

  beforeEach(async () => {
    work = await mkdtemp(join(tmpdir(), 'cartulary-hindered-'));
    clone = join(work, 'clone');
    faults = [];
    test = await openTestService({ store: 'disk' });
    const actor = new Actor(test.workspace, operator.principalId);
    for (const name of ['old', 'taken', 'kept']) await actor.create(`${name}.md`, `${name} falconsecret`);
    await test.workspace.checkpointer.run();
    execFileSync('git', ['clone', '-q', join(test.dataFolder ?? '', 'acme', 'content.git'), clone]);
  });
  afterEach(async () => {
    await service.close();
    await test.close();
    await rm(work, { recursive: true, force: true });
  });

  it('reports the reason and the remaining work, and keeps no other erase waiting, also after the next start', async () => {
    git('checkout', '-q', '-b', 'side', 'HEAD~1');
    git('commit', '-q', '--allow-empty', '-m', 'Beside it');
    git('checkout', '-q', 'main');
    git('merge', '-q', '--no-ff', '-m', 'Merge what was beside it', 'side');
    let workspace = await restore();
    let actor = new Actor(workspace, operator.principalId);
    await actor.create('new.md', 'cormorantsecret');
    const stuck = await eraseAt(workspace, 'old.md');
    const other = await eraseAt(workspace, 'new.md');
    assert.equal((await workspace.eraser.finished(other.id)).phase, 'final');
    await assert.rejects(workspace.eraser.finished(stuck.id), { code: 'INTERNAL' });
    assert.equal(faults.length, 1);
    assert.deepEqual(findTraces(join(work, 'data'), ['cormorantsecret', 'new.md']), []);
    for (const isAgain of [false, true]) {
      if (isAgain) {
        await service.close();
        await open();
        workspace = service.find('acme') as Workspace;
        actor = new Actor(workspace, operator.principalId);
        await actor.create('newer.md', 'kestrelsecret');
        const newer = await eraseAt(workspace, 'newer.md');
        assert.equal((await workspace.eraser.finished(newer.id)).phase, 'final');
        assert.deepEqual(findTraces(join(work, 'data'), ['kestrelsecret', 'newer.md']), []);
      }
      const receipts = await listReceipts();
      const shown = receipts.find(({ id }) => id === stuck.id);
      assert.equal(shown?.final_at, null);
      assert.match(shown.hindrance ?? '', /The commit [0-9a-f]{40} is a merge.*cartulary import/);
      assert.doesNotMatch(shown.hindrance ?? '', /old\.md/);
      for (const { id, final_at, hindrance } of receipts) {
        if (id !== stuck.id) assert.ok(final_at !== null && hindrance === null);
      }
    }
    assert.deepEqual(Object.keys(await liveDocuments(workspace)), ['kept.md', 'taken.md']);
    assert.equal(await actor.update('kept.md', 'goes on').then(({ location }) => location), 'kept.md');
  });

  it('keeps no older one waiting, where only its own file is not in its place', async () => {
    git('rm', '-q', 'taken.md');
    git('commit', '-q', '-m', 'Take it away by hand');
    git('revert', '--no-edit', 'HEAD');
    const workspace = await restore();
    const [stuck, other] = await Promise.all([eraseAt(workspace, 'taken.md'), eraseAt(workspace, 'old.md')]);
    assert.equal((await workspace.eraser.finished(other.id)).phase, 'final');
    assert.deepEqual(findTraces(join(work, 'data'), ['old falconsecret', 'old.md']), []);
    const receipts = await listReceipts();
    assert.match(receipts.find(({ id }) => id === stuck.id)?.hindrance ?? '', /lacks a file/);
    assert.equal(receipts.find(({ id }) => id === other.id)?.hindrance, null);
    assert.deepEqual(Object.keys(await liveDocuments(workspace)), ['kept.md']);
  });

  for (const [what, event, reason] of [
    ['an event', 'Operation: of-a-later-release', /its operation "of-a-later-release" is not known/],
    ['a trailer', 'Operation: create-folder\nFolder: new\nOf-Later: old.md', /its trailer "Of-Later" is not known/],
  ] as const) {
    it(`leaves a commit with ${what} of a later release as it is, and names the reason`, async () => {
      const trailers = `${event}\nPrincipal: operator\nTime: 2026-01-01T00:00:00.000Z`;
      git('commit', '-q', '--allow-empty', '-m', `Do something new\n\n${trailers}`);
      const workspace = await restore();
      const { head } = workspace.journal.state;
      const stuck = await eraseAt(workspace, 'old.md');
      await assert.rejects(workspace.eraser.finished(stuck.id), { code: 'INTERNAL' });
      const [receipt] = await listReceipts();
      assert.match(receipt?.hindrance ?? '', /cannot be rewritten/);
      assert.match(receipt?.hindrance ?? '', reason);
      assert.equal(receipt?.final_at, null);
      const repository = join(work, 'data', 'acme', 'content.git');
      const log = execFileSync('git', ['-C', repository, 'log', '--format=%B', head ?? '']);
      assert.ok(String(log).includes(trailers));
    });
  }

  function git(...parameters: string[]): void {
    const author = ['-c', 'user.name=x', '-c', 'user.email=x@y'];
    execFileSync('git', ['-C', clone, ...author, ...parameters], { stdio: 'ignore' });
  }

  async function open(): Promise<void> {
    service = await Service.open({
      dataFolder: join(work, 'data'),
      git: 'auto',
      clock: test.clock,
      randomness: makeTestRandomness(`hindered ${faults.length}`),
      onFault: (what, cause) => void faults.push(`${what}: ${(cause as Error).message}`),
    });
  }

  async function restore(): Promise<Workspace> {
    await open();
    return service.restore({ clone, name: 'acme', isPartial: true }, operator);
  }

  async function listReceipts(): Promise<readonly { id: string; final_at: string | null; hindrance: string | null }[]> {
    const line = await runCommand(
      { command: 'erasures', fields: {} },
      {
        host: service,
        server: null,
        address: '',
        onProgress: async () => undefined,
        signal: new AbortController().signal,
        onFault: () => undefined,
      },
    );
    assert.ok('result' in line);
    return (line.result as { items: never[] }).items;
  }
});
