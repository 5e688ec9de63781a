import assert from 'node:assert/strict';
import { operatorId } from '../../lib/domain/principal.js';
import { notFound } from '../../lib/domain/refusal.js';
import type { Steps } from '../../lib/scheduling/in-steps.js';
import type { WriteTransaction } from '../../lib/journal/write-transaction.js';
import { authenticate } from '../../lib/access/authenticate.js';
import { parseKey } from '../../lib/access/secret.js';
import { Actor, outcomeOf } from '../support/store/actor.js';
import { openTestService, operator, type TestService } from '../support/store/service.js';

/** Milliseconds of work in one step: longer than the event loop waits for its turn. */
const longStep = 10;

for (const store of ['disk', 'memory'] as const) {
  describe(`A long write of the journal (${store})`, () => {
    let test: TestService;
    let someone: Actor;
    beforeEach(async () => {
      test = await openTestService({ store });
      someone = new Actor(test.workspace, operatorId);
    });
    afterEach(() => test.close());

    const names = (): string[] => test.workspace.journal.reader.groups.list().map(({ displayName }) => displayName);
    const addGroup = (transaction: WriteTransaction, displayName: string): void =>
      transaction.tables.groups.insert({ id: `grp_${displayName}`, displayName, createdAt: 0 });

    function* addInSteps(transaction: WriteTransaction, ...some: readonly string[]): Steps<string> {
      for (const name of some) {
        addGroup(transaction, name);
        workFor(longStep);
        yield;
      }
      return 'done';
    }

    it('shows nothing of itself to readers before it is done', async () => {
      const seen: string[][] = [];
      const looking = setInterval(() => seen.push(names()), 1);
      assert.equal(
        await test.workspace.journal.writeInSteps({ steps: (transaction) => addInSteps(transaction, 'a', 'b', 'c') }),
        'done',
      );
      clearInterval(looking);
      assert.deepEqual(names(), ['a', 'b', 'c']);
      assert.ok(
        seen.every((each) => each.length === 0),
        JSON.stringify(seen),
      );
      if (store === 'disk') assert.ok(seen.length > 0, 'others have read between its steps');
    });

    it('holds once it is done, though others have read the rights and keys of before between its steps', async () => {
      const { workspace, clock } = test;
      const { id, key } = await test.person('editor');
      const parsed = parseKey(key) ?? assert.fail();
      const isAccepted = (): boolean => {
        const { reader, keyStamp } = workspace.journal.sidecar;
        return authenticate(workspace.keys.at(reader, keyStamp), parsed, 'rest', clock.now()).accepted;
      };
      const reachesNothing = (): boolean => workspace.view({ ...operator, principalId: id }).reach.isEmpty;
      const seen: boolean[] = [];
      const looking = setInterval(() => seen.push(isAccepted() && !reachesNothing()), 1);
      await workspace.journal.writeInSteps({
        *steps(transaction) {
          transaction.tables.principals.setDisabled(id, 1);
          yield* addInSteps(transaction, 'a', 'b', 'c');
        },
      });
      clearInterval(looking);
      assert.equal(isAccepted(), false);
      assert.equal(reachesNothing(), true);
      if (store === 'disk') assert.ok(seen[0], 'others have read between its steps');
    });

    it('runs in the order of its request, and so do the requests after it', async () => {
      const { journal } = test.workspace;
      const count = (transaction: WriteTransaction): number => transaction.tables.groups.list().length;
      const counts = await Promise.all([
        journal.write({ run: (transaction) => (addGroup(transaction, 'a'), count(transaction)) }),
        journal.writeInSteps({
          *steps(transaction) {
            yield* addInSteps(transaction, 'b', 'c');
            return count(transaction);
          },
        }),
        journal.write({ run: (transaction) => (addGroup(transaction, 'd'), count(transaction)) }),
        journal.writeInSteps({
          *steps(transaction) {
            yield* addInSteps(transaction, 'e');
            return count(transaction);
          },
        }),
      ]);
      assert.deepEqual(counts, [1, 3, 4, 5]);
      await journal.drained();
    });

    it('is undone whole where it is refused, and its record stays', async () => {
      const { journal } = test.workspace;
      const { storedBytes } = journal.state;
      const done: string[] = [];
      const outcome = outcomeOf(
        journal.writeInSteps({
          *steps(transaction) {
            yield* addInSteps(transaction, 'a', 'b');
            transaction.whenDurable(() => done.push('a'));
            transaction.state = { ...transaction.state, storedBytes: storedBytes + 1 };
            throw notFound();
          },
          refused: (transaction, { code }) => addGroup(transaction, code),
        }),
      );
      assert.equal(await outcome, 'NOT_FOUND');
      assert.deepEqual(names(), ['NOT_FOUND']);
      assert.equal(journal.state.storedBytes, storedBytes);
      assert.deepEqual(done, []);
      await someone.create('a.md', 'goes on');
    });

    it('is finished when the journal is closed meanwhile', async () => {
      const { journal } = test.workspace;
      const transaction = journal.writeInSteps({ steps: (each) => addInSteps(each, 'a', 'b', 'c') });
      await new Promise((resolve) => setTimeout(resolve, 1));
      const drained = journal.drained();
      assert.equal(await transaction, 'done');
      await drained;
      assert.deepEqual(names(), ['a', 'b', 'c']);
    });
  });
}

function workFor(milliseconds: number): void {
  for (const end = performance.now() + milliseconds; performance.now() < end;);
}
