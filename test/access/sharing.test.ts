import assert from 'node:assert/strict';
import { parseFolderLocation } from '../../lib/domain/location.js';
import { operatorId } from '../../lib/domain/principal.js';
import type { Role } from '../../lib/domain/role.js';
import { changeRole } from '../../lib/operations/grants/change-role.js';
import { showSharing } from '../../lib/operations/grants/show-sharing.js';
import { listTargets } from '../../lib/operations/folders/list-targets.js';
import { lookUpSubjects, maxFoundSubjects } from '../../lib/operations/principals/look-up-subjects.js';
import { setPrincipalState } from '../../lib/operations/principals/set-principal-state.js';
import { addClient, type Client } from '../support/store/client.js';
import { outcomeOf } from '../support/store/actor.js';
import { openTestService, type TestService } from '../support/store/service.js';

describe('Sharing', () => {
  let service: TestService;
  let admin: Client;
  let lead: Client;
  let editor: Client;

  beforeEach(async () => {
    service = await openTestService();
    const at = { service, workspace: service.workspace };
    admin = await addClient(at, 'Admin', 'approver');
    lead = await addClient(at, 'Lead', 'approver', 'team');
    editor = await addClient(at, 'Editor', 'editor', 'team');
    await admin.create('team/a.md');
    await admin.create('other/b.md');
  });
  afterEach(() => service.close());

  describe('shows a place', () => {
    it('with the own role, what gives it, and where grants can be changed', async () => {
      const group = await service.group('Writers', { type: 'principal', id: lead.id });
      await service.grant('reader', { type: 'group', id: group }, '');
      const shown = await show(lead, 'team/a.md');
      assert.deepEqual([shown.scopeType, shown.role, shown.sharesFrom], ['document', 'approver', 'team']);
      assert.deepEqual(
        shown.own.map(({ location, role, subject }) => `${subject.displayName}: ${role} of "${location}"`),
        ['Writers: reader of ""', 'Lead: approver of "team"'],
      );
      assert.deepEqual((await show(editor, 'team')).sharesFrom, null);
      assert.deepEqual((await show(admin, 'team')).sharesFrom, '');
    });

    it('of which one document alone is shared, without a folder to share', async () => {
      const narrow = await addClient({ service, workspace: service.workspace }, 'Narrow');
      await service.grant('approver', { type: 'principal', id: narrow.id }, 'team/a.md', 'document');
      const shown = await show(narrow, 'team/a.md');
      assert.deepEqual([shown.role, shown.sharesFrom, shown.own.length], ['approver', null, 1]);
      assert.equal(await outcomeOf(show(narrow, 'team')), 'NOT_FOUND');
    });

    it('to no caller without a role there, and nothing where nothing is', async () => {
      for (const place of ['other', 'other/b.md', 'absent.md']) {
        assert.equal(await outcomeOf(show(lead, place)), 'NOT_FOUND');
      }
      assert.equal(await outcomeOf(show(admin, 'absent.md')), 'NOT_FOUND');
    });
  });

  describe('finds people, agents and groups', () => {
    beforeEach(async () => {
      await service.principal('Jean-Luc Vélo');
      await service.principal('Velocity', 'agent');
      await service.group('The velodrome');
    });

    it('by the beginning of any word, names that begin with it first', async () => {
      assert.deepEqual(await find(lead, ' VELO'), ['agent Velocity', 'group The velodrome']);
      assert.deepEqual(await find(lead, 'luc vé'), ['person Jean-Luc Vélo']);
      assert.deepEqual(await find(lead, 'elo'), []);
      for (const text of ['', ' ', '%', '--', '\u{202e}']) assert.deepEqual(await find(lead, text), []);
    });

    it('for an approver of a single document too, and answers everyone else the same for every text', async () => {
      const narrow = await addClient({ service, workspace: service.workspace }, 'Narrow');
      await service.grant('approver', { type: 'principal', id: narrow.id }, 'team/a.md', 'document');
      assert.deepEqual(await find(narrow, 'velocity'), ['agent Velocity']);
      for (const text of ['velocity', 'nobody', '']) assert.equal(await outcomeOf(find(editor, text)), 'NOT_FOUND');
    });

    it('without the operator and the disabled', async () => {
      const gone = await service.principal('Gone');
      assert.deepEqual(await find(lead, 'gone'), ['person Gone']);
      await admin.perform(setPrincipalState, { principalId: gone, disabled: true });
      assert.deepEqual(await find(lead, 'gone'), []);
      const operator = service.workspace.journal.reader.principals.find(operatorId)?.displayName ?? '';
      assert.ok(!(await find(lead, operator)).some((line) => line.startsWith('operator')));
    });

    it('by the name a person signs in with, for admins alone', async () => {
      const person = await service.principal('Wanda');
      service.workspace.origin.journal?.people.identities.provide('acme', person, 'Wanda', 'w@example.org');
      assert.deepEqual(await find(admin, 'W@example.org'), ['person Wanda']);
      assert.deepEqual(await find(lead, 'w@example.org'), []);
    });

    it('in bounded number, however many there are', async () => {
      const tables = service.workspace.journal;
      await tables.write({
        run({ tables: { principals } }) {
          for (let index = 0; index < 1200; index += 1) {
            const displayName = `Many ${String(index).padStart(5, '0')}`;
            principals.insert({ id: `prn_${index}`, kind: 'agent', displayName, createdAt: 0, disabledAt: null });
          }
        },
      });
      const found = await find(lead, 'many');
      assert.equal(found.length, maxFoundSubjects);
      assert.equal(found[0], 'agent Many 00000');
      assert.equal(found.at(-1), 'agent Many 00019');
    });
  });

  describe('changes a role', () => {
    it('of a grant at or below one’s place in one step', async () => {
      await change(lead, editor.id, 'team', 'editor', 'reader');
      assert.equal(service.workspace.view(editor.caller).roleAt(parseFolderLocation('team')), 'reader');
      const again = await change(lead, editor.id, 'team', 'reader', 'reader');
      assert.equal(again.created, false);
    });

    it('and leaves one grant where the new one was there already', async () => {
      await service.grant('reader', { type: 'principal', id: editor.id }, 'team');
      const { grant, created } = await change(lead, editor.id, 'team', 'editor', 'reader');
      assert.deepEqual([grant.role, created], ['reader', false]);
      assert.equal(await outcomeOf(change(lead, editor.id, 'team', 'editor', 'reader')), 'NOT_FOUND');
    });

    it('not for those who are no approvers there', async () => {
      await service.grant('reader', { type: 'principal', id: lead.id }, 'other');
      const outcomes = await Promise.all([
        outcomeOf(change(editor, lead.id, 'team', 'approver', 'reader')),
        outcomeOf(change(lead, lead.id, 'other', 'reader', 'approver')),
        outcomeOf(change(lead, admin.id, '', 'approver', 'reader')),
      ]);
      assert.deepEqual(outcomes, ['NOT_FOUND', 'NOT_FOUND', 'NOT_FOUND']);
    });

    it('does not change the role of the last admin', async () => {
      assert.equal(await outcomeOf(change(admin, admin.id, '', 'approver', 'editor')), 'CONFLICT last_approver');
      assert.equal(service.workspace.view(admin.caller).roleAt(parseFolderLocation('')), 'approver');
    });
  });

  describe('names places to move to', () => {
    it('with whether one may write there, and no others', async () => {
      await admin.create('team/plans/c.md');
      await service.grant('reader', { type: 'principal', id: lead.id }, 'other');
      assert.deepEqual(await targets(lead, ''), ['false', 'other false', 'team true']);
      assert.deepEqual(await targets(lead, 'team'), ['true', 'team/plans true']);
      assert.deepEqual(await targets(editor, ''), ['false', 'team true']);
    });

    it('the same, whatever lies out of reach', async () => {
      const before = await Promise.all([targets(editor, ''), targets(editor, 'secret'), find(lead, 'secret')]);
      await admin.create('secret/team/d.md');
      await service.grant('editor', { type: 'principal', id: admin.id }, 'secret');
      const after = await Promise.all([targets(editor, ''), targets(editor, 'secret'), find(lead, 'secret')]);
      assert.deepEqual(after, before);
      assert.equal(await outcomeOf(show(editor, 'secret')), 'NOT_FOUND');
    });

    const targets = async (client: Client, location: string): Promise<string[]> => {
      const { mayWrite, items } = await client.perform(listTargets, {
        location: parseFolderLocation(location),
        after: '',
        limit: 50,
      });
      return [String(mayWrite), ...items.map((folder) => `${folder.location} ${folder.mayWrite}`)];
    };
  });

  const show = (client: Client, location: string) =>
    client.perform(showSharing, { location: parseFolderLocation(location) });

  const find = async (client: Client, text: string): Promise<string[]> =>
    (await client.perform(lookUpSubjects, { text })).map(({ kind, displayName }) => `${kind} ${displayName}`);

  const change = (client: Client, subject: string, location: string, role: Role, toRole: Role) =>
    client.perform(changeRole, {
      scopeType: 'folder',
      location: parseFolderLocation(location),
      subject: { type: 'principal', id: subject },
      role,
      toRole,
    });
});
