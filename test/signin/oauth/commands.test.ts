import assert from 'node:assert/strict';
import { runCommand } from '../../../lib/commands/carrier/run-command.js';
import type { Parsed } from '../../support/http/server.js';
import { OAuthClient } from '../../support/oauth/client.js';
import { openOAuthServer, type Member, type OAuthServer } from '../../support/oauth/server.js';

describe('People’s consents to applications, from the command line', () => {
  let server: OAuthServer;
  let person: Member;
  let client: OAuthClient;
  before(async () => {
    server = await openOAuthServer();
    person = await server.person();
    client = await OAuthClient.register(server, { client_name: 'Notes' });
  });
  after(() => server.close());

  it('are listed with person, application, resource and end, and never with a token', async () => {
    const tokens = await client.signIn(server.browserOf(person), {}, { write: undefined });
    server.face.readAccessToken(tokens.access_token);
    const { items } = await ask('consent.list', { principal: person.principalId });
    const now = new Date(server.host.clock.now()).toISOString();
    assert.equal(items.length, 1);
    const { id, expires_at: expires, ...rest } = items[0];
    assert.match(id, /^oag_/);
    assert.ok(expires > now);
    assert.deepEqual(rest, {
      principal: person.principalId,
      name: 'Notes',
      client_id: client.client.client_id,
      answers_to: '127.0.0.1:7777',
      scopes: ['org:read'],
      created_at: now,
      last_used_at: now,
      revoked_at: null,
    });
    assert.deepEqual((await ask('consent.list')).items, items);
    assert.equal((await ask('consent.list', { principal: 'prn_nobody' })).refused, 'NOT_FOUND');
  });

  it('can be ended, one or all of a person: every token of it is void from the next request on', async () => {
    const held = [await client.signIn(server.browserOf(person)), await client.signIn(server.browserOf(person))];
    const other = await server.person('other');
    const kept = await client.signIn(server.browserOf(other));
    const idOf = (token: string) => server.face.readAccessToken(token)?.id;
    const [first = '', second = ''] = held.map(({ access_token: token }) => token);
    const ended = await ask('consent.revoke', { consent: idOf(first) });
    assert.notEqual(ended.revoked_at, null);
    assert.equal(idOf(first), undefined);
    assert.notEqual(idOf(second), undefined);
    assert.deepEqual(await ask('consent.revoke', { consent: ended.id }), ended, 'again changes nothing');
    const { ended: number } = await ask('consent.revoke-all', { principal: person.principalId });
    assert.equal(number, 2, 'of this test and the one before');
    assert.equal(idOf(second), undefined);
    await assert.rejects(client.refresh(held[1]?.refresh_token ?? ''), { error: 'invalid_grant' });
    assert.notEqual(idOf(kept.access_token), undefined);
    const actions = server.server.records().map(({ record }) => record.action);
    assert.ok(actions.includes('consent.revoke') && actions.includes('consent.revoke_all'));
  });

  it('are a matter of their own workspace: another one neither lists nor ends them', async () => {
    const { access_token: token } = await client.signIn(server.browserOf(person));
    const elsewhere = (await server.server.addWorkspace()).host.workspace.name;
    const consent = server.face.readAccessToken(token)?.id;
    assert.deepEqual((await ask('consent.list', {}, elsewhere)).items, []);
    assert.equal((await ask('consent.revoke', { consent }, elsewhere)).refused, 'NOT_FOUND');
    assert.notEqual(server.face.readAccessToken(token), undefined);
  });

  async function ask(command: string, fields: Readonly<Record<string, unknown>> = {}, workspace = 'acme') {
    const answer = await runCommand(
      { command, fields, workspace },
      {
        host: server.host.service,
        server: null,
        address: server.url,
        onProgress: () => Promise.resolve(),
        signal: new AbortController().signal,
        onFault: (what, cause) => assert.fail(`${what}: ${String(cause)}`),
      },
    );
    return ('error' in answer ? { refused: answer.error.code } : answer.result) as Parsed;
  }
});
