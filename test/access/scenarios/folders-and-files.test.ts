import assert from 'node:assert/strict';
import { isNotFound, scenario } from './play.js';

describe('Access: folders and files', () => {
  scenario(1, 'A grant on a folder reaches what is added to it later', async ({ person, write }) => {
    const reader = await person('reader', 'handbook');
    await write('handbook/leave.md');
    assert.equal(await reader.read('handbook/leave.md'), 'handbook/leave.md');
  });

  scenario(2, 'A grant on a folder reaches every depth below it and nothing beside it', async ({ person, write }) => {
    const reader = await person('reader', 'handbook');
    await write('handbook/policies/leave/2026.md', 'handbook-old/leave.md', 'leave.md');
    assert.equal(await reader.read('handbook/policies/leave/2026.md'), 'handbook/policies/leave/2026.md');
    await isNotFound(reader.read('handbook-old/leave.md'), reader.read('leave.md'));
    assert.deepEqual(await reader.list(), ['handbook/']);
  });

  scenario(3, 'A grant on a file reaches only that file', async ({ person, write }) => {
    await write('plans/a.md', 'plans/b.md');
    const reader = await person('reader', 'plans/a.md', 'document');
    assert.equal(await reader.read('plans/a.md'), 'plans/a.md');
    await isNotFound(reader.read('plans/b.md'));
    assert.deepEqual(await reader.list('plans'), ['a.md']);
  });

  scenario(4, 'A grant on a file follows it when it is renamed or moved', async ({ admin, person, write }) => {
    await write('plans/a.md');
    const reader = await person('reader', 'plans/a.md', 'document');
    await admin.rename('plans/a.md', 'z.md');
    assert.equal(await reader.read('plans/z.md'), 'plans/a.md');
    await admin.move('plans/z.md', 'archive');
    assert.equal(await reader.read('archive/z.md'), 'plans/a.md');
    await isNotFound(reader.read('plans/a.md'), reader.read('plans/z.md'));
    assert.deepEqual(await reader.list(), ['archive/']);
  });

  scenario(
    5,
    'A new document at an old name does not inherit the grants of the one that had it',
    async ({ admin, person, write }) => {
      await write('a.md', 'b.md');
      const reader = await person('reader', 'a.md', 'document');
      await admin.grant('reader', reader.subject, 'b.md', 'document');
      await admin.move('a.md', 'moved');
      await admin.delete('b.md');
      await write('a.md', 'b.md');
      await isNotFound(reader.read('a.md'), reader.read('b.md'));
      assert.deepEqual(await reader.export(), ['moved/a.md']);
    },
  );

  scenario(6, 'A grant on a folder can be given before the folder is there', async ({ person, write }) => {
    const reader = await person('reader', 'future');
    assert.deepEqual(await reader.list(), []);
    await isNotFound(reader.export());
    await write('future/a.md');
    assert.deepEqual(await reader.list(), ['future/']);
    assert.equal(await reader.read('future/a.md'), 'future/a.md');
  });

  scenario(7, 'A grant further down can only widen', async ({ admin, person, write }) => {
    await write('team/notes/a.md');
    const editor = await person('editor', 'team');
    await admin.grant('reader', editor.subject, 'team/notes');
    await admin.grant('reader', editor.subject, 'team/notes/a.md', 'document');
    await editor.update('team/notes/a.md', 'mine');
    assert.equal(await editor.read('team/notes/a.md'), 'mine');
  });

  scenario(
    8,
    'Of several grants at one place the highest counts, and each ends by itself',
    async ({ admin, person, write }) => {
      await write('team/a.md');
      const someone = await person('reader', 'team');
      await admin.grant('editor', someone.subject, 'team');
      await someone.update('team/a.md', 'mine');
      await admin.revoke('editor', someone.subject, 'team');
      await isNotFound(someone.update('team/a.md', 'again'));
      assert.equal(await someone.read('team/a.md'), 'mine');
      await admin.revoke('reader', someone.subject, 'team');
      await isNotFound(someone.read('team/a.md'));
    },
  );

  scenario(9, 'A grant on the root reaches everything', async ({ person, write }) => {
    await write('a.md', 'x/y/z/b.md');
    const reader = await person('reader', '');
    assert.equal(await reader.read('a.md'), 'a.md');
    assert.deepEqual(await reader.export(), ['a.md', 'x/y/z/b.md']);
  });

  scenario(
    10,
    'A folder shows because of one document in it, and shows nothing else of itself',
    async ({ person, write }) => {
      await write('a.md', 'a/a.md', 'a/b/b.md', 'a/b/c.md', 'a/d/e.md', 'f/g.md');
      const reader = await person('reader', 'a/b/c.md', 'document');
      assert.deepEqual(await reader.list(), ['a/']);
      assert.deepEqual(await reader.list('a'), ['b/']);
      assert.deepEqual(await reader.list('a/b'), ['c.md']);
    },
  );

  scenario(11, 'A folder shows because of a granted folder below it', async ({ person, write }) => {
    await write('x/a.md', 'x/b/a.md', 'x/y/a.md', 'x/y/b/a.md', 'x/y/z/a.md', 'x/y/z/b/a.md');
    const reader = await person('reader', 'x/y/z');
    assert.deepEqual(await reader.list(), ['x/']);
    assert.deepEqual(await reader.list('x'), ['y/']);
    assert.deepEqual(await reader.list('x/y'), ['z/']);
    assert.deepEqual(await reader.list('x/y/z'), ['b/', 'a.md']);
  });

  scenario(12, 'An absent folder and an unreachable one are told apart by nothing', async ({ person, write }) => {
    await write('hidden/a.md');
    const reader = await person('reader', 'elsewhere');
    assert.deepEqual(await reader.list('hidden'), await reader.list('absent'));
    assert.deepEqual(await reader.list('hidden'), []);
    await isNotFound(reader.export('hidden'), reader.export('absent'));
  });

  scenario(13, 'An export holds what is reached, and nothing else', async ({ admin, person, write }) => {
    await write('a/open/x.md', 'a/open/y/z.md', 'a/shut/one.md', 'a/shut/two.md', 'a/top.md');
    const reader = await person('reader', 'a/open');
    await admin.grant('reader', reader.subject, 'a/shut/one.md', 'document');
    assert.deepEqual(await reader.export('a'), ['a/open/x.md', 'a/open/y/z.md', 'a/shut/one.md']);
  });

  scenario(14, 'Labels never matter', async ({ admin, person }) => {
    await admin.createLabelled('team/a.md', 'public');
    await admin.createLabelled('team/b.md', 'secret', 'no-one');
    const [reader, stranger] = [await person('reader', 'team'), await person('reader', 'elsewhere')];
    for (const location of ['team/a.md', 'team/b.md']) {
      assert.equal(await reader.read(location), 'text');
      await isNotFound(stranger.read(location));
    }
  });

  scenario(15, 'Names are told apart by case', async ({ person, write }) => {
    await write('handbook/a.md');
    const reader = await person('reader', 'Handbook');
    await isNotFound(reader.read('handbook/a.md'), reader.read('Handbook/a.md'));
    assert.deepEqual(await reader.list(), []);
  });
});
