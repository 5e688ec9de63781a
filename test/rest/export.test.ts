import assert from 'node:assert/strict';
import { perform } from '../../lib/operations/perform.js';
import { changePolicy } from '../../lib/operations/workspaces/change-policy.js';
import { once } from 'node:events';
import { existsSync, readdirSync, readlinkSync } from 'node:fs';
import { request, type IncomingMessage } from 'node:http';
import { pipeline } from 'node:stream/promises';
import { PassThrough } from 'node:stream';
import { rootLocation, type Location } from '../../lib/domain/location.js';
import type { Document } from '../../lib/domain/document.js';
import { hasProgram, listWithPython, testWithUnzip } from '../support/http/zip.js';
import { openTestServer, type HttpClient, type TestServer } from '../support/http/server.js';
import { createAsBefore } from '../support/store/as-before.js';
import { longestTurnOf } from '../support/processes/longest-turn.js';
import { makeTestRandomness, operator } from '../support/store/service.js';
import { until } from '../support/until.js';
import { skipBecause } from '../support/skip.js';
import type { FolderExport } from '../../lib/operations/folders/export-folder.js';
import { presentExport } from '../../lib/api/answers/zip-export.js';

describe('exports over REST', () => {
  let service: TestServer;
  let server: TestServer;
  let ada: HttpClient;

  before(async function () {
    if (!hasProgram('unzip', '-v')) skipBecause(this, 'unzip is not installed');
    if (!hasProgram('python3', '--version')) skipBecause(this, 'python3 is not installed');
    service = await openTestServer();
  });
  beforeEach(async () => {
    server = await service.addWorkspace();
    ada = await server.person('approver');
  });
  after(() => service?.close());

  it('is a zip archive that Info-ZIP and Python find whole, with every byte of every document', async () => {
    const texts = { 'a.md': 'alpha\n', 'in/b.md': '', 'in/deep/c.md': 'gamma', 'ünï/cödé – ★.md': 'x'.repeat(100_000) };
    for (const [name, text] of Object.entries(texts)) await ada.create(`f/${name}`, text);
    await ada.create('beside.md', 'not asked for');
    const { headers, bytes } = await ada.get('/v1/folders/export?location=f');
    assert.equal(headers['content-type'], 'application/zip');
    assert.equal(headers['content-disposition'], 'attachment; filename="f.zip"');
    assert.equal(headers['x-content-type-options'], 'nosniff');
    testWithUnzip(bytes);
    const listed = listWithPython(bytes);
    assert.deepEqual(listed.texts, texts);
    assert.ok(listed.utf8, 'names outside ASCII are marked as UTF-8');
  });

  it('carries binary documents, also large streamed ones', async () => {
    const large = Buffer.from(Array.from({ length: 3_000_000 }, (_, index) => (index * 7919) % 251));
    await ada.post('/v1/documents?location=f/large.bin', large);
    await ada.post('/v1/documents?location=f/small.bin', Buffer.from([0, 255, 128]));
    const { texts } = listWithPython((await ada.get('/v1/folders/export?location=f')).bytes);
    assert.ok(Buffer.from(texts['large.bin'] ?? '', 'latin1').equals(large));
    assert.deepEqual([...Buffer.from(texts['small.bin'] ?? '', 'latin1')], [0, 255, 128]);
  });

  it('without a location, or with the empty one, holds the workspace', async () => {
    await ada.create('f/a.md');
    await ada.create('b.md');
    const { headers, bytes } = await ada.get('/v1/folders/export?location=');
    assert.equal(headers['content-disposition'], 'attachment; filename="workspace.zip"');
    assert.deepEqual(listWithPython(bytes).names.toSorted(), ['b.md', 'f/a.md']);
  });

  it('has the same bytes for the same commit and reach, whenever and by whomever it is asked for', async () => {
    for (const name of ['b.md', 'a.md', 'in/c.md']) await ada.create(`f/${name}`, `text of ${name}`);
    const bob = await server.person('reader', 'f', 'Bob');
    const target = '/v1/folders/export?location=f';
    const [first, again] = [await ada.get(target), await ada.get(target)];
    server.host.clock.advance(3 * 24 * 60 * 60 * 1000);
    const later = await bob.get(target);
    assert.ok(first.bytes.equals(again.bytes) && first.bytes.equals(later.bytes));
    await ada.put('/v1/documents/f/a.md', { content: 'other' });
    assert.ok(!(await ada.get(target)).bytes.equals(first.bytes));
  });

  it('holds the key’s reach and is not changed by other documents', async () => {
    await ada.create('f/open/a.md');
    await ada.create('f/shut/b.md');
    await ada.create('f/shut/c.md');
    const bob = await server.host.person('reader', 'f/open', 'Bob');
    await server.host.grant('reader', { type: 'principal', id: bob.id }, 'f/shut/b.md', 'document');
    const before = await server.as(bob.key).get('/v1/folders/export?location=f');
    assert.deepEqual(listWithPython(before.bytes).names.toSorted(), ['open/a.md', 'shut/b.md']);
    await ada.create('f/shut/A.md');
    await ada.create('f/hidden/B.MD');
    await ada.delete('/v1/documents/f/shut/c.md');
    const after = await server.as(bob.key).get('/v1/folders/export?location=f');
    assert.ok(after.bytes.equals(before.bytes));
  });

  it('an export over REST leaves deleted documents out', async () => {
    await ada.create('f/a.md');
    await ada.create('f/b.md');
    await ada.delete('/v1/documents/f/a.md');
    assert.deepEqual(await namesOf(ada, 'f'), ['b.md']);
  });

  it('is NOT_FOUND for a folder that is absent, hidden, deleted, or a document', async () => {
    await ada.create('f/a.md');
    await ada.create('gone/b.md');
    await ada.delete('/v1/documents/gone/b.md');
    const bob = await server.person('reader', 'other', 'Bob');
    for (const [who, folder] of [
      [ada, 'none'],
      [ada, 'gone'],
      [ada, 'f/a.md'],
      [bob, 'f'],
      [bob, 'none'],
      [bob, ''],
    ] as const) {
      assert.equal((await who.get(`/v1/folders/export?location=${folder}`)).refusal, 'NOT_FOUND', folder);
    }
  });

  it('of an empty folder is an empty archive', async () => {
    await ada.post('/v1/folders', { location: 'empty' });
    assert.deepEqual(await namesOf(ada, 'empty'), []);
  });

  it('gives each entry a name for Windows, macOS and Linux, and no two the same without case and accents', async () => {
    await perform(server.host.workspace, operator, changePolicy, { portableNames: false });
    const hostile = ['CON', 'nul.txt', 'LPT1.md', 'a:b?.md', 'quote".md', 'dots...', 'pipe|star*.md', 'Com0'];
    for (const name of hostile) await createAsBefore(server.host.workspace, `f/${name}`, { text: name });
    const twins = ['README.md', 'readme.md', 'Readme.MD', 'café.md', 'CAFÉ.md', 'Sub/x.md', 'sub/x.md', 'a_b_.md'];
    for (const name of twins) await ada.create(`f/${name}`, name);
    const { bytes } = await ada.get('/v1/folders/export?location=f');
    testWithUnzip(bytes);
    const { names, texts } = listWithPython(bytes);
    assert.equal(names.length, hostile.length + twins.length);
    const folded = names.map((name) => name.normalize('NFC').toLowerCase());
    assert.equal(new Set(folded).size, names.length, names.join(' '));
    for (const segment of names.flatMap((name) => name.split('/'))) {
      assert.doesNotMatch(segment, /[<>:"|?*\\]|[. ]$|^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/i);
    }
    const contents = Object.values(texts).map((text) => Buffer.from(text, 'latin1').toString());
    assert.deepEqual(contents.toSorted(), [...hostile, ...twins].toSorted());
  });

  it('never leads out of the folder in which it is unpacked', async () => {
    const names = ['..foo.md', '…/x.md', 'C:/x.md', '-rf'];
    for (const name of names) await ada.create(`f/${name}`);
    for (const name of await namesOf(ada, 'f')) {
      assert.doesNotMatch(name, /^\/|(?:^|\/)\.{1,2}(?:\/|$)|^[a-z]:/i);
    }
  });

  it('continues as it began, whatever is written meanwhile', async () => {
    for (const name of ['a', 'b', 'c']) await ada.create(`f/${name}.md`, name.repeat(200_000));
    const expected = (await ada.get('/v1/folders/export?location=f')).bytes;
    const { id } = await server.host.person('reader', 'f', 'Bob');
    const key = await server.host.key(id);
    const reading = await open(server, key);
    await once(reading, 'readable');
    await ada.put('/v1/documents/f/c.md', { content: 'changed' });
    await ada.delete('/v1/documents/f/b.md');
    const pieces: Buffer[] = [];
    for await (const piece of reading) pieces.push(piece as Buffer);
    assert.ok(Buffer.concat(pieces).equals(expected));
  });

  it('writes more entries than the old limit of 65,535, in the form for that', async function () {
    this.timeout(60_000);
    const count = 65_600;
    const made = exportOf(count);
    const bytes = await bytesOf(made.exported);
    testWithUnzip(bytes);
    const { names } = listWithPython(bytes);
    assert.deepEqual([names.length, new Set(names).size, made.closed()], [count, count, 1]);
  });

  it('holds the event loop no longer for eight times as many documents', async function () {
    this.timeout(120_000);
    for (const text of ['', 'a short text\n']) {
      const longest = async (count: number): Promise<number> => {
        let least = Number.POSITIVE_INFINITY;
        // The first rounds compile the program.
        for (let round = 0; round < 4; round += 1) {
          const { exported } = exportOf(count, text);
          least = Math.min(least, await longestTurnOf(() => bytesOf(exported)));
        }
        return least;
      };
      const [few, many] = [await longest(1000), await longest(8000)];
      const told = `${few.toFixed(1)} ms for 1,000 and ${many.toFixed(1)} ms for 8,000`;
      // Work rests after 8 ms, and a collection of garbage may be added to it.
      assert.ok(many < 25, told);
    }
  });

  const namesOf = async (who: HttpClient, folder = ''): Promise<readonly string[]> => {
    const { status, bytes } = await who.get(`/v1/folders/export?location=${encodeURIComponent(folder)}`);
    assert.equal(status, 200);
    return listWithPython(bytes).names;
  };
});

/** An export of many documents of one text, without a workspace. */
function exportOf(count: number, text = ''): { readonly exported: FolderExport; readonly closed: () => number } {
  let closed = 0;
  const exported = {
    location: rootLocation,
    commit: null,
    extent: {},
    close: () => (closed += 1),
    documents: (async function* () {
      for (let index = 0; index < count; index += 1) {
        const location = `n${index}` as Location;
        const document = { location, current: { at: Date.UTC(2026, 0, 1) } } as Document;
        yield { document, open: () => Promise.resolve(Buffer.from(text)) };
      }
    })(),
  };
  return { exported, closed: () => closed };
}

/** The archive of an export, read to its end. */
async function bytesOf(exported: FolderExport): Promise<Buffer> {
  const { body } = presentExport(exported);
  assert.ok(body.form === 'flow');
  const pieces: Buffer[] = [];
  const sink = new PassThrough();
  sink.on('data', (piece: Buffer) => pieces.push(piece));
  await pipeline(await body.open(), sink);
  return Buffer.concat(pieces);
}

/** Starts an export of `f` and gives the answer before it is read. */
async function open(server: TestServer, key: string): Promise<IncomingMessage> {
  const { port } = server.rest;
  const headers = { Authorization: `Bearer ${key}` };
  const asked = request({ host: '127.0.0.1', port, path: '/v1/folders/export?location=f', headers, agent: false });
  asked.on('error', () => undefined);
  asked.end();
  const [answer] = (await once(asked, 'response')) as [IncomingMessage];
  answer.on('error', () => undefined);
  return answer;
}

describe('an export whose reader goes away', () => {
  const files = '/proc/self/fd';
  let server: TestServer;
  let key: string;

  before(async function () {
    if (!existsSync(files)) skipBecause(this, 'open files can be counted on Linux only');
    server = await openTestServer({ store: 'disk-without-git' });
    ({ key } = await server.host.person('approver'));
    const ada = server.as(key);
    // More than the buffers of a connection hold, and incompressible.
    const noise = makeTestRandomness();
    await Promise.all(
      Array.from({ length: 16 }, (_, index) =>
        ada.post(`/v1/documents?location=f/${index}.bin`, noise.bytes(1_000_000)),
      ),
    );
  });
  after(() => server?.close());

  it('is released at once: nothing stays open, nothing listens, nothing is logged as a fault', async function () {
    const warnings: Error[] = [];
    const onWarning = (warning: Error): void => void warnings.push(warning);
    process.on('warning', onWarning);
    const before = countConnections();
    for (let round = 0; round < 12; round += 1) {
      const answer = await open(server, key);
      await once(answer, 'readable');
      if (round === 0) assert.equal(countConnections(), before + 1, 'the state is pinned while it is read');
      answer.destroy();
    }
    await until('no connection of an export is left', () => countConnections() === before);
    await new Promise((resolve) => setImmediate(resolve));
    process.off('warning', onWarning);
    assert.deepEqual(warnings, []);
    assert.deepEqual(
      server.log.filter(({ level }) => level === 'error'),
      [],
    );
    assert.equal((await server.as(key).get('/v1/documents/f/1.bin')).status, 200);
  });

  it('is released at its end as well', async () => {
    const before = countConnections();
    assert.equal((await server.as(key).get('/v1/folders/export?location=f')).status, 200);
    await until('its connection is let go of', () => countConnections() === before);
  });

  /**
   * Connections to the workspace that are open in this process: each has its log open. (SQLite keeps a closed one's
   * main file for the next.)
   */
  const countConnections = (): number =>
    readdirSync(files).filter((name) => {
      try {
        return readlinkSync(`${files}/${name}`).endsWith('sidecar.sqlite-wal');
      } catch {
        return false;
      }
    }).length;
});
