import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mock } from 'node:test';
import { operatorId } from '../../lib/domain/principal.js';
import { pathsOf } from '../../lib/journal/workspace-files.js';
import { Actor } from '../support/store/actor.js';
import { openTestService, type TestService } from '../support/store/service.js';

/** The most milliseconds until clones can see a commit. */
const second = 1000;

describe('A clone’s view', () => {
  let test: TestService;
  let someone: Actor;

  beforeEach(async () => {
    test = await openTestService({ store: 'disk' });
    someone = new Actor(test.workspace, operatorId);
    await test.workspace.checkpointer.run();
  });
  afterEach(async () => {
    mock.timers.reset();
    await test.close();
  });

  it('is at most a second old, however many write on and on', async () => {
    const { workspace } = test;
    const { repository, journal } = workspace;
    const moves: string[] = [];
    const move = repository.moveHead.bind(repository);
    Object.defineProperty(repository, 'moveHead', {
      configurable: true,
      value: (to: string) => {
        moves.push(to);
        return move(to);
      },
    });
    mock.timers.enable({ apis: ['setTimeout'] });
    const stop = { asked: false };
    let written = 0;
    const writers = ['a', 'b', 'c'].map(async (name) => {
      while (!stop.asked) {
        await someone.create(`${name}/${(written += 1)}.md`, `text ${written}`);
      }
    });
    try {
      for (let seconds = 1; seconds <= 4; seconds += 1) {
        const before = written;
        await until('writers have gone on', () => written > before + 20);
        const { head } = journal.state;
        assert.ok(head !== null);
        const moved = moves.length;
        // A write notes that a checkpoint is due, and from then on at most a second passes.
        mock.timers.tick(second);
        await until('a checkpoint has moved main', () => moves.length > moved);
        await until('main is where that was', async () => (await repository.head()) === moves.at(-1));
        const seen = git('rev-parse', 'main');
        assert.equal(git('merge-base', head, seen), head, `after ${seconds} s a clone has what was there before`);
        assert.equal(moves.length, moved + 1, 'one checkpoint for the second, whatever was written');
      }
    } finally {
      stop.asked = true;
      await Promise.all(writers);
    }
    // No more writes come: those after the begin of the last checkpoint do not wait for another write.
    const { head } = journal.state;
    mock.timers.tick(second);
    await until('main is at the head', async () => (await repository.head()) === head);
    assert.ok(written > 80, `${written}`);
  });

  const git = (...args: string[]): string =>
    execFileSync('git', ['-C', pathsOf(test.dataFolder ?? '', 'acme').repository, ...args], {
      encoding: 'utf8',
    }).trim();

  /** Real time, in turns of the event loop, in which timers stand still. */
  async function until(sentence: string, isSo: () => boolean | Promise<boolean>): Promise<void> {
    for (let transaction = 0; transaction < 200_000; transaction += 1) {
      if (await isSo()) return;
      await new Promise((resolve) => setImmediate(resolve));
    }
    assert.fail(`Never so: ${sentence}`);
  }
});
