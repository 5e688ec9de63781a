import assert from 'node:assert/strict';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { networkInterfaces } from 'node:os';
import { requireChromium, type TestBrowser, type WatchedPage } from '../support/browser/chromium.js';
import { openTestServer } from '../support/http/server.js';
import { skipBecause } from '../support/skip.js';
import { OAuthClient } from '../support/oauth/client.js';
import { OAuthServer } from '../support/oauth/server.js';
import { goodPassword } from '../support/signin/open-sign-in.js';

describe('An application asks to act as a person, in Chromium', function () {
  this.timeout(120_000);

  let browser: TestBrowser;
  let oauth: OAuthServer;
  let person: WatchedPage;
  let client: OAuthClient;
  /** The application, which listens on the person's computer. */
  let application: Server;

  before(function () {
    browser = requireChromium(this);
  });

  beforeEach(async () => {
    oauth = await OAuthServer.start(await openTestServer());
    const { people } = oauth.host.service;
    const { principalId } = await oauth.person('ada');
    const { secret } = people.links.issue({ workspace: 'acme', principalId });
    people.links.use(secret, await people.passwords.hash(goodPassword));
    application = await listen('127.0.0.1');
    client = await registerFor(application, '127.0.0.1');
    person = await browser.person();
  });

  afterEach(async () => {
    try {
      person.judgeConsole('at the end');
    } finally {
      await browser.close();
      application.closeAllConnections();
      application.close();
      await oauth.close();
    }
  });

  it('the person signs in on the way, is warned of the program on this computer, and allows it', async () => {
    const secrets = await arrive();
    await person.judge('consent');
    assert.match(await person.page.getByRole('main').innerText(), /The answer goes to a program on this computer/);
    const token = await redeem(await answer('Allow'), secrets);
    assert.equal(token.scope, 'org:read org:write');
    const again = await client.ask();
    await person.page.goto(again.url.href);
    await person.page.getByRole('heading', { name: 'Let Editor act as you?' }).waitFor();
  });

  it('unticks writing, by the keyboard, and the application may only read', async () => {
    const secrets = await arrive();
    const box = person.page.getByRole('checkbox', { name: /^Write/ });
    assert.ok(await box.isChecked());
    await box.focus();
    await person.page.keyboard.press('Space');
    assert.ok(!(await box.isChecked()));
    assert.equal((await redeem(await answer('Allow'), secrets)).scope, 'org:read');
  });

  it('the person sees later which applications act as them, and ends one among their sessions', async () => {
    const secrets = await arrive();
    const { access_token: token } = await redeem(await answer('Allow'), secrets);
    const { page } = person;
    await page.goto(`${oauth.url}/signin/sessions`);
    await page.getByRole('heading', { name: 'Applications that act as you' }).waitFor();
    await person.judge('sessions and applications');
    await page.getByRole('button', { name: 'End what Editor may do in acme' }).press('Enter');
    await page.getByText('None. They ask you').waitFor();
    await person.judge('no applications');
    assert.equal(oauth.face.readAccessToken(token), undefined);
  });

  it('consents to an application that listens on the loopback address of IPv6', async function () {
    const own = Object.values(networkInterfaces()).flatMap((list) => list ?? []);
    if (!own.some(({ address }) => address === '::1')) skipBecause(this, 'this machine has no ::1');
    application.close();
    application = await listen('::1');
    client = await registerFor(application, '::1');
    const secrets = await arrive();
    const token = await redeem(await answer('Allow'), secrets);
    assert.equal(token.scope, 'org:read org:write');
  });

  it('denies it, and the application gets the denial and nothing else', async () => {
    await arrive();
    const told = new URL(await answer('Deny')).searchParams;
    assert.equal(told.get('error'), 'access_denied');
    assert.equal(told.get('code'), null);
  });

  it('is accessible in the dark on a small screen, too', async () => {
    await browser.close();
    person = await browser.person({ scheme: 'dark', width: 320 });
    await arrive();
    await person.judge('consent, dark and narrow');
  });

  const redeem = async (
    address: string,
    { verifier, state }: { readonly verifier: string; readonly state: string },
  ) => {
    const visited = { url: address, status: 303, headers: {}, text: '', location: address };
    return client.exchange(client.readAnswer(visited, state), verifier);
  };

  /** The application, waiting for its answer. */
  async function listen(host: string): Promise<Server> {
    const server = createServer((_request, response) => {
      response.setHeader('Content-Type', 'text/html; charset=utf-8');
      response.end(
        '<!doctype html><html lang="en"><title>Editor</title><link rel="icon" href="data:,"><h1>Back</h1></html>',
      );
    });
    await new Promise<void>((resolve) => server.listen(0, host, resolve));
    return server;
  }

  function registerFor(server: Server, host: string): Promise<OAuthClient> {
    const { port } = server.address() as AddressInfo;
    const redirectUris = [`http://${host.includes(':') ? `[${host}]` : host}:${port}/callback`];
    return OAuthClient.register(oauth, { client_name: 'Editor', redirect_uris: redirectUris });
  }

  /** Signs in on the way to the consent page. */
  async function arrive(): Promise<{ readonly verifier: string; readonly state: string }> {
    const { url, ...secrets } = await client.ask();
    const { page } = person;
    await page.goto(url.href);
    await page.getByLabel('E-mail or sign-in name').fill('ada@example.org');
    await page.getByLabel('Password').fill(goodPassword);
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await page.getByRole('heading', { name: 'Let Editor act as you?' }).waitFor();
    return secrets;
  }

  /** Presses a button of the consent page. @returns the address by which the application got the answer */
  async function answer(button: 'Allow' | 'Deny'): Promise<string> {
    await person.page.getByRole('button', { name: button }).click();
    await person.page.getByRole('heading', { name: 'Back' }).waitFor();
    return person.page.url();
  }
});
