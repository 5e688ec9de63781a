import assert from 'node:assert/strict';
import type { Interface } from '../../lib/domain/credential.js';
import { maxOwnKeys } from '../../lib/operations/credentials/own-keys.js';
import { openConsole, type ConsoleClient, type TestConsole } from '../support/http/console.js';
import type { HttpClient } from '../support/http/server.js';

const day = 24 * 60 * 60 * 1000;

describe('the keys of whoever asks', () => {
  let test: TestConsole;
  let bob: ConsoleClient;

  beforeEach(async () => {
    test = await openConsole();
    bob = await test.person('Bob', 'editor', 'team');
  });
  afterEach(() => test.close());

  it('are made by a person in the console, shown once, listed without secrets, rotated and ended', async () => {
    const made = await mint(bob, '/keys', ['rest', 'git'], { expires_at: null });
    assert.equal(made.status, 201);
    const { key, secret } = made.json;
    assert.ok(secret.startsWith(key.prefix) && secret.endsWith(key.last_four));
    assert.equal(key.created_by.id, bob.principalId);
    const client = test.server.as(secret);
    const { items } = (await client.get('/v1/keys')).json;
    assert.deepEqual([items.length, items[0].is_of_request, items[0].state], [1, true, 'active']);
    assert.ok(!JSON.stringify(items).includes(secret));
    const rotated = (await bob.post(`/keys/${key.id}/rotations`, undefined)).json;
    assert.equal((await client.get('/v1/keys')).status, 401);
    const next = test.server.as(rotated.secret);
    assert.equal((await next.get('/v1/keys')).status, 200);
    assert.equal((await bob.delete(`/keys/${key.id}`)).status, 204);
    assert.equal((await next.get('/v1/keys')).status, 401);
    assert.equal((await bob.get('/keys')).json.items[0].state, 'revoked');
    assert.equal((await bob.post(`/keys/${key.id}/rotations`, undefined)).refusal, 'CONFLICT credential_revoked');
  });

  it('are nobody else’s: a key of another principal is like an absent one', async () => {
    const { id } = await own();
    const cid = await test.person('Cid', 'approver');
    const theirs = (await mint(cid, '/keys', ['rest'])).json;
    for (const who of [cid, test.server.as(theirs.secret)]) {
      const base = who === cid ? '' : '/v1';
      const answers = [
        await who.delete(`${base}/keys/${id}`),
        await who.post(`${base}/keys/${id}/rotations`, undefined),
      ];
      const none = await who.delete(`${base}/keys/none`);
      for (const { refusal, json } of answers) {
        assert.equal(refusal, 'NOT_FOUND');
        assert.equal(json.error.message, none.json.error.message);
      }
    }
    assert.equal((await bob.get('/keys')).json.items[0].state, 'active');
  });

  it('made with a key open no more, last no longer, and end with it', async () => {
    const { now } = { now: test.host.clock.now() };
    const { id, client } = await own(['rest'], { expires_at: new Date(now + 7 * day).toISOString() });
    const wider = await mint(client, '/v1/keys', ['rest', 'git']);
    assert.equal(wider.refusal, 'CONFLICT not_with_this_key');
    const longer = await mint(client, '/v1/keys', ['rest'], { expires_at: new Date(now + 8 * day).toISOString() });
    assert.equal(longer.refusal, 'CONFLICT not_with_this_key');
    const { key, secret } = (await mint(client, '/v1/keys', ['rest'], { expires_at: null })).json;
    assert.deepEqual([key.made_with, key.expires_at], [id, new Date(now + 7 * day).toISOString()]);
    const child = test.server.as(secret);
    assert.equal((await mint(child, '/v1/keys', ['rest'])).refusal, 'CONFLICT not_with_this_key');
    assert.equal((await child.post(`/v1/keys/${id}/rotations`, undefined)).refusal, 'CONFLICT not_with_this_key');
    const rotated = await client.post(`/v1/keys/${key.id}/rotations`, undefined);
    assert.equal((await child.get('/v1/keys')).status, 401, 'it was rotated by the key that made it');
    assert.equal((await test.server.as(rotated.json.secret).get('/v1/keys')).status, 200);
    assert.equal((await bob.delete(`/keys/${id}`)).status, 204);
    assert.equal((await test.server.as(rotated.json.secret).get('/v1/keys')).status, 401);
  });

  it('of an agent are made by itself within what an admin gave it', async () => {
    const agent = await test.host.principal('Bot', 'agent');
    const key = await test.host.key(agent, ['rest', 'mcp'], test.host.clock.now() + day);
    const bot = test.server.as(key);
    const made = (await mint(bot, '/v1/keys', ['mcp'])).json;
    assert.equal(Date.parse(made.key.expires_at), test.host.clock.now() + day);
    assert.equal((await idsOf(bot)).length, 2);
  });

  it('made by somebody else for a person make none, and cannot be rotated by others', async () => {
    const ada = await test.person('Ada', 'approver');
    const given = (
      await ada.post('/tokens', { principal: bob.principalId, name: 'given', interfaces: ['rest'], expires_at: null })
    ).json;
    const client = test.server.as(given.key);
    assert.equal((await mint(client, '/v1/keys', ['rest'])).refusal, 'CONFLICT not_with_this_key');
    const { id } = await own();
    assert.equal((await client.post(`/v1/keys/${id}/rotations`, undefined)).refusal, 'CONFLICT not_with_this_key');
    assert.equal((await ada.post('/token-rotations', { token: id })).refusal, 'CONFLICT key_of_another');
    const eva = await test.person('Eva', 'approver');
    assert.equal((await eva.post('/token-rotations', { token: given.token.id })).refusal, 'CONFLICT key_of_another');
    assert.equal((await ada.post('/token-rotations', { token: given.token.id })).status, 200);
    assert.equal((await eva.post('/token-revocations', { token: id })).status, 200, 'every admin may end it');
  });

  it('are told to the person whom somebody else made one for, until the person says to know it', async () => {
    const left = async (): Promise<number> => {
      const session = await fetch(`${test.server.rest.url}/console/api/session`, {
        headers: { cookie: bob.cookie, 'Sec-Fetch-Site': 'same-origin' },
      });
      const { workspaces } = (await session.json()) as { workspaces: readonly { keys_by_others: number }[] };
      return workspaces[0]?.keys_by_others ?? assert.fail();
    };
    const ada = await test.person('Ada', 'approver');
    await own();
    assert.equal(await left(), 0);
    const made = [];
    for (const name of ['one', 'two']) {
      const { json } = await ada.post('/tokens', { principal: bob.principalId, name, interfaces: ['rest'] });
      made.push(json);
    }
    const [one, two] = made;
    // Also where its maker has ended it meanwhile.
    await ada.post('/token-revocations', { token: one.token.id });
    const { items } = (await bob.get('/key-notices')).json;
    assert.deepEqual(
      items.map(
        ({ name, state, created_by }: { name: string; state: string; created_by: { display_name: string } }) => [
          name,
          state,
          created_by.display_name,
        ],
      ),
      [
        ['two', 'active', 'Ada'],
        ['one', 'revoked', 'Ada'],
      ].toSorted(
        (a, b) =>
          items.findIndex((i: { name: string }) => i.name === a[0]) -
          items.findIndex((i: { name: string }) => i.name === b[0]),
      ),
    );
    // Who has the key cannot say it, and neither can its maker.
    assert.equal(
      (await test.server.as(two.key).post('/v1/key-acknowledgements', { keys: [two.token.id] })).status,
      404,
    );
    await ada.post('/key-acknowledgements', { keys: [one.token.id, two.token.id] });
    assert.equal(await left(), 2);
    assert.equal((await bob.post('/key-acknowledgements', { keys: [one.token.id, 'none'] })).json.left, 1);
    assert.equal((await bob.post('/key-acknowledgements', { keys: [two.token.id] })).json.left, 0);
    assert.equal(await left(), 0);
    // Its maker has the secret once more.
    await ada.post('/token-rotations', { token: two.token.id });
    assert.equal(await left(), 1);
    assert.equal((await bob.delete(`/keys/${two.token.id}`)).status, 204);
  });

  it('answer a retry without the secret, and rotate once', async () => {
    const { id, client } = await own(['rest']);
    const once = { 'Idempotency-Key': 'once' };
    const body = { name: 'again', interfaces: ['rest'] };
    const first = await client.post('/v1/keys', body, once);
    const again = await client.post('/v1/keys', body, once);
    assert.deepEqual([first.status, again.status, again.headers['idempotent-replayed']], [201, 201, 'true']);
    assert.equal(again.json.secret, null);
    assert.deepEqual(again.json.key, first.json.key);
    assert.equal((await idsOf(client)).length, 2);
    const other = await client.post('/v1/keys', { ...body, name: 'other' }, once);
    assert.equal(other.refusal, 'CONFLICT idempotency_key_reused');
    const rotate = () => client.post(`/v1/keys/${first.json.key.id}/rotations`, undefined, { 'Idempotency-Key': 'r' });
    const rotated = await rotate();
    assert.equal((await rotate()).json.secret, null);
    assert.equal((await test.server.as(rotated.json.secret).get('/v1/keys')).status, 200);
    assert.ok((await idsOf(client)).includes(id));
  });

  it('are bounded in number, and those that are over are forgotten in the end', async () => {
    const { client } = await own();
    const ids: string[] = [];
    for (let made = 1; made < maxOwnKeys; made += 1) ids.push((await mint(client, '/v1/keys', ['rest'])).json.key.id);
    assert.equal((await mint(client, '/v1/keys', ['rest'])).refusal, 'INVALID_REQUEST too_many_keys');
    assert.equal((await mint(bob, '/keys', ['rest'])).refusal, 'INVALID_REQUEST too_many_keys');
    let last = ids.at(-1) ?? assert.fail();
    for (let count = 0; count < 130; count += 1) {
      assert.equal((await client.delete(`/v1/keys/${last}`)).status, 204);
      last = (await mint(client, '/v1/keys', ['rest'])).json.key.id;
    }
    const { credentials } = test.host.workspace.journal.reader;
    assert.ok(credentials.list(bob.principalId).length <= maxOwnKeys + 101, 'what is over does not pile up');
  });

  it('share one allowance of requests', async () => {
    const { client: one } = await own();
    const { client: two } = await own();
    const before = Number((await one.get('/v1/keys')).headers['x-ratelimit-remaining']);
    const after = Number((await two.get('/v1/keys')).headers['x-ratelimit-remaining']);
    assert.equal(after, before - 1);
  });

  it('leave records under the owner, and say in the log where one was made for another person', async () => {
    const ada = await test.person('Ada', 'approver');
    await own();
    await ada.post('/tokens', { principal: bob.principalId, name: 'given', interfaces: ['rest'] });
    const minted = test.server.records().filter(({ record }) => record.action === 'credential.mint');
    const details = minted.map(({ record, text }) => [
      record.principal,
      text?.target,
      text?.detail?.includes('for_another_person'),
    ]);
    assert.deepEqual(details.slice(-2), [
      [bob.principalId, bob.principalId, false],
      [ada.principalId, bob.principalId, true],
    ]);
  });

  const mint = (
    who: { post: ConsoleClient['post'] },
    path: string,
    interfaces: readonly Interface[],
    more: object = {},
  ) => who.post(path, { name: 'clone', interfaces, ...more });

  const idsOf = async (client: HttpClient): Promise<string[]> =>
    (await client.get('/v1/keys')).json.items.map(({ id }: { id: string }) => id);

  /** A key of Bob's own making. */
  const own = async (interfaces: readonly Interface[] = ['rest'], more: object = {}) => {
    const { json } = await mint(bob, '/keys', interfaces, more);
    return { id: json.key.id as string, client: test.server.as(json.secret as string) };
  };
});

describe('a record of a key that somebody else made', () => {
  it('names its maker, for those who may see the record, and only where the key is a person’s', async () => {
    const test = await openConsole();
    try {
      const ada = await test.person('Ada', 'approver');
      const bob = await test.person('Bob', 'approver');
      const bot = await test.host.principal('Bot', 'agent');
      await test.host.grant('reader', { type: 'principal', id: bot }, '');
      await ada.post('/documents', { location: 'plan.md', content: 'text' });
      const mint = async (principal: string) =>
        (await ada.post('/tokens', { principal, name: 'n', interfaces: ['rest'] })).json.key as string;
      const own = (await bob.post('/keys', { name: 'own', interfaces: ['rest'] })).json.secret as string;
      for (const key of [await mint(bob.principalId), own, await mint(bot)]) {
        assert.equal((await test.server.as(key).get('/v1/documents/plan.md')).status, 200);
      }
      const { items } = (await bob.get('/audit?action=document.read&location=plan.md')).json;
      assert.deepEqual(
        items.map((each: { principal: { display_name: string }; key_made_by: { display_name: string } | null }) => [
          each.principal.display_name,
          each.key_made_by?.display_name ?? null,
        ]),
        [
          ['Bot', null],
          ['Bob', null],
          ['Bob', 'Ada'],
        ],
      );
    } finally {
      await test.close();
    }
  });
});

describe('what outlives a session', () => {
  let test: TestConsole;
  let ada: ConsoleClient;
  let bob: string;
  let group: string;

  before(async () => {
    test = await openConsole();
    ada = await test.person('Ada', 'approver');
    bob = await test.host.principal('Bob');
    group = (await ada.post('/groups', { display_name: 'Admins' })).json.id;
    const subject = { type: 'group', id: group };
    assert.equal(
      (await ada.post('/grants', { scope_type: 'folder', scope_id: '', subject, role: 'reader' })).status,
      201,
    );
  });
  after(() => test.close());

  it('asks for a sign-in of the last five minutes', async () => {
    const token = (await ada.post('/tokens', { principal: ada.principalId, name: 'n', interfaces: ['rest'] })).json
      .token.id;
    await ada.post('/tokens', { principal: bob, name: 'n', interfaces: ['rest'] });
    const subject = { type: 'principal', id: bob };
    const atRoot = { scope_type: 'folder', scope_id: '', subject };
    const asked: readonly (readonly [string, object | undefined])[] = [
      ['/tokens', { principal: bob, name: 'n', interfaces: ['rest'] }],
      ['/token-rotations', { token }],
      ['/keys', { name: 'n', interfaces: ['rest'] }],
      [`/keys/${token}/rotations`, undefined],
      ['/sign-in-links', { principal: bob }],
      ['/principal-states', { principal: bob, disabled: true }],
      ['/principal-states', { principal: bob, disabled: false }],
      ['/grants', { ...atRoot, role: 'reader' }],
      ['/role-changes', { ...atRoot, role: 'reader', to_role: 'editor' }],
      ['/members', { group, member_type: 'principal', member_id: bob }],
    ];
    test.host.clock.advance(5 * 60_000);
    for (const [path, body] of asked) {
      if (path === '/role-changes') continue;
      assert.equal((await ada.post(path, body)).refusal, 'CONFLICT sign_in_again', path);
    }
    // What reaches less, and what only takes away, does not ask.
    const below = { ...atRoot, scope_id: 'team', role: 'reader' };
    assert.equal((await ada.post('/grants', below)).status, 201);
    const theirs = (await ada.get(`/tokens?principal=${bob}`)).json.items[0].id;
    assert.equal((await ada.post('/token-revocations', { token: theirs })).status, 200);
    const again = await test.signInAs(ada.principalId, 'ada');
    for (const [path, body] of asked) {
      const { status, refusal } = await again.post(path, body);
      assert.ok(status < 300, `${path} ${refusal}`);
    }
  });
});
