import assert from 'node:assert/strict';
import type { WriteTransaction } from '../../lib/journal/write-transaction.js';
import { openCast, type Cast, type Person } from '../support/model/actors.js';
import { outcomeOf } from '../support/store/actor.js';

describe('A write that has been let in and waits for its turn', () => {
  let cast: Cast;
  let editor: Person;

  beforeEach(async () => {
    cast = await openCast();
    await cast.write('team/a.md');
    editor = await cast.person();
  });
  afterEach(() => cast.service.close());

  /** Starts every kind of write, then lets the change of rights go before them, in one and the same group. */
  async function overtake(revoke: (transaction: WriteTransaction) => unknown): Promise<string[]> {
    assert.equal(await editor.read('team/a.md'), 'team/a.md');
    const waiting = [
      editor.update('team/a.md', 'too late'),
      editor.create('team/b.md'),
      editor.rename('team/a.md', 'c.md'),
      editor.move('team/a.md', 'team/sub'),
      editor.createFolder('team/folder'),
      editor.delete('team/a.md'),
    ].map(outcomeOf);
    await cast.service.workspace.journal.write({ run: revoke });
    return Promise.all(waiting);
  }

  const lateForAll = Array.from({ length: 6 }, () => 'NOT_FOUND');

  it('is not found when the grant was revoked before its turn came', async () => {
    await cast.admin.grant('editor', editor.subject, 'team');
    const outcomes = await overtake(({ tables }) => {
      const grant = tables.grants.forSubjects(editor.id, [])[0];
      tables.grants.delete(grant?.id ?? assert.fail('There is no grant.'));
    });
    assert.deepEqual(outcomes, lateForAll);
    assert.deepEqual(await cast.admin.export(), ['team/a.md']);
    assert.equal(await cast.admin.read('team/a.md'), 'team/a.md');
  });

  it('is not found when the writer was taken out of the group before', async () => {
    const inner = await cast.group(editor);
    await cast.admin.grant('editor', (await cast.group(inner)).subject, 'team');
    assert.deepEqual(await overtake(({ tables }) => tables.groups.leave(inner.subject.id, editor.subject)), lateForAll);
    assert.deepEqual(await cast.admin.export(), ['team/a.md']);
  });

  it('is not found when the writer was disabled before', async () => {
    await cast.admin.grant('editor', editor.subject, 'team');
    assert.deepEqual(await overtake(({ tables }) => tables.principals.setDisabled(editor.id, 1)), lateForAll);
  });

  it('is not found when what it was for was moved out of reach before', async () => {
    await cast.admin.grant('editor', editor.subject, 'team');
    const move = cast.admin.move('team/a.md', 'elsewhere');
    const update = outcomeOf(editor.update('team/a.md', 'too late'));
    await move;
    assert.equal(await update, 'NOT_FOUND');
    assert.equal(await cast.admin.read('elsewhere/a.md'), 'team/a.md');
  });
});
