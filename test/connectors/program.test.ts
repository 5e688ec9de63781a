import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { makeSources, noAllowance } from '../../lib/connectors/sources.js';
import { Refusal } from '../../lib/domain/refusal.js';
import { noLog } from '../support/http/log.js';
import { makeTestRandomness } from '../support/store/service.js';
import { makeProgramKind } from '../../lib/connectors/program/program-kind.js';
import { SourceFault, type Source } from '../../lib/connectors/source.js';
import { skipBecause } from '../support/skip.js';
import { Feed } from './feed.js';
import { Follower, meansOf, readIfReadable } from './follow.js';
import { describeKind } from './suite.js';

/** The folder of the manual's examples. */
const examples = fileURLToPath(new URL('../../../lib/docs/examples', import.meta.url));

describeKind(
  'program, by the example for a feed',
  async () => {
    const feed = new Feed();
    const url = await feed.listen();
    let isThere = true;
    const vanish = async (): Promise<void> => {
      if (isThere) await feed.close();
      isThere = false;
    };
    return {
      settings: { program: 'feed', settings: { feed: url } },
      secret: feed.token,
      allowance: { programs: { feed: [process.execPath, join(examples, 'mirror-feed.mjs'), new URL(url).origin] } },
      put: (path, content) => Promise.resolve(feed.put(path, content)),
      remove: (path) => Promise.resolve(feed.remove(path)),
      move: (from, to) => Promise.resolve(feed.move(from, to)),
      publish: () => Promise.resolve(),
      vanish,
      close: vanish,
    };
  },
  {
    kind: makeProgramKind(),
    probes: true,
    keepsIds: false,
    keepsVersions: false,
    wrongSecrets: ['another-token', null],
    goneAs: ['network'],
  },
);

describe('the example for a feed', () => {
  const never = new AbortController().signal;

  it('sends its token to the operator’s origin alone, whatever the settings and the feed say', async () => {
    const heard: string[] = [];
    const other = await serve((request, response) => {
      heard.push(request.headers.authorization ?? 'nothing');
      response.writeHead(200, { etag: '1' }).end('[]');
    });
    const feed = await serve((request, response) => {
      const entry = (path: string, url: string): object => ({ path, url, version: '1', size: 2 });
      if (request.url === '/moved') response.writeHead(302, { location: other.url }).end();
      else response.end(JSON.stringify([entry('a.md', other.url), entry('b.md', 'moved')]));
    });
    const folder = await mkdtemp(join(tmpdir(), 'cartulary-feed-'));
    const programs = { feed: [process.execPath, join(examples, 'mirror-feed.mjs'), new URL(feed.url).origin] };
    const means = meansOf({ allowance: { programs } }, folder);
    const open = (url: string): Promise<Source> =>
      makeProgramKind().open({ program: 'feed', settings: { feed: url } }, 'a token', means);
    const isDenied = (error: unknown): boolean => error instanceof SourceFault && error.fault === 'denied_egress';
    const elsewhere = await open(other.url);
    await assert.rejects(elsewhere.check(never), isDenied);
    await elsewhere.close();
    const source = await open(feed.url);
    const file = { type: 'file', version: '1', size: 2 } as const;
    assert.equal(await readIfReadable(source, { ...file, path: 'b.md' }, never), null);
    await assert.rejects(readIfReadable(source, { ...file, path: 'a.md' }, never), isDenied);
    await source.close();
    assert.deepEqual(heard, []);
    for (const { close } of [feed, other]) await close();
    await rm(folder, { recursive: true });
  });
});

async function serve(answer: RequestListener): Promise<{ readonly url: string; readonly close: () => Promise<void> }> {
  const server = createServer(answer).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const close = async (): Promise<void> => {
    server.closeAllConnections();
    await new Promise((resolve) => void server.close(resolve));
  };
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, close };
}

describe('the example for rclone', function () {
  this.timeout(60_000);
  const never = new AbortController().signal;
  let folder: string;
  let source: Source;

  before(async function () {
    const lacking = ['python3', 'rclone'].filter((each) => spawnSync(each, ['--version']).error !== undefined);
    if (lacking.length > 0) skipBecause(this, `this machine has no ${lacking.join(' and no ')}`);
    folder = await mkdtemp(join(tmpdir(), 'cartulary-rclone-'));
  });
  after(() => rm(folder, { recursive: true, force: true }));
  afterEach(() => source.close());

  it('mirrors what a remote of rclone holds, and knows it by the operator’s configuration alone', async () => {
    const truth = new Map([
      ['a.md', Buffer.from('a')],
      ['deep/er/Ünder wegs.md', Buffer.from('b')],
      ['large.bin', Buffer.alloc(700_001, 7)],
      ['empty', Buffer.alloc(0)],
    ]);
    for (const [path, content] of truth) {
      await mkdir(dirname(join(folder, 'share', path)), { recursive: true });
      await writeFile(join(folder, 'share', path), content);
    }
    assert.match(await (await open({})).check(never), /^rclone finds 4 entries/);
    const follower = new Follower();
    await follower.follow(source, never);
    assert.deepEqual([...follower.files.keys()].sort(), [...truth.keys()].sort());
    await writeFile(join(folder, 'share', 'a.md'), 'changed');
    for (const [path, file] of follower.files) {
      const read = await readIfReadable(source, file, never);
      assert.ok(path === 'a.md' ? read === null : read?.equals(truth.get(path) ?? Buffer.alloc(0)), path);
    }
  });

  const isNotFound = (error: unknown): boolean => error instanceof SourceFault && error.fault === 'not_found';

  it('lets an approver choose a folder below the remote, and nothing else', async () => {
    await mkdir(join(folder, 'share', 'one'), { recursive: true });
    await writeFile(join(folder, 'share', 'one', 'a.md'), 'a');
    await writeFile(join(folder, 'outside.md'), 'outside');
    const other = `[share]\ntype = alias\nremote = ${folder}\n`;
    const follower = new Follower();
    await follower.follow(await open({ folder: 'one', remote: ':local:/' }, other), never);
    assert.deepEqual([...follower.files.keys()], ['a.md']);
    const [file] = follower.files.values();
    assert.ok(file !== undefined);
    assert.equal((await readIfReadable(source, file, never))?.toString(), 'a');
    await source.close();
    for (const wrong of ['..', 'one/../..', '/', '/etc', './', 'one//two']) {
      await assert.rejects(async () => (await open({ folder: wrong })).check(never), isNotFound, wrong);
    }
    await assert.rejects((await open({ folder: '--config=x' })).check(never), isNotFound);
  });

  it('ends as a fault without the folder', async () => {
    await assert.rejects((await open({ folder: 'missing' })).check(never), isNotFound);
    await assert.rejects(new Follower().follow(source, never), isNotFound);
  });

  async function open(settings: Record<string, string>, secret: string | null = null): Promise<Source> {
    const config = join(folder, 'rclone.conf');
    await writeFile(config, `[share]\ntype = alias\nremote = ${join(folder, 'share')}\n`);
    const programs = { rclone: ['/usr/bin/python3', join(examples, 'mirror-rclone.py'), config, 'share:'] };
    const means = meansOf({ allowance: { programs } }, join(folder, 'cache'));
    source = await makeProgramKind().open({ program: 'rclone', settings }, secret, means);
    return source;
  }
});

describe('the settings of an outside program', () => {
  const sources = makeSources({
    allowance: noAllowance,
    log: noLog,
    clock: { now: () => 0, elapsed: () => 0 },
    randomness: makeTestRandomness('settings'),
    dataFolder: null,
  });

  it('are texts, numbers, truths and lists of them', async () => {
    assert.equal(await outcome({ feed: 'https://example.com', days: 5, all: true, names: ['a', 'b'] }), 'fine');
    assert.match(await outcome({ deep: { deeper: 1 } }), /^The setting "settings.deep" must be text/);
    assert.match(await outcome({ long: 'x'.repeat(5000) }), /^The setting "settings.long" must have at most/);
    assert.match(await outcome({ nothing: null }), /^The setting/);
    assert.match(await outcome('text'), /^The setting "settings" must be an object/);
  });

  it('hold no secret in an address', async () => {
    for (const feed of ['https://ada:token123@example.com', ['https://example.com/?access_token=token123']]) {
      const message = await outcome({ feed });
      assert.match(message, /^The address in "settings.feed" holds a name, password or token/);
      assert.ok(!message.includes('token123'));
    }
  });

  const outcome = async (settings: unknown): Promise<string> => {
    try {
      await sources.check({ kind: 'program', settings: { program: 'feed', settings }, secret: null });
      return 'fine';
    } catch (error) {
      assert.ok(error instanceof Refusal);
      return error.message;
    }
  };
});
