import assert from 'node:assert/strict';
import { readConsoleDescription } from '../../lib/console/console-description.js';
import { routes } from '../../lib/console/console-routes.js';
import { openConsole, sendPlainly, type ConsoleClient, type TestConsole } from '../support/http/console.js';

describe('the console’s API', () => {
  let test: TestConsole;
  let ada: ConsoleClient;

  before(async () => {
    test = await openConsole();
    ada = await test.person('Ada', 'approver');
  });
  after(() => test.close());

  it('describes every row, and has a row for every described path', () => {
    const rows = routes.map(({ method, path }) => `${method} ${path}`);
    const { paths } = readConsoleDescription().document;
    const described = Object.entries(paths).flatMap(([path, item]) =>
      ['get', 'head', 'post', 'put', 'patch', 'delete']
        .filter((method) => method in item)
        .map((method) => `${method.toUpperCase()} ${path}`),
    );
    const ofNoWorkspace = ['GET /session', 'DELETE /session'];
    assert.deepEqual([...rows, ...ofNoWorkspace].toSorted(), described.toSorted());
  });

  it('tells the signed-in person who they are and where they work', async () => {
    const reader = await test.person('Rosa', 'reader');
    const { status, json } = await reader.get('/session');
    assert.equal(status, 200);
    assert.deepEqual(json, {
      sign_in_name: `${reader.principalId}@example.org`,
      display_name: 'Rosa',
      method: 'password',
      started_at: '2026-01-05T09:00:00.000Z',
      workspaces: [
        {
          name: 'acme',
          title: 'acme',
          display_name: 'Rosa',
          principal_id: reader.principalId,
          is_admin: false,
          may_connect: false,
          keys_by_others: 0,
        },
      ],
      unavailable_workspaces: [],
    });
    const [own] = (await ada.get('/session')).json.workspaces;
    assert.deepEqual([own.is_admin, own.may_connect], [true, true]);
    const keeper = await test.person('Kim', 'approver', 'handbook');
    const [kept] = (await keeper.get('/session')).json.workspaces;
    assert.deepEqual([kept.is_admin, kept.may_connect], [false, true]);
  });

  it('creates, lists, reads and updates documents as the person, and leads to them below the workspace', async () => {
    const made = await ada.post('/documents', { location: 'handbook/travel.md', content: 'By train.' });
    assert.equal(made.status, 201);
    assert.equal(made.headers.location, '/console/api/workspaces/acme/documents/handbook/travel.md');
    const page = await ada.get('/documents?location=handbook');
    assert.deepEqual(
      page.json.items.map(({ location }: { location: string }) => location),
      ['handbook/travel.md'],
    );
    const put = await ada.put('/documents/handbook/travel.md', { content: 'By boat.' }, { 'If-Match': made.etag });
    assert.equal(put.status, 200);
    assert.equal(put.json.version.author.id, ada.principalId);
    const stale = await ada.put('/documents/handbook/travel.md', { content: 'By air.' }, { 'If-Match': made.etag });
    assert.equal(stale.refusal, 'CONFLICT stale_if_match');
    const read = await ada.get('/documents/handbook/travel.md');
    assert.equal(read.json.content, 'By boat.');
  });

  it('records each request as the person’s, by the console and without a credential', async () => {
    const { headers } = await ada.get('/documents/nowhere.md');
    const found = test.server.records().find(({ record }) => record.request_id === headers['x-request-id']);
    const { principal, interface: face, credential, outcome, action } = found?.record ?? ({} as never);
    assert.deepEqual(
      { principal, face, credential, outcome, action },
      { principal: ada.principalId, face: 'console', credential: null, outcome: 'refused', action: 'document.read' },
    );
  });

  it('gives a cursor to one person alone', async () => {
    for (const name of ['a', 'b', 'c']) await ada.post('/documents', { location: `paged/${name}.md`, content: name });
    const page = await ada.get('/documents?location=paged&limit=2');
    const cursor = encodeURIComponent(page.json.next_cursor);
    assert.equal((await ada.get(`/documents?location=paged&limit=2&cursor=${cursor}`)).json.items.length, 1);
    const other = await test.person('Otto', 'reader');
    const answer = await other.get(`/documents?location=paged&limit=2&cursor=${cursor}`);
    assert.equal(answer.refusal, 'INVALID_REQUEST bad_cursor');
  });

  it('signs out: the browser forgets its cookie, and a copy of it opens nothing', async () => {
    const guest = await test.person('Gast', 'reader');
    const answer = await guest.send('DELETE', '/session');
    assert.equal(answer.status, 204);
    assert.deepEqual(answer.headers['set-cookie'], ['cartulary=; Path=/; HttpOnly; SameSite=Lax; Max-Age=0']);
    assert.equal((await guest.get('/session')).refusal, 'UNAUTHENTICATED');
    assert.equal((await guest.get('/documents')).refusal, 'UNAUTHENTICATED');
  });

  it('answers nothing at addresses without a row', async () => {
    for (const path of ['', '/', '/workspaces', '/workspaces/acme', '/workspaces/acme/', '/workspaces/acme/session']) {
      const answer = await sendPlainly(test.server, 'GET', `/console/api${path}`, {
        headers: { Cookie: ada.cookie, 'Sec-Fetch-Site': 'same-origin' },
      });
      assert.equal(answer.status, 404, path);
      assert.equal(answer.refusal, 'NOT_FOUND', path);
    }
  });

  it('serves one page at every address below /console, for a script that finds the screen', async () => {
    for (const path of ['/console', '/console/acme/documents/a.md?version=1', '/console/anything']) {
      const { status, headers } = await sendPlainly(test.server, 'GET', path);
      assert.ok(status === 200 || status === 503, `${path}: ${status}`);
      assert.equal(headers['x-frame-options'], 'DENY');
    }
    assert.equal((await sendPlainly(test.server, 'GET', '/console/assets/nothing.js')).status, 404);
    assert.equal((await sendPlainly(test.server, 'POST', '/console')).status, 405);
  });
});
