import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { parseLocation } from '../../lib/domain/location.js';
import { Refusal } from '../../lib/domain/refusal.js';
import { rebuild } from '../../lib/operations/workspaces/rebuild.js';
import { eraseAt } from '../support/store/erase-at.js';
import { Actor, outcomeOf } from '../support/store/actor.js';
import { addClient } from '../support/store/client.js';
import { openTestService, operator, type TestService } from '../support/store/service.js';
import { dumpContent, makeHistory } from '../support/store/history.js';
import { Sqlite } from '../support/store/sqlite.js';

describe('rebuild', () => {
  let test: TestService;
  let folder: string;

  afterEach(() => test.close());

  for (const store of ['disk', 'disk-without-git'] as const) {
    it(`makes every row of documents, versions, folders and moves again as it was (${store})`, async () => {
      test = await openTestService({ store });
      await makeHistory(test);
      folder = test.dataFolder ?? '';
      const before = dumpContent(folder);
      assert.deepEqual([before.versions.length, before.relocations.length, before.labels.length], [20, 6, 2]);
      const spoil = new Sqlite(join(folder, 'acme', 'sidecar.sqlite'));
      spoil.exec(`PRAGMA foreign_keys = OFF; DELETE FROM relocation; UPDATE version SET message = 'forged', size = 1;
        UPDATE document SET name = name || '2', created_at = 0; DELETE FROM version WHERE sequence = 2;
        DELETE FROM folder WHERE kept = 1`);
      spoil.close();
      await test.workspace.journal.write({
        run: (transaction) => {
          transaction.state = { ...transaction.state, storedBytes: 7 };
        },
      });
      assert.notDeepEqual(dumpContent(folder), before);
      const told: number[] = [];
      const report = await rebuild(test.workspace, operator, { onProgress: (commits) => void told.push(commits) });
      assert.deepEqual(dumpContent(folder), before);
      assert.equal(report?.versions, before.versions.length);
      assert.deepEqual(told, [report?.commits]);
    });
  }

  it('leaves a workspace that accepts writes as before', async () => {
    test = await openTestService({ store: 'disk' });
    const person = await makeHistory(test);
    await rebuild(test.workspace, operator);
    assert.equal((await person.update('plan.md', 'after')).current.sequence, 3);
    await person.move('new/late', 'c');
    assert.equal(await person.read('c/late/é ü.md'), 'late');
    const after = dumpContent(test.dataFolder ?? '');
    await rebuild(test.workspace, operator);
    assert.deepEqual(dumpContent(test.dataFolder ?? ''), after);
  });

  it('leaves no unread change out of a brief, also where an erase has shortened the history', async () => {
    test = await openTestService({ store: 'disk' });
    const world = { service: test, workspace: test.workspace };
    const ada = await addClient(world, 'Ada', 'approver');
    const ben = await addClient(world, 'Ben', 'reader', '');
    for (let version = 0; version < 5; version += 1) await ada.create(`private ${version}.md`);
    await ben.brief();
    test.clock.advance(10 * 60_000);
    await ada.create('news.md');
    const erased = [0, 1, 2, 3, 4].map((version) => eraseAt(test.workspace, `private ${version}.md`));
    for (const { id } of await Promise.all(erased)) await test.workspace.eraser.finished(id);
    await rebuild(test.workspace, operator);
    assert.deepEqual(await ben.news(), ['created news.md by Ada']);
    test.clock.advance(10 * 60_000);
    await ada.create('more.md');
    assert.deepEqual(await ben.news(), ['created more.md by Ada']);
  });

  it('names a commit that the service did not make, and changes nothing', async () => {
    test = await openTestService({ store: 'disk' });
    const person = await makeHistory(test);
    await test.workspace.checkpointer.run();
    folder = test.dataFolder ?? '';
    const foreign = commitByHand(join(folder, 'acme', 'content.git'), 'Fix a typo');
    const head = test.workspace.journal.state.head ?? '';
    await test.workspace.journal.write({
      run: (transaction) => {
        transaction.state = { ...transaction.state, head: foreign };
      },
    });
    const before = dumpContent(folder);
    await assert.rejects(rebuild(test.workspace, operator), (error: unknown) => {
      assert.ok(error instanceof Refusal);
      assert.equal(error.details?.reason, 'history_not_understood');
      assert.match(error.message, new RegExp(`Commit ${foreign}: its message does not end in trailers`));
      assert.doesNotMatch(error.message, new RegExp(head));
      return true;
    });
    assert.deepEqual(dumpContent(folder), before);
    const report = await rebuild(test.workspace, operator, { isPartial: true });
    assert.deepEqual(
      report?.problems.map(({ commit }) => commit),
      [foreign],
    );
    assert.deepEqual(dumpContent(folder), before);
    assert.equal(await person.read('plan.md'), 'another document at the old place');
  });

  it('gives versions and documents their known ids, also where history was rewritten since', async () => {
    test = await openTestService({ store: 'disk' });
    await makeHistory(test);
    await test.workspace.checkpointer.run();
    folder = test.dataFolder ?? '';
    const before = dumpContent(folder);
    const newOids = rewriteWithVersions(join(folder, 'acme', 'content.git'));
    await test.workspace.journal.write({
      run: (transaction) => {
        transaction.state = { ...transaction.state, head: newOids.get(transaction.state.head ?? '') ?? null };
      },
    });
    await rebuild(test.workspace, operator);
    const after = dumpContent(folder);
    const ids = (dump: typeof before) => dump.versions.map((row) => (row as { id: string }).id);
    assert.deepEqual(ids(after), ids(before));
    assert.deepEqual(
      after.versions.map((row) => (row as { commit_oid: string }).commit_oid),
      ids(before).map((id) => newOids.get(id)),
    );
    assert.deepEqual(
      after.documents.map((row) => ({ ...(row as object), deleted_commit: null })),
      before.documents.map((row) => ({ ...(row as object), deleted_commit: null })),
    );
  });

  it('understands the undelete of a folder whose remaining documents were erased', async () => {
    test = await openTestService({ store: 'disk' });
    const { workspace } = test;
    const ada = await addClient({ service: test, workspace }, 'Ada', 'approver');
    const { id: documentId } = await ada.create('b/e.md', 'erased later');
    await ada.createFolder('b/kept');
    await ada.deleteFolder('b');
    await ada.create('b/e.md', 'in the way');
    assert.equal((await ada.undeleteFolder('b')).leftAlone.length, 1);
    const { id } = await eraseAt(workspace, 'b/e.md', { isDeleted: true, documentId });
    await workspace.eraser.finished(id);
    await rebuild(workspace, operator);
    assert.deepEqual(await ada.list('b'), ['kept/', 'e.md']);
  });

  it('gives no document the rows of another one whose own row was lost', async () => {
    test = await openTestService({ store: 'disk' });
    const ada = await addClient({ service: test, workspace: test.workspace }, 'Ada', 'approver');
    for (const name of ['kept', 'erased', 'lost', 'lost too']) await ada.create(`${name}.md`);
    await ada.comment('lost.md', 'only about this one');
    await ada.labels('set', 'lost.md', 'private');
    const { id } = await eraseAt(test.workspace, 'erased.md');
    await test.workspace.eraser.finished(id);
    const spoil = new Sqlite(join(test.dataFolder ?? '', 'acme', 'sidecar.sqlite'));
    spoil.exec(
      `PRAGMA foreign_keys = OFF; DELETE FROM version WHERE document > 1; DELETE FROM document WHERE number > 1`,
    );
    spoil.close();
    await rebuild(test.workspace, operator);
    assert.deepEqual(await ada.list(), ['kept.md', 'lost too.md', 'lost.md']);
    for (const name of ['lost.md', 'lost too.md']) {
      assert.deepEqual((await ada.comments(name)).items, [], name);
      assert.deepEqual(test.workspace.view(ada.caller).document(parseLocation(name))?.labels, [], name);
    }
  });

  it('reports a write that happens meanwhile, from its first moment on', async () => {
    test = await openTestService({ store: 'disk' });
    const { workspace } = test;
    const actor = new Actor(workspace, operator.principalId);
    await actor.create('a.md');
    const rebuilding = outcomeOf(rebuild(workspace, operator));
    // Each is written before the end of the checkpoint with which the rebuild begins.
    const writing = Promise.all(['b.md', 'c.md', 'd.md'].map((name) => actor.create(name)));
    assert.equal(await rebuilding, 'CONFLICT content_changed');
    await writing;
    await rebuild(workspace, operator);
    assert.deepEqual(await actor.list(), ['a.md', 'b.md', 'c.md', 'd.md']);
  });

  it('a rebuild is refused to everyone except admins', async () => {
    test = await openTestService({ store: 'disk' });
    const { id } = await test.person('editor');
    await assert.rejects(
      rebuild(test.workspace, { ...operator, principalId: id, kind: 'person' }),
      (error: unknown) => error instanceof Refusal && error.code === 'NOT_FOUND',
    );
  });
});

/** Puts a foreign commit on main, with the tree of the previous commit. */
function commitByHand(repository: string, message: string): string {
  const git = (...parameters: string[]): string =>
    execFileSync('git', ['-C', repository, '-c', 'user.name=x', '-c', 'user.email=x@y', ...parameters], {
      encoding: 'utf8',
    }).trim();
  const commit = git('commit-tree', 'main^{tree}', '-p', 'main', '-m', message);
  git('update-ref', 'refs/heads/main', commit);
  return commit;
}

/** Makes every commit again with another date, and with its old id as a trailer. @returns new names by old ones */
function rewriteWithVersions(repository: string): Map<string, string> {
  const git = (parameters: string[], input = ''): string =>
    execFileSync('git', ['-C', repository, ...parameters], { encoding: 'utf8', input });
  const newOids = new Map<string, string>();
  for (const oid of git(['rev-list', '--reverse', 'main']).trim().split('\n')) {
    const old = git(['cat-file', 'commit', oid]);
    const rewritten = old
      .replace(/^parent (.*)$/m, (_, parent: string) => `parent ${newOids.get(parent)}`)
      .replace(/^committer (.*) (\d+) /m, 'committer $1 1 ')
      .replace(/\n$/, `\nVersion: ${oid}\n`);
    newOids.set(oid, git(['hash-object', '-t', 'commit', '-w', '--stdin'], rewritten).trim());
  }
  git(['update-ref', 'refs/heads/main', [...newOids.values()].at(-1) ?? '']);
  return newOids;
}
