import assert from 'node:assert/strict';
import { setPrincipalState } from '../../lib/operations/principals/set-principal-state.js';
import { perform } from '../../lib/operations/perform.js';
import { openConsole, type ConsoleClient, type TestConsole } from '../support/http/console.js';
import { operator } from '../support/store/service.js';

const day = 24 * 60 * 60 * 1000;

describe('the console’s API for access', () => {
  let test: TestConsole;
  let ada: ConsoleClient;

  before(async () => {
    test = await openConsole();
    ada = await test.person('Ada', 'approver');
  });
  after(() => test.close());

  it('answers an editor, and an approver of a folder, as if nothing of it existed', async () => {
    const bea = await test.person('Bea', 'editor');
    await test.host.grant('approver', { type: 'principal', id: bea.principalId }, 'below');
    const agent = await addAgent('Bot');
    const { token } = (await mint(agent, ['rest'])).json;
    const group = (await ada.post('/groups', { display_name: 'Team' })).json.id;
    const membership = { group, member_type: 'principal', member_id: agent };
    const inQuery = `group=${group}&member_type=principal&member_id=${agent}`;
    const asked = [
      bea.get('/principals'),
      bea.post('/principals', { kind: 'agent', display_name: 'X' }),
      bea.get(`/principal?principal=${agent}`),
      bea.get('/principal?principal=prn_none'),
      bea.post('/principal-states', { principal: agent, disabled: true }),
      bea.post('/sign-in-links', { principal: ada.principalId }),
      bea.get(`/person-sessions?principal=${ada.principalId}`),
      bea.delete(`/person-sessions?principal=${ada.principalId}`),
      bea.get(`/reach?subject_type=principal&subject_id=${agent}`),
      bea.get('/groups'),
      bea.post('/groups', { display_name: 'X' }),
      bea.get(`/group?group=${group}`),
      bea.get(`/members?group=${group}`),
      bea.post('/members', membership),
      bea.delete(`/members?${inQuery}`),
      bea.get(`/membership-previews?${inQuery}&change=add`),
      bea.get(`/tokens?principal=${agent}`),
      bea.post('/tokens', { principal: bea.principalId, name: 'own', interfaces: ['rest'] }),
      bea.post('/token-rotations', { token: token.id }),
      bea.post('/token-revocations', { token: token.id }),
    ];
    const messages = new Set<string>();
    for (const answer of await Promise.all(asked)) {
      assert.equal(answer.refusal, 'NOT_FOUND');
      messages.add(answer.json.error.message);
    }
    assert.equal(messages.size, 1);
    assert.equal((await ada.get(`/tokens?principal=${agent}`)).json.items[0].state, 'active');
  });

  it('mints keys that work on /v1 only with REST chosen, until they are revoked, rotated or over', async () => {
    const agent = await addAgent('Exporter');
    const rest = (await mint(agent, ['mcp', 'rest'])).json;
    const mcp = (await mint(agent, ['mcp'])).json;
    assert.equal(await statusOnRest(rest.key), 200);
    assert.equal(await statusOnRest(mcp.key), 401);
    const git = (await mint(agent, ['git'])).json;
    assert.deepEqual(git.token.interfaces, ['git']);
    assert.equal(await statusOnRest(git.key), 401);
    const rotated = (await ada.post('/token-rotations', { token: rest.token.id })).json;
    assert.equal(await statusOnRest(rest.key), 401);
    assert.equal(await statusOnRest(rotated.key), 200);
    const expires_at = new Date(test.host.clock.now() + 7 * day).toISOString();
    const short = (await mint(agent, ['rest'], { expires_at })).json;
    assert.equal(await statusOnRest(short.key), 200);
    test.host.clock.advance(6 * day);
    const again = await test.signInAs(ada.principalId, 'ada');
    assert.equal((await again.post('/token-revocations', { token: rest.token.id })).json.state, 'revoked');
    assert.equal(await statusOnRest(rotated.key), 401);
    test.host.clock.advance(day);
    assert.equal(await statusOnRest(short.key), 401);
    ada = await test.signInAs(ada.principalId, 'ada');
    const { items } = (await ada.get(`/tokens?principal=${agent}`)).json;
    const states = items.map(({ id, state }: { id: string; state: string }) => [id, state]);
    assert.deepEqual(
      new Map(states),
      new Map([
        [short.token.id, 'expired'],
        [mcp.token.id, 'active'],
        [git.token.id, 'active'],
        [rest.token.id, 'revoked'],
      ]),
    );
    assert.equal((await mint(agent, ['svn'])).refusal, 'INVALID_REQUEST bad_field');
    assert.equal((await mint(agent, ['git', 'git'])).refusal, 'INVALID_REQUEST bad_field');
    const past = await mint(agent, ['rest'], { expires_at: new Date(test.host.clock.now()).toISOString() });
    assert.equal(past.refusal, 'INVALID_REQUEST bad_field');
    assert.equal(past.json.error.details.field, 'expires_at');
  });

  it('mints once for one Idempotency-Key: the retry has no key, and the first key still works', async () => {
    const agent = await addAgent('Once');
    const first = await mint(agent, ['rest'], {}, 'mint-once');
    const second = await mint(agent, ['rest'], {}, 'mint-once');
    assert.deepEqual([first.status, second.status, second.headers['idempotent-replayed']], [201, 201, 'true']);
    assert.equal(second.json.key, null);
    assert.deepEqual(second.json.token, first.json.token);
    assert.equal(await statusOnRest(first.json.key), 200);
    assert.equal((await ada.get(`/tokens?principal=${agent}`)).json.items.length, 1);
    const other = await mint(agent, ['mcp'], {}, 'mint-once');
    assert.equal(other.refusal, 'CONFLICT idempotency_key_reused');
  });

  it('leads a new person by the link to their password, and shows and ends their sessions', async () => {
    const made = await ada.post('/principals', { kind: 'person', display_name: 'Cid' });
    const principal = made.json.id as string;
    const link = (await ada.post('/sign-in-links', { principal, sign_in_name: 'Cid@Example.org' })).json;
    assert.deepEqual([link.sign_in_name, link.is_first], ['cid@example.org', true]);
    assert.equal((await fetch(test.server.rest.url + link.path)).status, 200);
    const taken = await ada.post('/sign-in-links', { principal: ada.principalId, sign_in_name: 'cid@example.org' });
    assert.equal(taken.refusal, 'CONFLICT name_taken');
    const cid = await test.signInAs(principal, 'cid@example.org');
    assert.equal((await ada.get(`/person-sessions?principal=${principal}`)).json.items.length, 1);
    assert.equal((await ada.delete(`/person-sessions?principal=${principal}`)).json.ended, 1);
    assert.equal((await cid.get('/documents?location=')).refusal, 'UNAUTHENTICATED');
  });

  it('shows groups with their ways, what a membership would change, and refuses a circle', async () => {
    const agent = await addAgent('Deep');
    const outer = (await ada.post('/groups', { display_name: 'Outer' })).json.id;
    const inner = (await ada.post('/groups', { display_name: 'Inner' })).json.id;
    await test.host.grant('reader', { type: 'group', id: outer }, 'handbook');
    const nest = { group: outer, member_type: 'group', member_id: inner };
    assert.equal((await ada.post('/members', nest)).json.changed, true);
    assert.equal((await ada.post('/members', nest)).json.changed, false);
    const circle = { group: inner, member_type: 'group', member_id: outer };
    assert.equal((await ada.post('/members', circle)).refusal, 'CONFLICT group_cycle');
    const member = `group=${inner}&member_type=principal&member_id=${agent}`;
    const preview = await ada.get(`/membership-previews?${member}&change=add`);
    assert.deepEqual(preview.json.changes, [
      {
        scope_type: 'folder',
        location: 'handbook',
        before: null,
        after: 'reader',
        principals: [{ id: agent, kind: 'agent', display_name: 'Deep' }],
        more: false,
      },
    ]);
    await ada.post('/members', { group: inner, member_type: 'principal', member_id: agent });
    const shown = (await ada.get(`/principal?principal=${agent}`)).json;
    assert.deepEqual(
      shown.groups.map(({ way }: { way: { display_name: string }[] }) => way.map(({ display_name: name }) => name)),
      [['Inner'], ['Outer', 'Inner']],
    );
    const reach = (await ada.get(`/reach?subject_type=principal&subject_id=${agent}`)).json.items;
    assert.deepEqual(
      reach.map(({ location, role }: { location: string; role: string }) => `${location} ${role}`),
      ['handbook reader'],
    );
    assert.deepEqual((await ada.get('/groups?outermost=true&text=outer')).json.items[0].has_groups, true);
    assert.equal((await ada.get(`/group?group=${inner}`)).json.groups[0].display_name, 'Outer');
    assert.equal((await ada.get(`/members?group=${inner}&type=principal`)).json.items[0].kind, 'agent');
    assert.equal((await ada.delete(`/members?${member}`)).json.changed, true);
  });

  it('disables and enables, but not the last admin, and each record says who by the console', async () => {
    const agent = await addAgent('Resting');
    const key = (await mint(agent, ['rest'])).json.key;
    const disabled = await ada.post('/principal-states', { principal: agent, disabled: true });
    assert.notEqual(disabled.json.disabled_at, null);
    assert.equal(await statusOnRest(key), 401);
    assert.equal((await mint(agent, ['rest'])).refusal, 'CONFLICT principal_disabled');
    await ada.post('/principal-states', { principal: agent, disabled: false });
    assert.equal(await statusOnRest(key), 200);
    const last = await ada.post('/principal-states', { principal: ada.principalId, disabled: true });
    assert.equal(last.refusal, 'CONFLICT last_approver');
    const found = test.server.records().find(({ record }) => record.request_id === disabled.headers['x-request-id']);
    const { principal, interface: face, action } = found?.record ?? ({} as never);
    assert.deepEqual([principal, face, action], [ada.principalId, 'console', 'principal.set_state']);
    const { result } = await perform(test.host.workspace, operator, setPrincipalState, {
      principalId: agent,
      disabled: true,
    });
    assert.notEqual(result.disabledAt, null);
    const listed = (await ada.get('/principals?kind=agent&text=rest')).json.items;
    assert.deepEqual([listed.length, listed[0].disabled_at === null], [1, false]);
  });

  const addAgent = async (name: string): Promise<string> =>
    (await ada.post('/principals', { kind: 'agent', display_name: name })).json.id;

  const mint = (principal: string, interfaces: readonly string[], more: object = {}, key?: string) =>
    ada.post(
      '/tokens',
      { principal, name: 'script', interfaces, expires_at: null, ...more },
      key === undefined ? {} : { 'Idempotency-Key': key },
    );

  const statusOnRest = async (key: string): Promise<number> =>
    (await test.server.as(key).get('/v1/documents?location=')).status;
});
