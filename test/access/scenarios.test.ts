import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { Refusal } from '../../lib/domain/refusal.js';
import { perform } from '../../lib/operations/perform.js';
import { setPrincipalState } from '../../lib/operations/set-principal-state.js';
import { outcomeOf } from '../harness/act.js';
import { openTestService, operator } from '../harness/service.js';
import { openCast, type Cast } from './cast.js';

const told: string[] = [];

/** Plays one scenario of scenarios.md in a workspace of its own. */
function scenario(number: number, title: string, play: (cast: Cast) => Promise<void>): void {
  told.push(`${number}. ${title}`);
  it(`${number}. ${title}`, async () => {
    const cast = await openCast();
    try {
      await play(cast);
    } finally {
      await cast.service.close();
    }
  });
}

async function isNotFound(...works: readonly Promise<unknown>[]): Promise<void> {
  for (const work of works) assert.equal(await outcomeOf(work), 'NOT_FOUND');
}

/** The details of the refusal that the work ends in. */
async function detailsOf(work: Promise<unknown>): Promise<Record<string, unknown>> {
  try {
    await work;
  } catch (error) {
    if (error instanceof Refusal && error.details !== undefined) return error.details;
    throw error;
  }
  throw new Error('It was not refused.');
}

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
    'Who is reached in two ways keeps the other when one ends',
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

  scenario(24, 'Who is disabled reaches nothing until enabled again', async ({ person, setDisabled, write }) => {
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
    const { from, to, gains } = await detailsOf(editor.move('team/a.md', 'public'));
    assert.deepEqual([from, to], ['team/a.md', 'public/a.md']);
    assert.deepEqual(gains, [
      {
        subject: { type: 'principal', id: reader.id, display_name: 'Somebody' },
        from_role: null,
        to_role: 'reader',
        via: { scope_type: 'folder', scope_id: 'public' },
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
    const second = await detailsOf(editor.move('team/a.md', 'public', true, String(first['report'])));
    assert.equal(second['reason'], 'access_report_changed');
    assert.notEqual(second['report'], first['report']);
    await editor.move('team/a.md', 'public', true, String(second['report']));
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
        ((await detailsOf(mover.move('team/a.md', 'public')))['gains'] as { subject: unknown }[])[0]?.subject;
      assert.deepEqual(await subjectFor(outsider), { type: 'group', id: null, display_name: null });
      const named = { ...gaining.subject, display_name: 'Some group' };
      for (const mover of [member, approver, admin]) assert.deepEqual(await subjectFor(mover), named);
    },
  );

  scenario(43, 'A rename onto a path where a grant waits widens', async ({ admin, person, write }) => {
    await write('team/old/a.md');
    const reader = await person('reader', 'team/new');
    const { reason, gains } = await detailsOf(admin.rename('team/old', 'new'));
    assert.equal(reason, 'access_would_widen');
    assert.equal((gains as { subject: { id: string } }[])[0]?.subject.id, reader.id);
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

describe('Access: who can read', () => {
  scenario(51, 'Who can read a place is told with role and grant', async ({ admin, person, write }) => {
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
    'Somebody who reads by two ways is told once, with the higher role and both ways',
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
    'For a place where nothing lies yet it is told who could read what is written there',
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

  scenario(
    56,
    'Who can read is as little found by those who cannot as what they would read',
    async ({ person, write }) => {
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
    },
  );
});

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
      const via = { scope_type: 'folder', scope_id: 'team/hr' };
      const byRole = (a: object, b: object): number => JSON.stringify(a).localeCompare(JSON.stringify(b));
      const { gains, report } = await detailsOf(editor.rename('team/open', 'hr'));
      assert.deepEqual(
        (gains as { subject: { id: string } }[])
          .map((gain) => ({ ...gain, subject: gain.subject.id }))
          .toSorted(byRole),
        [
          { subject: holder.id, from_role: null, to_role: 'editor', via },
          // Who is not in the group is not told which it is.
          { subject: null, from_role: null, to_role: 'reader', via },
        ],
      );
      await isNotFound(holder.undelete('team/hr/salaries.md'), member.read('team/hr/a.md'));
      assert.equal(await holder.read('team/open/a.md'), 'team/open/a.md');
      assert.deepEqual((await editor.rename('team/open', 'hr', true, String(report))).losses, []);
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

describe('Access: the scenarios in prose', () => {
  it('carry the numbers and titles that are played', () => {
    const prose = readFileSync('test/access/scenarios.md', 'utf8');
    const titles = [...prose.matchAll(/^### (\d+\. .+)$/gm)].map((match) => match[1]);
    assert.deepEqual(titles, told);
    assert.deepEqual(
      told.map((title) => Number.parseInt(title, 10)),
      told.map((_, index) => index + 1),
    );
  });
});
