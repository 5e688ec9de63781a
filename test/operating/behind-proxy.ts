import assert from 'node:assert/strict';
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { closeSync, mkdirSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import type { IncomingMessage, OutgoingHttpHeaders } from 'node:http';
import { request } from 'node:https';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import {
  ask,
  findFreePort,
  makeFolder,
  timeout,
  startProgram,
  tidyUp,
  type RunningProgram,
} from '../support/processes/run-program.js';
import { git } from '../support/git/git-client.js';
import { skipBecause } from '../support/skip.js';
import { Browser, formAction, readForm } from '../support/oauth/browser.js';
import { until } from '../support/until.js';
import { testCertificate, testCertificateKey } from '../support/signin/certificate.js';

/** A TLS proxy in front of the service. */
export interface Proxy {
  readonly name: 'nginx' | 'caddy';
  /** The arguments that make it print its release. */
  readonly askRelease: readonly string[];
  /**
   * Writes its configuration into the folder, in which `fullchain.pem` and `privkey.pem` lie already.
   * @param outside the port on which it has to listen
   * @param inside the port of the service
   * @returns the arguments that start it
   */
  configure(folder: string, outside: number, inside: number): readonly string[];
}

/** Has a person sign in, and a program get tokens, through a proxy set up by the package's file. */
export function describeBehind({ name, askRelease, configure }: Proxy): void {
  describe(`Behind ${name} with TLS, set up by the file of the package`, function suite() {
    this.timeout(timeout);
    let folder: string;
    let program: RunningProgram;
    let proxy: ChildProcess;
    let address: string;
    let link: string;
    let key: string;
    let gitKey: string;
    let log: string;

    before(async function prepare() {
      if (spawnSync(name, askRelease).error !== undefined) skipBecause(this, `${name} is not installed`);
      folder = await makeFolder();
      const [outside, inside] = [await findFreePort(), await findFreePort()];
      address = `https://localhost:${outside}`;
      const web = join(folder, name);
      mkdirSync(web);
      writeFileSync(join(web, 'fullchain.pem'), testCertificate);
      writeFileSync(join(web, 'privkey.pem'), testCertificateKey);
      const surroundings = { PATH: process.env['PATH'], HOME: web };
      proxy = spawn(name, configure(web, outside, inside), { stdio: 'ignore', env: surroundings });
      const data = ['--data', join(folder, 'data')];
      const settings = [...data, '--port', String(inside), '--public-url', address, '--trust-proxy', '1'];
      // A file for its log, as a service manager has it.
      log = join(folder, 'log');
      const said = openSync(log, 'w');
      program = await startProgram(['serve', '--create', ...settings], /no workspace yet/, { complaints: said });
      closeSync(said);
      const made = await ask<{ link: string; key: string }>('init', '--workspace', 'acme', '--admin', 'Ada', ...data);
      ({ link, key } = made);
      gitKey = (await ask<{ key: string }>('key', 'mint', '--principal', 'Ada', '--git', ...data)).key;
    });
    after(async () => {
      proxy?.kill();
      await program?.stop();
      await tidyUp();
      if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
    });

    function send(method: string, path: string, body: string, type: string): Promise<Record<string, string>> {
      return new Promise((resolve, reject) => {
        const options = { method, ca: testCertificate, headers: { 'content-type': type }, agent: false };
        const outgoing = request(`${address}${path}`, options, (response) => {
          let text = '';
          response.setEncoding('utf8').on('data', (piece: string) => (text += piece));
          response.on('end', () => resolve(JSON.parse(text) as Record<string, string>));
        });
        outgoing.on('error', reject).end(body);
      });
    }

    it('a person signs in by the printed link and lets a program act as them', async () => {
      const found = await send('GET', '/.well-known/oauth-authorization-server', '', 'text/plain');
      assert.equal(found['issuer'], address);
      assert.equal(found['token_endpoint'], `${address}/oauth/token`);

      const redirect = 'http://127.0.0.1:9876/callback';
      const metadata = { redirect_uris: [redirect], token_endpoint_auth_method: 'none', client_name: 'Program' };
      const client = await send('POST', '/oauth/register', JSON.stringify(metadata), 'application/json');
      const clientId = client['client_id'] ?? '';

      const browser = new Browser(testCertificate);
      assert.ok(link.startsWith(`${address}/signin/link/`), 'the printed link leads through the proxy');
      const welcome = await browser.get(link);
      const password = { password: 'four blue heron stairs', again: 'four blue heron stairs' };
      const signedIn = await browser.post(new URL(formAction(welcome.text), welcome.url), {
        ...readForm(welcome.text),
        ...password,
      });
      assert.ok([200, 303].includes(signedIn.status), signedIn.text);

      // RFC 7636 appendix B.
      const verifier = 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk';
      const asked = new URLSearchParams({
        client_id: clientId,
        response_type: 'code',
        redirect_uri: redirect,
        code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
        code_challenge_method: 'S256',
      });
      const page = await browser.follow(await browser.get(`${address}/oauth/authorize?${asked.toString()}`));
      const answered = await browser.follow(
        await browser.post(new URL(formAction(page.text), page.url), { ...readForm(page.text), decision: 'allow' }),
      );
      const { searchParams, origin } = new URL(answered.location);
      assert.equal(origin, 'http://127.0.0.1:9876');
      assert.equal(searchParams.get('iss'), address);

      const exchange = new URLSearchParams({
        grant_type: 'authorization_code',
        client_id: clientId,
        code: searchParams.get('code') ?? '',
        redirect_uri: redirect,
        code_verifier: verifier,
      });
      const form = 'application/x-www-form-urlencoded';
      const tokens = await send('POST', '/oauth/token', exchange.toString(), form);
      assert.equal(tokens['scope'], 'org:read org:write');
      const told = new URLSearchParams({ client_id: clientId, token: tokens['access_token'] ?? '' });
      const introspected = await send('POST', '/oauth/introspect', told.toString(), form);
      assert.equal(introspected['active'], true);
      assert.equal(introspected['aud'], `${address}/mcp`);

      const cookies = [...browser.cookies.values()];
      assert.ok(cookies.length >= 2);
      for (const { name, attributes } of cookies) {
        assert.match(name, /^__(?:Host|Secure)-/);
        assert.match(attributes, /secure/i, name);
      }
    });

    /** A request with the key, whose answer is left as it comes. */
    function open(method: string, path: string, headers: OutgoingHttpHeaders, body?: Buffer): Promise<IncomingMessage> {
      return new Promise((resolve, reject) => {
        const options = { method, ca: testCertificate, headers: { authorization: `Bearer ${key}`, ...headers } };
        const outgoing = request(`${address}${path}`, { ...options, agent: false }, resolve);
        outgoing.on('error', reject).end(body);
      });
    }

    async function readAll(response: IncomingMessage): Promise<Buffer> {
      const pieces: Buffer[] = [];
      for await (const piece of response as AsyncIterable<Buffer>) pieces.push(piece);
      return Buffer.concat(pieces);
    }

    const put = (path: string, body: Buffer): Promise<IncomingMessage> =>
      open('PUT', `/v1/files/${path}`, { 'if-none-match': '*', 'content-type': 'application/octet-stream' }, body);

    it('a file of 100 MB goes up and comes down unchanged', async () => {
      const large = Buffer.alloc(100 * 1024 * 1024, 'Cartulary ');
      const made = await put('large.bin', large);
      assert.equal(made.statusCode, 201, (await readAll(made)).toString());
      const read = await open('GET', '/v1/files/large.bin', {});
      assert.ok((await readAll(read)).equals(large));
    });

    it('what is compressed keeps an ETag that the service recognises', async () => {
      const text = Buffer.from('A line that repeats itself.\n'.repeat(2000));
      const created = await open(
        'POST',
        '/v1/documents',
        { 'content-type': 'application/json', 'idempotency-key': 'long' },
        Buffer.from(JSON.stringify({ location: 'long.md', content: text.toString() })),
      );
      assert.equal(created.statusCode, 201, (await readAll(created)).toString());
      const packed = await open('GET', '/v1/documents/long.md', { 'accept-encoding': 'gzip' });
      assert.equal(packed.headers['content-encoding'], 'gzip');
      const { content } = JSON.parse(gunzipSync(await readAll(packed)).toString()) as { content: string };
      assert.equal(content, text.toString());
      const { etag = '' } = packed.headers;
      const again = await open('GET', '/v1/documents/long.md', { 'accept-encoding': 'gzip', 'if-none-match': etag });
      assert.deepEqual([again.statusCode, (await readAll(again)).length], [304, 0]);
    });

    it('an event arrives while its stream stays open', async () => {
      const stream = await open('GET', '/v1/changes?start=now', { accept: 'text/event-stream' });
      assert.deepEqual([stream.statusCode, stream.headers['content-type']], [200, 'text/event-stream']);
      let text = '';
      stream.setEncoding('utf8').on('data', (piece: string) => (text += piece));
      stream.on('error', () => undefined);
      await readAll(await put('told.bin', Buffer.from('told')));
      await until(
        () => `the event arrives: ${text}`,
        () => text.includes('told.bin'),
      );
      assert.equal(stream.complete, false);
      stream.destroy();
    });

    it('lets git clone and push', async () => {
      writeFileSync(join(folder, 'ca.pem'), testCertificate);
      const trust = { GIT_SSL_CAINFO: join(folder, 'ca.pem') };
      const copy = join(folder, 'copy');
      const remote = `https://acme:${gitKey}@${new URL(address).host}/git/acme`;
      await git(folder, ['clone', '--quiet', remote, copy], trust);
      writeFileSync(join(copy, 'pushed.md'), '# Pushed\n');
      await git(copy, ['add', '.'], trust);
      await git(copy, ['commit', '--quiet', '--message', 'Add a page'], trust);
      await git(copy, ['push', '--quiet'], trust);
      const read = await open('GET', '/v1/files/pushed.md', {});
      assert.equal((await readAll(read)).toString(), '# Pushed\n');
    });

    it('the log has the address of the client, and not what the client says of itself', async () => {
      await readAll(await open('GET', '/v1/files/nowhere', { 'x-forwarded-for': '203.0.113.9' }));
      interface Entry {
        readonly remote?: string;
        readonly status?: number;
      }
      const entries = (): Entry[] =>
        readFileSync(log, 'utf8')
          .split('\n')
          .filter((line) => line.includes('"remote"') && line.endsWith('}'))
          .map((line) => JSON.parse(line) as Entry);
      const found = await until('the request is in the log', () => entries().find(({ status }) => status === 404));
      assert.equal(found.remote, '127.0.0.1');
      assert.ok(entries().every(({ remote }) => remote === '127.0.0.1'));
    });

    it('browsers get the order to use https alone once, also where the proxy answers by itself', async () => {
      const browser = new Browser(testCertificate);
      const told = async () => {
        const { status, headers } = await browser.get(`${address}/signin`);
        // Node joins a repeated header.
        return [status, headers['strict-transport-security']];
      };
      assert.deepEqual(await told(), [200, 'max-age=31536000']);
      await program.stop();
      assert.deepEqual(await told(), [502, 'max-age=31536000']);
    });
  });
}
