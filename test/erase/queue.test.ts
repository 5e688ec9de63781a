import assert from 'node:assert/strict';
import { setTimeout as delay } from 'node:timers/promises';
import { parseLocation, rootLocation } from '../../lib/domain/location.js';
import { Refusal } from '../../lib/domain/refusal.js';
import { hashObject } from '../../lib/git/objects/objects.js';
import { addPrincipal } from '../../lib/operations/principals/add-principal.js';
import { createGrant } from '../../lib/operations/grants/change-grant.js';
import { searchDocuments } from '../../lib/operations/documents/search-documents.js';
import { eraseDocument } from '../../lib/operations/documents/erase-document.js';
import { perform } from '../../lib/operations/perform.js';
import { readDocument } from '../../lib/operations/documents/read-document.js';
import { rebuild } from '../../lib/operations/workspaces/rebuild.js';
import type { EraseStep } from '../../lib/erase/erase-step.js';
import { makeWorkbench, type Workbench } from '../support/faults/workbench.js';
import { git } from '../support/git/fixture.js';
import { outcomeOf } from '../support/store/actor.js';
import { claim } from '../support/store/place.js';
import { operator } from '../support/store/service.js';
import { until } from '../support/until.js';
import { eraseAt, liveDocuments } from '../support/store/erase-at.js';
import { answering, findTraces, requireSound } from '../support/store/evidence.js';
import { Sqlite } from '../support/store/sqlite.js';

const word = 'zebrafinchsecret';

describe('erases, one and many', function () {
  this.timeout(60_000);
  let bench: Workbench;
  let dataFolder: string;
  /** The action at a step of an erase. */
  let atStep: Partial<Record<EraseStep, () => Promise<unknown>>>;

  beforeEach(async () => {
    atStep = {};
    bench = await makeWorkbench({
      onEraseStep: async (step) => {
        const work = atStep[step];
        delete atStep[step];
        await work?.();
      },
    });
    dataFolder = bench.files.dataFolder ?? '';
  });
  afterEach(() => bench.remove());

  it('a deleted document goes, and the live one in its place stays, and the reverse', async () => {
    const { actor, workspace } = bench;
    await actor.create('plan.md', word);
    await actor.delete('plan.md');
    const living = await actor.create('plan.md', 'the living one');
    const receipt = await eraseAt(workspace, 'plan.md', { isDeleted: true });
    assert.deepEqual([receipt.versions, receipt.bytes], [1, word.length]);
    await finish(receipt.id);
    assert.equal(workspace.view(operator).document(parseLocation('plan.md'))?.current.id, living.current.id);
    await requireGone(word);
    assert.equal(await outcomeOf(eraseAt(workspace, 'plan.md', { isDeleted: true })), 'NOT_FOUND');
    await finish((await eraseAt(workspace, 'plan.md')).id);
    await requireGone('the living one', 'plan.md');
  });

  it('the same request again destroys nothing more, and never takes another document for the meant one', async () => {
    const { actor, workspace, clock } = bench;
    const ids: string[] = [];
    for (const text of ['old', 'older no more', word]) {
      ids.unshift((await actor.create('plan.md', text)).id);
      if (text !== word) await actor.delete('plan.md');
      clock.advance(1000);
    }
    const [living = '', last = '', first = ''] = ids;
    assert.equal(await outcomeOf(eraseAt(workspace, 'plan.md', { isDeleted: true, documentId: living })), 'NOT_FOUND');
    const { id } = await eraseAt(workspace, 'plan.md');
    assert.equal(await outcomeOf(eraseAt(workspace, 'plan.md')), 'NOT_FOUND');
    assert.equal(await outcomeOf(eraseAt(workspace, 'plan.md', { documentId: living })), 'NOT_FOUND');
    await finish(id);
    assert.equal(await outcomeOf(eraseAt(workspace, 'plan.md')), 'NOT_FOUND');

    const refusal = await eraseAt(workspace, 'plan.md', { isDeleted: true }).catch((error: unknown) => error);
    assert.ok(refusal instanceof Refusal);
    assert.equal(refusal.details?.reason, 'several_deleted');
    const named = refusal.details['documents'] as readonly { readonly id: string }[];
    assert.deepEqual(
      named.map((each) => each.id),
      [last, first],
    );
    await finish((await eraseAt(workspace, 'plan.md', { documentId: first })).id);
    assert.equal(await outcomeOf(eraseAt(workspace, 'plan.md', { documentId: first })), 'NOT_FOUND');
    await actor.undelete('plan.md');
    assert.equal(await actor.read('plan.md'), 'older no more');
    await actor.delete('plan.md');
    assert.equal(await outcomeOf(eraseAt(workspace, 'plan.md')), 'NOT_FOUND', 'somebody else deleted it meanwhile');
    await finish((await eraseAt(workspace, 'plan.md', { isDeleted: true })).id);
    assert.equal(await outcomeOf(eraseAt(workspace, 'plan.md', { isDeleted: true })), 'NOT_FOUND');
    await requireGone(word, 'older no more');
  });

  it('a retried erase, by any key and however late, never takes a document that took the place', async () => {
    const { actor, workspace, clock } = bench;
    const { id: documentId } = await actor.create('plan.md', word);
    const input = { location: parseLocation('plan.md'), confirmation: 'plan.md', documentId };
    const retry = { key: 'once', fingerprint: Buffer.alloc(32, 1) };
    const { result } = await perform(workspace, operator, eraseDocument, input, retry);
    await finish(result.id);
    await actor.create('plan.md', 'what came after');
    const again = await perform(workspace, operator, eraseDocument, input, retry);
    assert.deepEqual([again.replayed, again.result.id], [true, result.id]);
    assert.equal(await outcomeOf(perform(workspace, operator, eraseDocument, input)), 'NOT_FOUND');
    clock.advance(25 * 60 * 60 * 1000);
    assert.equal(await outcomeOf(perform(workspace, operator, eraseDocument, input, retry)), 'NOT_FOUND');
    assert.equal(await actor.read('plan.md'), 'what came after');
    await requireGone(word);
  });

  it('a document just written, and alone in the workspace, goes too; writing continues from nothing', async () => {
    const { actor, workspace } = bench;
    await actor.create('only-secret.md', word);
    await finish((await eraseAt(workspace, 'only-secret.md')).id);
    await requireGone(word, 'only-secret');
    assert.equal(workspace.journal.state.storedBytes, 0);
    await actor.create('next.md', 'next');
    await bench.reopen();
    assert.deepEqual(Object.keys(await liveDocuments(bench.workspace)), ['next.md']);
    await requireSound(bench.workspace, dataFolder);
  });

  it('several waiting ones share one rewrite', async () => {
    const { actor, workspace } = bench;
    for (const name of ['a', 'b', 'c', 'd']) await actor.create(`in/${name}.md`, `${word} ${name}`);
    let rewrites = 0;
    atStep = { rewritten: async () => void (rewrites += 1) };
    const receipts = await Promise.all(['a', 'b', 'c'].map((name) => eraseAt(workspace, `in/${name}.md`)));
    await finish(...receipts.map(({ id }) => id));
    assert.equal(rewrites, 1);
    assert.deepEqual(Object.keys(await liveDocuments(workspace)), ['in/d.md']);
    await requireSound(workspace, dataFolder);
    await finish((await eraseAt(workspace, 'in/d.md')).id);
    await requireGone(word);
  });

  it('one after the other, versions keep their known ids, and preconditions hold with them', async () => {
    const { actor, workspace } = bench;
    await actor.create('first-secret.md', `${word} one`);
    const kept = await actor.create('kept.md', 'kept');
    await actor.create('second-secret.md', `${word} two`);
    await actor.move('kept.md', 'elsewhere', true);
    await finish((await eraseAt(workspace, 'first-secret.md')).id);
    const later = await actor.update('elsewhere/kept.md', 'kept two', `"${kept.current.id}"`);
    await finish((await eraseAt(workspace, 'second-secret.md')).id);
    await requireGone(word, 'first-secret', 'second-secret');
    const versions = workspace.journal.reader.versions.before(later.number, 10, 10);
    assert.deepEqual(
      versions.map(({ id }) => id),
      [later.current.id, kept.current.id],
    );
    const input = { location: parseLocation('elsewhere/kept.md'), versionId: kept.current.id, withContent: true };
    assert.equal((await perform(workspace, operator, readDocument, input)).result.bytes?.toString(), 'kept');
    await actor.update('elsewhere/kept.md', 'kept three', `"${later.current.id}"`);
    const before = await liveDocuments(workspace);
    await rebuild(workspace, operator);
    assert.deepEqual(await liveDocuments(workspace), before);
    await requireSound(workspace, dataFolder);
  });

  it('goes on beside writers, and all their writes are there', async () => {
    const { actor, workspace } = bench;
    for (let number = 0; number < 15; number++) {
      await actor.create(`work/${number % 3}/${number}.md`, `text ${number}`);
      if (number % 5 === 0)
        await (number === 0
          ? actor.create('work/0/secret-x.md', word)
          : actor.update('work/0/secret-x.md', `${word} ${number}`));
    }
    const writing = { isOver: false, answers: 0 };
    const written: Record<string, string> = {};
    const writer = async (own: number): Promise<void> => {
      let etag = (await actor.create(`work/w${own}.md`, 'start')).current.id;
      for (let transaction = 0; !writing.isOver; transaction++) {
        const document = await actor.update(`work/w${own}.md`, `turn ${transaction} of ${own}`, `"${etag}"`);
        etag = document.current.id;
        written[`work/w${own}.md`] = `${etag} turn ${transaction} of ${own}`;
        writing.answers += 1;
        if (transaction % 7 === 3) await actor.create(`new/${own}/${transaction}.md`, 'x');
        await delay(15);
      }
    };
    const writers = [0, 1, 2, 3].map(writer);
    const answered = (when: string) => async (): Promise<void> => {
      const { answers } = writing;
      await until(`writers are answered ${when}`, () => writing.answers >= answers + writers.length);
    };
    atStep = {
      flushed: () => actor.rename('new', 'newer', true).catch(() => actor.createFolder('newer')),
      rewritten: answered('before the rewritten history is in force'),
      moved: answered('before the repository stands at it'),
      dropped: answered('before packs are written again'),
      copied: () => actor.move('work/1', 'moved', true),
      swept: answered('before the erase is final'),
    };
    await finish((await eraseAt(workspace, 'work/0/secret-x.md')).id);
    writing.isOver = true;
    await Promise.all(writers);
    const live = await liveDocuments(workspace);
    for (const [location, expected] of Object.entries(written)) assert.equal(live[location], expected);
    await requireGone(word, 'secret-x');
  });

  it('an identical text of another document stays, also a large one', async () => {
    const { actor, workspace } = bench;
    const large = `${word} `.repeat(80_000);
    await actor.create('gone.md', large);
    await actor.create('stays.md', large);
    await actor.create('gone-too.bin', `\u0000${large}`);
    const blobs = [large, `\u0000${large}`].map((text) => hashObject('blob', Buffer.from(text)));
    const receipts = [await eraseAt(workspace, 'gone.md'), await eraseAt(workspace, 'gone-too.bin')];
    await finish(...receipts.map(({ id }) => id));
    assert.deepEqual(answering(dataFolder, blobs), blobs.slice(0, 1));
    assert.deepEqual(findTraces(dataFolder, ['gone.md', 'gone-too.bin']), []);
    await requireSound(workspace, dataFolder);
  });

  it('needs an approver of the document, and the name typed once more; a claim does not block it', async () => {
    const { actor, workspace } = bench;
    const { id: documentId } = await actor.create('plan.md', word);
    await claim({ workspace } as Parameters<typeof claim>[0], 'plan.md', operator.principalId);
    const input = { location: parseLocation('plan.md'), confirmation: 'Plan.md', documentId };
    assert.equal(await outcomeOf(perform(workspace, operator, eraseDocument, input)), 'INVALID_REQUEST name_mismatch');
    assert.equal(await actor.read('plan.md'), word);
    const nobody = { ...operator, principalId: 'prn_nobody', kind: 'person' } as const;
    for (const location of ['plan.md', 'absent.md']) {
      const refusal = await eraseAt(workspace, location, { caller: nobody }).catch((error: unknown) => error);
      assert.ok(refusal instanceof Refusal && refusal.code !== 'INVALID_REQUEST', location);
    }
    await finish((await eraseAt(workspace, 'plan.md')).id);
    await requireGone(word, 'plan.md');
  });

  it('no answer kept for a retry holds a trace: neither the one about a grant, nor those about the keys', async () => {
    const { actor, workspace } = bench;
    const { id: adaId } = (await perform(workspace, operator, addPrincipal, { displayName: 'Ada', kind: 'person' }))
      .result;
    await actor.create('quokka-dossier.md', word, 'create-quokka-dossier.md');
    const scope = { scopeType: 'document', location: parseLocation('quokka-dossier.md') } as const;
    const grant = { ...scope, subject: { type: 'principal', id: adaId }, role: 'editor' } as const;
    const retry = { key: 'grant-on-it', fingerprint: Buffer.alloc(32, 1) };
    await perform(workspace, operator, createGrant, grant, retry);
    const repeated = await perform(workspace, operator, createGrant, grant, retry);
    assert.ok(repeated.replayed && repeated.result.created);
    const { id } = await eraseAt(workspace, 'quokka-dossier.md');
    await finish(id);
    await requireGone(word, 'quokka-dossier', 'grant-on-it');
    assert.equal(await outcomeOf(perform(workspace, operator, createGrant, grant, retry)), 'NOT_FOUND');
  });

  it('reports a holder of the old history, and is finished once that is gone', async () => {
    const { actor, workspace, paths } = bench;
    await actor.create('plan.md', word);
    await actor.create('other.md', 'other');
    await workspace.checkpointer.run();
    git(paths.repository, ['branch', 'mine', 'main']);
    const { id } = await eraseAt(workspace, 'plan.md');
    const outcome = await workspace.eraser.finished(id).catch((error: unknown) => error);
    assert.ok(outcome instanceof Refusal);
    assert.match((outcome.cause as Error).message, /refs\/heads\/mine/);
    assert.equal(bench.reported.length, 1);
    assert.equal(workspace.journal.reader.erasures.find(id)?.finalAt, null);
    git(paths.repository, ['branch', '-D', 'mine']);
    await workspace.eraser.finished(id);
    await requireGone(word, 'plan.md');
  });

  it('is not undone by a rebuild that comes before its end', async () => {
    const { actor, workspace } = bench;
    await actor.create('plan.md', word);
    await actor.create('other.md', 'other');
    atStep = { flushed: () => rebuild(workspace, operator) };
    const { id } = await eraseAt(workspace, 'plan.md');
    atStep.rewritten = async () => {
      assert.equal(await outcomeOf(actor.undelete('plan.md')), 'NOT_FOUND');
    };
    await finish(id);
    await requireGone(word);
  });

  it('makes a rebuild wait, or try again, while it removes rows, and still finds every text with the name', async () => {
    const { actor, workspace } = bench;
    await actor.create('quokka-dossier.md', word);
    await actor.create('other.md', 'other');
    assert.equal(await outcomeOf(actor.update('quokka-dossier.md', 'x', '"not-its-etag"')), 'CONFLICT stale_if_match');
    const outcomes: string[] = [];
    let waiting: Promise<string> | undefined;
    const state = { isRebuilt: false };
    atStep = {
      moved: async () => void outcomes.push(await outcomeOf(rebuild(workspace, operator))),
      checkpointed: async () => {
        waiting = outcomeOf(rebuild(workspace, operator)).finally(() => (state.isRebuilt = true));
        // The first steps of a rebuild, ten times over: without the wait it would be finished by then.
        for (let i = 0; i < 10; i++) {
          await actor.create(`${i}.md`, 'meanwhile');
          await workspace.checkpointer.run();
        }
      },
      overwritten: async () => assert.equal(state.isRebuilt, false),
    };
    const { id } = await eraseAt(workspace, 'quokka-dossier.md');
    await finish(id);
    assert.deepEqual([...outcomes, await waiting], ['CONFLICT erase_under_way', 'done']);
    await requireGone(word, 'quokka-dossier');
  });

  it('finds texts by places to which only folders carried the document', async () => {
    const { actor } = bench;
    for (const name of ['a/notes.md', 'a/other.md', 'notes.md']) await actor.create(name, `${name} ${word.slice(5)}`);
    await actor.update('a/notes.md', word);
    const refused = async (location: string): Promise<void> => {
      assert.equal(await outcomeOf(actor.update(location, 'x', '"not-its-etag"')), 'CONFLICT stale_if_match');
    };
    for (const [from, to] of [
      ['a', 'b'],
      ['b', 'c'],
    ] as const) {
      await actor.rename(from, to);
      await refused(`${to}/notes.md`);
    }
    await actor.update('c/notes.md', `${word} again`);
    await actor.rename('c', 'd');
    await refused('d/notes.md');
    await actor.rename('d', 'c');
    await actor.delete('c/notes.md');
    await actor.rename('c', 'e');
    await actor.create('c/elsewhere.md', 'so that there is a c');
    await actor.undelete('c/notes.md');
    await actor.rename('c', 'f');
    await refused('f/notes.md');
    await refused('notes.md');
    const { id } = await eraseAt(bench.workspace, 'f/notes.md');
    await finish(id);
    await requireGone(word, ...['a', 'b', 'c', 'd', 'f'].map((folder) => `${folder}/notes.md`));
    const sidecar = new Sqlite(bench.paths.sidecar, { readonly: true });
    const kept = sidecar.prepare("SELECT 1 FROM audit_text WHERE target = 'notes.md' AND document_id IS NULL").get();
    sidecar.close();
    assert.ok(kept, 'a text about another document of that name stays');
  });

  it('removes the texts of searches that quote the name, in any spelling, and no others', async () => {
    const { actor, workspace } = bench;
    for (const name of ['Secret-Málaga plan.md', 'b/shared.md', 'a/shared.md'])
      await actor.create(name, `${word} ${name}`);
    const search = (query: string): Promise<unknown> =>
      perform(workspace, operator, searchDocuments, {
        query,
        location: rootLocation,
        limit: 10,
        position: null,
        labels: [],
      });
    const quoting = [
      'Secret-Málaga plan.md',
      'secret malaga PLAN',
      'the plan, secret: Malaga?',
      '"secret-málaga plan"',
    ];
    const others = ['secret plan', 'malaga', 'shared.md', word, 'plans secretly malagasy'];
    for (const query of [...quoting, ...others]) await search(query);
    const asked = (): unknown[] => {
      const sidecar = new Sqlite(bench.paths.sidecar, { readonly: true });
      const texts = sidecar.prepare('SELECT target FROM audit_text WHERE target IS NOT NULL').pluck().all();
      sidecar.close();
      return [...quoting, ...others].filter((query) => texts.includes(query));
    };
    assert.deepEqual(asked(), [...quoting, ...others]);
    await finish((await eraseAt(workspace, 'Secret-Málaga plan.md')).id);
    await finish((await eraseAt(workspace, 'a/shared.md')).id);
    assert.deepEqual(asked(), others);
    await requireSound(workspace, dataFolder);
  });

  async function finish(...ids: readonly string[]): Promise<void> {
    for (const id of ids) await bench.workspace.eraser.finished(id);
    assert.deepEqual(bench.reported, []);
  }

  async function requireGone(...secrets: readonly string[]): Promise<void> {
    assert.deepEqual(findTraces(dataFolder, secrets), []);
    await requireSound(bench.workspace, dataFolder);
  }
});
