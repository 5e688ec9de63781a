import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { schemaPath } from '../../lib/app/upgrade.js';
import { listSteps } from '../../lib/sidecar/schema-number.js';
import { verifyData } from '../../lib/commands/operator/inspect.js';
import type { TestServer } from '../support/http/server.js';
import { until } from '../support/until.js';
import { deleted, readAnswers, type Kept } from './answers.js';
import { neverLast, oldFolders } from './old-folders.js';
import { getFrom, serveUnpacked, unpack, type Unpacked } from './unpack.js';

describe('a data folder that an earlier version wrote', () => {
  let folder: string;
  beforeEach(async () => (folder = await mkdtemp(join(tmpdir(), 'cartulary-upgrade-'))));
  afterEach(() => rm(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 }));

  for (const { format, end } of oldFolders) {
    it(`opens with everything that is in it: format ${format}, its program was ${end}`, async () => {
      const old = unpack(format, folder);
      const news = await serving(old, async (server) => {
        await indexed(server, old);
        await requireSame(server, old);
        await requireLater(server, old);
        const admin = server.as(old.keys.admin);
        assert.equal((await admin.post('/v1/undeletes', { location: deleted }, own('undelete'))).status, 200);
        const read = await admin.get(`/v1/documents/${deleted}`);
        assert.equal(read.json.content, 'The minutes of March.\n');
        assert.equal((await admin.create('notes/new.md', 'After the upgrade.\n', own('create'))).status, 201);
      });
      assert.match(news[0] ?? '', /^The data folder is upgraded .* Earlier versions cannot open it afterwards/);
      assert.ok(news.includes('The data folder has the format of this version'), news.join('\n'));
      await requireSound(old.data);
      const again = await serving(old, async (server) => {
        await indexed(server, old);
        const found = await server.as(old.keys.reader).get('/v1/search?q=upgrade');
        assert.deepEqual(
          found.json.items.map((item: { location: string }) => item.location),
          ['notes/new.md'],
        );
      });
      assert.deepEqual(again, [], 'the second start has nothing to upgrade');
    }).timeout(60_000);
  }

  it('is kept for every format that a program of this repository ended with', () => {
    for (const [schema, part] of [
      ['sidecar', 0],
      ['service', 1],
    ] as const) {
      const kept = new Set(oldFolders.map(({ format }) => Number(format.split('.')[part])));
      const numbers = listSteps(schemaPath(schema)).map(({ number }) => number);
      const missing = numbers.slice(0, -1).filter((each) => !kept.has(each) && !neverLast[schema].includes(each));
      assert.deepEqual(missing, [], `add the last commit of the format to old-folders.ts: npm run folders:old`);
    }
  });

  /** Serves it, and ends the server also where an expectation fails. @returns the news of its opening */
  async function serving(old: Unpacked, use: (server: TestServer) => Promise<void>): Promise<string[]> {
    const news: string[] = [];
    const server = await serveUnpacked(old, {
      onNews: (what) => void news.push(what),
      onFault: (what, cause) => assert.fail(`${what}: ${String(cause)}`),
    });
    try {
      await use(server);
    } finally {
      await server.close();
    }
    return news;
  }

  async function requireSound(data: string): Promise<void> {
    const options = { dataFolder: data, workspace: null, git: 'auto', isQuick: false } as const;
    const { service, workspaces } = await verifyData(options, () => undefined);
    const problems = [service, ...workspaces].flatMap((each) => each.problems);
    assert.deepEqual(problems, []);
    assert.equal(workspaces.length, 1);
  }
});

/** The old program's own keys are still known. */
const own = (name: string): Record<string, string> => ({ 'Idempotency-Key': `upgraded-${name}` });

/** An index of an earlier version is built again beside the requests. */
async function indexed(server: TestServer, { keys }: Kept): Promise<void> {
  const search = () => server.as(keys.reader).get('/v1/search?q=harvest');
  await until('searches are answered', async () => (await search()).status === 200);
}

/** Each document, version, grant, key and record is as its own program answered. */
async function requireSame(server: TestServer, { keys, answers }: Kept): Promise<void> {
  assert.deepEqual(await readAnswers(getFrom(server), keys.admin), answers.admin);
  assert.deepEqual(await readAnswers(getFrom(server), keys.reader), answers.reader);
  assert.equal((await server.as(keys.revoked).get('/v1/folders')).status, 401);
  const known = server.records().find(({ record }) => record.seq === answers.audit.seq);
  assert.equal(known?.record.hash, answers.audit.hash);
}

/** What later versions had beside it. */
async function requireLater(server: TestServer, { keys, message, connector, webhook }: Kept): Promise<void> {
  const { reader } = server.host.workspace.journal;
  if (message !== undefined) assert.ok(server.records().some(({ record }) => record.action === 'message.send'));
  if (connector !== undefined) {
    const mirrored = await server.as(keys.admin).get(`/v1/documents/${connector}`);
    assert.equal(mirrored.json.content, '# Mirrored\n\nFrom a folder.\n');
    assert.equal(mirrored.json.read_only, true);
  }
  if (webhook !== undefined) {
    const listed = await server.as(keys.admin).get('/v1/webhooks');
    assert.deepEqual(
      listed.json.items.map((each: { name: string }) => each.name),
      [webhook],
    );
  }
  assert.equal(reader.audit.find(1)?.seq, 1);
}
