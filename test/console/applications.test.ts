import assert from 'node:assert/strict';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { mountConsole } from '../../lib/console/mount-console.js';
import { mountMcp } from '../../lib/mcp/mount-mcp.js';
import { requireChromium, WatchedPage, type TestBrowser } from '../support/browser/chromium.js';
import { keepLog, type LogLine } from '../support/http/log.js';
import { openTestServer } from '../support/http/server.js';
import { OAuthClient } from '../support/oauth/client.js';
import { OAuthServer, type Member } from '../support/oauth/server.js';

const hostile = '<img src=x onerror=alert(1)> "><script>alert(2)</script> ' + 'W'.repeat(60);

describe('The applications of a person, in the console', function () {
  this.timeout(120_000);

  let browser: TestBrowser;
  let oauth: OAuthServer;
  let ada: Member;
  /** The application, which listens on the person's computer. */
  let application: Server;

  before(async function () {
    browser = requireChromium(this);
    const server = await openTestServer();
    oauth = await OAuthServer.start(server);
    const { rest, host } = server;
    const { readSession, endSession } = oauth.signIn;
    const { later, addressOf, url } = rest;
    const log = keepLog(server.log as LogLine[]);
    rest.mount(
      mountConsole(host.service, { url, log, later, addressOf, readSession, endSession, validateResponses: true }),
    );
    const { readAccessToken } = oauth.face;
    rest.mount(
      mountMcp(host.service, { version: '0', log, publicUrl: url, corsOrigins: [], later, addressOf, readAccessToken }),
    );
    ada = await oauth.person('ada');
    application = createServer((_request, response) => {
      response.setHeader('Content-Type', 'text/html; charset=utf-8');
      response.end(
        '<!doctype html><html lang="en"><title>Editor</title><link rel="icon" href="data:,"><h1>Back</h1></html>',
      );
    });
    await new Promise<void>((resolve) => application.listen(0, '127.0.0.1', resolve));
  });
  after(async () => {
    await browser?.close();
    application?.closeAllConnections();
    application?.close();
    await oauth?.close();
  });

  it('leads an application in, shows what it may do and when it did it, and ends it: its token is dead', async () => {
    const look = await open(ada);
    await look.page.goto(`${oauth.url}/console`);
    await look.get('button', /^Account /).click();
    await look.page.getByRole('menuitem', { name: 'Your applications' }).click();
    await look.get('heading', 'No application acts for you').waitFor();
    await look.judge('no applications');
    const address = await look.page.getByLabel('Address for the application', { exact: true }).inputValue();
    assert.equal(address, `${oauth.url}/mcp`);

    // The application finds everything by that address, and asks in the person's browser.
    const { port } = application.address() as AddressInfo;
    const client = await OAuthClient.register(oauth, {
      client_name: 'Editor',
      redirect_uris: [`http://127.0.0.1:${port}/callback`],
    });
    assert.equal(client.resource, address);
    const { url, verifier, state } = await client.ask();
    await look.page.goto(url.href);
    await look.get('button', 'Allow').click();
    await look.get('heading', 'Back').waitFor();
    const back = look.page.url();
    const visited = { url: back, status: 303, headers: {}, text: '', location: back };
    const tokens = await client.exchange(client.readAnswer(visited, state), verifier);
    assert.equal(await statusOf(tokens.access_token), 200);

    await page(look);
    const list = look.page.getByRole('list', { name: 'Applications that act for you' });
    await list.getByText('Editor', { exact: true }).waitFor();
    await list.getByText('reads and writes').waitFor();
    await list.getByText(/^Last used/).waitFor();
    await look.judge('an application');
    await look.get('button', 'End Editor').click();
    await look.judge('the question before an end');
    await look.get('button', 'End application').click();
    await look.get('heading', 'No application acts for you').waitFor();
    assert.equal(await statusOf(tokens.access_token), 401);
    await assert.rejects(client.refresh(tokens.refresh_token ?? ''));
    const { record, text } = oauth.server.records().findLast((each) => each.record.action === 'consent.end') ?? {};
    assert.deepEqual([record?.principal, record?.interface], [ada.principalId, 'console']);
    assert.match(JSON.stringify([record, text]), /Editor/);
  });

  it('shows nobody the applications of others, and ends none of theirs', async () => {
    const bo = await oauth.person('bo');
    const client = await OAuthClient.register(oauth, { client_name: hostile });
    const tokens = await client.signIn(oauth.browserOf(bo), { scope: 'org:read' });
    const look = await open(ada);
    await page(look);
    await look.get('heading', 'No application acts for you').waitFor();
    const [theirs] = oauth.host.service.people.consents.listOf(bo.identityId);
    const end = (id: string): Promise<unknown> =>
      look.page.evaluate(
        `fetch('/console/api/workspaces/acme/applications/${id}', { method: 'DELETE', headers: { 'X-Cartulary-Console': '1' } })
          .then(async (answer) => [answer.status, (await answer.json()).error.message])`,
      );
    look.expect(404);
    assert.deepEqual(await end(theirs?.id ?? ''), await end('con_none'));
    assert.equal(await statusOf(tokens.access_token), 200);

    const other = await open(bo);
    await other.page.setViewportSize({ width: 320, height: 640 });
    await other.page.emulateMedia({ colorScheme: 'dark' });
    await page(other);
    await other.page.getByText('reads only').waitFor();
    await other.judge('a hostile application on a phone');
  });

  it('says that the service cannot answer, and never shows an empty list instead', async () => {
    const look = await open(ada);
    look.expect(503);
    const refusal = { code: 'UNAVAILABLE', message: 'Not now.', request_id: 'req_00000000000000000000' };
    await look.page.route('**/applications', (route) =>
      route.request().resourceType() === 'document'
        ? route.continue()
        : route.fulfill({ status: 503, json: { error: refusal }, headers: { 'Retry-After': '0' } }),
    );
    await page(look);
    await look.get('heading', 'The service cannot answer at the moment').waitFor();
    assert.equal(await look.page.getByText('No application acts for you').count(), 0);
    await look.judge('applications that cannot be read');
  });

  const page = (look: WatchedPage) => look.page.goto(`${oauth.url}/console/w/acme/applications`);

  /** A page of somebody who has just signed in. */
  async function open(member: Member): Promise<WatchedPage> {
    const context = await browser.context();
    const { sessions } = oauth.host.service.people;
    const { identityId } = member;
    const { secret } = sessions.begin({ identityId, method: 'password', browser: 'Test', address: '127.0.0.1' });
    await context.addCookies([{ name: 'cartulary', value: secret, url: oauth.url }]);
    return new WatchedPage(await context.newPage());
  }

  /** The status that the application gets from MCP. */
  async function statusOf(token: string): Promise<number> {
    const body = { jsonrpc: '2.0', id: 1, method: 'tools/list' };
    const headers = {
      Authorization: `Bearer ${token}`,
      'Content-Type': 'application/json',
      Accept: 'application/json, text/event-stream',
    };
    return (await fetch(`${oauth.url}/mcp`, { method: 'POST', headers, body: JSON.stringify(body) })).status;
  }
});
