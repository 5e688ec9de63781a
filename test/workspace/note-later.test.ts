import assert from 'node:assert/strict';
import { NotedLater } from '../../lib/workspace/note-later.js';
import { openTestService, type TestService } from '../harness/service.js';

describe('Refused attempts, noted later', () => {
  let host: TestService;
  let later: NotedLater;

  beforeEach(async () => {
    host = await openTestService();
    const { service, clock } = host;
    later = new NotedLater({
      clock,
      find: (name) => service.find(name),
      names: () => service.names(),
      onFault: (what, cause) => assert.fail(`${what}: ${String(cause)}`),
    });
  });
  afterEach(() => host.close());

  const tallies = () => host.workspace.journal.reader.audit.talliesBefore(Number.MAX_SAFE_INTEGER);

  it('tell a thousand sources apart in a minute, however often they are written meanwhile', async () => {
    for (let second = 0; second < 3; second += 1) {
      for (let address = 0; address < 900; address += 1) {
        later.countRefused(host.workspace, 'rest', 'unknown', `10.0.${second}.${address}`);
      }
      await later.flush();
    }
    assert.equal(tallies().length, 1001);
    assert.equal(tallies().find(({ source }) => source === 'many')?.count, 1700);
    later.countRefused(host.workspace, 'rest', 'unknown', '10.0.0.0');
    await later.flush();
    assert.equal(tallies().find(({ source }) => source === '10.0.0.0')?.count, 2, 'one that is known stays itself');
    host.clock.advance(60_000);
    later.countRefused(host.workspace, 'rest', 'unknown', '10.0.9.9');
    await later.flush();
    assert.deepEqual(
      tallies().map(({ source }) => source),
      ['10.0.9.9'],
      'the next minute begins anew, and the one before is on record',
    );
  });
});
