import assert from 'node:assert/strict';
import { isNotFound, scenario } from './play.js';

describe('Access: who can read', () => {
  scenario(51, 'The readers of a place are listed with role and grant', async ({ admin, person, write }) => {
    await write('team/a.md');
    const editor = await person('editor', 'team');
    const reader = await person('reader', 'team/a.md', 'document');
    const stranger = await person('reader', 'other');
    const told = [
      'Admin approver: approver of folder ""',
      'Somebody editor: editor of folder "team"',
      'Somebody reader: reader of document "team/a.md"',
    ];
    for (const one of [admin, editor, reader]) assert.deepEqual((await one.readers('team/a.md')).toSorted(), told);
    await isNotFound(stranger.readers('team/a.md'));
  });

  scenario(
    52,
    'A reader by two ways is listed once, with the higher role and both ways',
    async ({ admin, person, write }) => {
      await write('team/a.md');
      const both = await person('reader', 'team');
      await admin.grant('editor', both.subject, 'team/a.md', 'document');
      assert.equal(
        (await both.readers('team/a.md'))[1],
        'Somebody editor: reader of folder "team", editor of document "team/a.md"',
      );
    },
  );

  scenario(
    53,
    'Ways through groups are shown link by link, and named to members and approvers only',
    async ({ admin, person, service, write }) => {
      await write('team/a.md');
      const [deep, outside, beside] = [
        await person('reader', 'x'),
        await person('reader', 'y'),
        await person('reader', 'z'),
      ];
      const inner = await service.group('inner', deep.subject);
      const outer = await service.group('outer', { type: 'group', id: inner }, beside.subject);
      await admin.grant('reader', { type: 'group', id: outer }, 'team');
      await admin.grant('reader', outside.subject, 'team');
      const told = async (one: typeof deep): Promise<string[]> => (await one.readers('team')).toSorted();
      const lines = (wayOfDeep: string, wayOfBeside: string): string[] =>
        [
          'Admin approver: approver of folder ""',
          `Somebody reader: ${wayOfDeep} › reader of folder "team"`,
          `Somebody reader: ${wayOfBeside} › reader of folder "team"`,
          'Somebody reader: reader of folder "team"',
        ].toSorted();
      assert.deepEqual(await told(admin), lines('outer › inner', 'outer'));
      assert.deepEqual(await told(deep), lines('outer › inner', 'outer'));
      assert.deepEqual(await told(beside), lines('outer › ?', 'outer'));
      assert.deepEqual(await told(outside), lines('? › ?', '?'));
      const second = await service.group('second', { type: 'group', id: inner });
      await admin.grant('reader', { type: 'group', id: second }, 'team');
      assert.deepEqual(await told(outside), lines('? › ?', '?'));
      const ways = 'outer › inner › reader of folder "team", second › inner › reader of folder "team"';
      assert.ok((await told(admin)).includes(`Somebody reader: ${ways}`));
    },
  );

  scenario(
    54,
    'For an empty place the answer is who could read a document written there',
    async ({ admin, person, write }) => {
      await write('team/a.md', 'team/b.md');
      const reader = await person('reader', 'team');
      const narrow = await person('reader', 'team/a.md', 'document');
      assert.deepEqual(await reader.readers('team/new.md'), await reader.readers('team/b.md'));
      assert.deepEqual(await reader.readers('team/deep/new.md'), await reader.readers('team/b.md'));
      assert.equal((await admin.readers('team/a.md')).length, 3);
      await isNotFound(narrow.readers('team/new.md'), narrow.readers('team/b.md'));
    },
  );

  scenario(55, 'The disabled and the operator read nothing', async ({ admin, person, setDisabled, write }) => {
    await write('team/a.md');
    const gone = await person('reader', 'team');
    assert.equal((await admin.readers('team/a.md')).length, 2);
    await setDisabled(gone, true);
    assert.deepEqual(await admin.readers('team/a.md'), ['Admin approver: approver of folder ""']);
  });

  scenario(56, 'A caller who cannot read a place does not find its readers', async ({ person, write }) => {
    await write('team/a.md', 'hidden/b.md');
    const narrow = await person('reader', 'team/a.md', 'document');
    assert.deepEqual(await narrow.list(), ['team/']);
    await isNotFound(
      narrow.readers('hidden/b.md'),
      narrow.readers('hidden'),
      narrow.readers('nothing'),
      narrow.readers('team'),
      narrow.readers(''),
    );
  });
});
