import assert from 'node:assert/strict';
import { setTimeout as delay } from 'node:timers/promises';
import { RawConnection } from '../support/http/raw-connection.js';
import { WatchedServer, type LoopHolds } from '../support/processes/watched-server.js';
import { until } from '../support/until.js';
import { makeLargeWorld, mebibyte, type LargeWorld } from './world.js';

/** Requests of one key that are begun and held. */
const many = 100;
/** The most bytes by which they may make the process grow. */
const maxGrowth = 256 * mebibyte;
/** Milliseconds in which the service reads its part of them. */
const settling = 3000;

describe('The memory of a hundred held requests of one key', function () {
  this.timeout(120_000);
  let world: LargeWorld;
  let server: WatchedServer;
  /** What it holds before the first of all kinds. Nothing that a kind leaves behind is forgiven to the next. */
  let atFirst: LoopHolds;
  const open: RawConnection[] = [];

  before(async () => {
    world = await makeLargeWorld('texts');
    server = await WatchedServer.start('--data', world.dataFolder);
    // The first requests load the code that answers them.
    await fetch(`${server.url}/v1/documents/written.txt`, {
      headers: { authorization: `Bearer ${world.keys.editor}` },
    });
    atFirst = await server.holds();
  });
  after(async () => {
    await server.stop();
    await world.remove();
  });
  afterEach(async () => {
    for (const connection of open.splice(0)) connection.reset();
    // They would take the room of the next ones. Some wait for room themselves, for ten seconds.
    const areGone = async (): Promise<boolean> => (await server.holds()).connections <= atFirst.connections;
    await until('the server is rid of them', areGone, 60_000);
  });

  const json = 'Content-Type: application/json';
  const raw = 'Content-Type: application/octet-stream';
  /** All but the last byte of the longest possible body of a document. */
  const longBody = Buffer.from(`{"content":"${'\\u0001'.repeat(10 * mebibyte)}"`);

  const kinds: Readonly<Record<string, (n: number) => Promise<void>>> = {
    'long documents as JSON, none of them taken': () => hold('GET /v1/documents/long/controls.txt', []),
    'documents of a mebibyte as JSON, none of them taken': () => hold('GET /v1/documents/large/controls.txt', []),
    'long documents in the raw form, none of them taken': () =>
      hold('GET /v1/documents/long/words.md', ['Accept: application/octet-stream']),
    'exports, none of them taken': () => hold('GET /v1/folders/export?location=', []),
    'JSON bodies of sixty megabytes, all but the last byte': () =>
      hold('PUT /v1/documents/written.txt', ['If-Match: *', json, `Content-Length: ${longBody.length + 1}`], longBody),
    'JSON bodies of routes that need little': () =>
      hold('POST /v1/folders', ['Idempotency-Key: k', json, `Content-Length: ${longBody.length + 1}`], longBody),
    'raw bodies, all but the last byte': () =>
      hold('PUT /v1/documents/written.txt', ['If-Match: *', raw, `Content-Length: ${longBody.length + 1}`], longBody),
    "agents' messages of eight megabytes, all but the last byte": () =>
      hold(
        'POST /mcp',
        [json, 'Accept: application/json, text/event-stream', `Content-Length: ${8 * mebibyte}`],
        longBody.subarray(0, 8 * mebibyte - 1),
      ),
  };

  for (const [kind, begin] of Object.entries(kinds)) {
    it(`stays below ${maxGrowth / mebibyte} MiB for ${kind}`, async () => {
      const growth = await growthOf(begin);
      assert.ok(growth < maxGrowth, `${Math.round(growth / mebibyte)} MiB`);
    });
  }

  async function hold(line: string, headers: readonly string[], body: Buffer = Buffer.alloc(0)): Promise<void> {
    const connection = await RawConnection.open(Number(new URL(server.url).port));
    connection.stopReading();
    open.push(connection);
    const lines = [`${line} HTTP/1.1`, 'Host: localhost', `Authorization: Bearer ${world.keys.editor}`, ...headers];
    connection.write(`${lines.join('\r\n')}\r\n\r\n`);
    if (body.length > 0) connection.write(body);
  }

  async function growthOf(begin: (n: number) => Promise<void>): Promise<number> {
    for (let n = 0; n < many; n += 1) await begin(n);
    await delay(settling);
    const health = await fetch(`${server.url}/v1/health`);
    assert.equal(health.status, 200);
    return (await server.holds()).residentBytes - atFirst.residentBytes;
  }
});
