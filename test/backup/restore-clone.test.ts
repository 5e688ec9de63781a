import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Service } from '../../lib/app/service.js';
import { Refusal } from '../../lib/domain/refusal.js';
import { rootLocation } from '../../lib/domain/location.js';
import { perform } from '../../lib/operations/perform.js';
import { rebuild } from '../../lib/operations/workspaces/rebuild.js';
import { searchDocuments } from '../../lib/operations/documents/search-documents.js';
import { verifyWorkspace } from '../../lib/integrity/verify-workspace.js';
import { Actor } from '../support/store/actor.js';
import { makeTestRandomness, openTestService, operator, type TestService } from '../support/store/service.js';
import { dumpContent, makeHistory } from '../support/store/history.js';
import { verifyAudit } from '../support/store/verify-audit.js';

describe('recovery from a clone alone', () => {
  let test: TestService;
  let work: string;
  let clone: string;
  let service: Service;

  beforeEach(async () => {
    work = await mkdtemp(join(tmpdir(), 'cartulary-clone-'));
    test = await openTestService({ store: 'disk' });
    await makeHistory(test);
    await test.workspace.checkpointer.run();
    clone = join(work, 'clone');
    execFileSync('git', ['clone', '-q', join(test.dataFolder ?? '', 'acme', 'content.git'), clone]);
    service = await Service.open({
      dataFolder: join(work, 'data'),
      git: 'auto',
      clock: test.clock,
      randomness: makeTestRandomness('recovered'),
      onFault: () => undefined,
    });
  });

  afterEach(async () => {
    await service.close();
    await test.close();
    await rm(work, { recursive: true, force: true });
  });

  it('gives content and history back as they were, and admits no person', async () => {
    const workspace = await service.restore({ clone, name: 'acme' }, operator);
    const { labels, ...before } = dumpContent(test.dataFolder ?? '');
    const { labels: none, ...after } = dumpContent(join(work, 'data'));
    assert.deepEqual(after, before);
    assert.deepEqual([labels.length, none.length], [2, 0]);
    const reader = new Actor(workspace, operator.principalId);
    assert.equal(await reader.read('plan.md'), 'another document at the old place');
    const people = workspace.journal.reader.principals.list().filter(({ kind }) => kind !== 'operator');
    assert.deepEqual(people.map(({ displayName, kind }) => `${displayName} ${kind}`).toSorted(), [
      'Ada the first person',
      'Indexer agent',
    ]);
    assert.ok(people.every(({ disabledAt }) => disabledAt !== null));
    assert.deepEqual(workspace.journal.reader.credentials.list(), []);
  });

  it('has the rows that its commits give again, the restart of the audit log among them', async () => {
    const workspace = await service.restore({ clone, name: 'acme' }, operator);
    const restored = dumpContent(join(work, 'data'));
    await rebuild(workspace, operator);
    assert.deepEqual(dumpContent(join(work, 'data')), restored);
  });

  it('finds the restored documents by their text', async () => {
    const workspace = await service.restore({ clone, name: 'acme' }, operator);
    await workspace.searchCaughtUp();
    const query = { query: 'deeper', location: rootLocation, labels: [], limit: 9, position: null };
    const { hits } = (await perform(workspace, operator, searchDocuments, query)).result;
    assert.deepEqual(
      hits.map(({ document }) => document.location),
      ['empty/B/c/deep.md'],
    );
  });

  it('begins a new audit chain, without witness in older commits, and with witness in newer ones', async () => {
    const workspace = await service.restore({ clone, name: 'acme' }, operator);
    const options = { dataFolder: join(work, 'data'), name: 'acme', git: 'auto' as const };
    const problems = async () => (await verifyWorkspace(options, () => undefined)).problems;
    assert.deepEqual(await problems(), []);
    const actor = new Actor(workspace, operator.principalId);
    await actor.update('plan.md', 'written after the recovery');
    await workspace.checkpointer.run();
    assert.deepEqual(await problems(), []);
    const later = join(work, 'later');
    execFileSync('git', ['clone', '-q', join(work, 'data', 'acme', 'content.git'), later]);
    const { name, repository, journal } = workspace;
    assert.ok(name === 'acme' && (await repository.head()) === journal.state.head);
    const first = journal.reader.audit.after(0, 1)[0];
    assert.deepEqual([first?.action, first?.version?.length], ['workspace.recover', 40]);
    const verify = async (restartedFrom?: string | null) => {
      const input = { clone: later, restartedFrom: restartedFrom ?? undefined };
      return (await perform(workspace, operator, verifyAudit, input)).result;
    };
    const unnamed = await verify();
    assert.ok(!unnamed.sound && unnamed.reason === 'unexpected_restart');
    assert.ok((await verify(first?.version)).sound);
  });

  it('recovery from a clone alone accepts a bare clone, too', async () => {
    const bare = join(work, 'bare.git');
    execFileSync('git', ['clone', '-q', '--bare', clone, bare]);
    await service.restore({ clone: bare, name: 'one' }, operator);
    assert.deepEqual(service.names(), ['one']);
  });

  it('refuses a clone with foreign commits, names them, and leaves nothing', async () => {
    await writeFile(join(clone, 'foreign.md'), 'x');
    const git = (...parameters: string[]): string =>
      execFileSync('git', ['-C', clone, '-c', 'user.name=x', '-c', 'user.email=x@y', ...parameters], {
        encoding: 'utf8',
      }).trim();
    git('add', 'foreign.md');
    git('commit', '-q', '-m', 'Add a file by hand');
    const foreign = git('rev-parse', 'HEAD');
    await assert.rejects(service.restore({ clone, name: 'acme' }, operator), (error: unknown) => {
      assert.ok(error instanceof Refusal);
      assert.equal(error.details?.reason, 'history_not_understood');
      assert.match(error.message, new RegExp(`Commit ${foreign}: its message does not end in trailers`));
      assert.match(error.message, /In the newest tree, "foreign\.md" is in the tree, but has no row/);
      return true;
    });
    assert.deepEqual(
      (await readdir(join(work, 'data'))).filter((name) => name.includes('acme')),
      [],
    );
    const workspace = await service.restore({ clone, name: 'acme', isPartial: true }, operator);
    assert.equal(await new Actor(workspace, operator.principalId).read('plan.md'), 'another document at the old place');
  });

  it('starts no program that a clone names, to fetch what is missing from it', async () => {
    const bare = join(work, 'bare.git');
    const called = join(work, 'called');
    const git = (...parameters: string[]): string =>
      execFileSync('git', ['-C', bare, ...parameters], { encoding: 'utf8' }).trim();
    execFileSync('git', ['clone', '-q', '--bare', clone, bare]);
    const blob = git('rev-parse', 'main:plan.md');
    const pack = join(bare, 'objects', 'pack');
    for (const name of (await readdir(pack)).filter((each) => each.endsWith('.pack'))) {
      const bytes = await readFile(join(pack, name));
      await rm(join(pack, name));
      execFileSync('git', ['-C', bare, 'unpack-objects', '-q'], { input: bytes });
    }
    await rm(pack, { recursive: true });
    await rm(join(bare, 'objects', blob.slice(0, 2), blob.slice(2)));
    git('config', 'core.repositoryformatversion', '1');
    git('config', 'extensions.partialClone', 'origin');
    git('config', 'remote.origin.promisor', 'true');
    for (const [url, key] of [
      ['ssh://nowhere.invalid/x', 'core.sshCommand'],
      [bare, 'remote.origin.uploadpack'],
    ] as const) {
      git('config', 'remote.origin.url', url);
      git('config', key, `touch '${called}'; false`);
      const verify = (): Promise<unknown> => perform(test.workspace, operator, verifyAudit, { clone: bare });
      await verify().catch(() => undefined);
      await assert.rejects(service.restore({ clone: bare, name: 'acme' }, operator), /The clone cannot be taken in/);
      assert.equal(existsSync(called), false, key);
    }
  });

  it('refuses a cut clone, a folder that is no clone, and a taken name', async () => {
    const shallow = join(work, 'shallow');
    execFileSync('git', ['clone', '-q', '--depth', '3', `file://${clone}`, shallow], { stdio: 'pipe' });
    const reasonOf = async (source: { readonly clone: string; readonly name: string }) => {
      try {
        await service.restore(source, operator);
      } catch (error) {
        return error instanceof Refusal ? error.details?.reason : error;
      }
      return 'done';
    };
    assert.equal(await reasonOf({ clone: shallow, name: 'acme' }), 'bad_clone');
    assert.equal(await reasonOf({ clone: join(work, 'nothing'), name: 'acme' }), 'bad_clone');
    assert.equal(await reasonOf({ clone, name: '../escape' }), 'bad_field');
    assert.equal(await reasonOf({ clone, name: 'acme' }), 'done');
    assert.equal(await reasonOf({ clone, name: 'acme' }), 'name_taken');
    assert.equal(existsSync(join(work, 'escape')), false);
  });
});
