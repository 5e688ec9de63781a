import assert from 'node:assert/strict';
import { routes } from '../../lib/api/rest/rest-routes.js';
import { openTestServer, type HttpAnswer, type HttpClient, type TestServer } from '../support/http/server.js';
import { addSubject, essenceOf, isReplayed, retriedPosts } from './retried-posts.js';

/**
 * In test/rest/connectors.test.ts, webhooks.test.ts, texts.test.ts and keys.test.ts: they store nothing, name a connector or a webhook,
 * or concern the key that asks. A check of the audit log that is under way is the answer to each such request.
 */
const triedElsewhere = [
  '/v1/audit/verifications',
  '/v1/connector-tests',
  '/v1/connectors/{id}/approvals',
  '/v1/connectors/{id}/runs',
  '/v1/connectors/{id}/tests',
  '/v1/keys',
  '/v1/keys/{id}/rotations',
  '/v1/texts/{location}',
  '/v1/webhooks',
  '/v1/webhooks/{id}/replays',
  '/v1/webhooks/{id}/rotations',
  '/v1/webhooks/{id}/tests',
];

describe('Idempotency-Key', () => {
  let service: TestServer;
  let server: TestServer;
  let ada: HttpClient;
  let bob: { readonly id: string; readonly key: string };
  let subject: string;

  before(async () => {
    service = await openTestServer();
  });
  beforeEach(async () => {
    server = await service.addWorkspace();
    ada = await server.person('approver');
    bob = await server.host.person('approver', 'p', 'Bob');
    subject = await addSubject(server);
  });
  after(() => service.close());

  it('is tried here on every existing POST', () => {
    const paths = routes.filter(({ method }) => method === 'POST').map(({ path }) => path);
    const tried = retriedPosts.map(({ path }) => path);
    assert.deepEqual([...tried, ...triedElsewhere].toSorted(), paths.toSorted());
  });

  for (const post of retriedPosts) {
    describe(`at POST ${post.path}`, () => {
      let made: string | void;
      const prepare = async (place: string): Promise<void> => {
        made = await post.prepare(ada, place);
      };
      const send = (
        who: HttpClient,
        place = 'p',
        key = 'once',
        body = post.body(place, subject, made),
      ): Promise<HttpAnswer> => who.post(post.path, body, { 'Idempotency-Key': key });

      it('gives the same answer again without a second effect', async () => {
        await prepare('p');
        const first = await send(server.as(bob.key));
        assert.deepEqual([first.status, isReplayed(first)], [post.status, false]);
        const { head } = server;
        const again = await send(server.as(bob.key));
        assert.equal(essenceOf(again), essenceOf(first));
        assert.ok(isReplayed(again));
        assert.equal(server.head, head);
      });

      it('an idempotency key is free again after a refusal', async () => {
        await prepare('q');
        const { id, key } = await server.host.person('reader', post.tooLittle === 'nothing' ? 'none' : 'q', 'Carl');
        const carl = server.as(key);
        assert.equal((await send(carl, 'q')).refusal, 'NOT_FOUND');
        await server.host.grant('approver', { type: 'principal', id }, 'q');
        const done = await send(carl, 'q');
        assert.deepEqual([done.status, isReplayed(done)], [post.status, false]);
      });

      it('lets one of many at once do it, and gives all of them its answer', async () => {
        await prepare('p');
        const answers = await Promise.all(Array.from({ length: 8 }, () => send(server.as(bob.key))));
        assert.equal(new Set(answers.map(essenceOf)).size, 1);
        assert.equal(answers[0]?.status, post.status);
        assert.equal(answers.filter((answer) => !isReplayed(answer)).length, 1);
      });

      it('gives the answer only to those who still have the right to ask', async () => {
        await prepare('p');
        const first = await send(server.as(bob.key));
        await server.host.revoke('approver', { type: 'principal', id: bob.id }, 'p');
        assert.equal((await send(server.as(bob.key))).refusal, 'NOT_FOUND');
        await server.host.grant('approver', { type: 'principal', id: bob.id }, 'p');
        assert.equal(essenceOf(await send(server.as(bob.key))), essenceOf(first));
      });

      it('an idempotency key is forgotten after a day', async () => {
        await prepare('p');
        await send(server.as(bob.key));
        server.host.clock.advance(24 * 60 * 60 * 1000 - 1);
        assert.ok(isReplayed(await send(server.as(bob.key))));
        server.host.clock.advance(1);
        const late = await send(server.as(bob.key));
        assert.deepEqual([late.refusal, isReplayed(late)], [post.forgotten, false]);
      });

      it('is refused for another body, which then has no effect', async () => {
        await prepare('p');
        await send(server.as(bob.key));
        const { head } = server;
        const refused = await send(server.as(bob.key), 'p', 'once', post.otherBody('p', subject, made));
        assert.equal(refused.refusal, 'CONFLICT idempotency_key_reused');
        assert.equal(server.head, head);
        assert.ok(isReplayed(await send(server.as(bob.key))));
      });

      it('belongs to the principal: its other keys replay, another’s request is its own', async () => {
        await prepare('p');
        const first = await send(server.as(bob.key));
        const second = await send(server.as(await server.host.key(bob.id)));
        assert.deepEqual([essenceOf(second), isReplayed(second)], [essenceOf(first), true]);
        await prepare('p/other');
        const other = await send(ada, 'p/other');
        assert.deepEqual([other.status, isReplayed(other)], [post.status, false]);
      });
    });
  }

  it('is good at one route each: the same text at another is another key', async () => {
    for (const [index, { path, prepare, body, status }] of retriedPosts.entries()) {
      const made = await prepare(ada, `p/${index}`);
      const answer = await ada.post(path, body(`p/${index}`, subject, made), { 'Idempotency-Key': 'everywhere' });
      assert.deepEqual([answer.status, isReplayed(answer)], [status, false], path);
    }
  });
});
