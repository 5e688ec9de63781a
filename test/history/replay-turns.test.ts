import assert from 'node:assert/strict';
import { replayHistory } from '../../lib/integrity/replay-history.js';
import { longestTurnOf } from '../support/processes/longest-turn.js';
import { openTestService, type TestService } from '../support/store/service.js';
import { TestMirror } from '../support/store/test-mirror.js';

const many = 6000;
/** Milliseconds of processor time for which others may wait. */
const maxTurn = 50;
/** The first rounds compile the program. */
const rounds = 4;

describe('a replay of the history', function () {
  this.timeout(120_000);
  let service: TestService;

  before(async () => {
    service = await openTestService();
    const mirror = await TestMirror.open(service.workspace, 'many');
    const written = Object.fromEntries(Array.from({ length: many }, (_, index) => [`${index}.md`, `text ${index}\n`]));
    await mirror.sync({ written });
    await service.workspace.checkpointer.run();
  });
  after(() => service?.close());

  it('lets others have their turn while one commit of many documents becomes rows', async () => {
    const { repository, journal } = service.workspace;
    let least = Number.POSITIVE_INFINITY;
    for (let round = 0; round < rounds && least >= maxTurn; round += 1) {
      const scratch = journal.sidecar.openScratch();
      try {
        const turn = await longestTurnOf(async () => {
          const report = await replayHistory(repository, journal.state.head ?? assert.fail(), scratch);
          assert.deepEqual([report.documents, report.problems], [many, []]);
        });
        least = Math.min(least, turn);
      } finally {
        scratch.close();
      }
    }
    assert.ok(least < maxTurn, `others wait for ${least.toFixed(0)} ms`);
  });
});
