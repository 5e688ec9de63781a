import assert from 'node:assert/strict';
import { outcomeOf } from '../support/store/actor.js';
import { addClient, type Client } from '../support/store/client.js';
import { openTestService, type TestService } from '../support/store/service.js';

for (const store of ['memory', 'disk'] as const) {
  describe(`deleting a folder and bringing it back (${store})`, () => {
    let service: TestService;
    let ada: Client;

    beforeEach(async () => {
      service = await openTestService({ store });
      ada = await addClient({ service, workspace: service.workspace }, 'Ada', 'approver');
      for (const place of ['a/x.md', 'a/b/y.md', 'a/b/c/z.md', 'other.md']) await ada.create(place, place);
      await ada.createFolder('a/empty');
    });
    afterEach(() => service.close());

    it('takes everything in it by one commit, and returns it by one', async () => {
      const before = await ada.record('a/b/y.md');
      const gone = await ada.deleteFolder('a');
      assert.equal(gone.documents, 3);
      assert.deepEqual(await ada.list(), ['other.md']);
      assert.equal(await outcomeOf(ada.read('a/b/y.md')), 'NOT_FOUND');
      const back = await ada.undeleteFolder('a');
      assert.deepEqual([back.documents, back.leftAlone], [3, []]);
      assert.deepEqual(await ada.list(), ['a/', 'other.md']);
      assert.deepEqual(await ada.list('a'), ['b/', 'empty/', 'x.md']);
      assert.equal(await ada.read('a/b/c/z.md'), 'a/b/c/z.md');
      const after = await ada.record('a/b/y.md');
      assert.equal(after.id, before.id);
      assert.equal(after.current.sequence, 2);
      const ids = await Promise.all(['a/x.md', 'a/b/y.md', 'a/b/c/z.md'].map((place) => ada.record(place)));
      assert.deepEqual([...new Set(ids.map(({ current }) => current.id))], [back.versionId]);
      assert.equal(await outcomeOf(ada.undeleteFolder('a')), 'NOT_FOUND');
      assert.equal(await ada.read('other.md'), 'other.md');
    });

    it('keeps a folder that was made to stay, also when it was empty', async () => {
      await ada.deleteFolder('a/empty');
      assert.deepEqual(await ada.list('a'), ['b/', 'x.md']);
      await ada.undeleteFolder('a/empty');
      assert.deepEqual(await ada.list('a'), ['b/', 'empty/', 'x.md']);
      await ada.delete('a/x.md');
    });

    it('undeletes single documents on their own, and the rest as one', async () => {
      await ada.deleteFolder('a');
      await ada.undelete('a/b/y.md');
      await ada.update('a/b/y.md', 'newer');
      const { documents, leftAlone } = await ada.undeleteFolder('a');
      assert.deepEqual([documents, leftAlone], [2, []]);
      assert.equal(await ada.read('a/b/y.md'), 'newer');
    });

    it('leaves documents alone whose place is taken, and undeletes them later', async () => {
      await ada.deleteFolder('a');
      await ada.create('a/x.md', 'new');
      await ada.create('a/b/c', 'a document where a folder was');
      const { documents, leftAlone } = await ada.undeleteFolder('a');
      assert.equal(documents, 1);
      assert.deepEqual(leftAlone, [
        { location: 'a/b/c/z.md', reason: 'location_occupied' },
        { location: 'a/x.md', reason: 'location_occupied' },
      ]);
      assert.equal(await ada.read('a/x.md'), 'new');
      assert.equal(await outcomeOf(ada.undeleteFolder('a')), 'CONFLICT location_occupied');
      await ada.rename('a/b/c', 'd');
      assert.equal((await ada.undeleteFolder('a')).documents, 1);
      assert.equal(await ada.read('a/b/c/z.md'), 'a/b/c/z.md');
    });

    it('knows several deletions at one place', async () => {
      await ada.deleteFolder('a');
      await ada.create('a/second.md');
      await ada.deleteFolder('a');
      assert.equal((await ada.undeleteFolder('a')).documents, 1);
      assert.deepEqual(await ada.list('a'), ['second.md']);
      assert.equal((await ada.undeleteFolder('a')).documents, 3);
    });

    it('gives a folder that was made to stay back once, also where its deletion was undone in part', async () => {
      await ada.deleteFolder('a');
      await ada.create('a/x.md', 'in its place');
      assert.deepEqual((await ada.undeleteFolder('a')).leftAlone, [
        { location: 'a/x.md', reason: 'location_occupied' },
      ]);
      await ada.deleteFolder('a/empty');
      assert.equal(await outcomeOf(ada.undeleteFolder('a')), 'CONFLICT location_occupied');
      assert.deepEqual(await ada.list('a'), ['b/', 'x.md']);
      await ada.undeleteFolder('a/empty');
      await ada.rename('a/empty', 'elsewhere');
      await ada.rename('a/x.md', 'other.md');
      assert.equal((await ada.undeleteFolder('a')).documents, 1);
      assert.deepEqual(await ada.list('a'), ['b/', 'elsewhere/', 'other.md', 'x.md']);
      assert.equal(await outcomeOf(ada.undeleteFolder('a')), 'NOT_FOUND');
    });

    it('gives back nothing that was made anew meanwhile', async () => {
      await ada.deleteFolder('a/empty');
      await ada.createFolder('a/empty');
      assert.equal(await outcomeOf(ada.undeleteFolder('a/empty')), 'NOT_FOUND');
      await ada.rename('a/empty', 'elsewhere');
      assert.equal(await outcomeOf(ada.undeleteFolder('a/empty')), 'NOT_FOUND');
    });

    it('finds a deletion behind any number of later ones of which nothing is left', async () => {
      await ada.deleteFolder('a/b');
      for (let round = 0; round < 25; round += 1) {
        await ada.create('a/b/again.md', `${round}`);
        await ada.deleteFolder('a/b');
        await ada.undelete('a/b/again.md');
        await ada.delete('a/b/again.md');
      }
      assert.equal((await ada.undeleteFolder('a/b')).documents, 2);
      assert.deepEqual(await ada.list('a/b'), ['c/', 'y.md']);
    });

    it('finds a deletion behind many later ones whose folders have no place any more', async () => {
      await ada.deleteFolder('a/b');
      for (let round = 0; round < 25; round += 1) {
        await ada.createFolder(`a/b/${round}`);
        await ada.deleteFolder('a/b');
      }
      for (let round = 0; round < 25; round += 1) await ada.create(`a/b/${round}`, 'a document in its place');
      assert.equal((await ada.undeleteFolder('a/b')).documents, 2);
      assert.equal(await ada.read('a/b/c/z.md'), 'a/b/c/z.md');
      assert.equal(await outcomeOf(ada.undeleteFolder('a/b')), 'NOT_FOUND');
    });

    it('is for editors of the whole folder', async () => {
      const host = { service, workspace: service.workspace };
      const reader = await addClient(host, 'Rea', 'reader');
      const inner = await addClient(host, 'Ina', 'editor', 'a/b');
      assert.equal(await outcomeOf(reader.deleteFolder('a')), 'NOT_FOUND');
      assert.equal(await outcomeOf(inner.deleteFolder('a')), 'NOT_FOUND');
      assert.equal(await outcomeOf(inner.deleteFolder('a/b')), 'done');
      assert.equal(await outcomeOf(reader.undeleteFolder('a/b')), 'NOT_FOUND');
      assert.equal(await outcomeOf(inner.undeleteFolder('a/b')), 'done');
      assert.equal(await outcomeOf(inner.undeleteFolder('a/b/absent')), 'NOT_FOUND');
      assert.equal(await outcomeOf(ada.deleteFolder('')), 'INVALID_REQUEST workspace_root');
      assert.equal(await outcomeOf(ada.deleteFolder('other.md')), 'NOT_FOUND');
      assert.equal(await outcomeOf(ada.deleteFolder('absent')), 'NOT_FOUND');
    });

    it('does not follow the rename of a folder above it', async () => {
      await ada.create('a/b/k.md');
      await ada.deleteFolder('a/b/c');
      await ada.rename('a', 'z');
      assert.equal(await outcomeOf(ada.undeleteFolder('z/b/c')), 'NOT_FOUND');
      assert.equal((await ada.undeleteFolder('a/b/c')).documents, 1);
      assert.deepEqual(await ada.list(), ['a/', 'z/', 'other.md']);
    });
  });
}
