import assert from 'node:assert/strict';
import { spawn, type ChildProcess } from 'node:child_process';
import { EventEmitter, once } from 'node:events';
import { existsSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { PassThrough } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { parseKey } from '../../lib/access/secret.js';
import { bridgeStreams, type Deliver } from '../../lib/mcp/bridge.js';
import { removeLeft, ask, timeout, runProgram, serve, startProgram, tidyUp } from '../support/processes/run-program.js';
import type { Parsed } from '../support/http/server.js';
import { openTestService } from '../support/store/service.js';

const program = fileURLToPath(new URL('../../bin/cartulary.js', import.meta.url));

const hello = {
  protocolVersion: '2025-11-25',
  capabilities: {},
  clientInfo: { name: 'test', version: '1' },
};

describe('cartulary mcp, at work', function () {
  this.timeout(timeout);
  let spoken: Spoken[] = [];
  const folders: string[] = [];
  afterEach(async () => {
    for (const { child } of spoken) child.kill('SIGKILL');
    await Promise.all(spoken.map(({ closed }) => closed));
    spoken = [];
    await tidyUp();
    for (const folder of folders.splice(0)) await removeLeft(folder);
  });

  it('answers an unreadable message, and continues', async () => {
    const { data, key } = await prepare();
    const client = speak(key, '--data', data);
    await client.initialize();
    const broken = Buffer.concat([
      Buffer.from(
        '{"jsonrpc":"2.0","id":99,"method":"tools/call","params":{"name":"read_org_doc","arguments":{"location":"',
      ),
      Buffer.from([0xff, 0xfe]),
      Buffer.from('"}}}\n'),
    ]);
    for (const [sent, code] of [
      [broken, -32700],
      ['{\n', -32700],
      ['null\n', -32600],
      [`[${line(9, 'tools/list').trim()}]\n`, -32600],
    ] as const) {
      const answer = client.next(null);
      client.write(sent);
      assert.equal((await answer).error.code, code);
    }
    client.write(' \r\n\n');
    const long = await client.call('write_org_doc', { location: 'team/long.md', content: 'x'.repeat(9 * 1024 * 1024) });
    assert.match(long.protocol, /at most/);
    assert.equal((await client.call('write_org_doc', { location: 'team/a.md', content: 'text\r\n' })).created, true);
    assert.equal(client.lines.filter(({ id }) => id === 99).length, 0);
    assert.equal(await client.end(), 0);
  });

  it('answers open calls when the input ends, also a last line without its end', async () => {
    const { data, key } = await prepare();
    const { url } = await serve(data);
    const client = speak(key, '--url', `${url}/mcp`);
    await client.initialize();
    const answer = client.next(50);
    client.child.stdin?.end(line(50, 'tools/call', { name: 'brief_me', arguments: {} }).trimEnd());
    assert.equal((await answer).result.structuredContent.reach[0].location, 'team');
    assert.deepEqual(await client.closed, [0, null]);
  });

  it('finishes open calls at a signal, and ends well', async () => {
    const { data, key } = await prepare();
    const client = speak(key, '--data', data);
    await client.initialize();
    const answer = client.call('write_org_doc', { location: 'team/last.md', content: 'text\n' });
    await client.call('list_org_folders');
    client.child.kill('SIGTERM');
    assert.equal((await answer).created, true);
    assert.deepEqual(await client.closed, [0, null]);
    const { items } = await ask<{ items: { location: string }[] }>(
      'document',
      'history',
      'team/last.md',
      '--data',
      data,
    );
    assert.equal(items.length, 1);
  });

  it('continues when the server stops and comes back at another address, and reports the gap', async () => {
    const { data, key } = await prepare();
    const first = await serve(data);
    const client = speak(key, '--data', data);
    await client.initialize();
    const written = await client.call('write_org_doc', { location: 'team/a.md', content: 'one\n' });
    await first.stop();
    assert.match((await client.call('list_org_folders')).protocol, /No server runs on .* Start it/);
    const second = await serve(data);
    assert.notEqual(second.url, first.url);
    const edits = [{ old_text: 'one', new_text: 'two' }];
    const edit = { location: 'team/a.md', expected_commit: written.commit, edits };
    assert.equal((await client.call('edit_org_doc', edit)).replayed, false);
    assert.equal(await client.end(), 0);
  });

  it('refuses a wrong key in the protocol’s form', async () => {
    const { data } = await prepare();
    const client = speak('ck_acme_wrong', '--data', data);
    assert.match((await client.initialize()).error.message, /The key in CARTULARY_KEY was refused/);
    assert.equal(await client.end(), 0);
  });

  it('reports a refused key from the moment of its revocation', async () => {
    const { data, key, keyId } = await prepare();
    await serve(data);
    const client = speak(key, '--data', data);
    await client.initialize();
    assert.deepEqual((await client.call('list_org_docs')).documents, []);
    await ask('key', 'revoke', keyId, '--data', data);
    assert.match((await client.call('list_org_docs')).protocol, /CARTULARY_KEY was refused/);
    assert.equal(await client.end(), 0);
  });

  it('shares an unserved folder with other clients and commands, and passes it on when it ends', async () => {
    const { data, key } = await prepare();
    const [one, two] = [speak(key, '--data', data), speak(key, '--data', data)];
    await Promise.all([one.initialize(), two.initialize()]);
    await one.call('write_org_doc', { location: 'team/a.md', content: 'by one\n' });
    assert.equal((await two.call('read_org_doc', { location: 'team/a.md' })).text, 'by one\n');
    const { items } = await ask<{ items: unknown[] }>('document', 'history', 'team/a.md', '--data', data);
    assert.equal(items.length, 1);
    assert.equal(await one.end(), 0);
    assert.equal((await two.call('read_org_doc', { location: 'team/a.md' })).text, 'by one\n');
    const three = speak(key, '--data', data);
    await three.initialize();
    assert.equal(await two.end(), 0);
    assert.equal((await three.call('read_org_doc', { location: 'team/a.md' })).text, 'by one\n');
    assert.equal(await three.end(), 0);
    assert.deepEqual([one.stderr, two.stderr, three.stderr], ['', '', '']);
  });

  it('explains wrong parameters, and makes no folder by mistake', async () => {
    const { data, key } = await prepare();
    const environment = { CARTULARY_KEY: key };
    const none = join(data, 'none');
    for (const [parameters, code, said] of [
      [['--data', none], 1, /There is no data folder .* Name it with --data/],
      [['--url', 'docs.example'], 2, /begins with http/],
      [['--url', 'file:///etc'], 2, /begins with http/],
    ] as const) {
      const outcome = await runProgram(['mcp', ...parameters], { environment });
      assert.deepEqual([outcome.code, outcome.stdout], [code, '']);
      assert.match(outcome.stderr, said);
    }
    assert.ok(!existsSync(none));
  });

  it('explains a wrong address with no server, or a foreign one', async () => {
    const { key } = await prepare();
    const web = createServer((_, response) => response.writeHead(404).end('{"error":"no such page"}'));
    web.listen(0, '127.0.0.1');
    await once(web, 'listening');
    const { port } = web.address() as AddressInfo;
    const strange = speak(key, '--url', `http://127.0.0.1:${port}/somewhere`);
    assert.match((await strange.initialize()).error.message, /no MCP of Cartulary \(HTTP 404\)/);
    web.close();
    web.closeAllConnections();
    const nobody = speak(key, '--url', `http://127.0.0.1:${port}`);
    assert.match(
      (await nobody.initialize()).error.message,
      new RegExp(`No server answers at http://127.0.0.1:${port}`),
    );
  });

  it('names the holder of the folder to a server that cannot be started beside it', async () => {
    const { data, key } = await prepare();
    const client = speak(key, '--data', data);
    await client.initialize();
    await assert.rejects(
      startProgram(['serve', '--data', data, '--port', '0'], /running at/),
      new RegExp(`in use by a server \\(process ${client.child.pid},`),
    );
  });

  /** A data folder that no process has open, with an agent who may write in `team`. */
  async function prepare(): Promise<{ readonly data: string; readonly key: string; readonly keyId: string }> {
    const test = await openTestService({ store: 'disk' });
    const { id } = await test.person('editor', 'team');
    const key = await test.key(id, ['mcp']);
    await test.service.close();
    const data = test.dataFolder ?? assert.fail();
    folders.push(data);
    return { data, key, keyId: parseKey(key)?.credentialId ?? '' };
  }

  function speak(key: string, ...parameters: readonly string[]): Spoken {
    const made = new Spoken(parameters, key);
    spoken.push(made);
    return made;
  }
});

describe('The bridge between streams and the service', () => {
  it('puts a message together from any pieces', async () => {
    const bytes = Buffer.from(line(1, 'ü😀') + line(2, 'b'));
    const said = await bridge(
      Array.from(bytes, (byte) => Uint8Array.of(byte)),
      echo,
    );
    assert.deepEqual(
      new Map(said.map(({ id, result }) => [id, result.method])),
      new Map([
        [1, 'ü😀'],
        [2, 'b'],
      ]),
    );
  });

  it('takes an event whole, with any text', async () => {
    const text = 'one\u2028data: two\u2029three\u0085';
    const events: Deliver = async (body) => {
      const answer = JSON.stringify({ jsonrpc: '2.0', id: JSON.parse(body).id, result: { method: text } });
      return { status: 200, body: `event: message\ndata: ${answer}\n\n` };
    };
    assert.equal((await bridge([Buffer.from(line(1, 'a'))], events))[0].result?.method, text);
  });

  it('keeps nothing of an endless line, and understands the next', async () => {
    const much = Buffer.alloc(1024 * 1024, 0x78);
    const said = await bridge([...Array.from({ length: 17 }, () => much), Buffer.from(`\n${line(1, 'a')}`)], echo);
    assert.deepEqual(
      said.map(({ id, error }) => [id, error?.code]),
      [
        [null, -32600],
        [1, undefined],
      ],
    );
  });

  it('ends at a signal before any input, once all is answered', async () => {
    const [input, output] = [new PassThrough(), new PassThrough()];
    const stopping = new AbortController();
    const [asked, answer] = [new EventEmitter(), new EventEmitter()];
    const deliver: Deliver = async (body) => {
      const answered = once(answer, 'go');
      asked.emit('go');
      await answered;
      return echo(body, {});
    };
    const isAsked = once(asked, 'go');
    const bridged = bridgeStreams(input, output, deliver, stopping.signal);
    input.write(line(1, 'a'));
    await isAsked;
    stopping.abort();
    answer.emit('go');
    await bridged;
    assert.equal(JSON.parse(String(output.read())).id, 1);
    await bridgeStreams(new PassThrough(), output, deliver, stopping.signal);
  });

  const echo: Deliver = async (body) => {
    const { id, method } = JSON.parse(body);
    return { status: 200, body: JSON.stringify({ jsonrpc: '2.0', id, result: { method } }) };
  };

  /** @returns the output */
  async function bridge(pieces: readonly Uint8Array[], deliver: Deliver): Promise<Parsed[]> {
    const [input, output] = [new PassThrough(), new PassThrough()];
    let text = '';
    output.setEncoding('utf8').on('data', (piece: string) => (text += piece));
    const bridged = bridgeStreams(input, output, deliver);
    for (const piece of pieces) input.write(piece);
    input.end();
    await bridged;
    const lines = text.split('\n').slice(0, -1);
    return lines.map((each) => JSON.parse(each));
  }
});

const line = (id: number, method: string, params: object = {}): string =>
  `${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`;

/** A client that has started `cartulary mcp` and writes its messages itself. */
class Spoken {
  readonly child: ChildProcess;
  readonly closed: Promise<[number | null, NodeJS.Signals | null]>;
  /** The whole standard output. */
  readonly lines: Parsed[] = [];
  stderr = '';
  #serial = 0;
  readonly #waiting = new Map<number | null, (message: Parsed) => void>();

  constructor(parameters: readonly string[], key: string) {
    const environment = { PATH: process.env['PATH'] ?? '', CARTULARY_KEY: key };
    this.child = spawn(process.execPath, [program, 'mcp', ...parameters], { env: environment });
    this.closed = once(this.child, 'close') as Promise<[number | null, NodeJS.Signals | null]>;
    this.child.stderr?.setEncoding('utf8').on('data', (piece: string) => (this.stderr += piece));
    assert.ok(this.child.stdout);
    createInterface({ input: this.child.stdout }).on('line', (text) => {
      // Output outside JSON fails the test here: standard output may hold nothing else.
      const message = JSON.parse(text);
      assert.equal(message.jsonrpc, '2.0', text);
      this.lines.push(message);
      this.#waiting.get(message.id)?.(message);
    });
  }

  write(bytes: string | Uint8Array): void {
    this.child.stdin?.write(bytes);
  }

  /** The answer to the message with that id; null for an unreadable message. */
  next(id: number | null): Promise<Parsed> {
    return new Promise((resolve) => this.#waiting.set(id, resolve));
  }

  request(method: string, params: object = {}): Promise<Parsed> {
    this.#serial += 1;
    const answer = this.next(this.#serial);
    this.write(line(this.#serial, method, params));
    return answer;
  }

  initialize(): Promise<Parsed> {
    return this.request('initialize', hello);
  }

  /** A tool's answer. */
  async call(name: string, args: object = {}): Promise<Parsed> {
    const { result, error } = await this.request('tools/call', { name, arguments: args });
    return error === undefined ? JSON.parse(result.content[0].text) : { protocol: error.message };
  }

  async end(): Promise<number | null> {
    this.child.stdin?.end();
    return (await this.closed)[0];
  }
}
