import assert from 'node:assert/strict';
import { openTestServer, type HttpAnswer, type HttpClient, type TestServer } from '../support/http/server.js';

describe('NOT_FOUND over REST', () => {
  let server: TestServer;
  let ada: HttpClient;
  let bob: HttpClient;
  let version: string;
  let commentId: string;
  let threadId: string;
  let claimId: string;
  const passage = { quote: 'text' };

  before(async () => {
    server = await openTestServer();
    ada = await server.person('approver');
    version = (await ada.create('secret/here.md')).json.version.id;
    const comment = await ada.post('/v1/comments', { location: 'secret/here.md', text: 'x' });
    ({ id: commentId, thread_id: threadId } = comment.json);
    claimId = (await ada.post('/v1/claims', { location: 'secret/here.md' })).json.id;
    await ada.create('open/here.md');
    await ada.create('secret/gone.md');
    await ada.delete('/v1/documents/secret/gone.md');
    bob = await server.person('reader', 'open', 'bob');
  });
  after(() => server.close());

  const requests: [string, (who: HttpClient, location: string) => Promise<HttpAnswer>][] = [
    ['reading', (who, location) => who.get(`/v1/documents/${location}`)],
    ['asking for headers', (who, location) => who.head(`/v1/documents/${location}`)],
    ['reading raw', (who, location) => who.get(`/v1/documents/${location}`, { Accept: 'application/octet-stream' })],
    ['reading a range', (who, location) => who.get(`/v1/documents/${location}`, { Range: 'bytes=0-1' })],
    ['reading a version', (who, location) => who.get(`/v1/documents/${location}?version=${version}`)],
    ['reading conditionally', (who, location) => who.get(`/v1/documents/${location}`, { 'If-None-Match': '*' })],
    ['updating', (who, location) => who.put(`/v1/documents/${location}`, { content: 'x' })],
    ['updating by a stale ETag', (who, location) => who.put(`/v1/documents/${location}`, { content: '' }, stale)],
    ['updating raw', (who, location) => who.put(`/v1/documents/${location}`, Buffer.from('x'))],
    ['deleting', (who, location) => who.delete(`/v1/documents/${location}`)],
    ['creating', (who, location) => who.create(location)],
    ['listing its history', (who, location) => who.get(`/v1/history?location=${location}`)],
    ['comparing it', (who, location) => who.get(`/v1/diffs?location=${location}`)],
    ['comparing a version', (who, location) => who.get(`/v1/diffs?location=${location}&from=${version}`)],
    ['reading its labels', (who, location) => who.get(`/v1/labels?location=${location}`)],
    ['updating its labels', (who, location) => who.put(`/v1/labels?location=${location}`, { labels: ['x'] })],
    ['updating labels by adding', (who, location) => who.post('/v1/labels', { location, labels: ['x'] })],
    ['updating labels by removing', (who, location) => who.delete(`/v1/labels?location=${location}&label=x`)],
    ['updating by a claim', (who, location) => who.post('/v1/claims', { location })],
    ['updating by a claim on a section', (who, location) => who.post('/v1/claims', { location, section: 'x' })],
    ['updating by a restore', (who, location) => who.post('/v1/restores', { location, version })],
    ['deleting as a folder', (who, location) => who.post('/v1/folder-deletions', { location })],
    ['bringing it back as a folder', (who, location) => who.post('/v1/folder-undeletes', { location })],
    ['previewing a revert', (who, location) => who.get(`/v1/reverts?location=${location}&${doings}`)],
    ['updating by a revert', (who, location) => who.post('/v1/reverts', { location, ...doing, preview })],
    ['updating by breaking a claim', (who, location) => who.post('/v1/claim-breaks', { location, id: claimId })],
    ['listing its comments', (who, location) => who.get(`/v1/comments?location=${location}`)],
    ['commenting', (who, location) => who.post('/v1/comments', { location, text: 'x' })],
    ['commenting on a passage', (who, location) => who.post('/v1/comments', { location, text: 'x', passage })],
    ['answering', (who, location) => who.post('/v1/comments', { location, text: 'x', thread_id: threadId })],
    [
      'editing a comment',
      (who, location) => who.put(`/v1/comments?location=${location}&id=${commentId}`, { text: 'x' }),
    ],
    ['taking a comment away', (who, location) => who.delete(`/v1/comments?location=${location}&id=${commentId}`)],
    ['settling', (who, location) => who.put(`/v1/threads?location=${location}&id=${threadId}`, { resolved: true })],
    ['giving a claim up', (who) => who.delete(`/v1/claims?id=${claimId}`)],
    ['creating below it', (who, location) => who.create(`${location}/below.md`)],
  ];
  const doing = { principal_id: 'prn_0', since: '2000-01-01T00:00:00Z' };
  const doings = new URLSearchParams(doing).toString();
  const preview = '0'.repeat(64);
  const stale = { 'If-Match': `"${'0'.repeat(40)}"` };

  for (const [what, ask] of requests) {
    it(`is the same, headers and body, when ${what}, for what is hidden, deleted, or never was`, async () => {
      const answers: string[] = [];
      for (const location of ['secret/here.md', 'secret/gone.md', 'secret/none.md', 'nowhere/none.md']) {
        answers.push(anonymous(await ask(bob, location)));
      }
      assert.equal(new Set(answers).size, 1, answers.join('\n'));
      assert.match(answers[0] ?? '', /"status":404/);
    });
  }

  it('is the same for a reader without the right to write and for a person who sees nothing', async () => {
    const writes = requests.filter(([what]) => /updating|deleting|creating/.test(what));
    for (const [what, ask] of writes) {
      const [seen, unseen] = [await ask(bob, 'open/here.md'), await ask(bob, 'secret/here.md')];
      assert.equal(anonymous(seen), anonymous(unseen), what);
    }
  });

  it('says of a path without a route that there is none, to every key alike', async () => {
    for (const path of ['/v1/no/such/route', '/v1/document/secret/here.md', '/v1/keys/not%20an%20id']) {
      const refused = await bob.get(path);
      assert.equal(refused.refusal, 'NOT_FOUND');
      assert.match(refused.json.error.message, /^There is no such path\./);
      assert.equal(anonymous(refused), anonymous(await ada.get(path)));
    }
  });
});

/** An answer without its own parts: ids, the time, and the rest of the caller's rate. */
function anonymous({ status, headers, text, json }: HttpAnswer): string {
  const { 'x-request-id': _, date: __, 'x-ratelimit-remaining': ___, ...rest } = headers;
  const id = (json as { error: { request_id: string } } | undefined)?.error.request_id;
  return JSON.stringify({ status, rest, body: id === undefined ? text : text.replace(id, 'req') });
}
