import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { webdavKind } from '../../../lib/connectors/webdav/webdav-kind.js';
import { UnreadableFile, type Source, type SourceMeans } from '../../../lib/connectors/source.js';
import { assertFault } from '../../support/connectors/assert-fault.js';
import { ScriptedServer, type Script } from '../../support/connectors/scripted-server.js';
import { Follower, meansOf, readWhole } from '../follow.js';
import { multistatus, response207 } from './scripted-nextcloud.js';

const folderType = '<d:resourcetype><d:collection/></d:resourcetype>';

describe('a hostile WebDAV server', () => {
  let server: ScriptedServer;
  let sources: Source[];
  const never = new AbortController().signal;

  beforeEach(() => (sources = []));
  afterEach(async () => {
    for (const source of sources) await source.close();
    await server.close();
  });

  it('is not followed to other servers or folders by what it lists', async () => {
    for (const href of [
      'http://127.0.0.1:1/dav/a.md',
      'https://example.org/dav/a.md',
      '/etc/passwd',
      '/dav/../x',
      '/dav/a/b',
    ]) {
      const source = await open(holding({ '/dav/': [file(href)] }));
      await assertFault(listed(source), 'corrupt', /addresses outside the folder/);
      assert.deepEqual(
        server.asked.map(({ path }) => path),
        ['/dav/'],
      );
      await server.close();
    }
    const sub = await open(
      holding({ '/dav/': [folder('/dav/sub/'), file('/dav/a.md')], '/dav/sub/': [file('/dav/other/b.md')] }),
    );
    const { files, unreadable } = await listed(sub);
    assert.deepEqual([[...files.keys()], unreadable], [['a.md'], ['sub']]);
  });

  it('has names that cannot be ones left out', async () => {
    const names = ['..', '%2e%2e', 'a%2Fb', 'a%00b', '%ff'];
    const source = await open(
      holding({
        '/dav/': [...names.map((name) => file(`/dav/${name}`)), folder('/dav/%2e%2e/'), file('/dav/fine.md')],
      }),
    );
    const { files, skipped } = await listed(source);
    assert.deepEqual([[...files.keys()], [...skipped.keys()]], [['fine.md'], names]);
    assert.equal(server.asked.length, 1);
  });

  it('that sends us to another place is left there', async () => {
    for (const location of [
      'http://127.0.0.1:1/',
      'http://169.254.169.254/latest/meta-data/',
      '//example.org/dav/',
      '/admin/',
      'file:///etc/passwd',
    ]) {
      const source = await open((_, response) => response.writeHead(302, { location }).end());
      await assertFault(listed(source), 'denied_egress', /^(?!.*hush).*where nobody asked us to go/);
      assert.equal(server.asked.length, 1);
      await server.close();
    }
    const inside = await open((request, response) => {
      if (request.url === '/dav/') response.writeHead(301, { location: '/dav/real/' }).end();
      else holding({ '/dav/real/': [] })(request, response);
    });
    await assertFault(listed(inside), 'corrupt', /\.$/);
  });

  it('with an endless folder, or endless folders within each other, comes to an end', async () => {
    const endless = await open(
      (_, response) => {
        response.writeHead(207).write(multistatus([folder('/dav/')]).replace('</d:multistatus>', ''));
        let count = 0;
        const more = (): void => {
          while (!response.destroyed && response.write(file(`/dav/${(count += 1)}.md`)));
          response.once('drain', more);
        };
        more();
      },
      { maxEntries: 3000 },
    );
    await assertFault(listed(endless), 'limit', /more than 3000 files and folders/);
    await server.close();
    const deep = await open((request, response) => {
      const url = request.url ?? '';
      response.writeHead(207).end(multistatus([folder(url), folder(`${url}in/`), file(`${url}a.md`)]));
    });
    const { files, skipped } = await listed(deep);
    assert.equal(files.size, 64);
    assert.deepEqual([...skipped.values()], ['bad_name']);
  });

  it('lists nothing as gone by half an answer, an empty one, or another one', async () => {
    const whole = multistatus([folder('/dav/'), file('/dav/a.md'), file('/dav/b.md')]);
    const bomb = `<!DOCTYPE m [<!ENTITY a "${'x'.repeat(1000)}">]><d:multistatus xmlns:d="DAV:">&a;</d:multistatus>`;
    const halves = [
      whole.slice(0, -20),
      whole.slice(0, 200),
      multistatus([]),
      multistatus([file('/dav/a.md')]),
      '<html>',
      '',
      '{}',
      bomb,
    ];
    for (const text of halves) {
      const source = await open((_, response) => response.writeHead(207).end(text));
      await assertFault(listed(source), 'corrupt', /\.$/);
      await server.close();
    }
    const broken = (response: ServerResponse): void => {
      response.writeHead(207, { 'content-length': String(whole.length) });
      response.write(whole.slice(0, -20), () => response.destroy());
    };
    await assertFault(open((_, response) => broken(response)).then(listed), 'network', /broke the connection off/);
    await server.close();
    const packed = await open((_, response) => response.writeHead(207, { 'content-encoding': 'gzip' }).end('x'));
    await assertFault(listed(packed), 'corrupt', /compresses/);
  });

  it('may forbid any number of its folders, and fail with a hundred', async () => {
    const names = Array.from({ length: 150 }, (_, index) => `${index}`);
    const answering = (status: number): Script => {
      const root = holding({ '/dav/': [...names.map((name) => folder(`/dav/${name}/`)), file('/dav/a.md')] });
      return (request, response) =>
        request.url === '/dav/' ? root(request, response) : response.writeHead(status).end();
    };
    for (const status of [403, 404, 423]) {
      const { files, unreadable } = await listed(await open(answering(status)));
      assert.deepEqual([[...files.keys()], unreadable.length], [['a.md'], names.length], String(status));
      await server.close();
    }
    await assertFault(listed(await open(answering(500))), 'network', /status 500/);
  });

  it('that lies about a size or a tag gives no content', async () => {
    const contents: Readonly<Record<string, readonly [headers: Record<string, string>, body: string]>> = {
      '/dav/short': [{}, 'xxx'],
      '/dav/long': [{}, 'xxxxxx'],
      '/dav/tag': [{ etag: '"2"' }, 'xxxxx'],
      '/dav/less': [{ 'content-length': '4' }, 'xxxx'],
    };
    const names = Object.keys(contents);
    const source = await open((request, response) => {
      const found = contents[request.url ?? ''];
      if (found !== undefined) response.writeHead(200, found[0]).end(found[1]);
      else
        holding({ '/dav/': names.map((name) => file(name, '<d:getcontentlength>5</d:getcontentlength>')) })(
          request,
          response,
        );
    });
    const { files } = await listed(source);
    assert.equal(files.size, names.length);
    for (const each of files.values()) await assert.rejects(readWhole(source, each, never), UnreadableFile, each.path);
  });

  it('with tags and ids of any kind does not bring them into a request', async () => {
    const tags = ['"a\r\nx: y"', 'W/"weak"', 'naked', '"', `"${'x'.repeat(5000)}"`, '""'];
    const properties = tags.map(
      (tag) =>
        `<d:getetag>${tag.replaceAll('\r', '&#13;')}</d:getetag><d:resourcetype/><oc:fileid>${'9'.repeat(1000)}</oc:fileid>`,
    );
    const script = holding({ '/dav/': properties.map((each, index) => response207(`/dav/${index}`, each)) });
    const source = await open((request, response) =>
      request.method === 'GET' ? response.end() : script(request, response),
    );
    const { files } = await listed(source);
    for (const each of files.values()) await readWhole(source, each, never);
    const sent = server.asked.flatMap(({ headers }) => headers['if-match'] ?? []);
    assert.deepEqual(sent, ['""']);
    for (const { id } of files.values()) assert.ok((id?.length ?? 0) <= 128);
  });

  it('gets a secret as a password or a token, and nothing where there is none', async () => {
    const sent: (string | undefined)[] = [];
    const script: Script = (request, response) => {
      sent.push(request.headers.authorization);
      holding({ '/dav/': [] })(request, response);
    };
    server = await ScriptedServer.open(script);
    const means = meansOf({ allowance: { hosts: [server.host] } }, '/nonexistent');
    const url = server.url('/dav').href;
    for (const [username, secret] of [
      ['ännchen', 'p:w'],
      [undefined, 'token'],
      ['share', null],
      [undefined, null],
    ] as const) {
      const source = await webdavKind.open({ url, ...(username === undefined ? {} : { username }) }, secret, means);
      sources.push(source);
      await source.check(never);
    }
    const basic = (text: string): string => `Basic ${Buffer.from(text).toString('base64')}`;
    assert.deepEqual(sent, [basic('ännchen:p:w'), 'Bearer token', basic('share:'), undefined]);
  });

  it('gets no secret over http that the operator has not allowed', async () => {
    server = await ScriptedServer.open(() => undefined);
    const means = meansOf({ allowance: {} }, '/nonexistent');
    const opened = (url: string): Promise<Source> => webdavKind.open({ url, username: 'ann' }, 'hush', means);
    await assertFault(opened('http://files.example/dav'), 'denied_egress', /Use https/);
    for (const url of ['https://127.0.0.1/dav', 'https://0x7f.1/', 'https://[::1]/', 'https://localhost:8443/'])
      await assertFault(
        opened(url).then(async (source) => source.check(never)),
        'denied_egress',
        /connector_hosts/,
      );
  });

  /** Answers with what a folder holds. */
  const holding =
    (contents: Readonly<Record<string, readonly string[]>>): Script =>
    (request, response) => {
      const found = contents[request.url ?? ''];
      if (found === undefined) response.writeHead(404).end();
      else response.writeHead(207).end(multistatus([folder(request.url ?? ''), ...found]));
    };

  async function open(script: Script, change: Partial<SourceMeans> = {}): Promise<Source> {
    server = await ScriptedServer.open(script);
    const means = meansOf({ allowance: { hosts: [server.host] } }, '/nonexistent');
    const source = await webdavKind.open({ url: server.url('/dav').href, username: 'ann' }, 'hush', {
      ...means,
      ...change,
    });
    sources.push(source);
    return source;
  }

  async function listed(source: Source): Promise<Follower> {
    const follower = new Follower();
    await follower.follow(source, never);
    return follower;
  }
});

const folder = (href: string): string => response207(href, folderType);

const file = (href: string, more = ''): string =>
  response207(href, `<d:resourcetype/><d:getetag>"1"</d:getetag>${more}`);
