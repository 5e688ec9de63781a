import assert from 'node:assert/strict';
import { outcomeOf } from '../../support/store/actor.js';
import { isNotFound, scenario } from './play.js';

describe('Access: names', () => {
  scenario(31, 'A name taken is told only to those who can read what has it', async ({ admin, person, write }) => {
    await write('team/a.md');
    const editor = await person('editor', 'team/a.md', 'document');
    await admin.delete('team/a.md');
    await write('team/a.md');
    await isNotFound(editor.undelete('team/a.md'), editor.read('team/a.md'));
    await admin.grant('reader', editor.subject, 'team/a.md', 'document');
    assert.equal(await outcomeOf(editor.undelete('team/a.md')), 'CONFLICT location_occupied');
  });

  scenario(32, 'No document stands where grants on a folder wait', async ({ admin, person, write }) => {
    await write('team/a.md', 'a/future');
    const reader = await person('reader', 'team/future/deep');
    const taken = 'CONFLICT name_taken';
    assert.equal(await outcomeOf(admin.create('team/future')), taken);
    assert.equal(await outcomeOf(admin.rename('team/a.md', 'future')), taken);
    assert.equal(await outcomeOf(admin.move('a/future', 'team')), taken);
    assert.equal(await outcomeOf(admin.grant('reader', reader.subject, 'team/a.md')), taken);
    assert.equal(await outcomeOf(admin.grant('reader', reader.subject, 'team/a.md/below')), taken);
    await write('team/future/a.md');
    await write('shut/a.md');
    const holder = await person('editor', 'shut/a.md', 'document');
    const neighbour = await person('editor', 'shut');
    await holder.delete('shut/a.md');
    await admin.grant('reader', reader.subject, 'shut/a.md/deep');
    await isNotFound(holder.undelete('shut/a.md'), holder.undelete('shut/never.md'));
    assert.equal(await outcomeOf(neighbour.undelete('shut/a.md')), 'CONFLICT location_occupied');
    await admin.revoke('reader', reader.subject, 'shut/a.md/deep');
    await holder.undelete('shut/a.md');
  });

  scenario(33, 'A file cannot be a folder', async ({ admin, write }) => {
    await write('team/a.md', 'team/sub/b.md');
    const taken = 'CONFLICT name_taken';
    assert.equal(await outcomeOf(admin.create('team/a.md/b.md')), taken);
    assert.equal(await outcomeOf(admin.create('team/a.md/b/c.md')), taken);
    assert.equal(await outcomeOf(admin.createFolder('team/a.md')), taken);
    assert.equal(await outcomeOf(admin.create('team/sub')), taken);
    assert.equal(await outcomeOf(admin.move('team/sub', 'team/a.md')), taken);
  });
});
