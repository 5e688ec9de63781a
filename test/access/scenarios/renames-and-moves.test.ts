import assert from 'node:assert/strict';
import { outcomeOf } from '../../support/store/actor.js';
import { detailsOf, isNotFound, scenario } from './play.js';

describe('Access: renames and moves', () => {
  scenario(34, 'A grant on one file does not let its holder rename it', async ({ admin, person, write }) => {
    await write('team/a.md', 'other/b.md');
    const editor = await person('editor', 'team/a.md', 'document');
    await editor.update('team/a.md', 'mine');
    await isNotFound(editor.rename('team/a.md', 'z.md'), editor.move('team/a.md', 'other'));
    await admin.grant('editor', editor.subject, 'own');
    await editor.move('team/a.md', 'own');
    assert.equal(await editor.read('own/a.md'), 'mine');
  });

  scenario(35, 'Grants on a folder travel with a rename', async ({ admin, person, write }) => {
    await write('team/old/a.md', 'team/old/sub/b.md');
    const [outer, inner] = [await person('reader', 'team/old'), await person('reader', 'team/old/sub')];
    const editor = await person('editor', 'team');
    const result = await editor.rename('team/old', 'new');
    assert.deepEqual([result.gains, result.losses], [[], []]);
    assert.deepEqual(await outer.export(), ['team/new/a.md', 'team/new/sub/b.md']);
    assert.deepEqual(await inner.export(), ['team/new/sub/b.md']);
    assert.deepEqual(await admin.grants('team/new'), [`reader ${outer.id}`]);
    assert.deepEqual(await admin.grants('team/old'), []);
    assert.deepEqual(await admin.grants('team/old/sub'), []);
  });

  scenario(36, 'With a move they travel when the mover is approver at both ends', async ({ admin, person, write }) => {
    await write('team/project/a.md', 'archive/x.md');
    const reader = await person('reader', 'team/project');
    await admin.move('team/project', 'archive');
    assert.deepEqual(await reader.export(), ['archive/project/a.md']);
    assert.deepEqual(await admin.grants('team/project'), []);
  });

  scenario(37, "With an editor's move they stay where they were", async ({ admin, person, write }) => {
    await write('team/project/a.md', 'team/x.md');
    const [reader, editor] = [await person('reader', 'team/project'), await person('editor', '')];
    const { losses } = await editor.move('team/project', 'archive');
    assert.deepEqual(
      losses.map(({ subject, fromRole, toRole }) => [subject.id, fromRole, toRole]),
      [[reader.id, 'reader', null]],
    );
    assert.deepEqual(await reader.list(), []);
    await isNotFound(reader.read('archive/project/a.md'));
    assert.deepEqual(await admin.grants('team/project'), [`reader ${reader.id}`]);
    await write('team/project/b.md');
    assert.deepEqual(await reader.export(), ['team/project/b.md']);
  });

  scenario(38, 'A move that widens is refused with a report, and done when acknowledged', async ({ person, write }) => {
    await write('team/a.md', 'public/x.md');
    const [reader, editor] = [await person('reader', 'public'), await person('editor', '')];
    assert.equal(await outcomeOf(editor.move('team/a.md', 'public')), 'CONFLICT access_would_widen');
    const { from, to, report } = await detailsOf(editor.move('team/a.md', 'public'));
    assert.deepEqual([from, to], ['team/a.md', 'public/a.md']);
    assert.deepEqual(report.gains, [
      {
        subject: { type: 'principal', id: reader.id, displayName: 'Somebody' },
        fromRole: null,
        toRole: 'reader',
        via: { scopeType: 'folder', location: 'public' },
      },
    ]);
    await isNotFound(reader.read('public/a.md'));
    assert.equal(await editor.read('team/a.md'), 'team/a.md');
    await editor.move('team/a.md', 'public', true);
    assert.equal(await reader.read('public/a.md'), 'team/a.md');
  });

  scenario(39, 'An acknowledgement is for the report that was seen', async ({ admin, person, write }) => {
    await write('team/a.md', 'public/x.md');
    const [, editor, late] = [await person('reader', 'public'), await person('editor', ''), await person()];
    const first = await detailsOf(editor.move('team/a.md', 'public'));
    await admin.grant('reader', late.subject, 'public');
    const second = await detailsOf(editor.move('team/a.md', 'public', true, first.report.digest));
    assert.equal(second.reason, 'access_report_changed');
    assert.notEqual(second.report.digest, first.report.digest);
    await editor.move('team/a.md', 'public', true, second.report.digest);
    assert.equal(await late.read('public/a.md'), 'team/a.md');
  });

  scenario(40, 'A loss is told and never a reason to refuse', async ({ person, write }) => {
    await write('team/a.md');
    const [reader, editor] = [await person('reader', 'team'), await person('editor', '')];
    const { gains, losses } = await editor.move('team/a.md', 'private');
    assert.deepEqual(gains, []);
    assert.deepEqual(
      losses.map(({ subject, fromRole, toRole, via }) => [subject.id, fromRole, toRole, via.location]),
      [[reader.id, 'reader', null, 'team']],
    );
  });

  scenario(41, 'A group gains only when someone in it gains', async ({ admin, service, person, group, write }) => {
    await write('team/a.md', 'team/b.md', 'public/x.md');
    const known = await person('reader', 'team');
    const inner = await group(known);
    await admin.grant('reader', (await group(inner)).subject, 'public');
    await admin.move('team/a.md', 'public');
    assert.equal(await known.read('public/a.md'), 'team/a.md');
    await service.join(inner.subject.id, (await person()).subject);
    assert.equal(await outcomeOf(admin.move('team/b.md', 'public')), 'CONFLICT access_would_widen');
  });

  scenario(
    42,
    'A report names a group to its members and to approvers only',
    async ({ admin, person, group, write }) => {
      await write('team/a.md', 'public/x.md');
      const [outsider, member, approver] = [await person('editor'), await person('editor'), await person('editor')];
      const gaining = await group(member, await person());
      await admin.grant('reader', gaining.subject, 'public');
      await admin.grant('approver', approver.subject, 'team');
      const subjectFor = async (mover: typeof member): Promise<unknown> =>
        (await detailsOf(mover.move('team/a.md', 'public'))).report.gains[0]?.subject;
      assert.deepEqual(await subjectFor(outsider), { type: 'group', id: null, displayName: null });
      const named = { ...gaining.subject, displayName: 'Some group' };
      for (const mover of [member, approver, admin]) assert.deepEqual(await subjectFor(mover), named);
    },
  );

  scenario(43, 'A rename onto a path where a grant waits widens', async ({ admin, person, write }) => {
    await write('team/old/a.md');
    const reader = await person('reader', 'team/new');
    const { reason, report } = await detailsOf(admin.rename('team/old', 'new'));
    assert.equal(reason, 'access_would_widen');
    assert.equal(report.gains[0]?.subject.id, reader.id);
    await isNotFound(reader.read('team/new/a.md'));
  });

  scenario(
    44,
    'A folder is not moved so that one of its documents stands where grants on a folder wait',
    async ({ admin, person, write }) => {
      await write('a/f/x', 'a/g/x');
      await person('reader', 'b/f/x');
      await person('reader', 'b/g/x/y');
      for (const folder of ['a/f', 'a/g']) {
        assert.equal(await outcomeOf(admin.move(folder, 'b')), 'CONFLICT name_taken');
        assert.equal(await outcomeOf(admin.move(folder, 'b', true)), 'CONFLICT name_taken');
      }
      assert.deepEqual(await admin.export(), ['a/f/x', 'a/g/x']);
    },
  );
});
