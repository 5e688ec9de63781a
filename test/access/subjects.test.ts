import assert from 'node:assert/strict';
import { roleContains, type Role } from '../../lib/domain/role.js';
import type { Subject } from '../../lib/domain/grant.js';
import { parseFolderLocation } from '../../lib/domain/location.js';
import { findScopeType } from '../../lib/operations/grants/find-scope-type.js';
import { listReach } from '../../lib/operations/grants/list-reach.js';
import { findSubjects } from '../../lib/operations/principals/find-subjects.js';
import { showGroup, showPrincipal } from '../../lib/operations/principals/show-subject.js';
import { addClient, Client } from '../support/store/client.js';
import { outcomeOf } from '../support/store/actor.js';
import { openTestService, type TestService } from '../support/store/service.js';

describe('What an admin asks about a principal or group', () => {
  let service: TestService;
  let admin: Client;
  let editor: Client;

  beforeEach(async () => {
    service = await openTestService();
    admin = await addClient({ service, workspace: service.workspace }, 'Ada', 'approver');
    editor = await addClient({ service, workspace: service.workspace }, 'Bea', 'editor');
  });
  afterEach(() => service.close());

  it('is answered to admins alone, as if nothing were there', async () => {
    const groupId = await service.group('Staff', { type: 'principal', id: editor.id });
    await service.grant('approver', { type: 'principal', id: editor.id }, 'below');
    for (const [asks, expected] of [
      [admin, 'done'],
      [editor, 'NOT_FOUND'],
    ] as const) {
      const subject: Subject = { type: 'principal', id: editor.id };
      const outcomes = await Promise.all([
        outcomeOf(asks.perform(findSubjects, { text: 'Ada', types: ['principal'] })),
        outcomeOf(asks.perform(showPrincipal, { principalId: editor.id })),
        outcomeOf(asks.perform(showGroup, { groupId })),
        outcomeOf(asks.perform(listReach, { subject, own: false, after: '', limit: 10 })),
        outcomeOf(asks.perform(findScopeType, { location: parseFolderLocation('below') })),
      ]);
      assert.deepEqual([...new Set(outcomes)], [expected]);
    }
  });

  it('agrees with the reach of the principal, through groups in groups, and after a revocation', async () => {
    const id = await service.principal('Cid');
    const inner = await service.group('Inner', { type: 'principal', id });
    const outer = await service.group('Outer', { type: 'group', id: inner });
    const cid = new Client(service.workspace, id);
    const places = ['', 'a', 'a/b', 'a/b/c', 'd', 'd/e'];
    const grants: readonly (readonly [Role, Subject, string])[] = [
      ['reader', { type: 'principal', id }, 'a'],
      ['editor', { type: 'group', id: inner }, 'a/b'],
      ['approver', { type: 'group', id: outer }, 'd/e'],
      ['approver', { type: 'principal', id: editor.id }, 'a'],
    ];
    for (const [role, subject, place] of grants) await service.grant(role, subject, place);
    const requireAgreement = async (count: number): Promise<void> => {
      const asked = { subject: { type: 'principal', id }, own: false, after: '', limit: 10 } as const;
      const listed = (await admin.perform(listReach, asked)).items.flatMap(({ location, grants }) =>
        grants.map(({ role }) => ({ location, role })),
      );
      assert.equal(listed.length, count);
      for (const place of places) {
        const best = (['approver', 'editor', 'reader'] as const).find((role) =>
          listed.some((grant) => {
            const isAbove = grant.location === '' || `${place}/`.startsWith(`${grant.location}/`);
            return isAbove && roleContains(grant.role, role);
          }),
        );
        const role = service.workspace.view(cid.caller).roleAt(parseFolderLocation(place));
        assert.equal(role ?? undefined, best, place);
      }
    };
    await requireAgreement(3);
    await service.leave(outer, { type: 'group', id: inner });
    await requireAgreement(2);
    await service.revoke('reader', { type: 'principal', id }, 'a');
    await requireAgreement(1);
  });

  it('finds a person by the sign-in name of this workspace alone', async () => {
    const other = await service.service.addWorkspace('other');
    const people = service.workspace.origin.journal?.people;
    people?.identities.provide('acme', editor.id, 'Bea', 'bea@example.org');
    people?.identities.provide('other', 'prn_of_another', 'Cy', 'cy@example.org');
    const find = async (text: string): Promise<string[]> =>
      (await admin.perform(findSubjects, { text, types: ['principal', 'group'] })).map(({ id }) => id);
    assert.deepEqual(await find('BEA@example.org'), [editor.id]);
    assert.deepEqual(await find('cy@example.org'), []);
    assert.equal(other.name, 'other');
  });
});
