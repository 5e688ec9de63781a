import assert from 'node:assert/strict';
import type { AccessChange } from '../../lib/domain/access-change.js';
import { Refusal } from '../../lib/domain/refusal.js';
import { openCast, type Cast } from '../support/model/actors.js';

describe('The report on a move', () => {
  let cast: Cast;

  beforeEach(async () => {
    cast = await openCast();
  });
  afterEach(() => cast.service.close());

  /** What the mover is told, or undefined where the move is simply done. */
  async function reportOf(work: Promise<unknown>): Promise<{ gains: string[]; digest: string } | undefined> {
    try {
      await work;
      return undefined;
    } catch (error) {
      assert.ok(error instanceof Refusal && error.details?.reason === 'access_would_widen', String(error));
      const { gains, digest } = error.details.report;
      return { gains: linesOf(gains), digest };
    }
  }

  /** A line for each change: subject, role before, role after, by which grant. */
  function linesOf(changes: readonly AccessChange[]): string[] {
    return changes
      .map(({ subject, fromRole, toRole, via }) => [subject.id, fromRole, toRole, via.scopeType, via.location])
      .map((parts) => parts.join(' '))
      .toSorted();
  }

  it('names who gains with the role before, the role after, and the grant that gives it', async () => {
    await cast.write('from/a.md', 'to/x.md');
    const reader = await cast.person('reader', 'from');
    await cast.admin.grant('editor', reader.subject, 'to');
    const fresh = await cast.person('approver', 'to');
    const report = await reportOf(cast.admin.move('from/a.md', 'to'));
    assert.deepEqual(
      report?.gains,
      [`${reader.id} reader editor folder to`, `${fresh.id}  approver folder to`].toSorted(),
    );
  });

  it('counts what comes from above at both ends', async () => {
    await cast.write('top/from/a.md', 'top/to/x.md');
    await cast.person('reader', 'top');
    await cast.person('editor', '');
    assert.equal(await reportOf(cast.admin.move('top/from/a.md', 'top/to')), undefined);
  });

  it('counts grants that a document takes along', async () => {
    await cast.write('from/a.md', 'to/x.md');
    const own = await cast.person('reader', 'from/a.md', 'document');
    await cast.admin.grant('reader', own.subject, 'to');
    assert.equal(await reportOf(cast.admin.move('from/a.md', 'to')), undefined);
  });

  it('sees a gain that only a path below the moved folder has', async () => {
    await cast.write('from/f/sub/a.md', 'to/x.md');
    const reader = await cast.person('reader', 'to/f/sub');
    const report = await reportOf(cast.admin.move('from/f', 'to'));
    assert.deepEqual(report?.gains, [`${reader.id}  reader folder to/f/sub`]);
  });

  it('sees no gain where a grant that travels gives what waits there too', async () => {
    await cast.write('from/f/sub/a.md', 'to/x.md');
    const reader = await cast.person('reader', 'to/f/sub');
    await cast.admin.grant('reader', reader.subject, 'from/f/sub');
    const outer = await cast.person('reader', 'to/f');
    await cast.admin.grant('editor', outer.subject, 'from/f');
    assert.equal(await reportOf(cast.admin.move('from/f', 'to')), undefined);
    assert.deepEqual(await cast.admin.grants('to/f/sub'), [`reader ${reader.id}`]);
  });

  it('knows that nobody gains by a group all of whose members, three deep, hold as much already', async () => {
    await cast.write('from/a.md', 'to/x.md', 'from/b.md');
    const [direct, byGroup, higher] = [await cast.person('reader', 'from'), await cast.person(), await cast.person()];
    await cast.admin.grant('reader', (await cast.group(byGroup)).subject, 'from');
    await cast.admin.grant('editor', higher.subject, 'from');
    const outer = await cast.group(await cast.group(await cast.group(direct, byGroup), higher));
    await cast.admin.grant('reader', outer.subject, 'to');
    assert.equal(await reportOf(cast.admin.move('from/a.md', 'to')), undefined);
    await cast.admin.grant('editor', outer.subject, 'to');
    const report = await reportOf(cast.admin.move('from/b.md', 'to'));
    // `higher` is editor already; the other two are not.
    assert.deepEqual(report?.gains, [`${outer.subject.id}  editor folder to`]);
  });

  it('takes an empty group for one that somebody will be in', async () => {
    await cast.write('from/a.md', 'to/x.md');
    const empty = await cast.group(await cast.group());
    await cast.admin.grant('reader', empty.subject, 'to');
    assert.deepEqual((await reportOf(cast.admin.move('from/a.md', 'to')))?.gains, [
      `${empty.subject.id}  reader folder to`,
    ]);
  });

  it('has one digest for one outcome, whoever asks, and another when the outcome is another', async () => {
    await cast.write('from/a.md', 'to/x.md');
    const [reader, mover] = [await cast.person('reader', 'to'), await cast.person('editor')];
    const first = await reportOf(cast.admin.move('from/a.md', 'to'));
    assert.equal((await reportOf(mover.move('from/a.md', 'to')))?.digest, first?.digest);
    await cast.admin.grant('editor', reader.subject, 'to');
    assert.notEqual((await reportOf(mover.move('from/a.md', 'to')))?.digest, first?.digest);
    await cast.admin.revoke('editor', reader.subject, 'to');
    assert.equal((await reportOf(mover.move('from/a.md', 'to')))?.digest, first?.digest);
  });

  it('lists losses with the grant that is lost, also below a folder that an editor moves', async () => {
    await cast.write('from/f/sub/a.md', 'to/x.md');
    const [above, on, below] = [
      await cast.person('reader', 'from'),
      await cast.person('editor', 'from/f'),
      await cast.person('reader', 'from/f/sub'),
    ];
    const mover = await cast.person('editor');
    const { gains, losses } = await mover.move('from/f', 'to');
    assert.deepEqual(gains, []);
    assert.deepEqual(
      linesOf(losses),
      [
        `${above.id} reader  folder from`,
        `${on.id} editor  folder from/f`,
        `${below.id} reader  folder from/f/sub`,
      ].toSorted(),
    );
  });
});
