import assert from 'node:assert/strict';
import { s3Kind } from '../../../lib/connectors/s3/s3-kind.js';
import { ForbiddenFile, UnreadableFile, type Source, type SourceMeans } from '../../../lib/connectors/source.js';
import { assertFault } from '../../support/connectors/assert-fault.js';
import { ScriptedServer, type Script } from '../../support/connectors/scripted-server.js';
import { TestClock } from '../../support/store/service.js';
import { Follower, meansOf, readWhole } from '../follow.js';

describe('a hostile or failing object store', () => {
  let server: ScriptedServer;
  let sources: Source[];
  const never = new AbortController().signal;

  beforeEach(() => (sources = []));
  afterEach(async () => {
    for (const source of sources) await source.close();
    await server.close();
  });

  it('lists keys as paths, and leaves out the marks of folders', async () => {
    const keys = ['a.md', '/lead.md', 'x//y.md', '../up.md', 'a/../b.md', 'sub/', 'a+b &amp;lt; &#x1F5C2;.md'];
    const source = await open(
      answering(
        page([contents('full/'), contents('mark/', '<Size>0</Size>'), ...keys.map((key) => contents(key))].join('')),
      ),
    );
    const { files, skipped } = await listed(source);
    assert.deepEqual([...files.keys()], ['a.md', '/lead.md', 'x//y.md', '../up.md', 'a/../b.md', 'a+b &lt; 🗂.md']);
    assert.deepEqual(
      [...skipped],
      [
        ['full/', 'bad_name'],
        ['sub/', 'bad_name'],
      ],
    );
    for (const path of ['../up.md', 'a/../b.md']) {
      const file = files.get(path);
      assert.ok(file !== undefined);
      await assert.rejects(
        readWhole(source, file, never),
        (error) => error instanceof UnreadableFile && error.reason === 'bad_name',
      );
    }
    assert.deepEqual(new Set(server.asked.map(({ path }) => path.split('?')[0])), new Set(['/s3/b']));
  });

  it('keeps what was mirrored of an archived object', async () => {
    const source = await open(
      answering(page(contents('a.md') + contents('old.md', '<Size>5</Size><StorageClass>GLACIER</StorageClass>'))),
    );
    const { files, unreadable } = await listed(source);
    assert.deepEqual([[...files.keys()], unreadable], [['a.md'], ['old.md']]);
  });

  it('lists nothing as gone by half a listing, or by one that contradicts itself', async () => {
    const whole = page(contents('a.md'));
    const next = '<NextContinuationToken>t</NextContinuationToken>';
    const broken = [
      whole.slice(0, -10),
      '',
      '<html></html>',
      '{"Contents":[]}',
      page(contents('a.md'), 'true'),
      page(next.replace('>t<', `>${'t'.repeat(9000)}<`), 'true'),
      page(contents('a.md'), 'maybe'),
      whole.replace(/<IsTruncated>.*<\/IsTruncated>/, ''),
      page(`${contents('a.md')}<KeyCount>2</KeyCount>`),
      page(contents('')),
      page(`<EncodingType>url</EncodingType>${contents('%zz')}`),
      `<!DOCTYPE x [<!ENTITY a "a">]>${whole}`,
    ];
    for (const text of broken) {
      const source = await open(answering(text));
      await assertFault(listed(source), 'corrupt', /\.$/);
      await server.close();
    }
    const others = await open(answering(page(contents('other/a.md'))), {}, 'mine');
    await assertFault(listed(others), 'corrupt', /not asked for/);
  });

  it('that fails in the middle of a listing lists nothing as gone', async () => {
    const first = page(`${contents('a.md')}<NextContinuationToken>t</NextContinuationToken>`, 'true');
    const source = await open((request, response) =>
      request.url?.includes('continuation-token=t') === true ? response.writeHead(500).end() : response.end(first),
    );
    await assertFault(listed(source), 'network', /status 500/);
    assert.equal(server.asked.length, 2);
  });

  it('with tokens in a circle, or pages without end, comes to an end', async () => {
    const circle = await open((request, response) => {
      const next = request.url?.includes('token=a') === true ? 'b' : 'a';
      response.end(page(`${contents(`${next}.md`)}<NextContinuationToken>${next}</NextContinuationToken>`, 'true'));
    });
    await assertFault(listed(circle), 'corrupt', /without an end/);
    assert.ok(server.asked.length <= 3);
    await server.close();
    let count = 0;
    const endless =
      (inside: () => string): Script =>
      (_, response) => {
        count += 1;
        response.end(page(`${inside()}<NextContinuationToken>${count}</NextContinuationToken>`, 'true'));
      };
    await assertFault(open(endless(() => '')).then(listed), 'corrupt', /without an end/);
    assert.ok(server.asked.length < 200);
    await server.close();
    const many = (): string => Array.from({ length: 100 }, (_, index) => contents(`${count}-${index}`)).join('');
    await assertFault(open(endless(many), { maxEntries: 2000 }).then(listed), 'limit', /more than 2000/);
  });

  it('says what is wrong in words, and not in those of the store', async () => {
    const cases: readonly (readonly [string, number, string, RegExp])[] = [
      [errorOf('NoSuchBucket'), 404, 'not_found', /no bucket of this name/],
      [errorOf('AccessDenied'), 403, 'auth', /may not list/],
      [errorOf('SignatureDoesNotMatch'), 403, 'auth', /secret is wrong/],
      [errorOf('ExpiredToken'), 400, 'auth', /expired/],
      [errorOf('SlowDown'), 503, 'rate', /wait/],
      [errorOf('RequestTimeTooSkewed'), 403, 'network', /clock/],
      [errorOf('InternalError'), 500, 'network', /status 500/],
      [errorOf('PermanentRedirect'), 301, 'not_found', /another region/],
      [
        errorOf('AuthorizationHeaderMalformed', '<Region>eu-west-1</Region>'),
        400,
        'not_found',
        /Set the region eu-west-1\.$/,
      ],
      [errorOf('AuthorizationHeaderMalformed', '<Region>no region at all</Region>'), 400, 'not_found', /address\.$/],
      [errorOf('constructor'), 400, 'not_found', /does not speak/],
      ['<html>Not here</html>', 404, 'not_found', /no such bucket/],
      ['x'.repeat(1_000_000), 503, 'rate', /closed for a while/],
      ['', 429, 'rate', /wait/],
    ];
    for (const [text, status, fault, message] of cases) {
      const source = await open(answering(text, status, { 'retry-after': '7' }));
      await assert.rejects(source.check(never), { name: 'SourceFault', fault, retryAfter: 7, message });
      await assert.rejects(source.check(never), /^(?!.*hush)/s);
      await server.close();
    }
    const away = await open(answering(errorOf('TemporaryRedirect'), 307, { location: 'http://169.254.169.254/b' }));
    await assertFault(away.check(never), 'denied_egress', /where nobody asked us to go/);
    assert.equal(server.asked.length, 1);
  });

  it('leaves out one object that cannot be read, and ends the run when it fails with every one', async () => {
    let answer = answering('');
    const source = await open((request, response) =>
      request.url?.startsWith('/s3/b/') === true ? answer(request, response) : response.end(page(contents('a.md'))),
    );
    const file = (await listed(source)).files.get('a.md');
    assert.ok(file !== undefined);
    const read = async (next: Script): Promise<string> => {
      answer = next;
      return String(await readWhole(source, file, never));
    };
    assert.equal(await read(answering('12345', 200, { 'content-encoding': 'gzip' })), '12345');
    assert.equal(server.asked.at(-1)?.headers['if-match'], '"e1"');
    const single: readonly (readonly [Script, RegExp])[] = [
      [answering(errorOf('NoSuchKey'), 404), /gone/],
      [answering('', 412), /changed/],
      [answering(errorOf('InvalidObjectState'), 403), /archived/],
      [answering(errorOf('AccessDenied'), 403), /may not read/],
      [answering('12345', 200, { etag: '"e2"' }), /changed/],
      [answering('1234'), /4 bytes came instead of 5/],
      [answering('123456'), /6 bytes came instead of 5/],
    ];
    await assert.rejects(read(answering(errorOf('AccessDenied'), 403)), ForbiddenFile);
    for (const [script, why] of single)
      await assert.rejects(
        read(script),
        (error) => error instanceof UnreadableFile && error.reason === 'unreadable' && why.test(error.message),
      );
    await assertFault(read(answering(errorOf('NoSuchBucket'), 404)), 'not_found', /no bucket/);
    await assertFault(read(answering(errorOf('SlowDown'), 503)), 'rate', /wait/);
    const failing = Array.from({ length: 30 }, async () => Promise.resolve());
    let ended = '';
    for (const each of failing) {
      await each;
      ended = await read(answering('', 500)).catch((error: unknown) => (error as Error).name);
      if (ended === 'SourceFault') break;
    }
    assert.equal(ended, 'SourceFault');
  });

  it('has the bucket in its host where that is asked for', async () => {
    server = await ScriptedServer.open(answering(page('')));
    const settings = { bucket: 'b', path_style: false };
    const means = meansOf({ allowance: { hosts: [server.host, `localhost:${server.port}`] } }, '/nonexistent');
    const source = await s3Kind.open({ ...settings, endpoint: `http://localhost:${server.port}` }, null, means);
    sources.push(source);
    await assert.rejects(source.check(never), /b\.localhost/);
    await assertFault(
      s3Kind.open({ ...settings, endpoint: server.url().href }, null, means),
      'not_found',
      /Set path_style/,
    );
    assert.equal(server.connections, 0);
  });

  it('gets neither half a key, nor a request on this machine without the operator', async () => {
    server = await ScriptedServer.open(answering(page('')));
    const means = meansOf({ allowance: {} }, '/nonexistent');
    const endpoint = 'https://s3.example.org';
    await assertFault(s3Kind.open({ endpoint, bucket: 'b' }, 'hush', means), 'auth', /an id and a secret/);
    await assertFault(
      s3Kind.open({ endpoint, bucket: 'b', access_key_id: 'id' }, null, means),
      'auth',
      /an id and a secret/,
    );
    const source = await s3Kind.open({ endpoint: server.url().href, bucket: 'b' }, null, means);
    await assertFault(source.check(never), 'denied_egress', /connector_hosts/);
    assert.equal(server.connections, 0);
  });

  it('names a state without a tag by its time, and by the moment too where the time has just begun', async () => {
    const clock = new TestClock();
    let date = 'Mon, 05 Jan 2026 09:00:00 GMT';
    const source = await open((_, response) => response.writeHead(200, { date }).end(page(contents('a.md', ''))), {
      clock,
    });
    const versionIn = async (): Promise<string | undefined> => {
      clock.advance(1);
      return (await listed(source)).files.get('a.md')?.version;
    };
    const versions = [await versionIn(), await versionIn()];
    date = 'Mon, 05 Jan 2026 09:00:02 GMT';
    versions.push(await versionIn());
    assert.equal(new Set(versions).size, 3);
    assert.equal(await versionIn(), versions[2]);
  });

  const answering =
    (text: string, status = 200, headers: Record<string, string> = {}): Script =>
    (_, response) =>
      response.writeHead(status, headers).end(text);

  async function open(script: Script, change: Partial<SourceMeans> = {}, prefix?: string): Promise<Source> {
    server = await ScriptedServer.open(script);
    const means = meansOf({ allowance: { hosts: [server.host] } }, '/nonexistent');
    const settings = {
      endpoint: server.url('/s3/').href,
      bucket: 'b',
      access_key_id: 'id',
      ...(prefix === undefined ? {} : { prefix }),
    };
    const source = await s3Kind.open(settings, 'hush', { ...means, ...change });
    sources.push(source);
    return source;
  }

  async function listed(source: Source): Promise<Follower> {
    const follower = new Follower();
    await follower.follow(source, never);
    return follower;
  }
});

const contents = (key: string, more = '<Size>5</Size><ETag>&quot;e1&quot;</ETag>'): string =>
  `<Contents><Key>${key}</Key><LastModified>2026-01-05T09:00:00.000Z</LastModified>${more}</Contents>`;

const page = (inside: string, isTruncated = 'false'): string =>
  `<ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><Name>b</Name><IsTruncated>${isTruncated}</IsTruncated>${inside}</ListBucketResult>`;

const errorOf = (code: string, more = ''): string =>
  `<?xml version="1.0"?><Error><Code>${code}</Code><Message>hush</Message>${more}</Error>`;
