import assert from 'node:assert/strict';
import fc from 'fast-check';
import { parseLocation, rootLocation } from '../../lib/domain/location.js';
import { importDocuments } from '../../lib/operations/folders/import-documents.js';
import { maxReverted } from '../../lib/operations/history/plan-revert.js';
import { eraseAt } from '../support/store/erase-at.js';
import { outcomeOf } from '../support/store/actor.js';
import { addClient, type Client } from '../support/store/client.js';
import { openTestService, type TestService } from '../support/store/service.js';

describe('reverting the changes of one principal in a folder since a time', () => {
  let service: TestService;
  let ada: Client;
  let wild: Client;

  beforeEach(async () => {
    service = await openTestService();
    const host = { service, workspace: service.workspace };
    ada = await addClient(host, 'Ada', 'approver');
    wild = await addClient(host, 'Wild', 'editor');
  });
  afterEach(() => service.close());

  it('puts texts back, deletes new documents, undeletes deleted ones: by one commit', async () => {
    await ada.create('f/edited.md', 'good');
    await ada.create('f/deleted.md', 'kept');
    await wild.update('f/edited.md', 'also good, since before');
    const since = later();
    await wild.update('f/edited.md', 'bad');
    await wild.update('f/edited.md', 'worse');
    await wild.create('f/new/made.md', 'junk');
    await wild.update('f/deleted.md', 'spoilt');
    await wild.delete('f/deleted.md');
    const preview = await ada.previewRevert(wild.id, 'f', since);
    assert.deepEqual(
      preview.steps.map(({ action, location }) => `${action} ${location}`),
      ['restore f/edited.md', 'delete f/new/made.md', 'undelete f/deleted.md'],
    );
    assert.deepEqual(preview.leftAlone, []);
    const done = await ada.revert(wild.id, 'f', since, preview.digest);
    assert.equal(await ada.read('f/edited.md'), 'also good, since before');
    assert.equal(await ada.read('f/deleted.md'), 'kept');
    assert.deepEqual(await ada.list('f'), ['deleted.md', 'edited.md']);
    assert.equal((await ada.record('f/edited.md')).current.id, done.versionId);
    assert.equal((await ada.record('f/edited.md')).current.author.displayName, 'Ada');
    assert.deepEqual(await ada.historyLines('f/edited.md'), [
      'revert f/edited.md',
      'update f/edited.md',
      'update f/edited.md',
      'update f/edited.md',
      'create f/edited.md',
    ]);
    assert.equal(await outcomeOf(ada.undelete('f/new/made.md')), 'done');
  });

  it('leaves documents alone that others have written to since, and lists them', async () => {
    await ada.create('f/x.md', 'good');
    const since = later();
    await wild.update('f/x.md', 'bad');
    await ada.update('f/x.md', 'bad, with something that matters');
    await wild.create('f/y.md', 'junk');
    await ada.update('f/y.md', 'put to use');
    const { steps, leftAlone, versionId } = await revert('f', since);
    assert.deepEqual([steps, versionId], [[], null]);
    assert.deepEqual(leftAlone, [
      { location: 'f/x.md', reason: 'later_writes' },
      { location: 'f/y.md', reason: 'later_writes' },
    ]);
    assert.equal(await ada.read('f/x.md'), 'bad, with something that matters');
  });

  it('has nothing left to do the second time', async () => {
    await ada.create('f/x.md', 'good');
    const since = later();
    await wild.update('f/x.md', 'bad');
    await wild.create('f/y.md', 'junk');
    assert.equal((await revert('f', since)).steps.length, 2);
    const again = await revert('f', since);
    assert.deepEqual([again.steps, again.leftAlone], [[], []]);
  });

  it('goes over an earlier revert when the principal wrote again', async () => {
    await ada.create('f/x.md', 'good');
    const since = later();
    await wild.update('f/x.md', 'bad');
    await revert('f', since);
    await wild.update('f/x.md', 'bad again');
    assert.equal((await revert('f', since)).steps.length, 1);
    assert.equal(await ada.read('f/x.md'), 'good');
  });

  it('leaves alone claimed documents, those without room, and renames', async () => {
    const host = { service, workspace: service.workspace };
    const ben = await addClient(host, 'Ben', 'editor');
    await ada.create('f/claimed.md', 'good');
    await ada.create('f/deleted.md', 'good');
    await ada.create('f/moved.md', 'good');
    const since = later();
    await wild.update('f/claimed.md', 'bad');
    await wild.delete('f/deleted.md');
    await wild.rename('f/moved.md', 'elsewhere.md');
    await wild.update('f/elsewhere.md', 'bad');
    await ben.claim('f/claimed.md');
    await ben.create('f/deleted.md', 'another one');
    const { steps, leftAlone } = await revert('f', since);
    assert.deepEqual(
      steps.map(({ action, location }) => `${action} ${location}`),
      ['restore f/elsewhere.md'],
    );
    assert.deepEqual(leftAlone, [
      { location: 'f/claimed.md', reason: 'claimed' },
      { location: 'f/deleted.md', reason: 'location_occupied' },
      { location: 'f/elsewhere.md', reason: 'relocated' },
    ]);
  });

  it('puts back a document that was deleted and replaced', async () => {
    await ada.create('f/x.md', 'good');
    const before = (await ada.record('f/x.md')).id;
    const since = later();
    await wild.delete('f/x.md');
    await wild.create('f/x.md/inside.md', 'junk');
    await wild.delete('f/x.md/inside.md');
    await wild.create('f/x.md', 'junk');
    await revert('f', since);
    assert.equal(await ada.read('f/x.md'), 'good');
    assert.equal((await ada.record('f/x.md')).id, before);
  });

  it('deletes again a document undeleted from an earlier deletion', async () => {
    await ada.create('f/x.md', 'retired');
    await ada.delete('f/x.md');
    const since = later();
    await wild.undelete('f/x.md');
    await wild.update('f/x.md', 'bad');
    await revert('f', since);
    assert.equal(await outcomeOf(ada.read('f/x.md')), 'NOT_FOUND');
    await ada.undelete('f/x.md');
    const again = later();
    await wild.delete('f/x.md');
    await wild.undelete('f/x.md');
    await wild.update('f/x.md', 'bad');
    const before = await ada.read(
      'f/x.md',
      (await ada.history('f/x.md')).items.flatMap((entry) => (entry.type === 'version' ? [entry.version.id] : []))[2],
    );
    await revert('f', again);
    assert.equal(await ada.read('f/x.md'), before);
  });

  it('undeletes a folder that was deleted as one', async () => {
    await ada.create('f/g/x.md', 'one');
    await ada.create('f/g/h/y.md', 'two');
    const since = later();
    await wild.deleteFolder('f/g');
    assert.equal((await revert('f', since)).steps.length, 2);
    assert.equal(await ada.read('f/g/h/y.md'), 'two');
  });

  it('keeps to the folder and to the time', async () => {
    await ada.create('f/x.md', 'good');
    await ada.create('g/x.md', 'good');
    await wild.update('f/x.md', 'old');
    const since = later();
    await wild.update('g/x.md', 'bad');
    assert.deepEqual((await revert('f', since)).steps, []);
    assert.equal(await ada.read('g/x.md'), 'bad');
    assert.equal((await revert('', since)).steps.length, 1);
    assert.equal(await ada.read('f/x.md'), 'old');
  });

  it('costs as much as the changes in the folder, for any number of changes elsewhere', async function () {
    this.timeout(60_000);
    await ada.create('f/x.md', 'good');
    const since = later();
    await wild.update('f/x.md', 'bad');
    const inner = await addClient({ service, workspace: service.workspace }, 'Ina', 'editor', 'f');
    const before = await inner.previewRevert(wild.id, 'f', since);
    const files = Array.from({ length: maxReverted + 1 }, (_, number) => ({
      location: parseLocation(`hidden/${number}.md`),
      content: { bytes: Buffer.alloc(0) },
    }));
    await wild.perform(importDocuments, { into: rootLocation, files, message: null });
    assert.deepEqual(await inner.previewRevert(wild.id, 'f', since), before);
    assert.equal(await outcomeOf(ada.previewRevert(wild.id, 'hidden', since)), 'INVALID_REQUEST too_much_to_revert');
  });

  it('a revert does only the previewed steps', async () => {
    await ada.create('f/x.md', 'good');
    const since = later();
    await wild.update('f/x.md', 'bad');
    const { digest } = await ada.previewRevert(wild.id, 'f', since);
    await wild.create('f/y.md', 'more');
    assert.equal(await outcomeOf(ada.revert(wild.id, 'f', since, digest)), 'CONFLICT preview_changed');
    assert.equal(await ada.read('f/x.md'), 'bad');
  });

  it('is for editors of the folder, and reveals no principals to others', async () => {
    const reader = await addClient({ service, workspace: service.workspace }, 'Rea', 'reader');
    assert.equal(await outcomeOf(reader.previewRevert(wild.id, '', 0)), 'NOT_FOUND');
    assert.equal(await outcomeOf(reader.revert(wild.id, '', 0, 'x')), 'NOT_FOUND');
    const inner = await addClient({ service, workspace: service.workspace }, 'Ina', 'editor', 'f');
    await ada.create('f/x.md', 'good');
    await wild.update('f/x.md', 'bad');
    await wild.create('hidden/x.md');
    const known = await inner.previewRevert(wild.id, 'f', 0);
    assert.deepEqual(
      known.steps.map(({ location }) => location),
      ['f/x.md'],
    );
    const unknown = await inner.previewRevert('prn_unknown', 'f', 0);
    assert.deepEqual([unknown.steps, unknown.leftAlone], [[], []]);
    assert.equal(await outcomeOf(inner.previewRevert(wild.id, '', 0)), 'NOT_FOUND');
  });

  it('names deleted documents only to those who can read them where they are now', async () => {
    const ben = await addClient({ service, workspace: service.workspace }, 'Ben', 'editor', 'f');
    const since = later();
    for (const name of ['merger', 'known', 'stays', 'gone']) await wild.create(`f/${name}.md`);
    await wild.create('f/plans/x.md');
    await wild.create('f/drafts/x.md');
    await ada.move('f/merger.md', 'board', true);
    await wild.move('f/known.md', 'g', true);
    await wild.rename('f/stays.md', 'here.md');
    await wild.rename('f/gone.md', 'left.md');
    await wild.delete('f/left.md');
    await wild.move('f/plans', 'board', true);
    await wild.rename('f/drafts', 'texts');
    const relocated = async (client: Client, by: string): Promise<string[]> =>
      (await client.previewRevert(by, 'f', since)).leftAlone
        .filter(({ reason }) => reason === 'relocated')
        .map(({ location }) => location);
    assert.deepEqual(await relocated(ben, ada.id), []);
    assert.deepEqual(await relocated(ben, wild.id), ['f/here.md', 'f/left.md', 'f/texts']);
    assert.deepEqual(await relocated(ada, ada.id), ['f/merger.md']);
    assert.deepEqual(await relocated(ada, wild.id), ['f/known.md', 'f/here.md', 'f/left.md', 'f/plans', 'f/texts']);
    await service.grant('reader', { type: 'principal', id: ben.id }, 'g');
    assert.deepEqual(await relocated(ben, wild.id), ['f/known.md', 'f/here.md', 'f/left.md', 'f/texts']);
  });

  it('does not name a document under erase, from the moment of its acceptance', async () => {
    const ben = await addClient({ service, workspace: service.workspace }, 'Ben', 'editor', 'f');
    await wild.create('f/dossier.md');
    await wild.rename('f/dossier.md', 'secret-dossier.md');
    await wild.create('f/other.md');
    await wild.rename('f/other.md', 'secret-other.md');
    await wild.delete('f/secret-other.md');
    await service.workspace.eraser.holdOff(async () => {
      await eraseAt(service.workspace, 'f/secret-dossier.md');
      await eraseAt(service.workspace, 'f/secret-other.md', { isDeleted: true });
      assert.doesNotMatch(JSON.stringify(await ben.previewRevert(wild.id, 'f', 0)), /dossier|other/);
    });
  });

  it('leaves every document as it was, or as others made it, after any changes', async function () {
    this.timeout(60_000);
    const places = ['f/a.md', 'f/b.md', 'f/c/d.md'];
    const work = fc.record({
      who: fc.constantFrom('wild', 'ada'),
      what: fc.constantFrom('write', 'delete', 'undelete'),
      place: fc.constantFrom(...places),
      text: fc.constantFrom('p', 'q', 'r', 's'),
    });
    const act = async (client: Client, { what, place, text }: { what: string; place: string; text: string }) => {
      const outcome =
        what === 'write'
          ? await outcomeOf(client.create(place, text).catch(() => client.update(place, text)))
          : await outcomeOf(what === 'delete' ? client.delete(place) : client.undelete(place));
      return outcome === 'done';
    };
    const textAt = async (place: string): Promise<string | undefined> => ada.read(place).catch(() => undefined);
    await fc.assert(
      fc.asyncProperty(fc.array(work, { maxLength: 6 }), fc.array(work, { maxLength: 8 }), async (before, after) => {
        for (const place of places) await ada.delete(place).catch(() => undefined);
        later();
        for (const each of before) await act(each.who === 'ada' ? ada : wild, each);
        const then = new Map<string, string | undefined>();
        for (const place of places) then.set(place, await textAt(place));
        const since = later();
        const touched = new Set<string>();
        for (const each of after) {
          const isDone = await act(each.who === 'ada' ? ada : wild, each);
          if (each.who === 'ada' && isDone) touched.add(each.place);
        }
        const { leftAlone } = await revert('f', since);
        for (const place of places) {
          if (touched.has(place)) continue;
          assert.equal(await textAt(place), then.get(place), place);
          assert.ok(!leftAlone.some(({ location }) => location === place));
        }
        const again = await revert('f', since);
        assert.deepEqual(again.steps, []);
      }),
      { numRuns: 40, seed: 7 },
    );
  });

  /** Lets a minute pass and gives the time after it. */
  function later(): number {
    service.clock.advance(60_000);
    return service.clock.now();
  }

  async function revert(folder: string, since: number) {
    const { digest } = await ada.previewRevert(wild.id, folder, since);
    return ada.revert(wild.id, folder, since, digest);
  }
});
