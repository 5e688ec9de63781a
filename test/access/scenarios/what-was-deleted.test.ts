import assert from 'node:assert/strict';
import { outcomeOf } from '../../support/store/actor.js';
import { detailsOf, isNotFound, scenario } from './play.js';

describe('Access: what was deleted', () => {
  scenario(
    57,
    'Grants that come to lie where something was deleted widen too',
    async ({ admin, person, group, write }) => {
      await write('team/hr/salaries.md', 'team/open/a.md', 'team/hrx/b.md', 'elsewhere/hr/c.md');
      const [editor, holder] = [await person('editor', 'team'), await person('editor', 'team/open')];
      const member = await person();
      const readers = await group(member);
      await admin.grant('reader', readers.subject, 'team/open');
      for (const gone of ['team/hr/salaries.md', 'team/hrx/b.md']) await editor.delete(gone);
      const via = { scopeType: 'folder', location: 'team/hr' };
      const byRole = (a: object, b: object): number => JSON.stringify(a).localeCompare(JSON.stringify(b));
      const { report } = await detailsOf(editor.rename('team/open', 'hr'));
      assert.deepEqual(report.gains.map((gain) => ({ ...gain, subject: gain.subject.id })).toSorted(byRole), [
        { subject: holder.id, fromRole: null, toRole: 'editor', via },
        // A person outside the group does not learn its name.
        { subject: null, fromRole: null, toRole: 'reader', via },
      ]);
      await isNotFound(holder.undelete('team/hr/salaries.md'), member.read('team/hr/a.md'));
      assert.equal(await holder.read('team/open/a.md'), 'team/open/a.md');
      assert.deepEqual((await editor.rename('team/open', 'hr', true, report.digest)).losses, []);
      await holder.undelete('team/hr/salaries.md');
      assert.equal(await member.read('team/hr/salaries.md'), 'team/hr/salaries.md');

      await admin.delete('elsewhere/hr/c.md');
      const mover = await person('editor', '');
      assert.equal(await outcomeOf(admin.move('team/hr', 'elsewhere')), 'CONFLICT access_would_widen');
      assert.equal(await outcomeOf(editor.rename('team/hr', 'hrx')), 'CONFLICT access_would_widen');
      assert.equal(await outcomeOf(editor.rename('team/hr', 'hr2')), 'done');
      await admin.rename('team/hr2', 'hr');
      await admin.grant('editor', holder.subject, 'elsewhere');
      await admin.grant('reader', member.subject, 'elsewhere/hr');
      assert.equal(await outcomeOf(admin.move('team/hr', 'elsewhere')), 'done');

      await write('side/hr/e.md');
      await admin.delete('side/hr/e.md');
      assert.equal(await outcomeOf(mover.move('elsewhere/hr', 'side')), 'done');
    },
  );

  scenario(58, 'A grant on a deleted document can be seen and taken away', async ({ admin, person, write }) => {
    const someone = await person();
    const remove = async (): Promise<void> => {
      await write('f/x');
      await admin.grant('editor', someone.subject, 'f/x', 'document');
      await admin.delete('f/x');
    };
    const seen = (...subjects: readonly { readonly id: string }[]): string[] =>
      subjects.map(({ id }) => `editor ${id}`);
    const revoke = (who = admin): Promise<void> => who.revoke('editor', someone.subject, 'f/x', 'document');
    await remove();
    assert.deepEqual(await admin.grants('f/x', 'document'), seen(someone));
    await isNotFound(admin.grant('reader', someone.subject, 'f/x', 'document'), someone.grants('f/x', 'document'));
    await revoke();
    await isNotFound(someone.undelete('f/x'), revoke(), revoke(someone));
    assert.deepEqual(await admin.grants('f/x', 'document'), []);

    await remove();
    await write('f/x');
    const approver = await person('approver', 'f/x', 'document');
    await admin.grant('editor', someone.subject, 'f/x', 'document');
    await admin.delete('f/x');
    assert.deepEqual((await admin.grants('f/x', 'document')).toSorted(), [
      `approver ${approver.id}`,
      ...seen(someone, someone),
    ]);
    const asked = async (): Promise<unknown> => [
      await approver.grants('f/x', 'document'),
      await outcomeOf(approver.revoke('reader', someone.subject, 'f/x', 'document')),
      await outcomeOf(approver.grant('reader', someone.subject, 'f/x', 'document')),
    ];
    const alone = await asked();
    await write('f/x');
    assert.deepEqual(await asked(), alone, 'a hidden document there changes nothing');
    assert.deepEqual(await admin.grants('f/x', 'document'), []);
    await isNotFound(revoke());
    await revoke(approver);
    assert.deepEqual(await approver.grants('f/x', 'document'), [`approver ${approver.id}`]);
    await admin.delete('f/x');
    await revoke();
    await isNotFound(someone.undelete('f/x'));
  });
});
