import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { once } from 'node:events';
import { request, type IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { EraseStep } from '../../lib/erase/erase-step.js';
import { openTestServer, type TestServer } from '../support/http/server.js';
import { countOf } from '../support/counts.js';
import { RawConnection } from '../support/http/raw-connection.js';
import { until } from '../support/until.js';
import { eraseAt } from '../support/store/erase-at.js';
import { answering, findTraces } from '../support/store/evidence.js';

const mebibyte = 1024 * 1024;
/** The campaign has every test with and without the git program. Here uploads, which need none, take turns. */
const isFull = countOf('ERASE_STREAMS', { usual: 1, campaign: 2 }) > 1;

describe('an erase of a document on its way', function () {
  this.timeout(60_000);
  let server: TestServer;
  let key: string;
  let connection: RawConnection;
  let word: string;

  for (const store of ['disk', 'disk-without-git'] as const) {
    const itWithGit = store === 'disk' || isFull ? it : (): void => undefined;
    const itWithoutGit = store === 'disk-without-git' || isFull ? it : (): void => undefined;

    describe(`(${store})`, () => {
      beforeEach(async () => {
        server = await openTestServer({ store });
        ({ key } = await server.host.person('approver'));
        word = randomBytes(12).toString('hex');
        connection = await RawConnection.open(server.rest.port);
      });
      afterEach(async () => {
        connection.end();
        await server.close();
      });

      const dataFolder = (): string => server.host.dataFolder ?? '';
      const head = (line: string, ...headers: string[]): string =>
        [line, 'Host: x', `Authorization: Bearer ${key}`, ...headers, '', ''].join('\r\n');
      const temporaryFiles = (): string[] => {
        const repository = join(dataFolder(), 'acme', 'content.git');
        return readdirSync(repository)
          .filter((name) => name.endsWith('.tmp'))
          .map((name) => join(repository, name));
      };
      /** Begins to send a new version, in raw form, and stops in the middle. */
      const beginUpload = async (): Promise<void> => {
        const length = `Content-Length: ${16 * mebibyte}`;
        const type = 'Content-Type: application/octet-stream';
        connection.write(head('PUT /v1/documents/plan.bin HTTP/1.1', 'If-Match: *', type, length));
        connection.write(makeBytes(5));
        await until('its first bytes lie in a file', () =>
          temporaryFiles().some((file) => statSync(file).size > 2 * mebibyte && readFileSync(file).includes(word)),
        );
      };

      itWithGit(
        'breaks off an upload of a new version, though its sender has fallen silent, and keeps no byte of it',
        async () => {
          const ada = server.as(key);
          await ada.post('/v1/documents?location=plan.bin', Buffer.from('small'));
          await ada.create('other.md', 'other');
          await beginUpload();
          const { id } = await eraseAt(server.host.workspace, 'plan.bin');
          const answer = await connection.read();
          assert.equal(answer.status, 404);
          assert.equal((JSON.parse(answer.body) as { error: { code: string } }).error.code, 'NOT_FOUND');
          assert.doesNotMatch(answer.head + answer.body, /plan|eras/);
          await server.host.workspace.eraser.finished(id);
          assert.deepEqual(findTraces(dataFolder(), [word, 'plan.bin']), []);
          assert.deepEqual(temporaryFiles(), []);
          await connection.closed();
          assert.equal((await ada.get('/v1/documents/other.md')).status, 200);
          const { record } = server.records().find(({ record: { action } }) => action === 'document.update') ?? {};
          assert.deepEqual([record?.outcome, record?.code], ['refused', 'NOT_FOUND']);
          assert.deepEqual(
            server.log.filter(({ level }) => level === 'error'),
            [],
          );
        },
      );

      it('is not final while a reader has a large version of it open, and is when the reader ends', async () => {
        const { workspace } = server.host;
        const ada = server.as(key);
        // Far more than a pipe and the reader's own buffer hold.
        const large = makeBytes(4);
        await ada.post('/v1/documents?location=plan.bin', large);
        await ada.put('/v1/documents/plan.bin', Buffer.from('small'));
        await workspace.checkpointer.run();
        const [, first] = workspace.journal.reader.versions.before(1, Number.MAX_SAFE_INTEGER, 10);
        // Read beside the guard, without its check: the bytes flow as long as the reader takes them.
        const { stream } = await workspace.repository.readStream(first?.blobOid ?? '');
        const pieces = stream[Symbol.asyncIterator]() as AsyncIterator<Buffer>;
        const begun = await pieces.next();
        assert.ok(begun.done !== true);

        const steps: EraseStep[] = [];
        const { id } = await eraseAt(workspace, 'plan.bin');
        const finished = workspace.eraser.finished(id, (step) => void steps.push(step));
        await until('it has come as far as the packs', () => steps.includes('copied'));
        // As long as the whole of it took so far, and more.
        await delay(200);
        assert.ok(!steps.includes('swept'), steps.join());
        assert.equal(workspace.journal.reader.erasures.find(id)?.finalAt, null);

        let size = begun.value.length;
        for (let next = await pieces.next(); next.done !== true; next = await pieces.next()) size += next.value.length;
        assert.equal(size, large.length, 'what was begun is given whole');
        assert.equal((await finished).phase, 'final');
        assert.deepEqual(findTraces(dataFolder(), [word, 'plan.bin']), []);
      });

      itWithoutGit(
        'is not final while a request still holds an upload of the same bytes, which are removed when it ends',
        async () => {
          const { workspace } = server.host;
          const large = makeBytes(4);
          await server.as(key).post('/v1/documents?location=plan.bin', large);
          await workspace.checkpointer.run();
          const held: string[] = [];
          await workspace.staging.stage(
            (async function* () {
              yield large;
            })(),
            held,
          );
          const steps: EraseStep[] = [];
          const { id } = await eraseAt(workspace, 'plan.bin');
          const finished = workspace.eraser.finished(id, (step) => void steps.push(step));
          await until('everything else of it is gone', () => workspace.eraser.waitOf(id) !== undefined);
          assert.match(workspace.eraser.waitOf(id) ?? '', /^It waits for an upload, a push or a run of a connector/);
          assert.equal(workspace.journal.reader.erasures.find(id)?.finalAt, null);
          assert.ok(!steps.includes('final'), steps.join());
          const oids = [...held];
          assert.equal(oids.length, 1);
          await workspace.staging.release(held);
          assert.equal((await finished).phase, 'final');
          assert.deepEqual(answering(dataFolder(), oids), []);
          assert.deepEqual(findTraces(dataFolder(), [word, 'plan.bin']), []);
        },
      );

      it('is not final while a download over REST stands still, which ends broken off and not whole', async () => {
        const { workspace } = server.host;
        const ada = server.as(key);
        // More than the buffers of a connection hold.
        const large = makeBytes(16);
        await ada.post('/v1/documents?location=plan.bin', large);
        await workspace.checkpointer.run();
        const headers = { Authorization: `Bearer ${key}`, Accept: 'application/octet-stream' };
        const asked = request({ port: server.rest.port, path: '/v1/documents/plan.bin', headers }).end();
        // Nothing of the body is read before the first request for it.
        const [response] = (await once(asked, 'response')) as [IncomingMessage];
        assert.equal(response.statusCode, 200);
        // Until the buffers between the two sides are full, and no more is sent.
        await delay(1000);
        const steps: EraseStep[] = [];
        const { id } = await eraseAt(workspace, 'plan.bin');
        const finished = workspace.eraser.finished(id, (step) => void steps.push(step));
        await until('it has come as far as the packs', () => steps.includes('copied'));
        await delay(200);
        assert.ok(!steps.includes('swept'), steps.join());
        let size = 0;
        response.on('data', (piece: Buffer) => (size += piece.length));
        await assert.rejects(once(response, 'end'), { code: 'ECONNRESET' });
        assert.ok(size < large.length, 'the rest was not handed out');
        assert.equal((await finished).phase, 'final');
        assert.deepEqual(findTraces(dataFolder(), [word, 'plan.bin']), []);
      });
    });
  }

  /** Random, incompressible bytes: the words in them show where the bytes lie. */
  const makeBytes = (mebibytes: number): Buffer => {
    const bytes = randomBytes(mebibytes * mebibyte);
    for (let at = 0; at < bytes.length; at += mebibyte / 2) bytes.write(word, at);
    return bytes;
  };
});
