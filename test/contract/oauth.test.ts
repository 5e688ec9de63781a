import assert from 'node:assert/strict';
import type { AccessToken } from '../../lib/domain/access-token.js';
import { issueLink } from '../../lib/operations/principals/manage-sign-in.js';
import { perform } from '../../lib/operations/perform.js';
import { Actor } from '../support/store/actor.js';
import { operator } from '../support/store/service.js';
import { Browser, formAction, readForm } from '../support/oauth/browser.js';
import { OAuthClient } from '../support/oauth/client.js';
import { openOAuthServer, type Member, type OAuthServer } from '../support/oauth/server.js';

describe('authentication of people by OAuth', () => {
  let server: OAuthServer;
  let person: Member;
  let client: OAuthClient;

  before(async () => {
    server = await openOAuthServer();
    const { key } = await server.host.person('approver');
    await server.server.as(key).create('team/plan.md', 'text');
    client = await OAuthClient.register(server);
    const id = await server.host.principal('ada');
    person = {
      principalId: id,
      identityId: server.host.service.people.identities.provide('acme', id, 'ada', 'ada@example.org').id,
    };
  });
  after(() => server.close());

  it('Authentication 3: a token of OAuth is refused on /v1 with the bytes of a key that is none', async () => {
    const { access_token: token } = await client.signIn(server.browserOf(person));
    const refused = await server.server.as(token).get('/v1/folders');
    const unknown = await server.server.as('x'.repeat(token.length)).get('/v1/folders');
    const plain = (answer: typeof refused) => answer.text.replace(answer.json.error.request_id, 'req');
    assert.equal(refused.status, 401);
    assert.equal(plain(refused), plain(unknown));
    assert.notEqual(server.face.readAccessToken(token), undefined, 'and yet it is one');
  });

  it('Authentication 5: a token that is given back opens nothing at its next use, nor does any other of that consent', async () => {
    const tokens = await client.signIn(server.browserOf(person));
    const later = await client.refresh(tokens.refresh_token ?? '');
    await client.revoke(later.refresh_token ?? '');
    assert.equal(server.face.readAccessToken(tokens.access_token), undefined);
    assert.equal(server.face.readAccessToken(later.access_token), undefined);
  });

  it('Authentication 8: a person signs in with a browser, and their program gets a token that acts as them', async () => {
    const { url, verifier, state } = await client.ask();
    const browser = new Browser();
    const signIn = await browser.follow(await browser.get(url));
    assert.equal(new URL(signIn.url).pathname, '/signin', 'the client’s request leads to signing in');
    const { workspace } = server.host;
    const { result } = await perform(workspace, operator, issueLink, {
      principalId: person.principalId,
    });
    const link = await browser.get(`${server.url}/signin/link/${result.secret}`);
    const password = { password: 'four blue heron stairs', again: 'four blue heron stairs' };
    await browser.post(new URL(formAction(link.text), link.url), { ...readForm(link.text), ...password });
    const consent = await browser.follow(await browser.get(signIn.url));
    const form = { ...readForm(consent.text), decision: 'allow' };
    const answered = await browser.follow(await browser.post(new URL(formAction(consent.text), consent.url), form));
    const tokens = await client.exchange(client.readAnswer(answered, state), verifier);
    assert.equal(server.face.readAccessToken(tokens.access_token)?.principalId, person.principalId);
  });

  it('Authentication 9: what a token reaches follows the live grants of its person, those of groups included', async () => {
    const { access_token: token } = await client.signIn(server.browserOf(person));
    const member = { type: 'principal', id: person.principalId } as const;
    await assert.rejects(bearer(token).read('team/plan.md'), { code: 'NOT_FOUND' });
    const group = await server.host.group('team', member);
    await server.host.grant('reader', { type: 'group', id: group }, 'team');
    assert.equal(await bearer(token).read('team/plan.md'), 'text');
    await server.host.leave(group, member);
    await assert.rejects(bearer(token).read('team/plan.md'), { code: 'NOT_FOUND' });
  });

  it('Authentication 12: whoever lets a program act gives it no more than they have, and less where they say so', async () => {
    await server.host.grant('editor', { type: 'principal', id: person.principalId }, 'team');
    const whole = await client.signIn(server.browserOf(person));
    const reading = await client.signIn(server.browserOf(person), {}, { write: undefined });
    const scopesOf = (token: string) => server.face.readAccessToken(token)?.scopes;
    assert.deepEqual(scopesOf(whole.access_token), ['org:read', 'org:write']);
    assert.deepEqual(scopesOf(reading.access_token), ['org:read']);
    await assert.rejects(bearer(whole.access_token).create('elsewhere/a.md'), { code: 'NOT_FOUND' });
  });

  /** Acts as the bearer of a valid token. It looks the token up each time, as a face does for each request. */
  function bearer(token: string): Actor {
    const read: AccessToken | undefined = server.face.readAccessToken(token);
    assert.ok(read, 'the token is refused');
    return new Actor(server.host.workspace, read.principalId);
  }
});
