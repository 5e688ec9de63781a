import assert from 'node:assert/strict';
import { perform } from '../../../lib/operations/perform.js';
import { setPrincipalState } from '../../../lib/operations/principals/set-principal-state.js';
import { outcomeOf } from '../../support/store/actor.js';
import { openTestService, operator } from '../../support/store/service.js';
import { isNotFound, scenario } from './play.js';

describe('Access: people', () => {
  scenario(22, 'Without grants there is nothing, and that is an answer', async ({ person, write }) => {
    await write('a.md', 'b/c.md');
    const nobody = await person();
    assert.deepEqual(await nobody.list(), []);
    await isNotFound(nobody.read('a.md'), nobody.read('absent.md'), nobody.export());
  });

  scenario(23, 'A revocation is in force at the next request', async ({ admin, person, write }) => {
    await write('team/a.md');
    const reader = await person('reader', 'team');
    assert.equal(await reader.read('team/a.md'), 'team/a.md');
    await admin.revoke('reader', reader.subject, 'team');
    await isNotFound(reader.read('team/a.md'), reader.export('team'));
    assert.deepEqual(await reader.list(), []);
  });

  scenario(24, 'A disabled person reaches nothing until enabled again', async ({ person, setDisabled, write }) => {
    await write('a.md');
    const editor = await person('editor', '');
    await setDisabled(editor, true);
    assert.deepEqual(await editor.list(), []);
    await isNotFound(editor.read('a.md'), editor.update('a.md', 'x'), editor.create('b.md'), editor.export());
    await setDisabled(editor, false);
    await editor.update('a.md', 'mine');
  });

  it('A workspace that never had an approver of the root has no last one to lose', async () => {
    const service = await openTestService();
    try {
      const [ben, red] = [await service.principal('Ben'), await service.group('Red')];
      const person = { type: 'principal', id: ben } as const;
      await service.join(red, person);
      assert.equal(await outcomeOf(service.leave(red, person)), 'done');
      const disabled = perform(service.workspace, operator, setPrincipalState, { principalId: ben, disabled: true });
      assert.equal(await outcomeOf(disabled), 'done');
    } finally {
      await service.close();
    }
  });

  scenario(
    25,
    'The last approver of the root stays',
    async ({ admin, service, person, group, grantRoot, setDisabled }) => {
      const last = 'CONFLICT last_approver';
      assert.equal(await outcomeOf(setDisabled(admin, true)), last);
      assert.equal(await outcomeOf(admin.revoke('approver', admin.subject, '')), last);
      const other = await person();
      const admins = await group(other);
      await grantRoot(admins.subject);
      await setDisabled(admin, true);
      assert.equal(await outcomeOf(service.leave(admins.subject.id, other.subject)), last);
      assert.equal(await outcomeOf(other.revoke('approver', admins.subject, '')), last);
      await setDisabled(admin, false);
      await service.leave(admins.subject.id, other.subject);
      await admin.revoke('approver', admins.subject, '');
    },
  );
});
