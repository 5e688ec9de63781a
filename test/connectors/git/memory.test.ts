import { BodyTooLarge } from '../../../lib/egress/read-foreign-body.js';
import { readAdvertisement } from '../../../lib/connectors/git/read-advertisement.js';
import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { RemoteGitFailed } from '../../../lib/git/sources/shallow-copy.js';
import { makeDeltaBomb } from '../../support/git/delta-bomb.js';
import { gather, incompressible } from '../../support/git/fixture.js';
import { hasSshServer, SshServer } from '../../support/git/ssh-server.js';
import { canWatchChildren, watchChildren } from '../../support/processes/watch-children.js';
import { skipBecause } from '../../support/skip.js';
import { atFetch, beginFetch, line, packPart, sendPack } from './lying-server.js';
import { GitBench } from './open-repository.js';

/** What comes before a pack is held in memory, by us or by git. The pack may be much larger. */
const limits = { referenceBytes: 1_000_000, packBytes: 400_000_000, idleTime: 2000 };
const rounds = 20;
const oid = '1'.repeat(40);

describe('the memory that a hostile git server takes', () => {
  const bench = new GitBench();
  beforeEach(() => bench.open());
  afterEach(() => bench.close());

  const type = { 'content-type': 'application/x-git-upload-pack-result' };

  it('does not grow with the references that it names when a commit is fetched', async () => {
    await bench.upstream().commit({ 'a.md': 'a' });
    answerAt(1, (response) => response.writeHead(200, type), `${oid} refs/heads/${'b'.repeat(1000)}\n`);
    assert.match(await bench.faultOf({ limits }), /^limit: The source sends more/);
  });

  it('does not grow with what it says before the pack', async () => {
    const commit = await bench.upstream().commit({ 'a.md': 'a' });
    answerAt(2, (response) => response.writeHead(200, type).write(line('shallow-info\n')), `shallow ${commit}\n`);
    assert.match(await bench.faultOf({ limits }), /^limit: The source sends more/);
  });

  it('is bounded apart from the pack, which may be larger', async () => {
    const bytes = (await gather(incompressible(1_000_000))).toString('latin1');
    await bench.upstream().commit({ 'large.txt': Buffer.from(bytes, 'utf8') });
    assert.deepEqual((await bench.mirror({ limits: { referenceBytes: 50_000 } })).files, { 'large.txt': bytes });
  });

  it('is small for a pack of a kilobyte that stands for gigabytes', async function () {
    if (!canWatchChildren) skipBecause(this, 'only Linux bounds the memory of a process.');
    await bench.upstream().commit({ 'a.md': 'a' });
    const { pack, head } = makeDeltaBomb([3000, 3001]);
    bench.server.intrusion = atFetch((response) => sendPack(response, head, pack));
    const peak = await watchChildren(async () => assert.match(await bench.faultOf(), /^limit: The repository holds/));
    assert.ok(peak < 600_000_000, `a git took ${peak} bytes`);
  });

  it('is small for what git passes on, and what that says counts for nothing', async () => {
    const commit = await bench.upstream().commit({ 'a.md': 'a' });
    bench.server.intrusion = atFetch((response) => {
      beginFetch(response, commit);
      const said = line(`\u0002${'No space left on device\n'.repeat(2000)}`);
      for (let round = 0; round < 10; round += 1) response.write(said);
      response.end(Buffer.concat([packPart(Buffer.from('no pack')), Buffer.from('0000')]));
    });
    assert.match(await bench.faultOf(), /^corrupt: /);
    assert.equal(new RemoteGitFailed(`fatal: x\n${'y'.repeat(1_000_000)}\nfatal: z`).said, 'fatal: z');
  });

  it('does not grow behind ssh with a greeting that never ends, in however small pieces', async function () {
    if (!hasSshServer) skipBecause(this, 'OpenSSH has no server here (Debian: openssh-server).');
    const said = line(`${oid} refs/heads/${'b'.repeat(1000)}`).toString('latin1');
    const command = `yes ${said} | tr -d '\\n' | head -c 20000000; sleep 30`;
    const server = await SshServer.open(await bench.folders.make(), true, command);
    const settings = { url: server.url('/notes.git'), host_key: server.hostKey };
    const opening = { settings, secret: server.key, hosts: [server.host], limits };
    try {
      assert.match(await bench.faultOf(opening), /^limit: The source sends more/);
    } finally {
      await server.close();
    }
    const endless = (async function* (): AsyncGenerator<Buffer> {
      for (let at = 0; at <= 100_000; at += 1)
        yield await Promise.resolve(Buffer.from(at % 5 === 4 ? 'x' : ('0005'[at % 5] ?? '')));
    })();
    await assert.rejects(readAdvertisement(endless, 100_000), BodyTooLarge);
  });

  /** Answers one of the requests for objects with some megabytes of lines, and then says nothing more. */
  function answerAt(post: number, begin: (response: ServerResponse) => void, text: string): void {
    const lines = Buffer.concat(Array.from({ length: 1_000_000 / text.length }, () => line(text)));
    let posts = 0;
    bench.server.intrusion = (request, response) => {
      if (request.method !== 'POST') return false;
      posts += 1;
      if (posts !== post) return false;
      request.resume();
      begin(response);
      for (let round = 0; round < rounds; round += 1) response.write(lines);
      return true;
    };
  }
});
