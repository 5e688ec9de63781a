import assert from 'node:assert/strict';
import { isNotFound, scenario } from './play.js';

describe('Access: roles', () => {
  scenario(26, 'A reader who writes is told that nothing is there', async ({ admin, person, write }) => {
    await write('team/a.md', 'team/gone.md', 'team/sub/b.md');
    await admin.delete('team/gone.md');
    const reader = await person('reader', 'team');
    await isNotFound(
      reader.create('team/new.md'),
      reader.create('team/a.md'),
      reader.update('team/a.md', 'x'),
      reader.update('team/a.md', 'x', `"${'0'.repeat(40)}"`),
      reader.delete('team/a.md'),
      reader.rename('team/a.md', 'b.md'),
      reader.rename('team/sub', 'bus'),
      reader.move('team/a.md', 'team/sub'),
      reader.createFolder('team/folder'),
      reader.undelete('team/gone.md'),
    );
    assert.deepEqual(await admin.export(), ['team/a.md', 'team/sub/b.md']);
    assert.equal(await reader.read('team/a.md'), 'team/a.md');
  });

  scenario(27, 'An editor writes and does not share', async ({ person, write }) => {
    await write('team/a.md');
    const [editor, other] = [await person('editor', 'team'), await person()];
    await editor.create('team/b.md');
    await editor.update('team/a.md', 'x');
    await editor.rename('team/a.md', 'c.md');
    await editor.move('team/c.md', 'team/sub');
    await editor.delete('team/sub/c.md');
    await editor.undelete('team/sub/c.md');
    await editor.createFolder('team/empty');
    await isNotFound(
      editor.grant('reader', other.subject, 'team'),
      editor.grant('reader', other.subject, 'team/b.md', 'document'),
      editor.revoke('editor', editor.subject, 'team'),
      editor.grants('team'),
    );
  });

  scenario(28, 'An approver shares at the place and below it, not above or beside', async ({ person, write }) => {
    await write('team/one/sub/a.md', 'team/two/a.md');
    const [approver, other] = [await person('approver', 'team/one'), await person()];
    await approver.grant('reader', other.subject, 'team/one');
    await approver.grant('editor', other.subject, 'team/one/sub');
    await approver.grant('reader', other.subject, 'team/one/sub/a.md', 'document');
    assert.deepEqual(await approver.grants('team/one/sub'), [`editor ${other.id}`]);
    for (const place of ['team', 'team/two', '']) {
      await isNotFound(approver.grant('reader', other.subject, place), approver.grants(place));
    }
    await isNotFound(approver.grant('reader', other.subject, 'team/two/a.md', 'document'));
  });

  scenario(29, 'An approver of a document shares that document alone', async ({ person, write }) => {
    await write('team/a.md', 'team/b.md');
    const [approver, other] = [await person('approver', 'team/a.md', 'document'), await person()];
    await approver.grant('reader', other.subject, 'team/a.md', 'document');
    assert.equal(await other.read('team/a.md'), 'team/a.md');
    await isNotFound(
      approver.grant('reader', other.subject, 'team'),
      approver.grant('reader', other.subject, 'team/b.md', 'document'),
      approver.grants('team/b.md', 'document'),
    );
  });

  scenario(30, 'Any role can be given by an approver, its own too', async ({ person, write }) => {
    await write('team/a.md');
    const [first, second] = [await person('approver', 'team'), await person()];
    await first.grant('approver', second.subject, 'team');
    await second.revoke('approver', first.subject, 'team');
    await isNotFound(first.read('team/a.md'));
    assert.deepEqual(await second.grants('team'), [`approver ${second.id}`]);
  });
});
