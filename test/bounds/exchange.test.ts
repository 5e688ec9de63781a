import assert from 'node:assert/strict';
import { request as send } from 'node:http';
import { text as readText } from 'node:stream/consumers';
import { readPolicy } from '../../lib/access/read-policy.js';
import { sourceOf } from '../../lib/limits/work-limits.js';
import type { Caller } from '../../lib/domain/caller.js';
import { invalidRequest } from '../../lib/domain/refusal.js';
import type { Exchange } from '../../lib/http/exchange.js';
import { openPort, type Port } from '../../lib/http/port.js';
import { sayRefusal, sendReply, type Reply } from '../../lib/http/send-reply.js';
import {
  serveCallers,
  serveOpenly,
  type Asking,
  type CallerFace,
  type Performing,
} from '../../lib/http/serve-exchange.js';
import { RawConnection } from '../support/http/raw-connection.js';
import { keepLog, type LogLine } from '../support/http/log.js';
import { openTestServer, type TestServer } from '../support/http/server.js';
import { until } from '../support/until.js';

describe('the steps of a request', () => {
  let server: TestServer;
  let port: Port;
  let face: Walked;
  let log: LogLine[];
  let caller: Caller;
  let noted: number;

  beforeEach(async () => {
    server = await openTestServer();
    const { host, rest } = server;
    const { service, workspace } = host;
    const principalId = await host.principal('ada');
    caller = { principalId, kind: 'person', credentialId: 'key_1', interface: 'git', requestId: 'req_1' };
    noted = 0;
    const policy = readPolicy(workspace.journal.reader);
    face = new Walked((requestId) => ({
      workspace,
      caller: { ...caller, requestId },
      policy,
      source: 'key_1',
      requestsPerMinute: 3,
      noteUse: () => void (noted += 1),
    }));
    log = [];
    const notes = { log: keepLog(log), addressOf: rest.addressOf, later: rest.later };
    port = await openFor(serveCallers(service, notes, face));
  });
  afterEach(async () => {
    await port.close(0);
    await server.close();
  });

  it('come in one order: admit, recognise, rate, read, perform, send', async () => {
    assert.equal((await get()).text, 'admit recognise rate read perform');
    assert.deepEqual(face.steps, ['admit', 'recognise', 'rate', 'read', 'perform', 'send']);
    assert.equal(noted, 1);
  });

  it('end with an answer that needs no caller', async () => {
    assert.equal((await get('/open')).text, 'admit');
    assert.equal(noted, 0);
  });

  it('end before the body where the caller is above its rate, which notes no use and counts the refusal', async () => {
    for (let taken = 0; taken < 100 && (await get()).status === 200; taken += 1) face.steps = [];
    assert.deepEqual(face.steps, ['admit', 'recognise', 'rate', 'present', 'send']);
    const before = noted;
    assert.equal((await get()).status, 429);
    assert.equal(noted, before);
  });

  it('hold a place among the requests under way until the answer has left', async () => {
    const { requests } = server.host.service.workLimits;
    let during = 0;
    face.performing = () => void (during = requests.use.used);
    await get();
    assert.equal(during, 1);
    await until('the place is given back', () => requests.use.used === 0);
  });

  it('end where too many requests of the caller are under way', async () => {
    const { requests } = server.host.service.workLimits;
    const source = sourceOf('acme', caller);
    for (let under = 0; under < 100; under += 1) requests.takeNow(source);
    assert.equal((await get()).status, 429);
    assert.deepEqual(face.steps, ['admit', 'recognise', 'rate', 'present', 'send']);
  });

  it('record a refusal of the step read under its action, and no other', async () => {
    face.reading = (exchange) => {
      exchange.action = 'document.read';
      throw invalidRequest('bad_field', 'The header X is odd.', { field: 'X' });
    };
    assert.equal((await get()).text, 'The header X is odd.\n');
    face.reading = nothing;
    face.performing = () => {
      throw invalidRequest('bad_field', 'Performed.', { field: 'X' });
    };
    assert.equal((await get()).text, 'Performed.\n');
    const refused = server.records().filter(({ record }) => record.outcome === 'refused');
    assert.deepEqual(
      refused.map(({ record }) => [record.action, record.interface]),
      [['document.read', 'git']],
    );
  });

  it('end alike where a step fails at once and where its promise does', async () => {
    const fail = (text: string): never => {
      throw invalidRequest('bad_field', text, { field: 'X' });
    };
    for (const reading of [() => fail('Read.'), () => Promise.resolve().then(() => fail('Read.'))]) {
      Object.assign(face, { reading, performing: nothing, steps: [] });
      assert.equal((await get()).text, 'Read.\n');
      assert.deepEqual(face.steps, ['admit', 'recognise', 'rate', 'read', 'present', 'send']);
    }
    assert.equal(server.records().filter(({ record }) => record.outcome === 'refused').length, 2);
  });

  it('end alike where the operation fails at once and where its promise does', async () => {
    const fail = (): never => {
      throw new Error('the disk of ada');
    };
    for (const performing of [fail, () => Promise.resolve().then(fail)]) {
      Object.assign(face, { performing, steps: [] });
      assert.equal((await get()).status, 500);
      assert.deepEqual(face.steps, ['admit', 'recognise', 'rate', 'read', 'perform', 'present', 'send']);
    }
  });

  it('answer a fault of sending, where nothing has left', async () => {
    face.sending = () => {
      face.sending = nothing;
      throw new Error('the disk of ada');
    };
    assert.equal((await get()).status, 500);
    assert.deepEqual(face.steps, ['admit', 'recognise', 'rate', 'read', 'perform', 'send', 'present', 'send']);
    assert.equal(log[0]?.message, 'A request failed');
  });

  it('write the cause of a fault into the log, and keep it from the caller', async () => {
    face.performing = () => {
      throw new Error('the disk of ada');
    };
    const { status, text } = await get();
    assert.equal(status, 500);
    assert.ok(!text.includes('ada'));
    await until('both lines are in the log', () => log.length === 2);
    assert.deepEqual(
      log.map(({ message }) => message),
      ['A request failed', 'request'],
    );
  });

  it('give back the place of a client that leaves, and tell the work so', async () => {
    const { requests } = server.host.service.workLimits;
    let departure: AbortSignal | undefined;
    face.performing = (exchange) => {
      departure = exchange.departure();
      return new Promise((resolve) => departure?.addEventListener('abort', () => resolve()));
    };
    const connection = await RawConnection.open(port.port);
    connection.write('GET /a HTTP/1.1\r\nHost: a\r\n\r\n');
    await until('the work has begun', () => departure !== undefined);
    assert.equal(requests.use.used, 1);
    connection.reset();
    await until('the place is given back', () => requests.use.used === 0);
    assert.equal(departure?.aborted, true);
    const line = await until('the request has its line', () => log.find(({ message }) => message === 'request'));
    assert.equal(line.fields['status'], null);
  });

  it('tell work that asks only after the client has left, and give back room that is taken then', async () => {
    let asked: Exchange | undefined;
    let goOn: (() => void) | undefined;
    face.performing = (exchange) => {
      asked = exchange;
      return new Promise((resolve) => (goOn = resolve));
    };
    const connection = await RawConnection.open(port.port);
    connection.write('GET /a HTTP/1.1\r\nHost: a\r\n\r\n');
    const exchange = await until('the work has begun', () => asked);
    connection.reset();
    await until('the client has left', () => exchange.response.closed);
    assert.equal(exchange.departure().aborted, true);
    assert.equal(exchange.standAside().aborted, true);
    let released = 0;
    exchange.hold(() => void (released += 1));
    assert.equal(released, 1);
    goOn?.();
  });

  it('refuse HTTP/1.1 without Host, and take HTTP/1.0 without it, for open faces too', async () => {
    const notes = { log: keepLog([]), addressOf: server.rest.addressOf };
    const open = await openFor(
      serveOpenly(server.host.service, notes, {
        name: 'manual',
        headers: {},
        answer: () => ({ status: 200, headers: {}, body: 'here' }),
        present: (_, refusal) => sayRefusal(refusal),
        send: sendReply,
      }),
    );
    for (const each of [port, open]) {
      const connection = await RawConnection.open(each.port);
      connection.write('GET /open HTTP/1.1\r\n\r\n');
      assert.equal((await connection.read()).status, 400);
      connection.end();
      const older = await RawConnection.open(each.port);
      older.write('GET /open HTTP/1.0\r\n\r\n');
      assert.equal((await older.read()).status, 200);
      older.end();
    }
    await open.close(0);
  });

  const openFor = (handle: Parameters<typeof openPort>[0]['serve']): Promise<Port> =>
    openPort({
      host: '127.0.0.1',
      port: 0,
      ownPaths: '/',
      serve: handle,
      explainMalformed: () => ({ headers: {}, text: 'no HTTP' }),
    });

  const get = (path = '/a'): Promise<{ readonly status: number; readonly text: string }> =>
    new Promise((resolve, reject) => {
      const sent = send({ host: '127.0.0.1', port: port.port, path, agent: false }, (response) => {
        readText(response).then((text) => resolve({ status: response.statusCode ?? 0, text }), reject);
      });
      sent.once('error', reject);
      sent.end();
    });
});

const nothing = (): void => undefined;

/** A face that answers each request with the steps that it has passed. */
class Walked implements CallerFace<{ readonly path: string }, Asking, Reply> {
  readonly name = 'git';
  readonly headers = { 'Cache-Control': 'no-store' };
  readonly asking: (id: string) => Asking;
  steps: string[] = [];
  /** Runs in the step `read`. */
  reading: (exchange: Exchange) => void | Promise<void> = nothing;
  /** Runs in the step `perform`. */
  performing: (exchange: Exchange) => void | Promise<void> = nothing;
  /** Runs in the step `send`. */
  sending: (exchange: Exchange) => void = nothing;

  constructor(asking: (id: string) => Asking) {
    this.asking = asking;
  }

  admit({ request }: Exchange) {
    this.steps.push('admit');
    const path = request.url ?? '';
    return path === '/open' ? { answer: this.#say() } : { found: { path } };
  }

  recognise({ id }: Exchange): Asking {
    this.steps.push('recognise');
    return this.asking(id);
  }

  noteAllowance(): void {
    this.steps.push('rate');
  }

  read(exchange: Exchange): Performing<Reply> | Promise<Performing<Reply>> {
    this.steps.push('read');
    const perform = (): Reply | Promise<Reply> => {
      this.steps.push('perform');
      const performing = this.performing(exchange);
      return performing instanceof Promise ? performing.then(() => this.#say()) : this.#say();
    };
    const reading = this.reading(exchange);
    return reading instanceof Promise ? reading.then(() => perform) : perform;
  }

  present(_exchange: Exchange, refusal: Parameters<typeof sayRefusal>[0]): Reply {
    this.steps.push('present');
    return sayRefusal(refusal);
  }

  send(exchange: Exchange, reply: Reply): Promise<void> {
    this.steps.push('send');
    this.sending(exchange);
    return sendReply(exchange, reply);
  }

  #say(): Reply {
    return { status: 200, headers: {}, body: this.steps.join(' ') };
  }
}
