import assert from 'node:assert/strict';
import { outcomeOf } from '../../support/store/actor.js';
import { isNotFound, scenario } from './play.js';

describe('Access: groups', () => {
  scenario(
    16,
    'A grant to a group reaches its members, those who join later too',
    async ({ admin, service, person, group, write }) => {
      await write('team/a.md');
      const [member, later] = [await person(), await person()];
      const team = await group(member);
      await admin.grant('reader', team.subject, 'team');
      assert.equal(await member.read('team/a.md'), 'team/a.md');
      await isNotFound(later.read('team/a.md'));
      await service.join(team.subject.id, later.subject);
      assert.equal(await later.read('team/a.md'), 'team/a.md');
    },
  );

  scenario(17, 'Groups nest at any depth', async ({ admin, person, group, write }) => {
    await write('team/a.md');
    const member = await person();
    const outer = await group(await group(await group(member)));
    await admin.grant('editor', outer.subject, 'team');
    await member.update('team/a.md', 'from below');
    assert.equal(await member.read('team/a.md'), 'from below');
  });

  scenario(
    18,
    'Removal revokes at once, wherever the chain is cut',
    async ({ admin, service, person, group, write }) => {
      await write('team/a.md');
      const member = await person();
      const inner = await group(member);
      const middle = await group(inner);
      const outer = await group(middle);
      await admin.grant('reader', outer.subject, 'team');
      for (const [container, contained] of [
        [inner, member],
        [outer, middle],
      ] as const) {
        assert.equal(await member.read('team/a.md'), 'team/a.md');
        await service.leave(container.subject.id, contained.subject);
        await isNotFound(member.read('team/a.md'));
        await service.join(container.subject.id, contained.subject);
      }
      assert.equal(await member.read('team/a.md'), 'team/a.md');
    },
  );

  scenario(
    19,
    'A person with two ways to a place keeps the other when one ends',
    async ({ admin, service, person, group, write }) => {
      await write('team/a.md');
      const member = await person('reader', 'team');
      const team = await group(member);
      await admin.grant('reader', team.subject, 'team');
      await service.leave(team.subject.id, member.subject);
      assert.equal(await member.read('team/a.md'), 'team/a.md');
      await admin.revoke('reader', member.subject, 'team');
      await isNotFound(member.read('team/a.md'));
    },
  );

  scenario(20, 'A group cannot come to contain itself', async ({ service, group }) => {
    const inner = await group();
    const outer = await group(await group(inner));
    assert.equal(await outcomeOf(service.join(inner.subject.id, outer.subject)), 'CONFLICT group_cycle');
    assert.equal(await outcomeOf(service.join(inner.subject.id, inner.subject)), 'CONFLICT group_cycle');
    assert.deepEqual(service.workspace.journal.reader.groups.membersOf(inner.subject.id), []);
  });

  scenario(21, 'A grant to an empty group reaches nobody', async ({ admin, person, group, write }) => {
    await write('team/a.md');
    await admin.grant('approver', (await group()).subject, 'team');
    await isNotFound((await person()).read('team/a.md'));
  });
});
