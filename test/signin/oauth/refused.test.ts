import assert from 'node:assert/strict';
import { mountMcp } from '../../../lib/mcp/mount-mcp.js';
import { perform } from '../../../lib/operations/perform.js';
import { setPrincipalState } from '../../../lib/operations/principals/set-principal-state.js';
import { McpClient } from '../../support/http/open-mcp.js';
import { operator } from '../../support/store/service.js';
import { OAuthClient } from '../../support/oauth/client.js';
import { openOAuthServer, type Member, type OAuthServer } from '../../support/oauth/server.js';

const hour = 60 * 60 * 1000;

/** A client still sends it: an admin has to see this after an end, as with a revoked key. */
describe('A void access token', () => {
  let server: OAuthServer;
  let person: Member;
  let client: OAuthClient;
  beforeEach(async () => {
    server = await openOAuthServer();
    const { rest, host } = server.server;
    const log = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined };
    const { later, addressOf } = rest;
    const { readAccessToken } = server.face;
    rest.mount(
      mountMcp(host.service, {
        version: '0.0.0',
        log,
        publicUrl: server.url,
        corsOrigins: [],
        later,
        addressOf,
        readAccessToken,
      }),
    );
    person = await server.person();
    client = await OAuthClient.register(server);
  });
  afterEach(() => server.close());

  const ends: readonly (readonly [string, string, (refreshToken: string) => Promise<unknown>])[] = [
    ['whose consent was ended', 'revoked', (refreshToken) => client.revoke(refreshToken)],
    ['whose time is over', 'expired', async () => server.host.clock.advance(9 * hour)],
    [
      'whose person was disabled, which ended the consent',
      'revoked',
      () =>
        perform(server.host.workspace, operator, setPrincipalState, {
          principalId: person.principalId,
          disabled: true,
        }),
    ],
    ['whose person has left', 'principal_disabled', async () => server.gone.add(person.identityId)],
  ];
  for (const [title, reason, end] of ends) {
    it(`is counted in its workspace and answered like any other text: one ${title}`, async () => {
      const tokens = await client.signIn(server.browserOf(person));
      const token = tokens.access_token;
      assert.match(await ask(token), /^200 /);
      const id = server.face.readAccessToken(token)?.id;
      await end(tokens.refresh_token ?? '');
      const refused = [await ask(token), await ask(token)];
      assert.deepEqual(refused, [await ask('x'.repeat(token.length)), refused[0]]);
      assert.match(refused[0] ?? '', /^401 /);
      assert.deepEqual(await readTallies(), [['mcp', reason, 2, id]]);
    });
  }

  it('is answered as ever where its workspace cannot be opened', async () => {
    const tokens = await client.signIn(server.browserOf(person));
    server.host.clock.advance(9 * hour);
    server.gone.add('acme');
    assert.match(await ask(tokens.access_token), /^401 /);
  });

  it('leaves no usable trace in the file when its consent ends', async () => {
    const tokens = await client.signIn(server.browserOf(person));
    await client.revoke(tokens.refresh_token ?? '');
    const { oauth } = server.host.service.file;
    assert.deepEqual(
      ['AccessToken', 'RefreshToken', 'Grant'].map((kind) => oauth.countEntries(kind)),
      [1, 0, 0],
    );
    server.host.clock.advance(9 * hour);
    await server.face.keepUp();
    assert.equal(oauth.countEntries('AccessToken'), 0);
  });

  async function ask(token: string): Promise<string> {
    const { status, headers, text } = await new McpClient(server.url, token).request('tools/list');
    const said = [...headers].filter(([name]) => name !== 'date' && name !== 'x-request-id');
    return `${status} ${JSON.stringify(said)} ${text.replace(/req_\w+/g, 'req')}`;
  }

  /** Stops the face, which writes its counts: reason, number and source of each tally. */
  async function readTallies(): Promise<unknown[]> {
    await server.server.rest.close();
    return server.server
      .records()
      .filter(({ record }) => record.action === 'authentication.failed')
      .map(({ record, text }) => {
        const { reason, count, source } = JSON.parse(text?.detail ?? '{}') as Record<string, unknown>;
        return [record.interface, reason, count, source];
      });
  }
});
