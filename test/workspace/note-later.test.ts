import assert from 'node:assert/strict';
import { DeferredAudit } from '../../lib/journal/deferred-audit.js';
import { openTestService, type TestService } from '../support/store/service.js';

describe('Refused attempts, noted later', () => {
  let host: TestService;
  let later: DeferredAudit;

  beforeEach(async () => {
    host = await openTestService();
    const { service, clock } = host;
    later = new DeferredAudit({
      clock,
      find: (name) => service.find(name),
      names: () => service.names(),
      onFault: (what, cause) => assert.fail(`${what}: ${String(cause)}`),
    });
  });
  afterEach(() => host.close());

  it('distinguish a thousand sources in a minute, however often they are written meanwhile', async () => {
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
      'the next minute begins again, and the one before is on record',
    );
  });

  const countRecorded = () =>
    host.workspace.journal.reader.audit.after(0, 10_000).filter(({ action }) => action === 'authentication.failed')
      .length;

  it('are on record soon after the clock was set back, and not only when it has caught up', async () => {
    later.countRefused(host.workspace, 'rest', 'unknown', '10.0.0.1');
    await later.flush();
    later.countRefused(host.workspace, 'rest', 'unknown', '10.0.0.2');
    host.clock.advance(-365 * 24 * 3_600_000);
    later.countRefused(host.workspace, 'rest', 'unknown', '10.0.0.3');
    await later.flush();
    assert.deepEqual([tallies(), countRecorded()], [[], 3]);
    later.countRefused(host.workspace, 'rest', 'unknown', '10.0.0.4');
    await later.flush();
    assert.equal(tallies().length, 1, 'the minute after that is gathered as before');
  });

  it('are on record at a start, and at the end, though the clock was set back before it', async () => {
    later.countRefused(host.workspace, 'rest', 'unknown', '10.0.0.1');
    await later.flush();
    host.clock.advance(-24 * 3_600_000);
    const next = new DeferredAudit({
      clock: host.clock,
      find: (name) => host.service.find(name),
      names: () => host.service.names(),
      onFault: (what, cause) => assert.fail(`${what}: ${String(cause)}`),
    });
    await next.start();
    assert.deepEqual([tallies(), countRecorded()], [[], 1]);
    next.countRefused(host.workspace, 'rest', 'unknown', '10.0.0.2');
    host.clock.advance(-24 * 3_600_000);
    await next.close();
    assert.deepEqual([tallies(), countRecorded()], [[], 2]);
  });

  it('leave no span of the chain unsigned, however many minutes go on record at once', async () => {
    for (let minute = 0; minute < 3; minute += 1) {
      for (let address = 0; address < 1000; address += 1) {
        later.countRefused(host.workspace, 'rest', 'unknown', `10.0.${minute}.${address}`);
      }
      host.clock.advance(60_000);
    }
    await later.flush();
    assert.equal(tallies().length, 0);
    assert.ok(host.workspace.journal.state.chain.seq > 3000);
    const { journal } = host.workspace;
    const signed = journal.reader.auditCheckpoints.between(0, 10_000).map(({ seq }) => seq);
    for (const [index, seq] of signed.entries()) assert.ok(seq - (signed[index - 1] ?? 0) < 1300, signed.join(' '));
    assert.ok(signed.length >= 3);
  });

  const tallies = () => host.workspace.journal.reader.audit.talliesBefore(Number.MAX_SAFE_INTEGER, 10_000);
});
