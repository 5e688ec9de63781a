import assert from 'node:assert/strict';
import type { WriteTransaction } from '../../lib/journal/write-transaction.js';
import { openActors, type Actors, type Person } from '../support/model/actors.js';
import { outcomeOf } from '../support/store/actor.js';

describe('An authorised write that waits for its transaction', () => {
  let actors: Actors;
  let editor: Person;

  beforeEach(async () => {
    actors = await openActors();
    await actors.write('team/a.md');
    editor = await actors.person();
  });
  afterEach(() => actors.service.close());

  const lateForAll = Array.from({ length: 6 }, () => 'NOT_FOUND');

  it('is not found when the grant was revoked before its transaction', async () => {
    await actors.admin.grant('editor', editor.subject, 'team');
    const outcomes = await overtake(({ tables }) => {
      const grant = tables.grants.forSubjects(editor.id, [])[0];
      tables.grants.delete(grant?.id ?? assert.fail('There is no grant.'));
    });
    assert.deepEqual(outcomes, lateForAll);
    assert.deepEqual(await actors.admin.export(), ['team/a.md']);
    assert.equal(await actors.admin.read('team/a.md'), 'team/a.md');
  });

  it('is not found when the writer was taken out of the group before', async () => {
    const inner = await actors.group(editor);
    await actors.admin.grant('editor', (await actors.group(inner)).subject, 'team');
    assert.deepEqual(await overtake(({ tables }) => tables.groups.leave(inner.subject.id, editor.subject)), lateForAll);
    assert.deepEqual(await actors.admin.export(), ['team/a.md']);
  });

  it('is not found when the writer was disabled before', async () => {
    await actors.admin.grant('editor', editor.subject, 'team');
    assert.deepEqual(await overtake(({ tables }) => tables.principals.setDisabled(editor.id, 1)), lateForAll);
  });

  it('is not found when its target was moved out of reach before', async () => {
    await actors.admin.grant('editor', editor.subject, 'team');
    const move = actors.admin.move('team/a.md', 'elsewhere');
    const update = outcomeOf(editor.update('team/a.md', 'too late'));
    await move;
    assert.equal(await update, 'NOT_FOUND');
    assert.equal(await actors.admin.read('elsewhere/a.md'), 'team/a.md');
  });

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
    await actors.service.workspace.journal.write({ run: revoke });
    return Promise.all(waiting);
  }
});
