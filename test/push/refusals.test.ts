import assert from 'node:assert/strict';
import { FollowedTexts } from '../../lib/changes/followed-texts.js';
import { parseLocation } from '../../lib/domain/location.js';
import type { UnfitChange } from '../../lib/changes/push.js';
import type { RefusedFile } from '../../lib/domain/refused-file.js';
import { Refusal } from '../../lib/domain/refusal.js';
import { TreeCache } from '../../lib/journal/object-cache.js';
import { MissingTrees, WriteTransaction } from '../../lib/journal/write-transaction.js';
import { takeClaim } from '../../lib/operations/claims/take-claim.js';
import { applyPush } from '../../lib/operations/repositories/push-commits.js';
import { changePolicy } from '../../lib/operations/workspaces/change-policy.js';
import { perform } from '../../lib/operations/perform.js';
import { runAtOnce } from '../../lib/scheduling/in-steps.js';
import { Actor, outcomeOf } from '../support/store/actor.js';
import { eraseAt } from '../support/store/erase-at.js';
import { Clone, refusedOf, type CloneCommit } from '../support/store/clone.js';
import { openTestService, operator, type TestService } from '../support/store/service.js';
import { TestMirror } from '../support/store/test-mirror.js';

describe('A push that cannot be written', () => {
  let test: TestService;
  let ada: Actor;
  let ben: Actor;
  let clone: Clone;

  beforeEach(async () => {
    test = await openTestService({ store: 'memory' });
    ada = new Actor(test.workspace, (await test.person('editor', 'team', 'Ada')).id);
    ben = new Actor(test.workspace, (await test.person('approver', '', 'Ben')).id);
    await ben.create('team/a.md', '# A\n\none\n\n# B\n\ntwo\n');
    await ben.create('team/b.md', 'b');
    await ben.create('hidden/h.md', 'h');
    clone = await Clone.of(ada);
  });
  afterEach(() => test.close());

  it('names every refused file of every commit, and writes nothing of the others', async () => {
    await ben.update('team/a.md', 'meanwhile');
    assert.deepEqual(
      await refusals(
        { write: { 'team/good.md': 'good', 'team/a.md': 'mine', 'out/side.md': 'x' } },
        {
          write: { 'team/good.md': 'better', 'hidden/new.md': 'x', 'team/a.md': 'again' },
          move: { 'team/b.md': 'q/b' },
        },
      ),
      ['team/a.md: stale_if_match', 'out/side.md: not_found', 'q/b: not_found', 'hidden/new.md: not_found'],
    );
    assert.deepEqual(await ada.list('team'), ['a.md', 'b.md']);
  });

  it('names a hundred refused files at most, and counts all', async () => {
    const write = Object.fromEntries(Array.from({ length: 130 }, (_, index) => [`out/${index}.md`, 'x']));
    const refused = await refusedFiles({ write });
    assert.equal(refused.length, 100);
    await assert.rejects(clone.push(), (error: { details?: { count?: number } }) => error.details?.count === 130);
  });

  it('gives hidden and absent places the same words, and places that can only be read too', async () => {
    await test.grant('reader', { type: 'principal', id: ada.caller.principalId }, 'read');
    await ben.create('read/r.md', 'r');
    clone = await Clone.of(ada);
    const refused = await refusedFiles({
      write: { 'hidden/h.md': 'x', 'hidden/n.md': 'x', 'absent/n.md': 'x', 'read/r.md': 'x', 'read/n.md': 'x' },
      move: { 'team/a.md': 'hidden', 'team/b.md': 'nowhere' },
    });
    assert.equal(refused.length, 7);
    const said = refused.map(({ reason, sentence, remedy }) => `${reason} ${sentence} ${remedy}`);
    assert.equal(new Set(said).size, 1, said.join('\n'));
    assert.equal(refused[0]?.reason, 'not_found');
  });

  it('meets documents that were changed, moved away, deleted or created since', async () => {
    await ben.create('team/c.md', 'c');
    await ben.create('team/d.md', 'd');
    clone = await Clone.of(ada);
    await ben.update('team/a.md', 'meanwhile');
    await ben.move('team/b.md', 'team/else');
    await ben.delete('team/c.md');
    await ben.create('team/new.md', 'new');
    assert.deepEqual(
      await refusals({
        write: { 'team/a.md': 'mine', 'team/c.md': null, 'team/new.md': 'mine', 'team/d.md': 'fine' },
        move: { 'team/b.md': 'team/e.md' },
      }),
      [
        'team/e.md: stale_if_match',
        'team/a.md: stale_if_match',
        'team/c.md: stale_if_match',
        'team/new.md: name_taken',
      ],
    );
  });

  it('overwrites nothing where a document went away and another took its place', async () => {
    await ben.delete('team/b.md');
    await ben.create('team/b.md', 'another');
    assert.deepEqual(await refusals({ write: { 'team/b.md': 'mine' } }), ['team/b.md: stale_if_match']);
  });

  it('has files where documents or folders of others are now, or above or below them', async () => {
    await ben.create('team/x/deep.md', 'x');
    await ben.create('team/y', 'y');
    await ben.createFolder('team/kept');
    await test.grant('reader', { type: 'principal', id: ben.caller.principalId }, 'team/granted/deep');
    assert.deepEqual(
      await refusals({ write: { 'team/x': '1', 'team/y/below': '2', 'team/kept': '3', 'team/granted': '4' } }),
      ['team/x: name_taken', 'team/y/below: name_taken', 'team/kept: name_taken', 'team/granted: name_taken'],
    );
  });

  it('has names that REST would not take either', async () => {
    assert.deepEqual(await refusals({ write: { 'team/ blank.md': '1', 'team/a\u200bb.md': '2' } }), [
      'team/ blank.md: bad_location',
      'team/a\u200bb.md: bad_location',
    ]);
  });

  it('has names that many disks take for one, of documents and of folders', async () => {
    await ben.create('team/Sub/x.md', 'x');
    clone = await Clone.of(ada);
    const refused = await refusedFiles({
      write: {
        'team/A.md': '1',
        'team/sub/y.md': '2',
        'team/Ü.md': '3',
        'team/ü.md': '4',
        'team/n/z': '5',
        'team/N/z': '6',
      },
    });
    assert.deepEqual(
      refused.map(({ location, sentence }) => [location, /"(.*)"/.exec(sentence)?.[1]]),
      [
        ['team/A.md', 'team/a.md'],
        ['team/sub/y.md', 'team/Sub'],
        ['team/ü.md', 'team/Ü.md'],
        ['team/N/z', 'team/n'],
      ],
    );
  });

  it('may change the case of a name, of a folder with all that is in it, and write where both are already', async () => {
    await perform(test.workspace, operator, changePolicy, { portableNames: false });
    await ben.create('team/Sub/x.md', 'x');
    await ben.create('team/both.md', '1');
    await ben.create('team/BOTH.md', '2');
    clone = await Clone.of(ada);
    clone.commit({
      move: { 'team/a.md': 'team/A.md', 'team/Sub/x.md': 'team/sub/x.md' },
      write: { 'team/both.md': '3' },
    });
    await clone.commit({ write: { 'team/A.md': null, 'team/a.md': 'new' } }).push();
    assert.deepEqual(await ada.list('team'), ['sub/', 'BOTH.md', 'a.md', 'b.md', 'both.md']);
  });

  it('is not told of a name that the caller cannot read', async () => {
    await ben.create('Other/a.md', 'unseen');
    await test.grant('editor', { type: 'principal', id: ada.caller.principalId }, 'other');
    await clone.commit({ write: { 'other/new.md': 'x' } }).push();
    assert.equal(await ada.read('other/new.md'), 'x');
  });

  it('has the same answer whatever folders are hidden from the caller', async () => {
    await perform(test.workspace, operator, changePolicy, { portableNames: false });
    const ada = { type: 'principal', id: clone.actor.caller.principalId } as const;
    await test.grant('editor', ada, 'TEAM/mine');
    await test.grant('editor', ada, 'x/open');
    await test.grant('editor', ada, 'X/open');
    await ben.create('x/open/o.md', 'o');
    const answers: unknown[] = [];
    for (const hidden of [undefined, 'TEAM/other/h.md', 'x/h.md']) {
      if (hidden !== undefined) await ben.create(hidden, 'hidden');
      clone = await Clone.of(clone.actor);
      const refused = await refusedFiles({
        write: { 'TEAM/mine/n.md': 'n', 'team/n.md': 'n', 'X/open/new/n.md': 'n', 'x/open/NEW/n.md': 'n' },
        move: { 'x/open/o.md': 'X/open/o.md' },
      });
      answers.push(refused.map(({ location, reason, sentence }) => [location, reason, sentence]));
    }
    assert.deepEqual(answers[1], answers[0]);
    assert.deepEqual(answers[2], answers[0]);
    clone = await Clone.of(clone.actor);
    await clone.commit({ move: { 'x/open/o.md': 'X/open/o.md' } }).push();
    assert.equal(await ben.read('X/open/o.md'), 'o', 'what stays in x is hidden');
  });

  it('does not even look for the folders of places where the caller may not write', async () => {
    const { checkpointer, journal, randomness } = test.workspace;
    await checkpointer.run();
    const transaction = new WriteTransaction(journal.reader, journal.state, new TreeCache(1000), 0, randomness, 0);
    const push = (location: string): unknown => {
      const context = test.workspace.openWriteContext(transaction, ada.caller);
      const content = { blobOid: '', sha256: '', size: 0, kind: 'text' } as const;
      const changes = [{ type: 'create', location: parseLocation(location), content }] as const;
      const author = { name: '', email: '', at: null };
      const pushed = { commits: [{ oid: '', message: null, author, changes }], unfit: [] };
      return runAtOnce(applyPush(context, pushed, new FollowedTexts()));
    };
    assert.throws(() => push('team/new.md'), MissingTrees);
    assert.throws(() => push('hidden/new.md'), Refusal);
    assert.throws(() => push('absent/new.md'), Refusal);
  });

  it('changes nothing, and comes from a caller without write access', async () => {
    const cy = new Actor(test.workspace, (await test.person('reader', 'team', 'Cy')).id);
    clone = await Clone.of(cy);
    await assert.rejects(clone.commit({}).push(), { code: 'INVALID_REQUEST', message: /the role of an editor/ });
    await test.grant('editor', { type: 'principal', id: cy.caller.principalId }, 'elsewhere');
    assert.equal((await clone.push()).commits[0]?.versionId, null);
  });

  it('changes what others have claimed', async () => {
    const location = parseLocation('team/b.md');
    await perform(test.workspace, ben.caller, takeClaim, { location, seconds: 600 });
    const [refused] = await refusedFiles({ write: { 'team/b.md': 'x' } });
    assert.equal(refused?.reason, 'claimed');
    assert.match(refused.sentence, /^Ben has claimed it until 2026-01-05T09:10:00Z\.$/);
    clone = await Clone.of(ada);
    assert.deepEqual(await refusals({ move: { 'team/b.md': 'team/c.md' } }), ['team/c.md: claimed']);
    clone = await Clone.of(ada);
    assert.deepEqual(await refusals({ write: { 'team/b.md': null } }), ['team/b.md: claimed']);
    test.clock.advance(601_000);
    await clone.push();
  });

  it('changes the lines of a claimed section; the other lines are free', async () => {
    const location = parseLocation('team/a.md');
    await perform(test.workspace, ben.caller, takeClaim, { location, section: 'B', seconds: 600 });
    await clone.commit({ write: { 'team/a.md': '# A\n\nother\n\n# B\n\ntwo\n' } }).push();
    await clone.commit({ write: { 'team/b.md': 'not claimed' } }).push();
    const [claim] = test.workspace.view(ada.caller).document(location)?.claims ?? [];
    assert.equal(claim?.holdsDocument, false, 'the claim goes on with its section');
    const [refused] = await refusedFiles({ write: { 'team/a.md': '# A\n\nother\n\n# B\n\nthree\n' } });
    assert.match(refused?.sentence ?? '', /^Ben has claimed its section "b" until/);
  });

  it('keeps its own claims, also through a move that changes the text', async () => {
    const location = parseLocation('team/a.md');
    await perform(test.workspace, ada.caller, takeClaim, { location, section: 'B', seconds: 600 });
    await clone
      .commit({ move: { 'team/a.md': 'team/m.md' } })
      .commit({ write: { 'team/m.md': '# A\n\nother\n\n# B\n\nchanged\n' } })
      .push();
    const [claim] = test.workspace.view(ada.caller).document(parseLocation('team/m.md'))?.claims ?? [];
    assert.deepEqual([claim?.section, claim?.holdsDocument], ['b', false]);
  });

  it('keeps its own claims where it renames their headings, commit by commit', async () => {
    const location = parseLocation('team/a.md');
    await perform(test.workspace, ada.caller, takeClaim, { location, section: 'A', seconds: 600 });
    await perform(test.workspace, ben.caller, takeClaim, { location, section: 'B', seconds: 600 });
    await clone
      .commit({ write: { 'team/a.md': '# First\n\none\n\n# B\n\ntwo\n' } })
      .commit({ write: { 'team/a.md': '# First\n\nmore\n\n# B\n\ntwo\n' } })
      .commit({ write: { 'team/a.md': '# Opening\n\nmore\n\n# B\n\ntwo\n' } })
      .push();
    const claims = test.workspace.view(ada.caller).document(location)?.claims ?? [];
    assert.deepEqual(claims.map(({ section, holdsDocument }) => `${section} ${holdsDocument}`).toSorted(), [
      'b false',
      'opening false',
    ]);
    assert.equal(await outcomeOf(ben.update('team/a.md', '# Opening\n\nmore\n\n# B\n\nthree\n')), 'done');
  });

  it('writes into a mirror, or moves something out of it or into it', async () => {
    const mirror = await TestMirror.open(test.workspace, 'team/docs');
    await mirror.sync({ written: { 'm.md': 'm', 'n.md': 'n' } });
    clone = await Clone.of(ada);
    const refused = await refusedFiles({
      write: { 'team/docs/m.md': 'x', 'team/docs/new.md': 'x' },
      move: { 'team/docs/n.md': 'team/n.md', 'team/b.md': 'team/docs/b.md' },
    });
    assert.deepEqual([...new Set(refused.map(({ reason }) => reason))], ['read_only_source']);
    assert.equal(refused.length, 4);
    assert.match(refused[0]?.sentence ?? '', /mirrors the source of the connector "Docs"/);
  });

  it('would let more people read what it moves, and says who', async () => {
    const cy = await test.principal('Cy');
    await test.grant('reader', { type: 'principal', id: cy }, 'team/open');
    const [refused] = await refusedFiles({ move: { 'team/a.md': 'team/open/a.md' } });
    assert.equal(refused?.reason, 'access_would_widen');
    assert.match(refused.sentence, /Cy would be reader by the grant on "team\/open"/);
    await ben.create('team/open/o.md', 'o');
    clone = await Clone.of(ada);
    await clone.commit({ move: { 'team/open/o.md': 'team/o.md' } }).push();
    assert.equal(await ada.read('team/o.md'), 'o', 'a loss of access is allowed, as through REST');
  });

  it('is larger than the quota or a document may be', async () => {
    await perform(test.workspace, operator, changePolicy, { largestBlob: 10 });
    assert.deepEqual(await refusals({ write: { 'team/b.md': 'x'.repeat(11), 'team/c.md': 'x'.repeat(12) } }), [
      'team/b.md: content_too_large',
      'team/c.md: content_too_large',
    ]);
    clone = await Clone.of(ada);
    await perform(test.workspace, operator, changePolicy, { storageQuota: 60 });
    const { head } = test.workspace.journal.state;
    clone.commit({ write: { 'team/b.md': 'x'.repeat(5) } }).commit({ write: { 'team/b.md': 'x'.repeat(10) } });
    for (const path of ['c', 'd', 'e']) clone.commit({ write: { [`team/${path}.md`]: 'x'.repeat(10) } });
    assert.equal(await outcomeOf(clone.push()), 'INVALID_REQUEST storage_quota');
    assert.equal(test.workspace.journal.state.head, head);
  });

  /** A link in the clone's commit of this number. It was a file at another place before, perhaps. */
  const link = (location: string, commit: number, from: string | null = null): UnfitChange => {
    const words = { sentence: 'It is a symbolic link.', remedy: 'Push the file that it points to.' };
    return { file: { location, commit: clone.oids[commit] ?? '', reason: 'bad_field', ...words }, from };
  };

  it('has files that are no documents at all, and is told of those with all others', async () => {
    clone
      .commit({ write: { 'team/b.md': 'x', 'out/side.md': 'x' } })
      .commit({ write: { 'team/c.md': 'fine', 'hidden/h.md': 'x' } });
    const refused = await refusedOf(clone.push([link('team/link', 1), link('..', 0)]));
    assert.deepEqual(
      refused.map(({ location, reason }) => `${location}: ${reason}`),
      ['..: bad_field', 'out/side.md: not_found', 'team/link: bad_field', 'hidden/h.md: not_found'],
    );
    assert.equal(await ada.read('team/b.md'), 'b');
    assert.deepEqual(await ada.list('team'), ['a.md', 'b.md']);
  });

  it('is told nothing of places that wait for such a file', async () => {
    clone
      .commit({ write: { 'team/b.md': 'in its old place', 'team/link/below.md': 'x' } })
      .commit({ write: { 'team/link': 'a file again' } });
    const unfit = link('team/link', 0, 'team/b.md');
    assert.deepEqual(await refusedOf(clone.push([unfit])), [unfit.file]);
  });

  it('is told of such files alone where nothing else of it could be read', async () => {
    const unfit = link('team/link', 0);
    assert.deepEqual(await refusedOf(clone.push([unfit])), [unfit.file]);
  });

  it('comes from a caller whose rights end while it waits', async () => {
    clone.commit({ write: { 'team/b.md': 'x' } });
    await test.revoke('editor', { type: 'principal', id: ada.caller.principalId }, 'team');
    assert.deepEqual(
      (await refusedOf(clone.push())).map(({ reason }) => reason),
      ['not_found'],
    );
  });

  it('builds on what was taken away from the caller meanwhile; a repetition is answered all the same', async () => {
    clone.commit({ write: { 'team/b.md': 'x' } });
    clone.isCurrent = false;
    const isOutdated = (error: { details?: { reason?: string } }): boolean => error.details?.reason === 'push_outdated';
    await assert.rejects(clone.tryPush(), isOutdated);
    assert.equal(await ada.read('team/b.md'), 'b');
    clone.isCurrent = true;
    await clone.tryPush();
    clone.isCurrent = false;
    assert.equal((await clone.tryPush()).replayed, true);
  });

  it('may use a grant on a document for that document, and not for its place', async () => {
    const dan = new Actor(test.workspace, await test.principal('Dan'));
    await test.grant('editor', { type: 'principal', id: dan.caller.principalId }, 'hidden/h.md', 'document');
    await test.grant('editor', { type: 'principal', id: dan.caller.principalId }, 'dan');
    clone = await Clone.of(dan);
    assert.deepEqual([...clone.files.keys()], ['hidden/h.md']);
    await clone.commit({ write: { 'hidden/h.md': 'edited' } }).push();
    assert.deepEqual(
      await refusals({
        move: { 'hidden/h.md': 'dan/h.md' },
        write: { 'hidden/h.md': 'in its place', 'hidden/i.md': 'i' },
      }),
      ['hidden/h.md: not_found', 'hidden/i.md: not_found'],
    );
  });

  it('was pushed on a version that an erase took away', async () => {
    await eraseAt(test.workspace, 'team/b.md');
    assert.deepEqual(await refusals({ write: { 'team/b.md': 'back' } }), ['team/b.md: stale_if_match']);
  });

  /** Refused files as `path: reason`. Nothing of the push may have been written. */
  async function refusals(...commits: readonly CloneCommit[]): Promise<string[]> {
    return (await refusedFiles(...commits)).map(({ location, reason }) => `${location}: ${reason}`);
  }

  async function refusedFiles(...commits: readonly CloneCommit[]): Promise<readonly RefusedFile[]> {
    for (const commit of commits) clone.commit(commit);
    const { head, storedBytes } = test.workspace.journal.state;
    const refused = await refusedOf(clone.push());
    assert.deepEqual(
      [test.workspace.journal.state.head, test.workspace.journal.state.storedBytes],
      [head, storedBytes],
    );
    for (const { sentence, remedy } of refused)
      for (const text of [sentence, remedy]) assert.match(text, /^[A-Z].*\.$/s);
    return refused;
  }
});
