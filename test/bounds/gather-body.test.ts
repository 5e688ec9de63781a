import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { gatherBody, type Gathering } from '../../lib/http/read-body.js';

describe('A body that is gathered', () => {
  let client: Socket;
  let request: IncomingMessage;
  let answer: (text: string) => void;
  const server = createServer();

  before(async () => {
    await once(server.listen(0, '127.0.0.1'), 'listening');
  });
  beforeEach(async () => {
    client = connect((server.address() as AddressInfo).port, '127.0.0.1');
    client.on('error', () => undefined);
    client.write('POST / HTTP/1.1\r\nHost: here\r\nTransfer-Encoding: chunked\r\n\r\n');
    const [incoming, response] = (await once(server, 'request')) as [IncomingMessage, { end: typeof answer }];
    request = incoming;
    answer = (text) => response.end(text);
  });
  afterEach(() => client.destroy());
  after(() => server.close());

  it('is whole, in pieces of any length', async () => {
    const gathered = gather({ admit: () => undefined });
    for (const piece of ['one ', 'two ', 'x'.repeat(100_000)]) send(piece);
    finish();
    assert.equal((await gathered).toString(), `one two ${'x'.repeat(100_000)}`);
  });

  it('is empty where nothing comes, also when it has been read before', async () => {
    finish();
    assert.equal((await gather({ admit: () => undefined })).length, 0);
    assert.equal((await gather({ admit: () => undefined })).length, 0);
  });

  it('rests while room is awaited, and loses no piece', async () => {
    const lengths: number[] = [];
    let give = (): void => undefined;
    const gathered = gather({
      admit: (before, after) => {
        lengths.push(after);
        return before === 0 ? new Promise((resolve) => (give = resolve)) : undefined;
      },
    });
    send('first ');
    while (lengths.length === 0) await turn();
    send('second');
    finish();
    for (let turns = 0; turns < 20; turns += 1) await turn();
    assert.deepEqual(lengths, [6], 'nothing more is read');
    give();
    assert.equal((await gathered).toString(), 'first second');
  });

  it('that is refused leaves the connection able to answer', async () => {
    const refused = gather({
      admit: () => {
        throw new Error('too large');
      },
    });
    send('too much');
    await assert.rejects(refused, /too large/);
    const heard = once(client, 'data');
    answer('no');
    assert.match(String((await heard)[0]), /^HTTP\/1.1 200 OK/);
  });

  it('that breaks off is refused in the words of its reader', async () => {
    const gathered = gather({ admit: () => undefined, explain: () => new Error('broke off') });
    send('part');
    client.destroy();
    await assert.rejects(gathered, /broke off/);
    await assert.rejects(gather({ admit: () => undefined, explain: () => new Error('was broken') }), /was broken/);
  });

  it('that breaks off while room is awaited is refused when the room is there, so that it can be given back', async () => {
    let give = (): void => undefined;
    let isDone = false;
    const gathered = gather({
      admit: () => new Promise((resolve) => (give = resolve)),
      explain: () => new Error('broke off'),
    });
    void gathered.catch(() => undefined).finally(() => (isDone = true));
    send('part');
    await once(request, 'pause');
    client.destroy();
    await new Promise((resolve) => request.once('close', resolve));
    await turn();
    assert.equal(isDone, false, 'it waits for the room');
    give();
    await assert.rejects(gathered, /broke off/);
  });

  function gather(gathering: Omit<Gathering, 'stated'>): Promise<Buffer> {
    return gatherBody(request, { stated: 0, ...gathering });
  }

  function send(piece: string): void {
    client.write(`${Buffer.byteLength(piece).toString(16)}\r\n${piece}\r\n`);
  }

  function finish(): void {
    client.write('0\r\n\r\n');
  }

  function turn(): Promise<void> {
    return new Promise((resolve) => setImmediate(resolve));
  }
});
