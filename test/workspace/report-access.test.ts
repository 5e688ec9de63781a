import assert from 'node:assert/strict';
import type { AccessChange } from '../../lib/domain/access-change.js';
import { Refusal } from '../../lib/domain/refusal.js';
import { openActors, type Actors } from '../support/model/actors.js';

describe('The report on a move', () => {
  let actors: Actors;

  beforeEach(async () => {
    actors = await openActors();
  });
  afterEach(() => actors.service.close());

  it('names each gainer with the role before, the role after, and the grant that gives it', async () => {
    await actors.write('from/a.md', 'to/x.md');
    const reader = await actors.person('reader', 'from');
    await actors.admin.grant('editor', reader.subject, 'to');
    const fresh = await actors.person('approver', 'to');
    const report = await reportOf(actors.admin.move('from/a.md', 'to'));
    assert.deepEqual(
      report?.gains,
      [`${reader.id} reader editor folder to`, `${fresh.id}  approver folder to`].toSorted(),
    );
  });

  it('counts grants from above at both ends', async () => {
    await actors.write('top/from/a.md', 'top/to/x.md');
    await actors.person('reader', 'top');
    await actors.person('editor', '');
    assert.equal(await reportOf(actors.admin.move('top/from/a.md', 'top/to')), undefined);
  });

  it('counts grants that a document takes along', async () => {
    await actors.write('from/a.md', 'to/x.md');
    const own = await actors.person('reader', 'from/a.md', 'document');
    await actors.admin.grant('reader', own.subject, 'to');
    assert.equal(await reportOf(actors.admin.move('from/a.md', 'to')), undefined);
  });

  it('sees a gain at a single path below the moved folder', async () => {
    await actors.write('from/f/sub/a.md', 'to/x.md');
    const reader = await actors.person('reader', 'to/f/sub');
    const report = await reportOf(actors.admin.move('from/f', 'to'));
    assert.deepEqual(report?.gains, [`${reader.id}  reader folder to/f/sub`]);
  });

  it('sees no gain where a travelling grant gives the same as a waiting one', async () => {
    await actors.write('from/f/sub/a.md', 'to/x.md');
    const reader = await actors.person('reader', 'to/f/sub');
    await actors.admin.grant('reader', reader.subject, 'from/f/sub');
    const outer = await actors.person('reader', 'to/f');
    await actors.admin.grant('editor', outer.subject, 'from/f');
    assert.equal(await reportOf(actors.admin.move('from/f', 'to')), undefined);
    assert.deepEqual(await actors.admin.grants('to/f/sub'), [`reader ${reader.id}`]);
  });

  it('knows that no member gains by a group all of whose members, three deep, hold as much already', async () => {
    await actors.write('from/a.md', 'to/x.md', 'from/b.md');
    const [direct, byGroup, higher] = [
      await actors.person('reader', 'from'),
      await actors.person(),
      await actors.person(),
    ];
    await actors.admin.grant('reader', (await actors.group(byGroup)).subject, 'from');
    await actors.admin.grant('editor', higher.subject, 'from');
    const outer = await actors.group(await actors.group(await actors.group(direct, byGroup), higher));
    await actors.admin.grant('reader', outer.subject, 'to');
    assert.equal(await reportOf(actors.admin.move('from/a.md', 'to')), undefined);
    await actors.admin.grant('editor', outer.subject, 'to');
    const report = await reportOf(actors.admin.move('from/b.md', 'to'));
    // `higher` is editor already; the other two are not.
    assert.deepEqual(report?.gains, [`${outer.subject.id}  editor folder to`]);
  });

  it('takes an empty group for one with a future member', async () => {
    await actors.write('from/a.md', 'to/x.md');
    const empty = await actors.group(await actors.group());
    await actors.admin.grant('reader', empty.subject, 'to');
    assert.deepEqual((await reportOf(actors.admin.move('from/a.md', 'to')))?.gains, [
      `${empty.subject.id}  reader folder to`,
    ]);
  });

  it('has one digest for one outcome, for every caller, and another when the outcome is another', async () => {
    await actors.write('from/a.md', 'to/x.md');
    const [reader, mover] = [await actors.person('reader', 'to'), await actors.person('editor')];
    const first = await reportOf(actors.admin.move('from/a.md', 'to'));
    assert.equal((await reportOf(mover.move('from/a.md', 'to')))?.digest, first?.digest);
    await actors.admin.grant('editor', reader.subject, 'to');
    assert.notEqual((await reportOf(mover.move('from/a.md', 'to')))?.digest, first?.digest);
    await actors.admin.revoke('editor', reader.subject, 'to');
    assert.equal((await reportOf(mover.move('from/a.md', 'to')))?.digest, first?.digest);
  });

  it('lists losses with the grant that is lost, also below a folder that an editor moves', async () => {
    await actors.write('from/f/sub/a.md', 'to/x.md');
    const [above, on, below] = [
      await actors.person('reader', 'from'),
      await actors.person('editor', 'from/f'),
      await actors.person('reader', 'from/f/sub'),
    ];
    const mover = await actors.person('editor');
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

  /** The report to the mover, or undefined for a move without one. */
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
});
