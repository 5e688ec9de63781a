import assert from 'node:assert/strict';
import { Browser } from '../../support/oauth/browser.js';
import { OAuthClient } from '../../support/oauth/client.js';
import { letIn, openOAuthServer, type Member, type OAuthServer } from '../../support/oauth/server.js';

/** RFC 9700 §4.11.2: a link to this service must not lead a person elsewhere without a question. */
describe('A client without any person’s consent', () => {
  let server: OAuthServer;
  let person: Member;
  before(async () => {
    server = await openOAuthServer();
    person = await server.person();
  });
  after(() => server.close());

  const elsewhere = 'https://evil.example/login?error_description=Call+us';
  const requests: readonly (readonly [string, Readonly<Record<string, string | undefined>>])[] = [
    ['that wants an answer without a page', { prompt: 'none' }],
    ['that asks for a token in the address', { response_type: 'token' }],
    ['that asks for scopes that there are not', { scope: 'openid profile', response_type: 'code token' }],
    ['without a code challenge', { code_challenge: undefined, code_challenge_method: undefined }],
    ['for another resource', { resource: 'https://other.example/' }],
    ['that wants a page and none', { prompt: 'none login' }],
  ];
  for (const [what, changes] of requests) {
    it(`gets no browser sent to it by a request ${what}`, async () => {
      const client = await OAuthClient.register(server, { redirect_uris: [elsewhere] });
      const { url } = await client.ask(changes);
      for (const browser of [new Browser(), server.browserOf(person)]) {
        const answer = await browser.get(url);
        assert.deepEqual([answer.status, answer.location], [400, '']);
        assert.match(answer.text, /It is at evil\.example/);
        assert.match(answer.text, /href="https:\/\/evil\.example\/login\?/);
        assert.doesNotMatch(answer.text, /Call us|no reason/);
        assert.doesNotMatch(answer.text, /http-equiv="refresh"/);
      }
    });
  }

  it('is answered by the standard after a person’s consent, and no more when that has ended', async () => {
    const client = await OAuthClient.register(server, { redirect_uris: [elsewhere] });
    await client.signIn(server.browserOf(person));
    const { url, state } = await client.ask({ prompt: 'none' });
    const answer = await new Browser().get(url);
    assert.equal(answer.status, 303);
    assert.throws(() => client.readAnswer(answer, state), { error: 'login_required' });
    const { oauth } = server.host.service.file;
    for (const { id } of oauth.listGrants()) oauth.revokeGrant(id, server.host.clock.now());
    assert.equal((await new Browser().get(url)).location, '');
  });

  it('gets the answer when the asked person denies', async () => {
    const client = await OAuthClient.register(server, { redirect_uris: [elsewhere] });
    const { url, state } = await client.ask();
    const answer = await letIn(server.browserOf(person), url, { decision: 'deny' });
    assert.throws(() => client.readAnswer(answer, state), { error: 'access_denied' });
  });
});

describe('Where an answer may go', () => {
  let server: OAuthServer;
  before(async () => {
    server = await openOAuthServer();
  });
  after(() => server.close());

  for (const uri of [
    'https://claude.ai/api/mcp/auth_callback',
    'https://vscode.dev/redirect',
    'http://localhost:53412/callback',
    'http://127.0.0.1/',
    'http://[::1]:8080/callback',
    'cursor://anysphere.cursor-mcp/oauth/callback',
    'cursor://anysphere.cursor-retrieval/oauth/user-abc/callback',
    'vscode://vscode.github-authentication/did-authenticate',
    'vscode-insiders://saoudrizwan.claude-dev/mcp-auth/callback/1',
    'claude://claude.ai/mcp-auth-callback/sdk',
    'warp://mcp/oauth2callback',
    'raycast://oauth?package_name=Extension',
    'com.raycast:/oauth?package_name=Extension',
    'com.example.app:/callback',
    'com.example.app://callback',
  ]) {
    it(`is ${uri}`, async () => {
      assert.deepEqual(await register(uri), [uri]);
    });
  }

  for (const uri of [
    'https://files.example.org@evil.example/cb',
    'https://:secret@evil.example/cb',
    'com.example.app://user@callback',
    'ms-msdt:/id%20PCWDiagnostic',
    'ms-settings:privacy',
    'search-ms:query=x',
    'intent://scan/#Intent',
    'view-source:https://a.example/',
    'x-apple.systempreferences:com.apple.preference',
    'microsoft.windows.camera:',
    'com.apple.shortcuts:/run',
    'ssh://a.example/',
    'tel:5551234',
    'mailto:ada@a.example',
    'smb://a.example/share',
    'myapp://callback',
    'cursor://anysphere.cursor-deeplink/mcp/install?name=x',
    'cursor://anysphere.cursor-mcp/oauth/../../deeplink',
    'vscode://file/etc/passwd',
    'vscode:extension/a.b',
    'vscode://vscode-remote/ssh-remote+a.example/',
    'claude://claude.ai/new?q=x',
    'raycast://extensions/a/b',
    'warp://action/new_tab',
    'javascript:alert(1)',
    'data:text/html,x',
    'blob:https://a.example/x',
    'file:///etc/passwd',
    'about:blank',
  ]) {
    it(`is not ${uri}`, async () => {
      assert.equal(await register(uri), 'invalid_redirect_uri');
    });
  }

  it('is the remaining one of several: a program registers all that it knows and uses the one that it gets', async () => {
    const taken = ['https://www.cursor.com/agents/mcp/oauth/callback', 'http://localhost:8787/callback'];
    assert.deepEqual(await register('newapp://callback', ...taken), taken);
  });

  async function register(...uris: readonly string[]): Promise<readonly string[] | string> {
    server.host.clock.advance(1000);
    const response = await fetch(`${server.url}/oauth/register`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ redirect_uris: uris, token_endpoint_auth_method: 'none' }),
    });
    const answer = (await response.json()) as { redirect_uris?: string[]; error?: string };
    return answer.redirect_uris ?? answer.error ?? '';
  }
});
