import assert from 'node:assert/strict';
import { countOf, seedOf } from '../support/counts.js';
import { Mirror } from './mirror.js';
import { changeAtRandom, Dice, type Truth } from './random-changes.js';
import type { Remote, Traits } from './remote.js';

/** What the tests of one kind work on. */
export interface Surroundings {
  readonly remote: Remote;
  /** An empty folder for what the kind keeps between runs. */
  readonly cacheFolder: string;
}

/** The sync of each kind, as a whole: from its remote to the documents. */
export function describeMirror(traits: Traits, surroundings: () => Surroundings): void {
  describe('mirrored by a sync', () => {
    let mirror: Mirror;

    afterEach(() => mirror.close());

    const connect = async (): Promise<Mirror> => {
      const { remote, cacheFolder } = surroundings();
      mirror = await Mirror.connect(remote, traits.kind, cacheFolder);
      return mirror;
    };

    async function requireEqual(truth: Truth): Promise<void> {
      const documents = await mirror.documents();
      const run = JSON.stringify(mirror.lastRun);
      assert.deepEqual([...documents.keys()].sort(), [...truth.keys()].sort(), run);
      for (const [path, content] of truth) assert.ok(documents.get(path)?.equals(content), `${path}: ${run}`);
    }

    it('has the documents of the source after each change, by one commit, and none without a change', async () => {
      const { remote } = surroundings();
      const dice = new Dice(`mirror:${seedOf(1)}`);
      const truth: Truth = new Map();
      await changeAtRandom(remote, truth, dice, 30);
      await remote.publish();
      await connect();
      await requireEqual(truth);
      // A sync that deletes a good part of the documents within one day is held.
      for (let round = 0; round < countOf('MIRRORED_ROUNDS', { usual: 2, campaign: 10 }); round += 1) {
        const [old, before] = [new Map(truth), mirror.commits];
        await changeAtRandom(remote, truth, dice, 6);
        await remote.publish();
        const { outcome } = await mirror.sync();
        const changes = outcome === 'changed' ? 1 : 0;
        // Files of one content can have changed their places.
        if (!(traits.keepsIds && isSame(old, truth))) assert.equal(changes, isSame(old, truth) ? 0 : 1);
        assert.equal(mirror.commits, before + changes);
        await requireEqual(truth);
        assert.equal((await mirror.sync()).outcome, 'unchanged');
        assert.equal(mirror.commits, before + changes);
      }
    });

    it('keeps a document through a rename at the source', async () => {
      const { remote } = surroundings();
      await remote.put('a.md', Buffer.from('a text of its own'));
      await remote.put('b.md', Buffer.from('another text'));
      await remote.publish();
      await connect();
      const id = mirror.documentId('a.md');
      assert.ok(id !== undefined);
      await remote.move('a.md', 'moved/c.md');
      await remote.publish();
      const { counts } = await mirror.sync();
      assert.deepEqual([mirror.documentId('a.md'), mirror.documentId('moved/c.md')], [undefined, id]);
      assert.deepEqual([counts.moved, counts.created, counts.deleted], [1, 0, 0]);
    });

    it('keeps a document through saves that leave a copy, and through the end of the copy', async () => {
      const { remote } = surroundings();
      await remote.put('plan.md', Buffer.from('first'));
      await remote.put('b.md', Buffer.from('another text'));
      await remote.publish();
      await connect();
      const id = mirror.documentId('plan.md');
      // As Emacs saves, and sed -i.bak.
      for (const text of ['second', 'third']) {
        await remote.move('plan.md', 'plan.md~');
        await remote.put('plan.md', Buffer.from(text));
        await remote.publish();
        const { counts } = await mirror.sync();
        assert.equal(mirror.documentId('plan.md'), id);
        assert.deepEqual([counts.moved, counts.deleted], [0, 0]);
      }
      const texts = await mirror.documents();
      assert.deepEqual([String(texts.get('plan.md')), String(texts.get('plan.md~'))], ['third', 'second']);
      await remote.remove('plan.md~');
      await remote.publish();
      await mirror.sync();
      assert.deepEqual([mirror.documentId('plan.md'), (await mirror.documents()).size], [id, 2]);
    });

    it('stays as it was when the source goes away', async () => {
      const { remote } = surroundings();
      const truth: Truth = new Map([['a.md', Buffer.from('a')]]);
      await remote.put('a.md', Buffer.from('a'));
      await remote.publish();
      await connect();
      const before = mirror.commits;
      await remote.vanish();
      const { outcome, fault } = await mirror.sync();
      assert.equal(outcome, 'failed');
      assert.ok(fault !== null && traits.goneAs.includes(fault), String(fault));
      await requireEqual(truth);
      assert.equal(mirror.commits, before);
    });
  });
}

/** Random changes can take each other back. */
function isSame(a: Truth, b: Truth): boolean {
  return a.size === b.size && [...a].every(([path, content]) => b.get(path)?.equals(content) === true);
}
