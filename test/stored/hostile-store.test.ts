import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Bucket } from '../../lib/stored/bucket.js';
import { ScriptedServer, type Script } from '../support/connectors/scripted-server.js';
import { assertFault } from './assert-fault.js';
import { HastyTimers, never, openBucketAt, readAll } from './bucket-world.js';

const key = { accessKeyId: 'id', secretAccessKey: 'hush hush' };
const xml = (body: string): string => `<?xml version="1.0" encoding="UTF-8"?>${body}`;
const errorOf = (code: string): string => xml(`<Error><Code>${code}</Code><Message>hush hush</Message></Error>`);

describe('a bucket whose store fails or lies', () => {
  let server: ScriptedServer;
  const buckets: Bucket[] = [];

  afterEach(async () => {
    for (const bucket of buckets.splice(0)) bucket.close();
    await server.close();
  });

  it('is asked five times, with growing pauses, and then given up', async () => {
    const timers = new HastyTimers();
    const heard: (readonly [string, number | 'fault'])[] = [];
    const bucket = await open((_, response) => response.writeHead(503).end(), {
      timers,
      observer: (method, status) => heard.push([method, status]),
      randomness: { bytes: (count) => Buffer.alloc(count, 255) },
    });
    await assertFault(bucket.putBytes('a', Buffer.from('x'), { signal: never }), 'away', /status 503/);
    assert.deepEqual(timers.waited, [200, 400, 800, 1600]);
    assert.deepEqual(
      heard,
      Array.from({ length: 5 }, () => ['PUT', 503]),
    );
  });

  it('is waited for as long as it says, up to half a minute', async () => {
    for (const [asked, waited] of [
      ['7', 7000],
      ['86400', 30_000],
      ['soon', 200],
    ] as const) {
      const timers = new HastyTimers();
      const bucket = await open(
        (_, response) => {
          if (server.asked.length === 1) response.writeHead(429, { 'retry-after': asked }).end();
          else response.writeHead(200, { etag: '"a"' }).end('here');
        },
        { timers, randomness: { bytes: (count) => Buffer.alloc(count, 255) } },
      );
      const read = await bucket.getBytes('a', { maxBytes: 10, signal: never });
      assert.equal(String(read?.bytes), 'here');
      assert.deepEqual(timers.waited, [waited]);
      await server.close();
    }
  });

  it('that refuses the key or a right is asked once', async () => {
    const cases = [
      [403, 'InvalidAccessKeyId', 'auth', /does not know this access key/],
      [403, 'SignatureDoesNotMatch', 'auth', /does not know this access key/],
      [400, 'ExpiredToken', 'auth', /has expired/],
      [401, '', 'auth', /Give it a new one/],
      [403, 'AccessDenied', 'denied', /may not write here/],
      [403, 'RequestTimeTooSkewed', 'away', /clock here/],
      [404, 'NoSuchBucket', 'absent', /no bucket of this name/],
      [301, 'PermanentRedirect', 'absent', /Set the region eu-central-1/],
      [400, 'InvalidArgument', 'corrupt', /status 400, InvalidArgument/],
      [501, 'NotImplemented', 'corrupt', /status 501/],
    ] as const;
    for (const [status, code, kind, message] of cases) {
      const bucket = await open((_, response) =>
        response.writeHead(status, { 'x-amz-bucket-region': 'eu-central-1' }).end(code === '' ? '' : errorOf(code)),
      );
      const put = bucket.putBytes('a', Buffer.from('x'), { signal: never });
      await assertFault(put, kind, message);
      await put.catch((error: unknown) => assert.doesNotMatch(String(error), /hush hush/));
      assert.equal(server.asked.length, 1, code);
      await server.close();
    }
  });

  it('is not followed to another address', async () => {
    const bucket = await open((_, response) => response.writeHead(307, { location: 'http://example.org/x' }).end());
    await assertFault(bucket.getBytes('a', { maxBytes: 1, signal: never }), 'denied', /sends us to http:\/\/example/);
    assert.equal(server.asked.length, 1);
  });

  it('that answers without an end is left', async () => {
    const flood: Script = (_, response) => {
      response.writeHead(200, { etag: '"a"' });
      const more = (): void => {
        while (!response.destroyed && response.write('x'.repeat(100_000)));
        response.once('drain', more);
      };
      more();
    };
    const bucket = await open(flood);
    await assertFault(bucket.getBytes('a', { maxBytes: 100, signal: never }), 'corrupt', /longer/);
    await assertFault(bucket.putBytes('a', Buffer.from('x'), { signal: never }), 'corrupt', /larger/);
    await assertFault(readAll(bucket.getStream('a', { signal: never })), 'corrupt', /how long an object is/);
    await assertFault(readNames(bucket), 'corrupt', /XML/);
    await assertFault(bucket.delete(['a'], { signal: never }), 'corrupt', /larger/);
  });

  it('that never answers, or stops in the middle, is given up', async () => {
    const bucket = await open(
      (request, response) => {
        if (request.method === 'GET') response.writeHead(200, { etag: '"a"', 'content-length': '9' }).write('half');
      },
      { timeouts: { head: 50, idle: 50, body: 200 }, tries: 2 },
    );
    await assertFault(bucket.putBytes('a', Buffer.from('x'), { signal: never }), 'away', /in time/);
    await assertFault(bucket.getBytes('a', { maxBytes: 9, signal: never }), 'away', /too slowly/);
    assert.equal(server.asked.length, 4);
  });

  it('that breaks off again and again is continued while it comes on', async () => {
    const whole = Buffer.from('0123456789'.repeat(1000));
    let broken = 0;
    const bucket = await open((request, response) => {
      const from = Number(/^bytes=(\d+)-$/.exec(request.headers.range ?? '')?.[1] ?? 0);
      const rest = whole.subarray(from);
      const range = `bytes ${from}-${whole.length - 1}/${whole.length}`;
      const head = { etag: '"a"', 'content-length': String(rest.length) };
      response.writeHead(from > 0 ? 206 : 200, from > 0 ? { ...head, 'content-range': range } : head);
      broken += 1;
      if (broken > 4) response.end(rest);
      else response.write(rest.subarray(0, 1000), () => response.destroy());
    });
    assert.deepEqual(await readAll(bucket.getStream('a', { signal: never })), whole);
    assert.deepEqual(
      server.asked.map(({ headers }) => [headers.range, headers['if-match']]),
      [undefined, 'bytes=1000-', 'bytes=2000-', 'bytes=3000-', 'bytes=4000-'].map((range, index) => [
        range,
        index === 0 ? undefined : '"a"',
      ]),
    );
    await server.close();
    const endless = await open((request, response) => {
      const from = Number(/^bytes=(\d+)-$/.exec(request.headers.range ?? '')?.[1] ?? 0);
      const left = String(1_000_000 - from);
      const head = { etag: '"a"', 'content-length': left, 'content-range': `bytes ${from}-999999/1000000` };
      response.writeHead(from > 0 ? 206 : 200, head).write('x', () => response.destroy());
    });
    await assertFault(readAll(endless.getStream('a', { signal: never })), 'away', /broke the connection off/);
    assert.ok(server.asked.length < 10);
  });

  it('that continues with something else is refused', async () => {
    const continued: readonly (readonly [number, Record<string, string>])[] = [
      [412, {}],
      [200, { 'content-length': '10' }],
      [206, { 'content-length': '6' }],
      [206, { 'content-length': '6', 'content-range': 'bytes 3-9/10' }],
      [206, { 'content-length': '6', 'content-range': 'bytes 4-9/11' }],
      [206, { 'content-length': '7', 'content-range': 'bytes 4-9/10' }],
    ];
    for (const [status, headers] of continued) {
      const bucket = await open((_, response) => {
        if (server.asked.length > 1)
          response.writeHead(status, headers).end('x'.repeat(Number(headers['content-length'] ?? 0)));
        else response.writeHead(200, { etag: '"a"', 'content-length': '10' }).write('0123', () => response.destroy());
      });
      await assertFault(readAll(bucket.getStream('a', { signal: never })), 'corrupt', /length|changed|refuses/);
      await server.close();
    }
  });

  it('lists nothing twice, nothing that was not asked for, and comes to an end', async () => {
    const page = (names: readonly string[], next: string): string =>
      xml(
        `<ListBucketResult><IsTruncated>true</IsTruncated><NextContinuationToken>${next}</NextContinuationToken>${names.map((name) => `<Contents><Key>${name}</Key><Size>1</Size><LastModified>2026-01-01T00:00:00Z</LastModified></Contents>`).join('')}</ListBucketResult>`,
      );
    const pages: readonly (readonly [() => string, RegExp])[] = [
      [() => page(['machine/a/x'], 'same'), /without an end/],
      [() => page(['machine/a/x', 'machine/a/y'], String(server.asked.length)), /without an end/],
      [() => page([], String(server.asked.length)), /without an end/],
      [() => page(['machine/b/x'], 'next'), /not asked for/],
      [() => page(['machine/a/x'], 'next').replace('<Size>1</Size>', ''), /without its length and time/],
      [() => page(['machine/a/x'], 'next').replace('2026-01-01T00:00:00Z', 'today'), /without its length and time/],
      [() => page(['machine/a/x'], ''), /does not say how it goes on/],
      [() => page(['machine/a/x'], 'next').slice(0, -3), /XML/],
      [() => `<!DOCTYPE x [<!ENTITY a "${'a'.repeat(1000)}">]>${page(['machine/a/&a;'], 'next')}`, /XML/],
      [() => xml(`<ListBucketResult>${'<a>'.repeat(10_000)}`), /XML/],
    ];
    for (const [answer, message] of pages) {
      const bucket = await open((_, response) => response.end(answer()), { tries: 1 });
      await assertFault(readNames(bucket), 'corrupt', message);
      await server.close();
    }
  });

  it('that keeps versions or locks objects is refused, unless the operator knows', async () => {
    const setting = (root: string, body: string): string => xml(`<${root}>${body}</${root}>`);
    const answers: readonly (readonly [Record<string, readonly [number, string]>, RegExp])[] = [
      [{ versioning: [200, setting('VersioningConfiguration', '<Status>Enabled</Status>')] }, /keeps versions/],
      [{ versioning: [200, setting('VersioningConfiguration', '<Status>Suspended</Status>')] }, /keeps versions/],
      [{ versioning: [403, errorOf('AccessDenied')] }, /s3:GetBucketVersioning/],
      [
        {
          versioning: [200, setting('VersioningConfiguration', '')],
          'object-lock': [200, setting('ObjectLockConfiguration', '<ObjectLockEnabled>Enabled</ObjectLockEnabled>')],
        },
        /keeps versions of its objects, or locks them/,
      ],
    ];
    for (const [told, message] of answers) {
      const bucket = await open((request, response) => {
        const [status, body] = told[request.url?.split('?')[1]?.replace('=', '') ?? ''] ?? [404, errorOf('NoSuchKey')];
        response.writeHead(status).end(body);
      });
      await assertFault(bucket.probe({ isVersioned: false, signal: never }), 'denied', message);
      assert.ok(server.asked.every(({ method }) => method === 'GET'));
      await server.close();
    }
  });

  it('that loses, changes, hides or keeps what it was given fails the probe', async () => {
    for (const [lie, message] of [
      ['loses', /something else than was stored/],
      ['changes', /something else than was stored/],
      ['hides', /does not list/],
      ['keeps', /still answers with an object that was deleted/],
    ] as const) {
      const kept = new Map<string, Buffer>();
      const bucket = await open((request, response) => {
        const [path = '', query = ''] = (request.url ?? '').split('?');
        const bytes = kept.get(path);
        if (query.startsWith('versioning') || query.startsWith('object-lock')) response.writeHead(404).end();
        else if (request.method === 'PUT') {
          const pieces: Buffer[] = [];
          request.on('data', (piece: Buffer) => pieces.push(piece));
          request.on('end', () => {
            const whole = Buffer.concat(pieces);
            if (lie === 'changes') whole[3] = (whole[3] ?? 0) ^ 1;
            if (lie !== 'loses') kept.set(path, whole);
            response.writeHead(200, { etag: '"a"' }).end();
          });
        } else if (request.method === 'DELETE') {
          if (lie !== 'keeps') kept.delete(path);
          response.writeHead(204).end();
        } else if (query !== '') {
          const key =
            lie === 'hides' ? [] : [...kept].map(([each, { length }]) => [each.slice('/team/'.length), length]);
          const contents = key.map(
            ([name, size]) =>
              `<Contents><Key>${name}</Key><Size>${size}</Size><LastModified>2026-01-01T00:00:00Z</LastModified></Contents>`,
          );
          response.end(
            xml(`<ListBucketResult><IsTruncated>false</IsTruncated>${contents.join('')}</ListBucketResult>`),
          );
        } else if (bytes === undefined) response.writeHead(404).end(errorOf('NoSuchKey'));
        else response.writeHead(200, { etag: '"a"' }).end(bytes);
      });
      await assertFault(bucket.probe({ isVersioned: false, signal: never }), 'corrupt', message);
      await server.close();
    }
  });

  it('that names no upload, or fails at the end of one, gets no object by halves', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'cartulary-hostile-'));
    try {
      const file = join(folder, 'file');
      await writeFile(file, Buffer.alloc(64 * 1024 * 1024));
      const nameless = await open((_, response) => response.end(xml('<InitiateMultipartUploadResult/>')));
      await assertFault(nameless.putFile('a', file, { signal: never }), 'corrupt', /does not name it/);
      await server.close();
      const failing = await open(
        (request, response) => {
          request.resume().on('end', () => {
            if (request.url?.includes('uploads'))
              response.end(
                xml('<InitiateMultipartUploadResult><UploadId>u</UploadId></InitiateMultipartUploadResult>'),
              );
            else if (request.method === 'PUT') response.writeHead(200, { etag: '"a"' }).end();
            else if (request.method === 'POST') response.end(`  \n${errorOf('InternalError')}`);
            else response.writeHead(404).end();
          });
        },
        { tries: 2 },
      );
      await assertFault(failing.putFile('a', file, { signal: never }), 'away', /failed with status 500/);
      assert.deepEqual(
        server.asked.map(({ method }) => method),
        ['POST', 'PUT', 'PUT', 'POST', 'POST', 'HEAD', 'DELETE'],
      );
    } finally {
      await rm(folder, { recursive: true });
    }
  });

  async function readNames(bucket: Bucket): Promise<void> {
    let listed = 0;
    for await (const _ of bucket.list('', { signal: never })) assert.ok((listed += 1) < 1000);
  }

  async function open(script: Script, change: Parameters<typeof openBucketAt>[2] = {}): Promise<Bucket> {
    server = await ScriptedServer.open(script);
    const bucket = openBucketAt(server.host, key, change);
    buckets.push(bucket);
    return bucket;
  }
});
