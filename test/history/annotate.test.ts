import assert from 'node:assert/strict';
import { join } from 'node:path';
import fc from 'fast-check';
import type { Annotation } from '../../lib/operations/history/annotate-document.js';
import { runGit } from '../support/processes/run-git.js';
import { eraseAt } from '../support/store/erase-at.js';
import { outcomeOf } from '../support/store/actor.js';
import { addClient, Client, versionOf } from '../support/store/client.js';
import { addConnector } from '../support/store/place.js';
import { openTestService, type TestService } from '../support/store/service.js';

describe('who wrote each line of a document', () => {
  let service: TestService;
  let ada: Client;
  let ben: Client;

  beforeEach(async () => {
    service = await openTestService();
    ada = await addClient({ service, workspace: service.workspace }, 'Ada', 'approver');
    ben = await addClient({ service, workspace: service.workspace }, 'Ben', 'editor');
  });
  afterEach(() => service.close());

  it('names the version of each line, with who, when and which version was before', async () => {
    const created = await ada.create('a.md', 'one\ntwo\nthree\n');
    service.clock.advance(60_000);
    const updated = await ben.update('a.md', 'one\n2\nthree\nfour\n');
    const found = await ada.annotate('a.md');
    const [first, second] = [created.current.id, updated.current.id];
    assert.deepEqual(writersOf(found), [first, second, first, second]);
    assert.deepEqual(
      found.lines.map(({ line, lines }) => [line, lines]),
      [
        [1, 1],
        [2, 1],
        [3, 1],
        [4, 1],
      ],
    );
    const writers = [...found.writers.values()].map(({ version, operation, previousId }) => [
      version.author.displayName,
      version.at - Date.UTC(2026, 0, 5, 9),
      operation,
      previousId,
    ]);
    assert.deepEqual(writers, [
      ['Ada', 0, 'create', null],
      ['Ben', 60_000, 'update', first],
    ]);
    assert.equal(found.olderThan, null);
    assert.equal(found.isExact, true);
  });

  it('an annotation distinguishes agents and connectors from people', async () => {
    const { workspace } = service;
    const agent = await service.principal('Scribe', 'agent');
    await service.grant('editor', { type: 'principal', id: agent }, '');
    const clients = [new Client(workspace, agent), new Client(workspace, await addConnector(service, 'Mirror'))];
    await ada.create('a.md', 'by a person\n');
    let text = 'by a person\n';
    for (const client of clients) await client.update('a.md', (text += `by ${client.id}\n`));
    const { lines, writers } = await ada.annotate('a.md');
    assert.deepEqual(
      lines.map(({ owner }) => writers.get(owner ?? 0)?.version.author.kind),
      ['person', 'agent', 'connector'],
    );
  });

  it('shows an older version as it was', async () => {
    await ada.create('a.md', 'one\n');
    const second = (await ben.update('a.md', 'one\ntwo\n')).current.id;
    await ada.update('a.md', 'three\n');
    assert.deepEqual(namesOf(await ada.annotate('a.md', second)), ['Ada', 'Ben']);
  });

  it('leaves restored and undeleted lines with those who wrote them', async () => {
    const first = (await ada.create('a.md', 'one\ntwo\n')).current.id;
    await ben.update('a.md', 'nothing\n');
    await ben.restore('a.md', first);
    assert.deepEqual(namesOf(await ada.annotate('a.md')), ['Ada', 'Ada']);
    await ben.delete('a.md');
    await ben.undelete('a.md');
    await ben.update('a.md', 'one\ntwo\nthree\n');
    assert.deepEqual(namesOf(await ada.annotate('a.md')), ['Ada', 'Ada', 'Ben']);
  });

  it('follows the document through renames and moves', async () => {
    const first = (await ada.create('a/x.md', 'one\n')).current.id;
    await ada.rename('a/x.md', 'y.md');
    await ada.move('a/y.md', 'b');
    await ben.update('b/y.md', 'one\ntwo\n');
    assert.equal(writersOf(await ada.annotate('b/y.md'))[0], first);
  });

  it('names nobody for binary content, and begins again after it', async () => {
    await ada.create('a.md', 'one\n');
    await ada.update('a.md', 'one\0\n');
    const binary = await ada.annotate('a.md');
    assert.deepEqual([binary.why, binary.lines], ['binary', []]);
    await ben.update('a.md', 'one\ntwo\n');
    assert.deepEqual(namesOf(await ada.annotate('a.md')), ['Ben', 'Ben']);
  });

  it('says where it ends at a version too large to compare', async () => {
    await ada.create('a.md', `one\n${'x'.repeat(1024 * 1024)}\n`);
    assert.equal((await ada.annotate('a.md')).why, 'too_large');
    const second = (await ada.update('a.md', 'one\n')).current.id;
    await ben.update('a.md', 'one\ntwo\n');
    const { lines, writers, olderThan } = await ada.annotate('a.md');
    assert.deepEqual(
      lines.map(({ owner }) => writers.get(owner ?? 0)?.version.author.displayName),
      [undefined, 'Ben'],
    );
    assert.deepEqual([olderThan?.version.id, olderThan?.why], [second, 'too_large']);
  });

  it('is for readers, knows only versions of the document, and ends with the right to it', async () => {
    await ada.create('open/a.md', 'one\n');
    await ada.create('secret/a.md', 'two\n');
    const carl = await addClient({ service, workspace: service.workspace }, 'Carl', 'reader', 'open');
    assert.deepEqual(namesOf(await carl.annotate('open/a.md')), ['Ada']);
    assert.equal(await outcomeOf(carl.annotate('secret/a.md')), 'NOT_FOUND');
    assert.equal(await outcomeOf(carl.annotate('open/absent.md')), 'NOT_FOUND');
    const other = await versionOf(ada, 'secret/a.md');
    assert.equal(await outcomeOf(carl.annotate('open/a.md', other)), 'NOT_FOUND');
    for (let count = 0; count < 30; count += 1) await ada.update('open/a.md', `one\n${count}\n`);
    const running = outcomeOf(carl.annotate('open/a.md'));
    await service.revoke('reader', { type: 'principal', id: carl.id }, 'open');
    assert.equal(await running, 'NOT_FOUND');
  });
});

describe('who wrote each line, compared with git', () => {
  it('agrees with git blame on a history of one line, also after an erase of another document', async () => {
    const service = await openTestService({ store: 'disk' });
    try {
      const ada = await addClient({ service, workspace: service.workspace }, 'Ada', 'editor');
      const edit = fc.record({ at: fc.nat(), removed: fc.nat(2), added: fc.nat(3) });
      const [edits = []] = fc.sample(fc.array(edit, { minLength: 12, maxLength: 12 }), { numRuns: 1, seed: 11 });
      let lines = Array.from({ length: 12 }, (_, index) => `first ${index}`);
      await ada.create('a.md', `${lines.join('\n')}\n`);
      for (const [count, { at, removed, added }] of edits.entries()) {
        const more = Array.from({ length: added }, (_, index) => `version ${count} line ${index}`);
        lines = lines.toSpliced(at % lines.length, removed, ...more);
        await ada.update('a.md', `${lines.join('\n')}\n`);
      }
      await ada.rename('a.md', 'b.md');
      const found = writersOf(await ada.annotate('b.md'));
      await service.workspace.checkpointer.run();
      const repository = join(service.dataFolder ?? '', 'acme', 'content.git');
      const blamed = runGit(repository, ['blame', '--line-porcelain', 'main', '--', 'b.md'])
        .split('\n')
        .flatMap((line) => /^([0-9a-f]{40}) /.exec(line)?.[1] ?? []);
      assert.deepEqual(found, blamed);
      assert.ok(new Set(found).size > 5);
      await ada.create('other.md', 'to be erased');
      await service.workspace.eraser.finished((await eraseAt(service.workspace, 'other.md')).id);
      assert.deepEqual(writersOf(await ada.annotate('b.md')), found);
    } finally {
      await service.close();
    }
  });
});

/** For each line the id of the version that wrote it. */
function writersOf({ lines, writers }: Annotation): (string | undefined)[] {
  return lines.flatMap(({ lines: count, owner }) =>
    Array.from({ length: count }, () => (owner === undefined ? undefined : writers.get(owner)?.version.id)),
  );
}

/** For each line the name of its writer. */
function namesOf({ lines, writers }: Annotation): (string | undefined)[] {
  return lines.flatMap(({ lines: count, owner }) =>
    Array.from({ length: count }, () =>
      owner === undefined ? undefined : writers.get(owner)?.version.author.displayName,
    ),
  );
}
