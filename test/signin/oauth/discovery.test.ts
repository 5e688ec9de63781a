import assert from 'node:assert/strict';
import { discover } from '../../support/oauth/client.js';
import { openOAuthServer, type OAuthServer } from '../../support/oauth/server.js';

describe('The metadata for clients', () => {
  let server: OAuthServer;
  before(async () => {
    server = await openOAuthServer();
  });
  after(() => server.close());

  it('the resource describes itself at the root and with its path inserted (RFC 9728)', async () => {
    const paths = ['/.well-known/oauth-protected-resource', '/.well-known/oauth-protected-resource/mcp'];
    for (const path of paths) {
      const response = await fetch(`${server.url}${path}`);
      assert.equal(response.status, 200, path);
      assert.equal(response.headers.get('access-control-allow-origin'), '*');
      assert.deepEqual(await response.json(), {
        resource: `${server.url}/mcp`,
        authorization_servers: [server.url],
        scopes_supported: ['org:read', 'org:write'],
        bearer_methods_supported: ['header'],
        resource_name: 'Cartulary',
      });
    }
    const elsewhere = await fetch(`${server.url}/.well-known/oauth-protected-resource/v1`);
    assert.equal(elsewhere.status, 404);
    const written = await fetch(`${server.url}${paths[0]}`, { method: 'POST', body: 'x' });
    assert.equal(written.status, 405);
  });

  for (const algorithm of ['oauth2', 'oidc'] as const) {
    it(`the authorization server describes itself as ${algorithm === 'oauth2' ? 'RFC 8414' : 'OpenID Connect'} has it`, async () => {
      const found = await discover(server.url, algorithm);
      assert.equal(found.issuer, server.url);
      const endpoints = {
        authorization_endpoint: '/oauth/authorize',
        token_endpoint: '/oauth/token',
        registration_endpoint: '/oauth/register',
        revocation_endpoint: '/oauth/revoke',
        introspection_endpoint: '/oauth/introspect',
        jwks_uri: '/oauth/jwks',
      };
      for (const [name, path] of Object.entries(endpoints)) assert.equal(found[name], `${server.url}${path}`);
      assert.deepEqual(found.code_challenge_methods_supported, ['S256']);
      assert.equal(found.authorization_response_iss_parameter_supported, true);
      assert.equal(found['client_id_metadata_document_supported'], true);
      assert.deepEqual(found.response_types_supported, ['code']);
      assert.deepEqual(found.response_modes_supported, ['query']);
      assert.deepEqual(found.grant_types_supported?.toSorted(), ['authorization_code', 'refresh_token']);
      assert.ok(['org:read', 'org:write'].every((scope) => found.scopes_supported?.includes(scope)));
      assert.deepEqual(found.id_token_signing_alg_values_supported, ['ES256']);
      assert.ok(found.token_endpoint_auth_methods_supported?.includes('none'));
    });
  }

  it('offers no absent feature: no device, logout, userinfo or pushed requests', async () => {
    const found = await discover(server.url);
    const others = Object.keys(found).filter((name) => name.endsWith('_endpoint'));
    assert.deepEqual(others.toSorted(), [
      'authorization_endpoint',
      'introspection_endpoint',
      'registration_endpoint',
      'revocation_endpoint',
      'token_endpoint',
    ]);
    for (const path of ['/oauth/me', '/oauth/request', '/oauth/session/end', '/oauth/device', '/oauth/'])
      assert.equal((await fetch(`${server.url}${path}`)).status, 404, path);
  });

  it('shows the public parts of signing keys alone', async () => {
    const { keys } = (await (await fetch(`${server.url}/oauth/jwks`)).json()) as { keys: Record<string, unknown>[] };
    assert.equal(keys.length, 1);
    assert.deepEqual(Object.keys(keys[0] ?? {}).toSorted(), ['alg', 'crv', 'kid', 'kty', 'use', 'x', 'y']);
  });

  it('puts a request id and protective headers on every answer', async () => {
    const targets: readonly [string, RequestInit?][] = [
      ['/.well-known/oauth-protected-resource'],
      ['/.well-known/openid-configuration'],
      ['/oauth/jwks'],
      ['/oauth/nothing'],
      ['/oauth/authorize'],
      ['/oauth/interaction/unknown'],
      ['/oauth/token', { method: 'POST', body: new URLSearchParams({ grant_type: 'password' }) }],
      ['/oauth/register', { method: 'POST', body: '{' }],
    ];
    const ids = new Set<string | null>();
    for (const [target, init] of targets) {
      const { headers } = await fetch(`${server.url}${target}`, { redirect: 'manual', ...init });
      ids.add(headers.get('x-request-id'));
      assert.match(
        headers.get('content-security-policy') ?? '',
        /^default-src 'none';.*frame-ancestors 'none'$/,
        target,
      );
      assert.equal(headers.get('x-frame-options'), 'DENY', target);
      assert.equal(headers.get('x-content-type-options'), 'nosniff', target);
      assert.equal(headers.get('referrer-policy'), 'no-referrer', target);
    }
    assert.equal(ids.size, targets.length);
    assert.ok(!ids.has(null));
  });
});
