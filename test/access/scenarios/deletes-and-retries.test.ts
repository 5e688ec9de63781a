import assert from 'node:assert/strict';
import { isNotFound, scenario } from './play.js';

describe('Access: deletes and retries', () => {
  scenario(
    45,
    'A deleted document is hidden from everyone, and its grants wait with it',
    async ({ admin, person, write }) => {
      await write('team/a.md');
      const editor = await person('editor', 'team/a.md', 'document');
      await admin.delete('team/a.md');
      await isNotFound(editor.read('team/a.md'), admin.read('team/a.md'), editor.update('team/a.md', 'x'));
      assert.deepEqual(await editor.list(), []);
      assert.deepEqual(await admin.list(), []);
      await editor.undelete('team/a.md');
      await editor.update('team/a.md', 'back');
      assert.equal(await admin.read('team/a.md'), 'back');
    },
  );

  scenario(
    46,
    'An undelete brings back the last deletion that the caller reaches',
    async ({ admin, service, person }) => {
      await admin.create('team/a.md', 'first');
      const editor = await person('editor', 'team/a.md', 'document');
      await admin.delete('team/a.md');
      service.clock.advance(1000);
      await admin.create('team/a.md', 'second');
      await admin.delete('team/a.md');
      await editor.undelete('team/a.md');
      assert.equal(await editor.read('team/a.md'), 'first');
      await admin.rename('team/a.md', 'b.md', true);
      await admin.undelete('team/a.md');
      assert.equal(await admin.read('team/a.md'), 'second');
    },
  );

  scenario(47, 'A deleted document does not follow its folder', async ({ admin, write }) => {
    await write('team/a.md', 'team/b.md');
    await admin.delete('team/a.md');
    await admin.rename('team', 'crew');
    await isNotFound(admin.undelete('crew/a.md'));
    await admin.undelete('team/a.md');
    assert.deepEqual(await admin.export(), ['crew/b.md', 'team/a.md']);
  });

  scenario(48, 'A retry is authorised afresh', async ({ admin, person }) => {
    const editor = await person('editor', 'team');
    const first = await editor.create('team/a.md', 'text', 'key-1');
    const again = await editor.create('team/a.md', 'text', 'key-1');
    assert.equal(again.current.id, first.current.id);
    await admin.revoke('editor', editor.subject, 'team');
    await isNotFound(editor.create('team/a.md', 'text', 'key-1'));
  });

  scenario(49, 'The editor of a document can repeat an undelete of it', async ({ admin, person, write }) => {
    await write('team/a.md');
    const editor = await person('editor', 'team/a.md', 'document');
    await admin.delete('team/a.md');
    const retry = { key: 'key-1', fingerprint: Buffer.alloc(32) };
    assert.equal(await editor.undeleteWithKey('team/a.md', retry), false);
    assert.equal(await editor.undeleteWithKey('team/a.md', retry), true);
  });

  scenario(50, 'Who can read a document can read all its versions', async ({ admin, person, write }) => {
    const { current } = await admin.create('team/a.md', 'first');
    await admin.move('team/a.md', 'public');
    await admin.update('public/a.md', 'second');
    await write('team/b.md');
    const other = await admin.update('team/b.md', 'other');
    const reader = await person('reader', 'public/a.md', 'document');
    assert.equal(await reader.read('public/a.md'), 'second');
    assert.equal(await reader.read('public/a.md', current.id), 'first');
    await isNotFound(reader.read('public/a.md', other.current.id));
  });
});
