import assert from 'node:assert/strict';
import { parseLocation } from '../../lib/domain/location.js';
import { eraseDocument } from '../../lib/operations/documents/erase-document.js';
import { perform } from '../../lib/operations/perform.js';
import { openTestServer, type HttpAnswer, type HttpClient, type TestServer } from '../support/http/server.js';
import { operator } from '../support/store/service.js';
import { isReplayed } from './retried-posts.js';

const place = 'lost/answer.md';

/** Requests under If-Match. Their retry finds another version than the one they name. */
const writes: readonly RetriedWrite[] = [
  {
    what: 'PUT of a document',
    send: (who, etag, key, isOther = false) =>
      who.put(`/v1/documents/${place}`, { content: isOther ? 'three' : 'two' }, { 'If-Match': etag, ...under(key) }),
  },
  {
    what: 'PUT of a file',
    send: (who, etag, key, isOther = false) =>
      who.put(`/v1/files/${place}`, Buffer.from(isOther ? 'three' : 'two'), {
        'Content-Type': 'text/markdown',
        'If-Match': etag,
        ...under(key),
      }),
  },
  {
    what: 'DELETE of a document',
    send: (who, etag, key, isOther = false) =>
      who.delete(`/v1/documents/${place}`, { 'If-Match': isOther ? '*' : etag, ...under(key) }),
  },
];

const under = (key: string): Record<string, string> => ({ 'Idempotency-Key': key });

for (const { what, send } of writes) {
  describe(`A ${what} under an Idempotency-Key`, () => {
    let service: TestServer;
    let server: TestServer;
    let ada: HttpClient;
    let etag: string;

    before(async () => {
      service = await openTestServer();
    });
    beforeEach(async () => {
      server = await service.addWorkspace();
      ada = await server.person('approver');
      ({ etag } = await ada.create(place, 'one'));
    });
    after(() => service.close());

    it('gives its first answer again, after its own version has made the ETag stale (Errors 5)', async () => {
      const first = await send(ada, etag, 'once');
      assert.deepEqual([first.status, isReplayed(first)], [200, false]);
      const { head } = server;
      const again = await send(ada, etag, 'once');
      assert.deepEqual([again.status, again.text, again.etag], [200, first.text, first.etag]);
      assert.ok(isReplayed(again));
      assert.equal(server.head, head);
    });

    it('is done once, however many come at the same time', async () => {
      const answers = await Promise.all(Array.from({ length: 8 }, () => send(ada, etag, 'at-once')));
      assert.equal(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size, 1);
      assert.equal(answers.filter((answer) => !isReplayed(answer)).length, 1);
    });

    it('refuses the key for another content or another If-Match', async () => {
      await send(ada, etag, 'once');
      for (const other of [send(ada, etag, 'once', true), send(ada, '"0000"', 'once')]) {
        assert.equal((await other).refusal, 'CONFLICT idempotency_key_reused');
      }
    });

    it('remembers no refusal: with the present ETag it goes through under its key', async () => {
      const { etag: next } = await ada.put(`/v1/documents/${place}`, { content: 'by another' });
      assert.notEqual((await send(ada, etag, 'once')).status, 200);
      assert.equal((await send(ada, next, 'once')).status, 200);
    });

    it('gives the answer only to those who may write there still', async () => {
      const { id, key } = await server.host.person('editor', 'lost', 'Bob');
      const bob = server.as(key);
      const first = await send(bob, etag, 'once');
      await server.host.revoke('editor', { type: 'principal', id }, 'lost');
      assert.equal((await send(bob, etag, 'once')).refusal, 'NOT_FOUND');
      await server.host.grant('editor', { type: 'principal', id }, 'lost');
      assert.equal((await send(bob, etag, 'once')).text, first.text);
    });

    it('is not found after an erase of its document', async () => {
      const { id } = (await ada.get(`/v1/documents/${place}`)).json;
      await send(ada, etag, 'once');
      const input = { location: parseLocation(place), documentId: id, confirmation: 'answer.md' };
      await perform(server.host.workspace, operator, eraseDocument, input);
      assert.equal((await send(ada, etag, 'once')).refusal, 'NOT_FOUND');
    });

    it('needs no key: without one the retry is refused as before', async () => {
      const done = await ada.put(`/v1/documents/${place}`, { content: 'two' }, { 'If-Match': etag });
      const again = await ada.put(`/v1/documents/${place}`, { content: 'two' }, { 'If-Match': etag });
      assert.deepEqual([done.status, again.refusal], [200, 'CONFLICT stale_if_match']);
    });

    it('refuses a malformed key before anything is done', async () => {
      assert.equal((await send(ada, etag, 'x'.repeat(256))).refusal, 'INVALID_REQUEST bad_field');
      assert.equal((await ada.get(`/v1/documents/${place}`)).etag, etag);
    });
  });
}

interface RetriedWrite {
  readonly what: string;
  send(who: HttpClient, etag: string, key: string, isOther?: boolean): Promise<HttpAnswer>;
}
