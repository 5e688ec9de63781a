import assert from 'node:assert/strict';
import { openTestServer, type HttpAnswer, type HttpClient, type TestServer } from '../support/http/server.js';
import { until } from '../support/until.js';
import { Receiver } from '../support/webhooks/receiver.js';

describe('webhooks over REST', () => {
  let server: TestServer;
  let receiver: Receiver;
  /** Approver of `team`. */
  let ada: HttpClient;
  let id: string;

  before(async () => {
    receiver = await Receiver.open();
    server = await openTestServer({ webhooks: { hosts: [receiver.host] } });
    ada = await server.person('approver', 'team');
    await ada.create('team/start.md');
    await server.host.service.startSchedules();
    id = (await make(ada)).json.id;
  });
  after(async () => {
    await server.close();
    await receiver.close();
  });

  it('show the secret once, also when the request is sent again', async () => {
    const headers = { 'Idempotency-Key': 'make-once' };
    const [first, again] = [await make(ada, {}, headers), await make(ada, {}, headers)];
    assert.equal(first.headers.location, `/v1/webhooks/${first.json.id}`);
    assert.match(first.json.secret, /^whsec_/);
    assert.deepEqual([again.status, again.json.id, again.json.secret], [201, first.json.id, null]);
    const shown = await ada.get(`/v1/webhooks/${first.json.id}`);
    assert.ok(!shown.text.includes('secret'));
    const key = { 'Idempotency-Key': 'rotate-once' };
    const rotate = () => ada.post(`/v1/webhooks/${first.json.id}/rotations`, undefined, key);
    const [rotated, repeated] = [await rotate(), await rotate()];
    assert.match(rotated.json.secret, /^whsec_/);
    assert.notEqual(rotated.json.secret, first.json.secret);
    assert.deepEqual([repeated.json.secret, repeated.json.rotating_until], [null, rotated.json.rotating_until]);
    await ada.delete(`/v1/webhooks/${first.json.id}`);
    assert.equal((await ada.get(`/v1/webhooks/${first.json.id}`)).refusal, 'NOT_FOUND');
  });

  it('answer those without the approver role as if they were not there', async () => {
    const others = [
      await server.person('editor', 'team'),
      await server.person('reader', 'team'),
      await server.person('approver', 'elsewhere'),
      server.as(await server.host.key(await server.host.principal('Nobody'))),
    ];
    const comparable = ({ status, text }: HttpAnswer): unknown => [status, text.replaceAll(/req_\w+/g, 'req_')];
    for (const client of others) {
      const ask = async (which: string): Promise<unknown[]> => {
        const at = `/v1/webhooks/${which}`;
        const answers = [
          await client.get(at),
          await client.send('PATCH', at, { body: { enabled: false } }),
          await client.send('DELETE', at),
          await client.post(`${at}/rotations`, undefined),
          await client.post(`${at}/tests`, undefined),
          await client.get(`${at}/deliveries`),
          await client.post(`${at}/replays`, { delivery: 1 }),
        ];
        for (const { refusal } of answers) assert.equal(refusal, 'NOT_FOUND');
        return answers.map(comparable);
      };
      assert.deepEqual(await ask(id), await ask('whk_00000000000000000000'));
      assert.deepEqual((await client.get('/v1/webhooks')).json.items, []);
      assert.equal((await make(client)).refusal, 'NOT_FOUND');
    }
  });

  it('name the field of a request that is not right', async () => {
    const field = ({ refusal, json }: HttpAnswer): unknown => [refusal, json.error.details.field];
    const bad = (name: string): unknown => ['INVALID_REQUEST bad_field', name];
    assert.deepEqual(field(await make(ada, { url: 'ftp://a.example/' })), bad('url'));
    assert.deepEqual(field(await make(ada, { kinds: ['security.key_minted'] })), bad('kinds'));
    assert.deepEqual(field(await make(ada, { secret: 'own' })), ['INVALID_REQUEST unknown_field', 'secret']);
    assert.deepEqual(field(await ada.post('/v1/webhooks', { url: receiver.url })), [
      'INVALID_REQUEST missing_field',
      'name',
    ]);
    assert.equal(
      (await ada.send('POST', `/v1/webhooks/${id}/tests`)).refusal,
      'INVALID_REQUEST missing_idempotency_key',
    );
  });

  it('are disabled, enabled, tested, listed by pages and repeated', async () => {
    const at = `/v1/webhooks/${id}`;
    const disabled = await ada.send('PATCH', at, { body: { enabled: false } });
    assert.deepEqual([disabled.json.enabled, disabled.json.stopped], [false, 'by_hand']);
    for (const name of ['a', 'b', 'c']) await ada.create(`team/${name}.md`);
    assert.equal((await ada.send('PATCH', at, { body: { enabled: true } })).json.stopped, null);
    const items = async (target: string) => (await ada.get(target)).json.items as { number: number }[];
    await until('all three are told', async () => (await items(`${at}/deliveries`)).length === 3);
    const page = (await ada.get(`${at}/deliveries?limit=2`)).json;
    assert.deepEqual(
      page.items.map(({ number, status }: { number: number; status: number }) => [number, status]),
      [
        [3, 204],
        [2, 204],
      ],
    );
    const rest = (await ada.get(`${at}/deliveries?limit=2&cursor=${page.next_cursor}`)).json;
    assert.deepEqual([rest.items.length, rest.items[0].number, rest.next_cursor], [1, 1, null]);
    assert.equal((await ada.post(`${at}/tests`, undefined)).json.delivered, true);
    const key = { 'Idempotency-Key': 'replay-once' };
    const replay = () => ada.post(`${at}/replays`, { delivery: 2 }, key);
    assert.deepEqual([(await replay()).status, (await replay()).headers['idempotent-replayed']], [202, 'true']);
    assert.equal((await ada.post(`${at}/replays`, { delivery: 77 })).refusal, 'NOT_FOUND');
    await until('two are told again', async () => (await items(`${at}/deliveries`)).length === 5);
  });

  const make = (client: HttpClient, more: object = {}, headers = {}): Promise<HttpAnswer> =>
    client.post('/v1/webhooks', { name: 'Index', url: receiver.url, location: 'team', ...more }, headers);
});
