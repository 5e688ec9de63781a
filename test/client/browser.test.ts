import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { requireChromium, type TestBrowser } from '../support/browser/chromium.js';
import { openTestServer, type TestServer } from '../support/http/server.js';

/** Runs in the page, with the library as the package has it. */
const story = `(async ({ baseUrl, key }) => {
  const { Cartulary, StaleVersionError } = await import('/client/index.js');
  const cartulary = new Cartulary({ baseUrl, key });
  const made = await cartulary.create('page/a.md', 'one');
  const next = await (await cartulary.read('page/a.md')).update('two');
  const error = await made.update('three').catch((thrown) => thrown);
  const blob = await (await cartulary.download('page/a.md')).blob();
  await cartulary.create('page/b.bin', new Blob([new Uint8Array(200000)]));
  const names = [];
  for await (const { name } of cartulary.documents('page')) names.push(name);
  let told = 0;
  for await (const { changes } of cartulary.changes({ location: 'page', wait: false })) told += changes.length;
  const absent = await cartulary.read('page/none.md').catch((thrown) => thrown);
  await next.delete();
  return {
    isStale: error instanceof StaleVersionError,
    current: error.current.text,
    text: await blob.text(),
    names,
    told,
    absent: [absent.code, absent.status, typeof absent.requestId],
    left: (await cartulary.documents('page').toArray()).length,
  };
})`;

describe('The client in a page of another origin', () => {
  let browser: TestBrowser;
  let pages: Server;
  let origin: string;
  let server: TestServer;

  before(async function () {
    browser = requireChromium(this);
    pages = createServer(({ url = '/' }, response) => {
      const [, name] = /^\/client\/([\w-]+\.js)$/.exec(url) ?? [];
      if (name === undefined)
        return void response.writeHead(200, { 'Content-Type': 'text/html' }).end('<title>A page</title>');
      const script = readFileSync(path.join(process.cwd(), 'dist', 'client', name));
      response.writeHead(200, { 'Content-Type': 'text/javascript' }).end(script);
    });
    await new Promise<void>((resolve) => pages.listen(0, '127.0.0.1', resolve));
    origin = `http://127.0.0.1:${(pages.address() as AddressInfo).port}`;
    server = await openTestServer({ server: { corsOrigins: [origin] } });
  });
  after(async () => {
    await browser?.close();
    pages?.closeAllConnections();
    pages?.close();
    await server?.close();
  });

  it('does all that it does in Node, where the service allows the origin', async () => {
    const { key } = await server.host.person('approver');
    const { page } = await browser.person();
    await page.goto(origin);
    const told = await page.evaluate(`${story}(${JSON.stringify({ baseUrl: server.rest.url, key })})`);
    assert.deepEqual(told, {
      isStale: true,
      current: 'two',
      text: 'two',
      names: ['a.md', 'b.bin'],
      told: 2,
      absent: ['NOT_FOUND', 404, 'string'],
      left: 1,
    });
  });

  it('learns nothing where the service does not allow the origin', async () => {
    const { key } = await server.host.person('approver');
    const { page } = await browser.person();
    await page.goto(origin.replace('127.0.0.1', 'localhost'));
    const name = await page.evaluate(`(async () => {
      const { Cartulary } = await import('/client/index.js');
      const cartulary = new Cartulary({ ...${JSON.stringify({ baseUrl: server.rest.url, key })}, retries: 0 });
      return cartulary.read('page/b.bin').then(() => 'read', (error) => error.name);
    })()`);
    assert.equal(name, 'ConnectionError');
  });
});
