import assert from 'node:assert/strict';
import { createServer, type Server } from 'node:net';
import type { AddressInfo } from 'node:net';
import { setInterval } from 'node:timers';
import { createWebhook } from '../../lib/operations/webhooks/create-webhook.js';
import { parseFolderLocation } from '../../lib/domain/location.js';
import type { WebhookDelivery } from '../../lib/domain/webhook.js';
import { testWebhook } from '../../lib/operations/webhooks/test-webhook.js';
import { outcomeOf } from '../support/store/actor.js';
import { HookedWorld } from './hooked-world.js';

describe('A receiver of webhooks that misbehaves', () => {
  let world: HookedWorld;

  beforeEach(async () => {
    world = await HookedWorld.open();
  });
  afterEach(() => world.close());

  it('is left behind when it does not answer', async () => {
    await beImpatient();
    world.receiver.answer = () => undefined;
    const { outcome, status, answer } = await deliver(world);
    assert.deepEqual([outcome, status], ['failed', null]);
    assert.match(answer ?? '', /does not answer in time/);
  });

  it('has taken the message when it says so, however long it goes on', async () => {
    await beImpatient();
    let timer: NodeJS.Timeout | undefined;
    world.receiver.answer = (response) => {
      response.writeHead(200);
      timer = setInterval(() => response.write('x'.repeat(10_000)), 1);
    };
    try {
      const { outcome, status, answer } = await deliver(world);
      assert.deepEqual([outcome, status, answer], ['delivered', 200, 'x'.repeat(200)]);
    } finally {
      clearInterval(timer);
    }
  });

  it('has taken the message when it says so and then hangs', async () => {
    await beImpatient();
    world.receiver.answer = (response) => void response.writeHead(202).write('ok');
    const { outcome, status } = await deliver(world);
    assert.deepEqual([outcome, status], ['delivered', 202]);
  });

  it('is not followed to another address, of its own or of others', async () => {
    const other = await world.another();
    for (const location of ['/elsewhere', other.url, 'http://169.254.169.254/latest']) {
      world.receiver.answerWith(307, { location });
      const { webhook } = await world.hook();
      const { outcome } = await world.do(testWebhook, { webhookId: webhook.id });
      assert.equal(outcome, 'failed');
    }
    assert.equal(world.receiver.received.length, 3);
    assert.equal(other.received.length, 0);
  });

  it('fails when it resets the connection', async () => {
    world.receiver.answer = (response) => void response.socket?.resetAndDestroy();
    const { outcome, answer } = await deliver(world);
    assert.equal(outcome, 'failed');
    assert.match(answer ?? '', /broke the connection off/);
  });

  it('fails when it speaks something else than HTTP', async () => {
    const server: Server = createServer((socket) =>
      socket
        .on('error', () => undefined)
        .resume()
        .end('220 mail.example ESMTP\r\n'),
    );
    await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
    const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
    const mail = await HookedWorld.open({ hosts: [host] });
    try {
      const { webhook } = await mail.hook({ url: `http://${host}/` });
      const { outcome, answer } = await mail.do(testWebhook, { webhookId: webhook.id });
      assert.equal(outcome, 'failed');
      assert.match(answer ?? '', /something else than HTTP/);
    } finally {
      await mail.close();
      await new Promise((resolve) => server.close(resolve));
    }
  });

  it('says nothing that a page could show wrongly or that fills the file', async () => {
    world.receiver.answerWith(500, {}, `\u0000\u202e<b>${'é'.repeat(5000)}`);
    const { answer } = await deliver(world);
    assert.match(answer ?? '', /^<b>é+$/);
    assert.equal(answer?.length, 200);
  });

  /** A world that soon gives a receiver up. */
  async function beImpatient(): Promise<void> {
    await world.close();
    world = await HookedWorld.open({ webhooks: { timeouts: { head: 300, idle: 300, body: 300 } } });
  }
});

describe('The address of a webhook', () => {
  let world: HookedWorld;
  let resolved: string[];

  beforeEach(async () => {
    resolved = ['127.0.0.1'];
    const resolve = () => Promise.resolve(resolved);
    world = await HookedWorld.open({ webhooks: { resolve, hosts: [] } });
  });
  afterEach(() => world.close());

  it('is reached by https alone, and holds no password', async () => {
    const make = (url: string) =>
      outcomeOf(world.do(createWebhook, { name: 'x', url, location: parseFolderLocation('team'), kinds: null }));
    for (const url of [
      '',
      'ftp://a.example/',
      'javascript:alert(1)',
      '//a.example',
      'https://u:p@a.example/',
      'http://a.example/',
    ]) {
      assert.equal(await make(url), 'INVALID_REQUEST bad_field', url);
    }
    assert.equal(await make(`https://a.example/${'a'.repeat(2000)}`), 'INVALID_REQUEST bad_field');
    assert.equal(await make('https://a.example/\u202ex'), 'INVALID_REQUEST bad_field');
    assert.equal(await make('https://a.example/in?x=1'), 'done');
  });

  it('is no private one, under any name, and the sentence names the setting', async () => {
    const urls = [
      'https://127.0.0.1/',
      'https://0x7f.1/',
      'https://[::1]/',
      'https://169.254.169.254/',
      'https://a.example/',
    ];
    for (const url of urls)
      assert.match(await test(url), /not on the public internet.*the setting webhook_hosts\.$/, url);
  });

  it('is judged again at each message, so that a name which changes its address gains nothing', async () => {
    resolved = ['93.184.216.34', '10.0.0.7'];
    assert.match(await test('https://rebound.example/'), /not on the public internet/);
    resolved = ['10.0.0.7'];
    assert.match(await test('https://rebound.example/'), /not on the public internet/);
  });

  const test = async (url: string): Promise<string> => {
    const { webhook } = await world.hook({ url });
    return (await world.do(testWebhook, { webhookId: webhook.id })).answer ?? '';
  };
});

/** What becomes of one message to the receiver. */
async function deliver(world: HookedWorld): Promise<Omit<WebhookDelivery, 'messageId' | 'at'>> {
  const { webhook } = await world.hook();
  await world.ada.create('team/a.md');
  const [attempt] = await world.noted(webhook.id, 1);
  assert.ok(attempt !== undefined);
  return attempt;
}
