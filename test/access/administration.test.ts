import assert from 'node:assert/strict';
import type { Subject } from '../../lib/domain/grant.js';
import type { Page } from '../../lib/domain/page.js';
import {
  mintCredential,
  revokeCredential,
  rotateCredential,
} from '../../lib/operations/credentials/change-credential.js';
import { listCredentials } from '../../lib/operations/credentials/list-credentials.js';
import { listReach } from '../../lib/operations/grants/list-reach.js';
import { perform } from '../../lib/operations/perform.js';
import { addPrincipal } from '../../lib/operations/principals/add-principal.js';
import { joinGroup } from '../../lib/operations/principals/change-group.js';
import { listGroups, listMembers, listPrincipals } from '../../lib/operations/principals/list-principals.js';
import { endSessions, issueLink, listSessions } from '../../lib/operations/principals/manage-sign-in.js';
import { previewMembership, type MembershipImpact } from '../../lib/operations/principals/preview-membership.js';
import { setPrincipalState } from '../../lib/operations/principals/set-principal-state.js';
import { showGroup, showPrincipal } from '../../lib/operations/principals/show-subject.js';
import { addClient, type Client } from '../support/store/client.js';
import { outcomeOf } from '../support/store/actor.js';
import { openTestService, operator, type TestService } from '../support/store/service.js';

describe('Administration in pages', () => {
  let service: TestService;
  let admin: Client;

  beforeEach(async () => {
    service = await openTestService();
    admin = await addClient({ service, workspace: service.workspace }, 'Ada', 'approver');
  });
  afterEach(() => service.close());

  it('is open to an admin alone: for everyone else there is nothing, whether it exists or not', async () => {
    const bea = await addClient({ service, workspace: service.workspace }, 'Bea', 'editor');
    const groupId = await service.group('Staff', person(bea.id));
    await service.grant('approver', person(bea.id), 'below');
    const page = { after: '', limit: 10 };
    const answers = (asks: Client, principalId: string, id: string) =>
      Promise.all([
        outcomeOf(asks.perform(listPrincipals, page)),
        outcomeOf(asks.perform(listGroups, { ...page, outermost: false })),
        outcomeOf(asks.perform(listMembers, { ...page, groupId: id })),
        outcomeOf(asks.perform(listReach, { ...page, subject: person(principalId), own: false })),
        outcomeOf(asks.perform(listCredentials, { ...page, principalId })),
        outcomeOf(asks.perform(previewMembership, { groupId: id, member: person(principalId), begins: true })),
      ]);
    assert.deepEqual([...new Set(await answers(admin, bea.id, groupId))], ['done']);
    assert.deepEqual([...new Set(await answers(bea, bea.id, groupId))], ['NOT_FOUND']);
    assert.deepEqual([...new Set(await answers(bea, 'prn_none', 'grp_none'))], ['NOT_FOUND']);
  });

  it('lists principals by name in pages, whatever the capitals and accents, and the disabled too', async () => {
    for (const name of ['zoe', 'Émile', 'bert', 'Carla']) await service.principal(name);
    await service.principal('Builder', 'agent');
    const carla = (await admin.perform(listPrincipals, { after: '', limit: 10, text: 'CARL' })).items[0];
    await perform(service.workspace, operator, setPrincipalState, { principalId: carla?.id ?? '', disabled: true });
    const all = await gatherPages((after) => admin.perform(listPrincipals, { after, limit: 2 }));
    assert.deepEqual(namesOf(all), ['Ada', 'bert', 'Builder', 'Carla', 'Émile', 'zoe']);
    assert.deepEqual(
      all.filter(({ isAdmin }) => isAdmin).map(({ displayName }) => displayName),
      ['Ada'],
    );
    assert.deepEqual(
      all.filter(({ disabledAt }) => disabledAt !== null).map(({ displayName }) => displayName),
      ['Carla'],
    );
    const agents = await admin.perform(listPrincipals, { after: '', limit: 10, kind: 'agent' });
    assert.deepEqual(namesOf(agents.items), ['Builder']);
    const byId = await admin.perform(listPrincipals, { after: '', limit: 10, text: carla?.id ?? '' });
    assert.deepEqual(namesOf(byId.items), ['Carla']);
  });

  it('finds a person by the name that they sign in with', async () => {
    const id = await service.principal('Emil');
    await perform(service.workspace, operator, issueLink, { principalId: id, signInName: 'e.north@example.org' });
    const { items } = await admin.perform(listPrincipals, { after: '', limit: 10, text: 'north@' });
    assert.deepEqual(
      items.map((item) => [item.id, item.signInName]),
      [[id, 'e.north@example.org']],
    );
  });

  it('lists a group with more members than one part holds, each once and in order', async () => {
    const ids = await Promise.all(Array.from({ length: 620 }, (_, index) => service.principal(`Member ${index}`)));
    const groupId = await service.group('Everyone');
    const inner = await service.group('Inner');
    await Promise.all([...ids.map(person), group(inner)].map((member) => service.join(groupId, member)));
    const members = await gatherPages((after) => admin.perform(listMembers, { groupId, after, limit: 200 }));
    assert.deepEqual(namesOf(members), ['Inner', ...ids.map((_, index) => `Member ${index}`)].toSorted());
    const groups = await admin.perform(listMembers, { groupId, after: '', limit: 10, type: 'group' });
    assert.deepEqual(namesOf(groups.items), ['Inner']);
    const principals = await gatherPages((after) => admin.perform(listPrincipals, { after, limit: 200 }));
    assert.equal(new Set(principals.map(({ id }) => id)).size, 621);
  });

  it('tells outermost groups and groups with groups apart', async () => {
    const inner = await service.group('Inner');
    await service.group('Outer', group(inner));
    const list = async (outermost: boolean) =>
      (await admin.perform(listGroups, { after: '', limit: 10, outermost })).items.map(
        ({ displayName, hasGroups }) => `${displayName} ${hasGroups}`,
      );
    assert.deepEqual(await list(false), ['Inner false', 'Outer true']);
    assert.deepEqual(await list(true), ['Outer true']);
  });

  it('shows the way to each group, and when a principal was last seen', async () => {
    const id = await service.principal('Cid');
    const inner = await service.group('Inner', person(id));
    const outer = await service.group('Outer', group(inner));
    const shown = await admin.perform(showPrincipal, { principalId: id });
    assert.deepEqual(
      shown.groups.map(({ displayName, way }) => [displayName, namesOf(way)]),
      [
        ['Inner', ['Inner']],
        ['Outer', ['Outer', 'Inner']],
      ],
    );
    assert.deepEqual([shown.lastSeenAt, shown.isAdmin, shown.hasPassword], [null, false, false]);
    const { groups } = await admin.perform(showGroup, { groupId: inner });
    assert.deepEqual(namesOf(groups), ['Outer']);
    assert.notEqual(outer, inner);
  });

  describe('reach', () => {
    it('names each place with the role there, its grants and the groups in between', async () => {
      const id = await service.principal('Cid');
      const inner = await service.group('Inner', person(id));
      const outer = await service.group('Outer', group(inner));
      await service.grant('editor', group(outer), 'a');
      await service.grant('reader', person(id), 'a/b');
      await service.grant('approver', group(inner), 'a/c');
      await admin.create('d/x.md');
      await service.grant('reader', person(id), 'd/x.md', 'document');
      await admin.create('d/gone.md');
      await service.grant('reader', person(id), 'd/gone.md', 'document');
      await admin.delete('d/gone.md');
      const places = await gatherPages((after) =>
        admin.perform(listReach, { subject: person(id), own: false, after, limit: 2 }),
      );
      assert.deepEqual(
        places.map(({ location, scopeType, role, coveredBy, grants }) => [
          `${scopeType} ${location}`,
          role,
          coveredBy,
          grants.map((grant) => [grant.role, ...namesOf(grant.groups)].join(' ')),
        ]),
        [
          ['folder a', 'editor', null, ['editor Outer Inner']],
          ['folder a/b', 'editor', 'a', ['reader']],
          ['folder a/c', 'approver', null, ['approver Inner']],
          ['document d/x.md', 'reader', null, ['reader']],
        ],
      );
      const own = await admin.perform(listReach, { subject: person(id), own: true, after: '', limit: 10 });
      assert.deepEqual(
        own.items.map(({ location, role, coveredBy }) => [location, role, coveredBy]),
        [
          ['a/b', 'reader', null],
          ['d/x.md', 'reader', null],
        ],
      );
      const ofGroup = await admin.perform(listReach, { subject: group(inner), own: false, after: '', limit: 10 });
      assert.deepEqual(
        ofGroup.items.map(({ location, role }) => `${location} ${role}`),
        ['a editor', 'a/c approver'],
      );
    });
  });

  describe('the impact of a membership', () => {
    it('names what is gained and lost, by groups at any depth, and no place twice', async () => {
      const [cid, dee] = [await service.principal('Cid'), await service.principal('Dee')];
      const team = await service.group('Team', person(cid), person(dee));
      const company = await service.group('Company');
      await service.grant('reader', group(company), 'handbook');
      await service.grant('reader', group(company), 'handbook/law');
      await service.grant('editor', group(company), 'plans');
      await service.grant('editor', person(dee), 'plans');
      const join = await admin.perform(previewMembership, { groupId: company, member: group(team), begins: true });
      assert.deepEqual(inWords(join), ['handbook: null > reader Cid, Dee', 'plans: null > editor Cid']);
      assert.equal(join.isCut, false);
      await service.join(company, group(team));
      const again = await admin.perform(previewMembership, { groupId: company, member: group(team), begins: true });
      assert.deepEqual(inWords(again), []);
      const leave = await admin.perform(previewMembership, { groupId: team, member: person(cid), begins: false });
      assert.deepEqual(inWords(leave), ['handbook: reader > null Cid', 'plans: editor > null Cid']);
    });

    it('agrees with the reach afterwards, and leaves the disabled out', async () => {
      const [cid, dee] = [await service.principal('Cid'), await service.principal('Dee')];
      const team = await service.group('Team', person(dee));
      await service.grant('editor', group(team), 'plans');
      const change = { groupId: team, member: person(cid), begins: true };
      const before = await admin.perform(previewMembership, change);
      await service.join(team, person(cid));
      const reach = await admin.perform(listReach, { subject: person(cid), own: false, after: '', limit: 10 });
      assert.deepEqual(
        before.changes.map(({ location, after }) => [location, after]),
        reach.items.map(({ location, role }) => [location, role]),
      );
      await perform(service.workspace, operator, setPrincipalState, { principalId: cid, disabled: true });
      assert.deepEqual(inWords(await admin.perform(previewMembership, { ...change, begins: false })), []);
    });

    it('shows some names of many, and says that there are more', async () => {
      const team = await service.group('Team');
      const crowd = await service.group('Crowd');
      for (let index = 0; index < 7; index += 1)
        await service.join(crowd, person(await service.principal(`P${index}`)));
      await service.grant('reader', group(team), 'f');
      const impact = await admin.perform(previewMembership, { groupId: team, member: group(crowd), begins: true });
      assert.equal(impact.changes.length, 1);
      assert.equal(impact.changes[0]?.principals.length, 5);
      assert.equal(impact.changes[0].more, true);
    });

    it('refuses what the change would refuse: a circle, and an unknown principal', async () => {
      const inner = await service.group('Inner');
      const outer = await service.group('Outer', group(inner));
      const circle = { groupId: inner, member: group(outer), begins: true };
      assert.equal(await outcomeOf(admin.perform(previewMembership, circle)), 'CONFLICT group_cycle');
      assert.equal(await outcomeOf(admin.perform(joinGroup, circle)), 'CONFLICT group_cycle');
      const absent = { groupId: outer, member: person(admin.id), begins: false };
      assert.equal(await outcomeOf(admin.perform(previewMembership, absent)), 'NOT_FOUND');
    });

    const inWords = ({ changes }: MembershipImpact): string[] =>
      changes.map(
        ({ location, before, after, principals, more }) =>
          `${location}: ${before} > ${after} ${namesOf(principals).join(', ')}${more ? ' and more' : ''}`,
      );
  });

  describe('tokens', () => {
    const mint = { name: 'script', interfaces: ['mcp'] as const, expiresAt: null, requestsPerMinute: null };

    it('are listed newest first with their prefix, four characters and maker, and never with a secret', async () => {
      const secrets: string[] = [];
      for (const name of ['one', 'two', 'three']) {
        const minted = await admin.perform(mintCredential, { ...mint, principalId: admin.id, name });
        secrets.push(minted.secret ?? '');
        service.clock.advance(1000);
      }
      const tokens = await gatherPages((after) =>
        admin.perform(listCredentials, { principalId: admin.id, after, limit: 2 }),
      );
      assert.deepEqual(
        tokens.map(({ name, mintedBy }) => `${name} ${mintedBy.displayName}`),
        ['three Ada', 'two Ada', 'one Ada'],
      );
      for (const [index, secret] of secrets.toReversed().entries()) {
        const token = tokens[index];
        assert.ok(token !== undefined && secret.startsWith(token.prefix) && secret.endsWith(token.lastFour));
      }
      assert.ok(!JSON.stringify(tokens).includes('secret'));
    });

    it('are minted once for one Idempotency-Key, and a retry never shows the key again', async () => {
      const retry = { key: 'one', fingerprint: Buffer.alloc(32, 'mint') };
      const input = { ...mint, principalId: admin.id };
      const { workspace } = service;
      const first = await perform(workspace, admin.caller, mintCredential, input, retry);
      const second = await perform(workspace, admin.caller, mintCredential, input, retry);
      assert.deepEqual([first.replayed, second.replayed], [false, true]);
      assert.ok(first.result.secret !== null);
      assert.equal(second.result.secret, null);
      assert.deepEqual(second.result.credential, first.result.credential);
      const { idempotency } = workspace.journal.reader;
      const stored = idempotency.find(admin.id, mintCredential.name, 'one')?.result ?? '';
      assert.equal(stored, JSON.stringify(first.result.credential.id));
      const tokens = await admin.perform(listCredentials, { principalId: admin.id, after: '', limit: 10 });
      assert.equal(tokens.items.length, 1);
    });

    it('whose key was lost are rotated, and keep their name and interfaces', async () => {
      const { credential } = await admin.perform(mintCredential, { ...mint, principalId: admin.id });
      const rotated = await admin.perform(rotateCredential, { credentialId: credential.id });
      assert.ok(rotated.secret.startsWith(credential.prefix));
      assert.deepEqual({ ...rotated.credential, lastFour: '' }, { ...credential, lastFour: '' });
    });

    it('that are revoked say so, and the last way in of the last admin stays', async () => {
      const bot = await service.principal('Bot', 'agent');
      const { credential } = await admin.perform(mintCredential, { ...mint, principalId: bot });
      const revoked = await admin.perform(revokeCredential, { credentialId: credential.id });
      assert.equal(revoked.revokedAt, service.clock.now());
      const own = await admin.perform(mintCredential, { ...mint, interfaces: ['rest'], principalId: admin.id });
      assert.equal(
        await outcomeOf(admin.perform(revokeCredential, { credentialId: own.credential.id })),
        'CONFLICT last_approver',
      );
    });
  });

  it('gives an admin of one workspace no hold on the sign-in of a person who is in two', async () => {
    const other = await service.service.addWorkspace('other');
    const here = await service.principal('Cid');
    const input = { principalId: here, signInName: 'cid' };
    await perform(service.workspace, operator, issueLink, input);
    assert.equal(await outcomeOf(admin.perform(endSessions, { principalId: here })), 'done');
    assert.equal(await outcomeOf(admin.perform(listSessions, { principalId: here })), 'done');
    const added = await perform(other, operator, addPrincipal, { displayName: 'Cid', kind: 'person' });
    await perform(other, operator, issueLink, { principalId: added.result.id, signInName: 'cid' });
    const refused = [
      admin.perform(issueLink, { principalId: here }),
      admin.perform(endSessions, { principalId: here }),
      admin.perform(listSessions, { principalId: here }),
    ];
    for (const asked of refused) assert.equal(await outcomeOf(asked), 'CONFLICT not_yours_alone');
    assert.equal((await admin.perform(showPrincipal, { principalId: here })).isElsewhere, true);
    assert.equal(await outcomeOf(perform(service.workspace, operator, listSessions, { principalId: here })), 'done');
  });

  const namesOf = (items: readonly { readonly displayName: string }[]): string[] =>
    items.map(({ displayName }) => displayName);

  /** All pages of a list, one after another. */
  async function gatherPages<Item>(read: (after: string) => Promise<Page<Item>>): Promise<Item[]> {
    const items: Item[] = [];
    for (let after: string | null = ''; after !== null;) {
      const page: Page<Item> = await read(after);
      items.push(...page.items);
      after = page.next;
    }
    return items;
  }
});

const person = (id: string): Subject => ({ type: 'principal', id });

const group = (id: string): Subject => ({ type: 'group', id });
