import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Service } from '../../lib/app/service.js';
import { rootLocation } from '../../lib/domain/location.js';
import { backUpWorkspace } from '../../lib/operations/workspaces/back-up-workspace.js';
import { perform } from '../../lib/operations/perform.js';
import { serveTestService, type HttpAnswer, type HttpClient, type TestServer } from '../support/http/server.js';
import { makeTestRandomness, openTestService, operator, TestService } from '../support/store/service.js';
import { answersOf } from './answers.js';
import { dumpContent } from '../support/store/history.js';
import { makeWorld, type FullWorkspace } from '../support/store/full-world.js';

const passphrase = 'correct horse battery staple';

/** The parts in which two answers to the same request may differ. */
const ofTheMoment = /^(?:date|x-request-id|x-ratelimit-.*)$/;

describe('a workspace restored from a backup', function () {
  this.timeout(120_000);

  let test: TestService;
  let world: FullWorkspace;
  let work: string;
  let backup: string;
  /** The last record of the log before the backup. */
  let until: number;
  let restored: TestService;
  let servers: readonly TestServer[];
  let key: string;
  let created: HttpAnswer;
  const retry = { 'Idempotency-Key': 'before-the-backup' };

  before(async () => {
    work = await mkdtemp(join(tmpdir(), 'cartulary-answers-'));
    backup = join(work, 'backup');
    test = await openTestService({ store: 'disk' });
    world = await makeWorld(test);
    key = await test.key(world.ada.id);
    const early = await serveTestService(test);
    created = await early.as(key).create('retried.md', 'sent once', retry);
    // The end of a server writes that the key was used. Later it would be in the original alone.
    await early.rest.close();
    servers = [await serveTestService(test)];
    until = test.workspace.journal.state.chain.seq;
    await perform(test.workspace, operator, backUpWorkspace, { folder: backup, passphrase, cost: 1024 });
    restored = await restore('restored');
    servers = [...servers, await serveTestService(restored)];
  });

  after(async () => {
    for (const server of servers) await server.close();
    await rm(work, { recursive: true, force: true });
  });

  it('answers every request of every person as the original does, entity-tags included', async () => {
    const before = await answersOf(test.workspace, until);
    const after = await answersOf(restored.workspace, until);
    assert.equal(after.length, before.length);
    for (const [index, answer] of before.entries()) assert.deepEqual(after[index], answer);
    assert.deepEqual(dumpContent(restored.dataFolder ?? ''), dumpContent(test.dataFolder ?? ''));
    requireTold(before);
  });

  describe('over HTTP, with the same key', () => {
    it('gives the same bytes and entity-tags for every document and version, and recognises a client’s entity-tags', async () => {
      const documents = [...test.workspace.view(operator).walk(rootLocation)];
      let versions = 0;
      for (const { location, number } of documents) {
        const path = pathOf(location);
        const { etag, status } = await askBoth((client) => client.get(path));
        assert.equal(status, 200);
        // The check of every answer against the description takes raw JSON for a record.
        if (!location.endsWith('.json')) {
          await askBoth((client) => client.get(path, { Accept: 'application/octet-stream' }));
        }
        assert.equal((await askBoth((client) => client.head(path))).etag, etag);
        // A record also has what is no part of its version, so it may be sent whole; the bytes are known.
        await askBoth((client) => client.get(path, { 'If-None-Match': etag }));
        const bytes = path.replace('/v1/documents/', '/v1/files/');
        const known = await askBoth((client) => client.get(bytes, { 'If-None-Match': etag }));
        assert.deepEqual([known.status, known.etag], [304, etag]);
        for (const { id } of test.workspace.journal.reader.versions.before(number, 1000, 1000)) {
          const older = await askBoth((client) => client.get(`${path}?version=${id}`));
          assert.deepEqual([older.status, older.etag], [200, `"${id}"`]);
          versions += 1;
        }
      }
      assert.ok(documents.length > 15 && versions > documents.length, `${documents.length}, ${versions}`);
      for (const location of ['gone/b/c.md', 'team/more secret.md', 'team/secret.md']) {
        assert.equal((await askBoth((client) => client.get(pathOf(location)))).status, 404);
      }
    });

    it('takes a write with the entity-tag of before, and none with an older one', async () => {
      const server = await serveTestService(await restore('written'));
      try {
        const copy = server.as(key);
        const path = pathOf('new/brought/x.md');
        const { etag } = await askBoth((client) => client.get(path));
        const written = await copy.put(path, { content: 'written in the copy' }, { 'If-Match': etag });
        assert.equal(written.status, 200);
        assert.notEqual(written.etag, etag);
        const late = await copy.put(path, { content: 'too late' }, { 'If-Match': etag });
        assert.equal(late.refusal, 'CONFLICT stale_if_match');
        assert.equal((await copy.get(path)).etag, written.etag);
        assert.equal((await copy.delete(path, { 'If-Match': written.etag })).status, 200);
      } finally {
        await server.close();
      }
    });

    it('answers a retry of a request to the original as the original did', async () => {
      assert.equal(created.status, 201);
      const again = await askBoth((client) => client.create('retried.md', 'sent once', retry));
      assert.deepEqual([again.status, again.etag, again.text], [201, created.etag, created.text]);
      assert.equal(again.headers['idempotent-replayed'], 'true');
      const other = await askBoth((client) => client.create('retried.md', 'something else', retry));
      assert.equal(other.refusal, 'CONFLICT idempotency_key_reused');
    });

    /** The same of both, one after the other. */
    async function askBoth(work: (client: HttpClient) => Promise<HttpAnswer>): Promise<HttpAnswer> {
      const answers: HttpAnswer[] = [];
      for (const server of servers) answers.push(await work(server.as(key)));
      const [original = assert.fail(), copy = assert.fail()] = answers;
      assert.deepEqual(comparable(copy), comparable(original));
      return copy;
    }
  });

  /** A comparison of nothing shows nothing: each kind of question has an answer with content. */
  function requireTold(answers: readonly unknown[]): void {
    const text = (kind: RegExp): string =>
      JSON.stringify(answers.filter((answer) => kind.test(String((answer as unknown[])[1]))));
    for (const [kind, holds] of [
      [/^read /, '"sha256"'],
      [/^history /, '"relocation"'],
      [/^diff /, 'oaks'],
      [/^comments /, 'Twelve.'],
      [/^open comments /, 'How many?'],
      [/^claims /, 'counting'],
      [/^own claims/, 'broken'],
      [/^readers /, 'Crew'],
      [/^messages sent/, 'To all of you.'],
      [/^messages about /, 'Who comes?'],
      [/^thread /, 'I do.'],
      [/^brief /, 'new/brought/x.md'],
      [/^brief /, 'Is this one?'],
      [/^search many words/, 'team/sub/one.md'],
      [/^erasures/, '"final"'],
      [/^audit log/, 'document.erase'],
    ] as const) {
      assert.ok(text(kind).includes(holds), `${kind.source} tells of ${holds}`);
    }
    assert.ok(answers.length > 500, `${answers.length}`);
  }

  async function restore(name: string): Promise<TestService> {
    const dataFolder = join(work, name);
    const { clock } = test;
    const randomness = makeTestRandomness('restored');
    const service = await Service.open({ dataFolder, git: 'auto', clock, randomness, onFault: () => undefined });
    return new TestService(service, await service.restore({ backup, passphrase }, operator), clock, dataFolder);
  }
});

const pathOf = (location: string): string => `/v1/documents/${location.split('/').map(encodeURIComponent).join('/')}`;

function comparable({ status, headers, bytes }: HttpAnswer): unknown {
  const lasting = Object.entries(headers).filter(([name]) => !ofTheMoment.test(name));
  return {
    status,
    headers: lasting.toSorted(([a], [b]) => (a < b ? -1 : 1)),
    bytes: bytes.toString('latin1').replace(/"req_\w+"/, '"req_"'),
  };
}
