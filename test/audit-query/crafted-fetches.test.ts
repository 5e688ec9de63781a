import assert from 'node:assert/strict';
import { request } from 'node:http';
import { FetchAnswer } from '../../lib/git/serving/fetch-answer.js';
import { encodePacket, flushPacket } from '../../lib/git/serving/packets.js';
import { countOf, leastOf, seedOf } from '../support/counts.js';
import { makeRandom } from '../support/faults/load.js';
import { git } from '../support/git/git-client.js';
import type { HttpClient } from '../support/http/server.js';
import { openRemoteServer, type RemotePerson, type RemoteTestServer } from '../support/http/open-remote.js';

const cases = countOf('CRAFTED_FETCHES', { usual: 60, campaign: 5000 });
const delimiter = '0001';

describe('A fetch of a client that hides what it gets', function () {
  this.timeout(120_000);
  let server: RemoteTestServer;
  let admin: HttpClient;
  let ben: RemotePerson;
  let eve: RemotePerson;

  beforeEach(async () => {
    server = await openRemoteServer();
    admin = server.as((await server.cloner('approver', '', 'Root')).key);
    ben = await server.cloner('reader', 'eng', 'Ben');
    eve = await server.cloner('reader', 'eng', 'Eve');
    await admin.create('eng/old.md', 'old');
  });
  afterEach(() => server.close());

  it('is on record with all of it where a have stands within another line', async () => {
    const head = await headOf(eve);
    await git(server.folder, ['clone', '-q', ben.url, 'ben']);
    const crafted = packets('command=fetch', `agent=git/2.39.5 0032have ${head}`, delimiter, `want ${head}`, 'done');
    const { status, bytes } = await ask(eve, Buffer.concat([crafted, flushPacket]));
    assert.equal(status, 200);
    assert.ok(objectsOf(bytes) > 0);
    assert.equal(await timesOf('Eve', 'eng/old.md'), 1);
  });

  it('is on record with all of it where it names a head that only somebody else was given', async () => {
    await git(server.folder, ['clone', '-q', ben.url, 'ben']);
    const given = await headOf(ben);
    assert.equal(await headOf(eve), given, 'they have the same one');
    await admin.create('eng/new.md', 'new');
    const head = await headOf(eve);
    const { status } = await ask(eve, fetching(`want ${head}`, `have ${given}`, 'done'));
    assert.equal(status, 200);
    assert.deepEqual([await timesOf('Eve', 'eng/old.md'), await timesOf('Eve', 'eng/new.md')], [1, 1]);
  });

  it('is on record with all of it where it names a head of an earlier life of its repository', async () => {
    await server.host.grant('reader', { type: 'principal', id: eve.id }, 'hr');
    await admin.create('hr/x.md', 'x');
    await git(server.folder, ['clone', '-q', eve.url, 'eve']);
    const given = await headOf(eve);
    await server.host.revoke('reader', { type: 'principal', id: eve.id }, 'hr');
    const head = await headOf(eve);
    assert.notEqual(head, given);
    const { bytes } = await ask(eve, fetching(`want ${head}`, `have ${given}`, 'done'));
    assert.ok(objectsOf(bytes) > 0);
    assert.equal(await timesOf('Eve', 'eng/old.md'), 2);
  });

  it('that wants nothing is given nothing, and hides no fetch after it', async () => {
    const head = await headOf(eve);
    assert.equal((await ask(eve, fetching(`have ${head}`, 'done'))).status, 200);
    assert.equal((await ask(eve, flushPacket)).status, 200);
    const before = await timesOf('Eve', 'eng/old.md');
    await ask(eve, fetching(`want ${head}`, 'done'));
    assert.equal(await timesOf('Eve', 'eng/old.md'), before + 1);
  });

  it('has a record that covers all that git sends, whatever bytes stand around an honest request', async () => {
    await git(server.folder, ['clone', '-q', eve.url, 'eve']);
    const given = await headOf(eve);
    await admin.create('eng/new.md', 'new');
    const head = await headOf(eve);
    const random = makeRandom(`${seedOf(1)}`);
    // commit, two folders and a file
    const news = objectsOf((await ask(eve, fetching(`want ${head}`, `have ${given}`, 'done'))).bytes);
    assert.ok(news <= 4, `${news}`);
    let times = await timesOf('Eve', 'eng/old.md');
    assert.equal(times, 1, 'an honest request is about the news alone');
    const counts = { refused: 0, more: 0, news: 0 };
    for (let number = 0; number < cases; number += 1) {
      const version = random() < 0.5 ? 0 : 2;
      const body = disturb(random, honest(random, version, head, given));
      const { status, bytes } = await ask(eve, body, version);
      const now = await timesOf('Eve', 'eng/old.md');
      if (status !== 200) counts.refused += 1;
      else if (objectsOf(bytes) > news) {
        counts.more += 1;
        assert.equal(now, times + 1, `case ${number}: ${body.toString('latin1')}`);
      } else counts.news += 1;
      times = now;
    }
    assert.ok(Math.min(...Object.values(counts)) >= leastOf(cases, 1, 20), JSON.stringify(counts));
  });

  const packets = (...lines: readonly string[]): Buffer =>
    Buffer.concat(lines.map((line) => (line === delimiter ? Buffer.from(line) : encodePacket(`${line}\n`))));

  const fetching = (...args: readonly string[]): Buffer =>
    Buffer.concat([packets('command=fetch', 'object-format=sha1', delimiter, ...args), flushPacket]);

  function honest(random: () => number, version: number, head: string, given: string): Buffer {
    const haves = random() < 0.7 ? [`have ${given}`] : [];
    if (version === 0) {
      const want = packets(`want ${head} side-band-64k ofs-delta agent=git/2`);
      return Buffer.concat([want, flushPacket, packets(...haves, 'done')]);
    }
    return fetching('thin-pack', 'ofs-delta', `want ${head}`, ...haves, 'done');
  }

  /** Adds, drops and doubles bytes, words and lines at random places. */
  function disturb(random: () => number, body: Buffer): Buffer {
    const lines = ['shallow x\n', 'agent=0032have x'].map((text) => encodePacket(text).toString());
    const small = ['have ', 'want ', ' ', '\0', '\n', 'x', 'F', '0'];
    const words = ['0032have ', '0009done\n', '0000', '0001', '0004', ...small, ...lines];
    let changed = body;
    const below = (end: number): number => Math.floor(random() * end);
    const rounds = below(3);
    for (let round = 0; round < rounds; round += 1) {
      const at = below(changed.length + 1);
      const to = Math.min(changed.length, at + below(4));
      const rest = changed.subarray(random() < 0.7 ? at : to);
      changed = Buffer.concat([changed.subarray(0, at), Buffer.from(words[below(words.length)] ?? ''), rest]);
    }
    return changed;
  }

  /** How often somebody received a document by git. */
  async function timesOf(name: string, location: string): Promise<number> {
    const { status, json, text } = await admin.get(`/v1/audit?location=${location}&action=repository.fetch&limit=200`);
    assert.equal(status, 200, text);
    return (json as { items: Entry[] }).items.filter(({ principal }) => principal.display_name === name).length;
  }

  async function headOf({ url }: RemotePerson): Promise<string> {
    return (await git(server.folder, ['ls-remote', url, 'refs/heads/main'])).slice(0, 40);
  }

  function ask({ key }: RemotePerson, body: Buffer, version = 2): Promise<{ status: number; bytes: Buffer }> {
    const headers = {
      authorization: `Bearer ${key}`,
      'content-type': 'application/x-git-upload-pack-request',
      ...(version === 0 ? {} : { 'git-protocol': `version=${version}` }),
    };
    const { port } = server.rest;
    return new Promise((resolve, reject) => {
      const sent = request(
        { host: '127.0.0.1', port, method: 'POST', path: '/git/acme/git-upload-pack', headers, agent: false },
        (response) => {
          const pieces: Buffer[] = [];
          response.on('error', reject).on('data', (piece: Buffer) => void pieces.push(piece));
          response.on('end', () => resolve({ status: response.statusCode ?? 0, bytes: Buffer.concat(pieces) }));
        },
      );
      sent.on('error', reject).end(body);
    });
  }

  /** How many objects an answer holds. */
  function objectsOf(bytes: Buffer): number {
    const answer = new FetchAnswer();
    answer.pass(bytes);
    return answer.objects ?? 0;
  }
});

interface Entry {
  readonly principal: { readonly display_name: string };
}
