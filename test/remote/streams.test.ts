import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { readdir, readFile, readlink } from 'node:fs/promises';
import { parseKey } from '../../lib/access/secret.js';
import { encodePacket, flushPacket } from '../../lib/git/serving/packets.js';
import { revokeCredential } from '../../lib/operations/credentials/change-credential.js';
import { perform } from '../../lib/operations/perform.js';
import { setPrincipalState } from '../../lib/operations/principals/set-principal-state.js';
import { git, runClient } from '../support/git/git-client.js';
import { openRemoteServer, type RemotePerson, type RemoteTestServer } from '../support/http/open-remote.js';
import { RawConnection } from '../support/http/raw-connection.js';
import { operator } from '../support/store/service.js';
import { until } from '../support/until.js';

/** More than what lies in buffers between git and a client that does not read. */
const size = 16 * 1024 * 1024;
const raw = { 'Content-Type': 'application/octet-stream' };

describe('A long fetch', function () {
  this.timeout(60_000);
  let server: RemoteTestServer;
  let ada: RemotePerson;
  let repository: string;

  before(async function () {
    if (process.platform !== 'linux') this.skip();
    server = await openRemoteServer({
      workLimits: { clones: { perSource: 2, inAll: 3, waiting: 30, timeout: 20_000 } },
    });
    ada = await server.cloner('approver');
    // Bytes that do not compress, so that the pack is as long.
    await server.as(ada.key).post('/v1/documents?location=large.bin', randomBytes(size), raw);
    repository = placeOf(server);
  });
  after(() => server?.close());

  it('is recorded at its beginning, and with its bytes at its end', async () => {
    await git(server.folder, ['clone', '-q', ada.url, 'whole']);
    await until('its end is recorded', () => lastEnd() !== undefined);
    const records = server.records().filter(({ record }) => record.action.startsWith('repository.'));
    assert.deepEqual(
      records.map(({ record }) => record.action),
      ['repository.list_refs', 'repository.list_refs', 'repository.fetch', 'repository.fetched'],
    );
    assert.equal(JSON.parse(String(records[2]?.text?.detail)).head, server.head);
    const end = lastEnd();
    assert.equal(end?.broken_off, undefined);
    assert.ok((end?.bytes ?? 0) > size);
  });

  it('makes git wait for a client that does not read, and ends git when the client goes', async () => {
    const connection = await begin(ada.key);
    connection.reset();
    await until('git has ended', isOver);
    await until('its end is recorded', () => lastEnd()?.broken_off === true);
    assert.ok((lastEnd()?.bytes ?? 0) < size, 'what the client did not take was not read from git');
  });

  for (const [what, end, code] of [
    [
      'its key is revoked',
      async ({ key }: RemotePerson) =>
        perform(server.host.workspace, operator, revokeCredential, { credentialId: parseKey(key)?.credentialId ?? '' }),
      'UNAUTHENTICATED',
    ],
    [
      'its principal is disabled',
      async ({ id }: RemotePerson) =>
        perform(server.host.workspace, operator, setPrincipalState, { principalId: id, disabled: true }),
      'NOT_FOUND',
    ],
    [
      'its reach becomes less',
      async ({ id }: RemotePerson) => server.host.revoke('approver', { type: 'principal', id }, ''),
      'NOT_FOUND',
    ],
  ] as const) {
    it(`ends when ${what}, and says so`, async () => {
      const bob = await server.cloner('approver', '', 'Bob');
      const connection = await begin(bob.key);
      await end(bob);
      connection.goOnReading();
      await until('git has ended', isOver);
      await until('its end is recorded', () => lastEnd()?.broken_off === true);
      const refused = server.records().findLast(({ record }) => record.outcome === 'refused');
      assert.deepEqual([refused?.record.action, refused?.record.code], ['repository.fetch', code]);
      await until('the client reads why', () =>
        connection.received.includes('the key may not read all of it any more'),
      );
      connection.end();
    });
  }

  it('goes on while others get grants, documents change and packs are joined', async () => {
    const connection = await begin(ada.key);
    await server.cloner('reader', 'elsewhere', 'Eve');
    for (const name of ['a.md', 'b.md', 'c.md']) {
      await server.as(ada.key).create(name, name);
      await server.host.workspace.checkpointer.run();
    }
    const before = await server.host.workspace.repository.packs();
    await server.host.workspace.repository.maintain();
    assert.notDeepEqual(await server.host.workspace.repository.packs(), before);
    connection.goOnReading();
    await until('git has ended', isOver);
    await until('its end is recorded', () => (lastEnd()?.bytes ?? 0) > size);
    assert.equal(lastEnd()?.broken_off, undefined);
    connection.end();
  });

  it('is one of twenty at once: all of them succeed, and few processes serve them', async () => {
    const small = await openRemoteServer({ workLimits: { clones: { perSource: 2, inAll: 3 } } });
    const bob = await small.cloner('approver');
    await small.as(bob.key).create('a.md', 'text');
    const folder = small.host.workspace.repository.place?.path ?? '';
    let most = 0;
    const watching = setInterval(() => void countServing(folder).then((count) => (most = Math.max(most, count))), 20);
    const names = Array.from({ length: 20 }, (_, number) => `one-of-twenty-${number}`);
    const runs = await Promise.all(names.map((name) => runClient(small.folder, ['clone', '-q', bob.url, name])));
    clearInterval(watching);
    await small.close();
    assert.deepEqual(
      runs.map(({ code, stderr }) => `${code} ${stderr}`),
      names.map(() => '0 '),
    );
    // Two fetches of one key, each with a child, and four listings.
    assert.ok(most <= 2 * 2 + 4, `${most} processes`);
  });

  it('beyond the room waits a while, and then is told when to try again', async () => {
    const busy = await openRemoteServer({
      workLimits: { clones: { perSource: 1, inAll: 1, waiting: 0, timeout: 10 } },
    });
    try {
      const bob = await busy.cloner('approver');
      const eve = await busy.cloner('approver', '', 'Eve');
      await busy.as(bob.key).create('a.md', 'text');
      const release = busy.host.workspace.workLimits.clones.takeNow('somebody');
      for (const { key } of [bob, eve]) {
        const answer = await fetch(`${busy.url()}/git-upload-pack`, {
          method: 'POST',
          body: flushPacket,
          headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/x-git-upload-pack-request' },
        });
        assert.equal(answer.status, 503);
        assert.equal(answer.headers.get('retry-after'), '2');
      }
      release();
      await git(busy.folder, ['clone', '-q', bob.url, 'later']);
    } finally {
      await busy.close();
    }
  });

  it('takes no more room by another key of the same principal', async () => {
    const narrow = await openRemoteServer({ workLimits: { clones: { perSource: 1, inAll: 9, waiting: 0 } } });
    try {
      const bob = await narrow.cloner('approver');
      const eve = await narrow.cloner('approver', '', 'Eve');
      const another = narrow.url(await narrow.host.key(bob.id, ['git']));
      await narrow.as(bob.key).create('a.md', 'text');
      const release = narrow.host.workspace.workLimits.clones.takeNow(`acme/${bob.id}`);
      assert.match((await runClient(narrow.folder, ['clone', '-q', another, 'none'])).stderr, /error: 429/);
      await git(narrow.folder, ['clone', '-q', eve.url, 'of-eve']);
      release();
      await git(narrow.folder, ['clone', '-q', another, 'of-bob']);
    } finally {
      await narrow.close();
    }
  });

  it('is cut off when the service stops, and git with it', async () => {
    const stopping = await openRemoteServer();
    const bob = await stopping.cloner('approver');
    await stopping.as(bob.key).post('/v1/documents?location=large.bin', randomBytes(size), raw);
    const folder = placeOf(stopping);
    // One that reads could have all of it before its git is counted.
    const connection = await begin(bob.key, stopping, bob.url);
    await stopping.close();
    assert.equal(await countServing(folder), 0);
    connection.reset();
  });

  const placeOf = (host: RemoteTestServer): string => host.host.workspace.repository.place?.path ?? '';

  const isOver = (): Promise<boolean> => countServing(repository).then((count) => count === 0);

  /** Begins to clone and reads nothing. @param url of an approver there */
  async function begin(key: string, from = server, url = ada.url): Promise<RawConnection> {
    const head = (await git(from.folder, ['ls-remote', url, 'HEAD'])).slice(0, 40);
    const body = Buffer.concat([
      encodePacket('command=fetch'),
      Buffer.from('0001'),
      encodePacket(`want ${head}\n`),
      encodePacket('done\n'),
      flushPacket,
    ]);
    const connection = await RawConnection.open(from.rest.port);
    connection.stopReading();
    connection.write(
      `POST /git/acme/git-upload-pack HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\nGit-Protocol: version=2\r\nContent-Type: application/x-git-upload-pack-request\r\nContent-Length: ${body.length}\r\n\r\n`,
    );
    connection.write(body);
    await until('git serves it', async () => (await countServing(placeOf(from))) > 0);
    return connection;
  }

  /** The record of the end that came last. */
  function lastEnd(): { bytes: number; broken_off?: boolean } | undefined {
    const last = server.records().findLast(({ record }) => record.action === 'repository.fetched');
    return last === undefined ? undefined : JSON.parse(String(last.text?.detail));
  }
});

/** Processes of git that serve a repository now. */
async function countServing(repository: string): Promise<number> {
  let count = 0;
  for (const id of await readdir('/proc')) {
    if (!/^\d+$/.test(id)) continue;
    try {
      const words = await readFile(`/proc/${id}/cmdline`, 'utf8');
      const isServing = words.includes('upload-pack') || words.includes('pack-objects');
      if (isServing && (await readlink(`/proc/${id}/cwd`)) === repository) count += 1;
    } catch {
      // It has ended meanwhile.
    }
  }
  return count;
}
