import assert from 'node:assert/strict';
import { join } from 'node:path';
import { ask, askRefused, makeFolder, runProgram, serve, tidyUp, timeout } from '../support/processes/run-program.js';
import { until } from '../support/until.js';
import { isSigned, Receiver, type Received } from '../support/webhooks/receiver.js';

describe('cartulary webhook', function () {
  this.timeout(timeout);

  let data: string;
  let key: string;
  let receiver: Receiver;
  let running: Awaited<ReturnType<typeof serve>>;

  before(async () => {
    receiver = await Receiver.open();
    data = join(await makeFolder(), 'data');
    ({ key } = await ask<{ key: string }>('init', '--data', data, '--workspace', 'acme', '--admin', 'Ada'));
    await start();
  });
  after(async () => {
    await running.stop();
    await receiver.close();
    await tidyUp();
  });

  it('makes, lists, tests, rotates, disables and removes one', async () => {
    const made = await webhook('add', receiver.url, '--name', 'index', '--kinds', 'created');
    const tested = await webhook<{ delivered: boolean }>('test', 'index');
    assert.equal(tested.delivered, true);
    await create('a.md');
    await until('two messages have come', () => receiver.received.length === 2);
    assert.deepEqual(receiver.told(), ['webhook.test -', 'document.created a.md']);
    assert.ok(isSigned(receiver.received[1] as Received, made.secret));
    const rotated = await webhook('rotate', 'index');
    assert.notEqual(rotated.secret, made.secret);
    const again = await askRefused('webhook', 'rotate', 'index', '--data', data);
    assert.match(again.message, /Two secrets sign its messages until .*--now/);
    assert.notEqual((await webhook('rotate', 'index', '--now')).secret, rotated.secret);
    assert.equal((await webhook('disable', 'index')).stopped, 'by_hand');
    assert.equal((await webhook('enable', made.id)).enabled, true);
    const { items } = await webhook<{ items: { type: string; status: number }[] }>('deliveries', 'index');
    assert.deepEqual(
      items.map(({ type, status }) => [type, status]),
      [['document.created', 204]],
    );
    const wrong = await askRefused('webhook', 'change', 'index', '--kinds', 'exploded', '--data', data);
    assert.match(wrong.message, /^--kinds has no "exploded"\. There are: created, /);
    assert.deepEqual(await webhook('remove', 'index'), { removed: true, id: made.id });
    assert.equal((await askRefused('webhook', 'show', 'index', '--data', data)).code, 'NOT_FOUND');
  });

  it('fails when a test message is not delivered, and says what was answered', async () => {
    await webhook('add', receiver.url, '--name', 'tried');
    const test = (...words: string[]) => runProgram(['webhook', 'test', 'tried', '--data', data, ...words]);
    assert.equal((await test()).code, 0);
    receiver.answerWith(404, {}, 'no such route');
    const [people, machines, quiet] = [await test(), await test('--json'), await test('-q')];
    assert.deepEqual([people.code, machines.code, quiet.code], [1, 1, 1]);
    assert.match(people.stdout, /answer +no such route/);
    assert.match(people.stderr, /Not delivered: the receiver answered 404/);
    assert.equal((JSON.parse(machines.stdout) as { delivered: boolean }).delivered, false);
    receiver.recover();
    await webhook('remove', 'tried');
  });

  it('lists for a terminal of usual width, and for scripts', async () => {
    const secret = await runProgram(['webhook', 'add', receiver.url, '--name', 'wide', '--data', data, '-q']);
    assert.match(secret.stdout, /^whsec_\S+\n$/);
    receiver.answerWith(500, {}, `a long answer ${'of many words '.repeat(20)}`);
    await create('w.md');
    await until('it was tried', async () => (await webhook<{ last_delivery: unknown }>('show', 'wide')).last_delivery);
    for (const words of [['list'], ['deliveries', 'wide']]) {
      const { stdout } = await runProgram(['webhook', ...words, '--data', data], { environment: { COLUMNS: '80' } });
      const [head = '', ...lines] = stdout.trimEnd().split('\n');
      assert.ok(
        [head, ...lines].every((line) => line.length <= 80),
        stdout,
      );
      assert.match(head, words[0] === 'list' ? /^id +name/ : /^number +at +type +status/);
      assert.equal(lines.length, 1);
    }
    const numbers = await runProgram(['webhook', 'deliveries', 'wide', '--data', data, '-q']);
    assert.equal(numbers.stdout, '1\n');
    receiver.recover();
    await webhook('remove', 'wide');
  });

  it('sends a message again under its id when the service was killed before it was noted', async () => {
    await webhook('add', receiver.url, '--name', 'again');
    receiver.received.length = 0;
    receiver.answer = () => undefined;
    await create('b.md');
    await until('the message has come', () => receiver.received.length === 1);
    await running.stop('SIGKILL');
    receiver.recover();
    await start();
    await create('c.md');
    await until('both messages have come', () => receiver.received.length === 3);
    assert.deepEqual(receiver.told(), ['document.created b.md', 'document.created b.md', 'document.created c.md']);
    const [first, again, next] = receiver.ids();
    assert.deepEqual([first === again, next === again], [true, false]);
    receiver.answerWith(410);
    await create('d.md');
    await until('it is disabled', async () => (await webhook('show', 'again')).stopped === 'gone');
    const status = await ask<{ workspaces: { warnings: string[] }[] }>('status', '--data', data);
    assert.match(
      JSON.stringify(status),
      /The webhook again \(whk_[0-9a-z]+\) is disabled: its receiver answered 410 Gone/,
    );
  });

  const start = async (): Promise<void> => {
    running = await serve(data, { environment: { CARTULARY_WEBHOOK_HOSTS: receiver.host } });
  };

  const webhook = <Result = Shown>(...words: string[]) => ask<Result>('webhook', ...words, '--data', data);

  const create = async (location: string): Promise<void> => {
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json', 'idempotency-key': location };
    const body = JSON.stringify({ location, content: 'text' });
    const answer = await fetch(`${running.url}/v1/documents`, { method: 'POST', headers, body });
    assert.equal(answer.status, 201, await answer.text());
  };
});

interface Shown {
  readonly id: string;
  readonly secret: string;
  readonly enabled: boolean;
  readonly stopped: string | null;
}
