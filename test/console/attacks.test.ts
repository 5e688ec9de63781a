import assert from 'node:assert/strict';
import type { OutgoingHttpHeaders } from 'node:http';
import { issueLink } from '../../lib/operations/principals/manage-sign-in.js';
import { perform } from '../../lib/operations/perform.js';
import { setPrincipalState } from '../../lib/operations/principals/set-principal-state.js';
import { mountMcp } from '../../lib/mcp/mount-mcp.js';
import {
  fromOurPage,
  openConsole,
  sendPlainly,
  type ConsoleClient,
  type TestConsole,
} from '../support/http/console.js';
import type { HttpAnswer } from '../support/http/server.js';
import { keepLog } from '../support/http/log.js';
import { operator } from '../support/store/service.js';

const acme = '/console/api/workspaces/acme';
const form = 'a=b';
const refused = '401 UNAUTHENTICATED';

describe('the console, attacked', () => {
  let test: TestConsole;
  let ada: ConsoleClient;
  let etag: string;

  before(async () => {
    test = await openConsole();
    ada = await test.person('Ada', 'approver');
    ({ etag } = await ada.post('/documents', { location: 'plans/secret.md', content: 'Secret.' }));
  });
  after(() => test.close());

  describe('by another site’s page in the browser of a signed-in person', () => {
    const foreign: readonly (readonly [string, OutgoingHttpHeaders])[] = [
      ['another site', { 'Sec-Fetch-Site': 'cross-site' }],
      ['another site that guesses our header', { 'Sec-Fetch-Site': 'cross-site', 'X-Cartulary-Console': '1' }],
      ['another host of the site', { 'Sec-Fetch-Site': 'same-site', 'X-Cartulary-Console': '1' }],
      ['a browser that says nothing', {}],
      ['a browser that says nonsense', { 'Sec-Fetch-Site': 'same-origin, cross-site', 'X-Cartulary-Console': '1' }],
      ['a foreign origin', { 'X-Cartulary-Console': '1', Origin: 'https://evil.example' }],
      ['a foreign origin behind our site', { ...fromOurPage, Origin: 'https://evil.example' }],
      ['an origin without a name', { 'X-Cartulary-Console': '1', Origin: 'null' }],
      ['a very long origin', { ...fromOurPage, Origin: `https://${'a'.repeat(20_000)}.example` }],
      ['another value of our header', { 'X-Cartulary-Console': 'true' }],
    ];

    for (const [who, headers] of foreign) {
      it(`refuses a read and a write of ${who} as without a session, and does nothing`, async () => {
        const stranger = allOf(await send('GET', `${acme}/documents`, fromOurPage));
        const cookie = { Cookie: ada.cookie };
        const count = test.server.records().length;
        assert.equal(allOf(await send('GET', `${acme}/documents`, { ...cookie, ...headers })), stranger);
        assert.equal(brief(await send('GET', '/console/api/session', { ...cookie, ...headers })), refused);
        assert.equal(brief(await send('DELETE', '/console/api/session', { ...cookie, ...headers })), refused);
        const put = { ...cookie, ...headers, 'If-Match': '*' };
        assert.equal(
          brief(await send('PUT', `${acme}/documents/plans/secret.md`, put, { content: 'Changed.' })),
          refused,
        );
        assert.equal((await ada.get('/documents/plans/secret.md')).etag, etag);
        assert.equal(test.server.records().length, count + 1, 'only Ada’s own read is recorded');
      });
    }

    it('refuses writes without our header even where the browser vouches for the site', async () => {
      for (const site of ['same-origin', 'none']) {
        const headers = { Cookie: ada.cookie, 'Sec-Fetch-Site': site, 'If-Match': '*' };
        for (const method of ['PUT', 'POST', 'DELETE']) {
          assert.equal(brief(await send(method, `${acme}/documents/plans/secret.md`, headers)), refused);
        }
      }
    });

    it('refuses the requests that a form can make, whatever else they bring', async () => {
      for (const type of ['application/x-www-form-urlencoded', 'text/plain', 'multipart/form-data; boundary=x']) {
        const headers = { Cookie: ada.cookie, 'Content-Type': type };
        const from = { ...headers, 'Sec-Fetch-Site': 'cross-site', Origin: 'https://evil.example' };
        assert.equal(brief(await send('POST', `${acme}/documents`, from, form)), refused);
        assert.equal(
          brief(
            await send('POST', `${acme}/documents`, { ...headers, ...fromOurPage, 'Idempotency-Key': 'form' }, form),
          ),
          '400 INVALID_REQUEST unsupported_media_type',
        );
      }
    });

    it('lets no other origin read or ask, not even before the request', async () => {
      const { status, headers } = await send('OPTIONS', `${acme}/documents`, {
        Origin: 'https://evil.example',
        'Access-Control-Request-Method': 'PUT',
        'Access-Control-Request-Headers': 'x-cartulary-console',
      });
      assert.equal(status, 204);
      const granted = Object.keys({ ...headers, ...(await send('GET', `${acme}/documents`, asAda())).headers });
      assert.deepEqual(
        granted.filter((name) => name.startsWith('access-control')),
        [],
      );
    });

    it('answers a read that the person asks for themselves, by an address or a bookmark', async () => {
      const headers = { Cookie: ada.cookie, 'Sec-Fetch-Site': 'none' };
      assert.equal((await send('GET', `${acme}/files/plans/secret.md`, headers)).text, 'Secret.');
    });

    it('is not shown in another page’s frame, and its answers are kept nowhere', async () => {
      for (const path of ['/console', '/console/acme', `${acme}/documents`, '/console/api/session']) {
        const { headers } = await send('GET', path, asAda());
        assert.equal(headers['x-frame-options'], 'DENY', path);
        assert.match(String(headers['content-security-policy']), /frame-ancestors 'none'/, path);
        assert.match(String(headers['cache-control']), /no-store/, path);
        assert.equal(headers['referrer-policy'], 'no-referrer', path);
        assert.equal(headers['cross-origin-resource-policy'], 'same-origin', path);
      }
    });
  });

  describe('with what opens other doors', () => {
    it('opens nothing for a key, and its cookie opens nothing on REST and MCP', async () => {
      const key = await test.host.key(ada.principalId, ['rest', 'mcp']);
      const bearer = { Authorization: `Bearer ${key}` };
      assert.equal(brief(await send('GET', `${acme}/documents`, { ...bearer, ...fromOurPage })), refused);
      assert.equal(brief(await send('GET', '/console/api/session', { ...bearer, ...fromOurPage })), refused);
      assert.equal(brief(await send('GET', '/v1/documents', asAda())), refused);
      const { later, addressOf, url } = test.server.rest;
      const log = keepLog([]);
      const options = { version: '0.0.0', log, publicUrl: url, corsOrigins: [], later, addressOf };
      test.server.rest.mount(mountMcp(test.host.service, options));
      const call = { jsonrpc: '2.0', id: 1, method: 'tools/list' };
      assert.equal((await send('POST', '/mcp', asAda(), call)).status, 401);
    });

    it('acts for the session’s person, whatever key comes beside it', async () => {
      const key = await test.host.key(await test.host.principal('Other'), ['rest']);
      const { json } = await send('GET', '/console/api/session', { ...asAda(), Authorization: `Bearer ${key}` });
      assert.equal(json.workspaces[0].principal_id, ada.principalId);
    });

    it('takes no session that was planted before the person signed in', async () => {
      const id = await test.host.principal('Fred');
      const issued = await perform(test.host.workspace, operator, issueLink, { principalId: id, signInName: 'fred' });
      const { secret } = issued.result;
      const planted = `cartulary=${'a'.repeat(52)}`;
      const page = await send('GET', `/signin/link/${secret}`, { Cookie: planted });
      const csrf = /name="csrf" value="([^"]*)"/.exec(page.text)?.[1] ?? '';
      const [proof = ''] = (page.headers['set-cookie'] ?? []).map((line) => line.split(';')[0] ?? '');
      const password = 'four blue heron stairs';
      const fields = new URLSearchParams({ csrf, link: secret, password, again: password }).toString();
      const headers = { Cookie: `${planted}; ${proof}`, 'Content-Type': 'application/x-www-form-urlencoded' };
      const answer = await send('POST', '/signin/link', headers, fields);
      assert.deepEqual([answer.status, answer.headers.location], [303, '/console']);
      const [session = ''] = (answer.headers['set-cookie'] ?? []).map((line) => line.split(';')[0] ?? '');
      assert.match(session, /^cartulary=/);
      assert.notEqual(session, planted);
      assert.equal((await send('GET', '/console/api/session', { Cookie: session, ...fromOurPage })).status, 200);
      assert.equal(brief(await send('GET', '/console/api/session', { Cookie: planted, ...fromOurPage })), refused);
    });

    it('refuses what is no session, in the same words', async () => {
      const expected = allOf(await send('GET', `${acme}/documents`, fromOurPage));
      const cookies = ['cartulary=', 'cartulary=x', `cartulary=${'0'.repeat(30_000)}`, '__Host-cartulary=x', ';;;==;'];
      for (const cookie of cookies) {
        const answer = await send('GET', `${acme}/documents`, { Cookie: cookie, ...fromOurPage });
        assert.equal(allOf(answer), expected, cookie.slice(0, 40));
      }
    });

    it('makes an address wait that fails too often, and nobody who is signed in', async () => {
      const own = await openConsole();
      try {
        const eve = await own.person('Eve', 'reader');
        const statuses = new Set<number>();
        for (let guess = 0; guess < 301; guess += 1) {
          const { status } = await sendPlainly(own.server, 'GET', '/console/api/session', { headers: fromOurPage });
          statuses.add(status);
        }
        assert.deepEqual([...statuses], [401, 429]);
        assert.equal((await eve.get('/session')).status, 200);
      } finally {
        await own.close();
      }
    });
  });

  describe('after a session has ended', () => {
    it('answers the very next request like one without a session', async () => {
      const { clock, workspace, service } = test.host;
      const expected = allOf(await send('GET', `${acme}/documents`, fromOurPage));
      const ends: readonly (readonly [string, (client: ConsoleClient) => Promise<unknown>])[] = [
        ['by signing out', (client) => client.send('DELETE', '/session')],
        [
          'by disabling the person',
          ({ principalId }) => perform(workspace, operator, setPrincipalState, { principalId, disabled: true }),
        ],
        ['by time', async () => clock.advance(13 * 3_600_000)],
      ];
      for (const [how, end] of ends) {
        const guest = await test.person(`Guest ${how}`, 'reader');
        assert.equal((await guest.get('/documents?location=')).status, 200, how);
        await end(guest);
        const headers = { Cookie: guest.cookie, ...fromOurPage };
        assert.equal(allOf(await send('GET', `${acme}/documents`, headers)), expected, how);
      }
      assert.ok(service.names().length > 0);
      ada = await test.signInAs(ada.principalId, `${ada.principalId}@example.org`);
    });

    it('lets a request under way finish only as what the person may still do', async () => {
      const guest = await test.person('Leaving', 'editor', 'plans');
      await test.host.revoke('editor', { type: 'principal', id: guest.principalId }, 'plans');
      const answer = await guest.put('/documents/plans/secret.md', { content: 'Changed.' });
      assert.equal(brief(answer), '404 NOT_FOUND');
    });
  });

  describe('for what is out of reach', () => {
    it('gives the same bytes for a workspace that is absent and one without a place for the person', async () => {
      const { service } = test.host;
      await service.addWorkspace('hidden');
      for (const [method, path] of [
        ['GET', '/documents?location='],
        ['GET', '/documents/a.md'],
        ['DELETE', '/documents/a.md'],
        ['PATCH', '/documents/a.md'],
        ['GET', '/nothing'],
      ] as const) {
        const ask = (workspace: string) => send(method, `/console/api/workspaces/${workspace}${path}`, asAda());
        const [hidden, absent] = [await ask('hidden'), await ask('absent')];
        assert.equal(allOf(hidden), allOf(absent), path);
        assert.equal(brief(hidden), '404 NOT_FOUND');
      }
    });

    it('gives the same bytes for a document that is absent and one that is out of reach', async () => {
      const rosa = await test.person('Rosa', 'reader', 'other');
      for (const path of ['/documents/PLACE', '/files/PLACE', '/history?location=PLACE', '/comments?location=PLACE']) {
        const hidden = allOf(await rosa.get(path.replace('PLACE', 'plans/secret.md')));
        const absent = allOf(await rosa.get(path.replace('PLACE', 'plans/absent.md')));
        const withoutRate = (text: string): string => text.replace(/"x-ratelimit-remaining":"\d+"/, '');
        assert.equal(withoutRate(hidden), withoutRate(absent), path);
      }
    });

    it('holds the person to a rate where they ask for other workspaces, and in their own', async () => {
      const own = await openConsole();
      try {
        const eve = await own.person('Eve', 'reader');
        const statuses: number[] = [];
        const headers = { Cookie: eve.cookie, ...fromOurPage };
        for (let guess = 0; guess < 601; guess += 1) {
          const path = `/console/api/workspaces/guess-${guess}/documents`;
          statuses.push((await sendPlainly(own.server, 'GET', path, { headers })).status);
        }
        assert.deepEqual([statuses[0], statuses.at(-1)], [404, 429]);
        assert.equal((await eve.get('/documents?location=')).status, 200);
      } finally {
        await own.close();
      }
    });
  });

  describe('with stored bytes', () => {
    it('serves them so that nothing in them runs, and as a download unless they are harmless', async () => {
      const hostile = '<script>alert(document.cookie)</script>';
      const stored = [
        ['page.html', 'text/html', /^attachment/],
        ['image.svg', 'image/svg+xml', /^attachment/],
        ['script.js', 'text/javascript', /^attachment/],
        ['strange', 'application/x-unheard-of', /^attachment/],
        ['note.txt', 'text/plain', /^inline/],
      ] as const;
      for (const [name, type, disposition] of stored) {
        const made = await ada.send('PUT', `/files/raw/${name}`, {
          body: Buffer.from(hostile),
          headers: { 'If-None-Match': '*', 'Content-Type': type },
        });
        assert.equal(made.status, 201, made.text);
        const { headers } = await ada.get(`/files/raw/${name}`);
        assert.match(String(headers['content-disposition']), disposition, name);
        assert.match(String(headers['content-security-policy']), /default-src 'none'.*sandbox$/, name);
        assert.equal(headers['x-content-type-options'], 'nosniff', name);
      }
    });
  });

  describe('below a proxy’s path, over https', () => {
    const url = 'https://files.example.org/store';
    let proxied: TestConsole;

    before(async () => {
      proxied = await openConsole({ url, server: { base: '/store' } });
    });
    after(() => proxied.close());

    it('leads to addresses with the path, and takes the secure cookie and its own origin alone', async () => {
      const grace = await proxied.person('Grace', 'editor');
      const secure = `__Host-${grace.cookie}`;
      const ask = (headers: OutgoingHttpHeaders, method = 'GET', body?: unknown) =>
        sendPlainly(proxied.server, method, `${acme}/documents${method === 'GET' ? '?location=' : ''}`, {
          headers: { ...fromOurPage, ...headers },
          body,
        });
      assert.equal(brief(await ask({ Cookie: grace.cookie })), refused, 'a cookie that another host could set');
      assert.equal((await ask({ Cookie: secure })).status, 200);
      for (const origin of ['http://files.example.org', 'https://example.org', 'https://files.example.org:8443']) {
        const headers = { Cookie: secure, Origin: origin, Host: new URL(origin).host };
        assert.equal(brief(await ask(headers)), refused, origin);
      }
      const own = { Cookie: secure, Origin: 'https://files.example.org', 'Idempotency-Key': 'k' };
      const made = await ask(own, 'POST', { location: 'a b.md', content: 'x' });
      assert.equal(made.headers.location, '/store/console/api/workspaces/acme/documents/a%20b.md');
    });
  });

  const send = (method: string, path: string, headers: OutgoingHttpHeaders, body?: unknown): Promise<HttpAnswer> =>
    sendPlainly(test.server, method, path, { headers, body });

  const asAda = (): OutgoingHttpHeaders => ({ Cookie: ada.cookie, ...fromOurPage });
});

const brief = ({ status, refusal }: HttpAnswer): string => `${status} ${refusal}`.trim();

/** Everything that a client sees but the time and what is random in each answer. */
function allOf({ status, headers, text }: HttpAnswer): string {
  const { date: _, 'x-request-id': id, ...rest } = headers;
  return `${status} ${JSON.stringify(rest)}\n${text.replaceAll(String(id), 'ID')}`;
}
