import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { backUpWorkspace } from '../../lib/operations/workspaces/back-up-workspace.js';
import { perform } from '../../lib/operations/perform.js';
import { openTestServer, type TestServer } from '../support/http/server.js';
import { countOf } from '../support/counts.js';
import { RawConnection } from '../support/http/raw-connection.js';
import { operator } from '../support/store/service.js';
import { until } from '../support/until.js';
import { eraseAt } from '../support/store/erase-at.js';
import { findTraces } from '../support/store/evidence.js';

const mebibyte = 1024 * 1024;
/** The campaign has every test with and without the git program. */
const isFull = countOf('ERASE_READERS', { usual: 1, campaign: 2 }) > 1;
/** Bytes that do not fit into the buffers on the way to a reader. */
const large = 16 * mebibyte;
/** Milliseconds for which a slow reader may hold on to files; the usual time is twenty seconds. */
const readersGrace = 1000;

describe('An erase, while a reader of other documents takes its time', function () {
  this.timeout(90_000);

  for (const store of ['disk', 'disk-without-git'] as const) {
    describe(`(${store})`, () => {
      let server: TestServer;
      let key: string;
      let open: RawConnection[];

      beforeEach(async () => {
        open = [];
        server = await openTestServer({ store, readersGrace, workLimits: { exports: { perSource: 50, inAll: 50 } } });
        ({ key } = await server.host.person('reader', 'pub'));
      });
      afterEach(async () => {
        for (const connection of open) connection.end();
        await server.close();
      });

      /** @param bytes of the large document; an export shortens what repeats itself */
      async function fill(bytes: Buffer): Promise<void> {
        const ada = await server.person('approver');
        await ada.post('/v1/documents?location=pub/large.bin', bytes, { 'Content-Type': 'application/octet-stream' });
        for (let n = 0; n < 30; n += 1) await ada.create(`pub/small-${n}.md`, randomBytes(3000).toString('hex'));
        await ada.create('sec/erase-me.md', 'the word that goes');
        await server.host.workspace.checkpointer.run();
      }

      async function send(target: string, headers: readonly string[]): Promise<RawConnection> {
        const connection = await RawConnection.open(server.rest.port);
        open.push(connection);
        const lines = [`GET ${target} HTTP/1.1`, 'Host: x', `Authorization: Bearer ${key}`, ...headers];
        connection.write(`${lines.join('\r\n')}\r\n\r\n`);
        return connection;
      }

      /** Asks for a long answer, and reads nothing of it. Only the buffers on the way fill. */
      async function begin(target: string, ...headers: readonly string[]): Promise<RawConnection> {
        const connection = await send(target, headers);
        connection.stopReading();
        return connection;
      }

      const isTaken = (kind: 'downloads' | 'exports'): boolean => {
        const { workLimits } = server.host.service;
        const limit = kind === 'downloads' ? 4 : 50;
        const release = workLimits[kind].tryTake(`acme/${key.split('_')[2]}`, limit);
        release?.();
        return release === undefined;
      };

      it('is final all the same, and the download is broken off and can be resumed', async () => {
        await fill(Buffer.alloc(large, 'The same line again.\n'));
        await begin('/v1/documents/pub/large.bin', 'Accept: application/octet-stream');
        await until('the download is under way', () => isTaken('downloads'));
        const { id } = await eraseAt(server.host.workspace, 'sec/erase-me.md');
        const { phase } = await server.host.workspace.eraser.finished(id);
        assert.equal(phase, 'final');
        assert.deepEqual(findTraces(server.host.dataFolder ?? '', ['the word that goes', 'erase-me']), []);
        await until('the download is over', () => !isTaken('downloads'));
        const rest = await server.as(key).get('/v1/documents/pub/large.bin', {
          Accept: 'application/octet-stream',
          Range: `bytes=${large - 4 * mebibyte}-`,
        });
        assert.deepEqual([rest.status, rest.bytes.length], [206, 4 * mebibyte]);
        assert.deepEqual(
          server.log.filter(({ level }) => level === 'error'),
          [],
        );
      });

      // A backup needs the git program.
      if (store === 'disk') {
        it('is final, and a backup begins, while exports begin again and again', async () => {
          await fill(randomBytes(large));
          const backups = await mkdtemp(join(tmpdir(), 'cartulary-readers-'));
          const exports = { areOver: false };
          const exporting = (async () => {
            while (!exports.areOver) {
              await begin('/v1/folders/export?location=pub');
              // Each is under way while the next one begins, since its reader has more time.
              await delay(0.8 * readersGrace);
              if (open.length > 5) open.shift()?.end();
            }
          })();
          try {
            await until('exports are under way', () => isTaken('exports'));
            const { workspace } = server.host;
            const { id } = await eraseAt(workspace, 'sec/erase-me.md');
            assert.equal((await workspace.eraser.finished(id)).phase, 'final');
            const folder = join(backups, 'backup');
            await perform(workspace, operator, backUpWorkspace, {
              folder,
              passphrase: 'a long passphrase',
              cost: 1024,
            });
            assert.ok(isTaken('exports'), 'exports were under way all the time');
          } finally {
            exports.areOver = true;
            await exporting;
            await rm(backups, { recursive: true, force: true });
          }
        });
      }

      const itWithoutGit = store === 'disk-without-git' || isFull ? it : (): void => undefined;
      itWithoutGit('breaks off an export of its folder, and no other', async () => {
        await fill(randomBytes(large));
        const ada = await server.person('approver');
        await ada.create('pub/goes.md', 'another word that goes');
        const other = await ada.post('/v1/documents?location=far/large.bin', randomBytes(8 * mebibyte), {
          'Content-Type': 'application/octet-stream',
        });
        assert.equal(other.status, 201);
        const { id: reader } = await server.host.person('reader', 'far');
        const farKey = await server.host.key(reader);
        const far = server.as(farKey).get('/v1/folders/export?location=far');
        const near = await send('/v1/folders/export?location=pub', []);
        // Its head shows that it reads its folder; one that only waits for room would begin after the erase.
        await near.read();
        near.stopReading();
        const { id } = await eraseAt(server.host.workspace, 'pub/goes.md');
        assert.equal((await server.host.workspace.eraser.finished(id)).phase, 'final');
        near.goOnReading();
        await near.closed();
        assert.equal((await far).status, 200);
        assert.deepEqual(findTraces(server.host.dataFolder ?? '', ['another word that goes', 'goes.md']), []);
      });
    });
  }

  it('waits twenty seconds for readers, so that it is final within a minute', async () => {
    const server = await openTestServer();
    assert.equal(server.host.workspace.readersGrace, 20_000);
    await server.close();
  });
});
