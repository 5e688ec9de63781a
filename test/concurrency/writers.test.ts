import assert from 'node:assert/strict';
import { operatorId } from '../../lib/domain/principal.js';
import { parseLocation } from '../../lib/domain/location.js';
import { Refusal } from '../../lib/domain/refusal.js';
import { perform } from '../../lib/operations/perform.js';
import { readDocument } from '../../lib/operations/documents/read-document.js';
import { Actor, outcomeOf } from '../support/store/actor.js';
import { openTestService, type TestService } from '../support/store/service.js';

const writers = 16;

for (const store of ['memory', 'disk'] as const) {
  describe(`Many writers on one document (${store})`, () => {
    let test: TestService;
    let someone: Actor;

    beforeEach(async () => {
      test = await openTestService({ store });
      someone = new Actor(test.workspace, operatorId);
    });
    afterEach(() => test.close());

    /** The document's versions, the first one first. */
    function versionsOf(location: string) {
      const view = test.workspace.view(someone.caller);
      const document = view.document(parseLocation(location)) ?? assert.fail('It is gone.');
      const { versions } = test.workspace.journal.reader;
      return Array.from(
        { length: document.current.sequence },
        (_, index) => versions.bySequence(document.number, index + 1) ?? assert.fail('A version is missing.'),
      );
    }

    /** Adds its own line to the version it has just read, and tries again whenever another writer was quicker. */
    async function addLines(writer: number, lines: number): Promise<{ readonly won: string[]; readonly lost: number }> {
      const input = { location: parseLocation('log.md'), withContent: true };
      const won: string[] = [];
      let lost = 0;
      while (won.length < lines) {
        const { bytes, version } = (await perform(test.workspace, someone.caller, readDocument, input)).result;
        const text = `${String(bytes)}${writer}.${won.length}\n`;
        try {
          won.push((await someone.update('log.md', text, `"${version.id}"`)).current.id);
        } catch (error) {
          assert.ok(error instanceof Refusal && error.details?.reason === 'stale_if_match', String(error));
          lost += 1;
        }
      }
      return { won, lost };
    }

    it('make one line of versions: no update is lost, none is there twice', async () => {
      await someone.create('log.md', '');
      const results = await Promise.all(Array.from({ length: writers }, (_, writer) => addLines(writer, 3)));
      const won = results.flatMap((result) => result.won);
      const versions = versionsOf('log.md');
      assert.equal(versions.length, 1 + won.length);
      assert.deepEqual(new Set(versions.slice(1).map(({ id }) => id)), new Set(won));
      assert.equal(new Set(won).size, writers * 3);
      assert.ok(
        results.some(({ lost }) => lost > 0),
        'nobody ever met: this shows nothing',
      );
      // Each version is the one before with one line more, and all lines are there at the end.
      let before = '';
      for (const { id } of versions.slice(1)) {
        const text = await someone.read('log.md', id);
        assert.ok(text.startsWith(before) && text.slice(before.length).split('\n').length === 2, text);
        before = text;
      }
      assert.equal(new Set(before.trim().split('\n')).size, writers * 3);
    });

    it('who all hold the same ETag: one wins, the others get the new one', async () => {
      const { current } = await someone.create('a.md', 'first');
      const outcomes = await Promise.allSettled(
        Array.from({ length: writers }, (_, writer) => someone.update('a.md', `${writer}`, `"${current.id}"`)),
      );
      const winners = outcomes.filter(({ status }) => status === 'fulfilled');
      assert.equal(winners.length, 1);
      const now = versionsOf('a.md').at(-1)?.id;
      for (const outcome of outcomes) {
        if (outcome.status !== 'rejected') continue;
        const { details } = outcome.reason as Refusal;
        assert.ok(details?.reason === 'stale_if_match');
        assert.equal(details.current.id, now);
      }
      assert.equal(versionsOf('a.md').length, 2);
    });

    it('who delete and update it with the same ETag: one of them does it', async () => {
      const { current } = await someone.create('a.md', 'first');
      const ifMatch = `"${current.id}"`;
      const outcomes = await Promise.all(
        Array.from({ length: writers }, (_, writer) =>
          outcomeOf(writer % 2 === 0 ? someone.update('a.md', 'x', ifMatch) : someone.delete('a.md', ifMatch)),
        ),
      );
      assert.equal(outcomes.filter((outcome) => outcome === 'done').length, 1);
    });

    it('who all create it: one does, the others get the refusal that the name is taken', async () => {
      const outcomes = await Promise.all(
        Array.from({ length: writers }, (_, writer) => outcomeOf(someone.create('a/b.md', `${writer}`))),
      );
      assert.equal(outcomes.filter((outcome) => outcome === 'done').length, 1);
      assert.equal(outcomes.filter((outcome) => outcome === 'CONFLICT name_taken').length, writers - 1);
      assert.equal(versionsOf('a/b.md').length, 1);
    });

    it('who repeat one create with one key: it is one document, and all get the same answer', async () => {
      const answers = await Promise.all(
        Array.from({ length: writers }, () => someone.create('a/b.md', 'text', 'key-1')),
      );
      assert.equal(new Set(answers.map((answer) => JSON.stringify(answer))).size, 1);
      assert.equal(versionsOf('a/b.md').length, 1);
      assert.deepEqual(await someone.list('a'), ['b.md']);
    });
  });
}
