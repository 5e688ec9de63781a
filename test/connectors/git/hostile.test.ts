import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { openSync, closeSync, readdirSync, readFileSync, statSync, writeSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { UnreadableFile } from '../../../lib/connectors/source.js';
import { putBomb, putCommit, putObject, putTree } from '../../support/git/put-object.js';
import { incompressible, gather } from '../../support/git/fixture.js';
import { until } from '../../support/until.js';
import { Follower, readWhole } from '../follow.js';
import { atFetch, beginFetch, line, makePack, packPart, pour, sendPack } from './lying-server.js';
import { faultOf, GitBench, never } from './open-repository.js';

const secret = 'open-sesame-0123456789';

describe('a hostile git repository', () => {
  const bench = new GitBench();
  beforeEach(() => bench.open());
  afterEach(() => bench.close());

  it('is refused when a folder holds a name that no folder can have', async () => {
    const { path } = bench.upstream();
    const file = { mode: '100644', oid: putObject(path, 'blob', 'x') };
    const inner = { mode: '40000', oid: putTree(path, [{ name: 'config', ...file }]) };
    const trees = {
      hasDotgit: [{ name: '.git', ...inner }],
      hasDotdot: [{ name: '..', ...inner }],
      hasDot: [{ name: '.', ...inner }],
      fullPathname: [{ name: 'a/b', ...file }],
      duplicateEntries: [
        { name: 'a', ...file },
        { name: 'a', ...file },
      ],
    };
    for (const [problem, entries] of Object.entries(trees)) {
      const oid = putTree(path, entries);
      putCommit(path, { tree: oid });
      const fault = await bench.faultOf();
      assert.ok(fault.startsWith(`corrupt: The source holds object ${oid}, which git refuses (${problem}).`), fault);
    }
  });

  it('is bounded when few objects stand for endless files, for endless folders, or for an endless path', async () => {
    const { path } = bench.upstream();
    const file = { mode: '100644', oid: putObject(path, 'blob', 'x') };
    const empty = { mode: '40000', oid: putTree(path, []) };
    for (const innermost of [file, empty]) {
      putCommit(path, { tree: putBomb(path, 10, innermost) });
      assert.match(await bench.faultOf(), /^limit: The repository holds more than 10000 files or folders\./);
    }
    let inner = { mode: '40000', oid: putTree(path, [{ name: 'a', ...file }]) };
    for (let level = 0; level < 100; level += 1)
      inner = { mode: '40000', oid: putTree(path, [{ name: 'x'.repeat(250), ...inner }]) };
    putCommit(path, { tree: inner.oid });
    assert.match(await bench.faultOf(), /^limit: The repository holds a path that is too long\./);
  });

  it('is stopped when its pack announces more objects than memory can hold', async () => {
    const commit = await fill();
    for (const count of [100_000_000, 2 ** 31 - 1, 2 ** 32 - 1]) {
      bench.server.intrusion = atFetch((response) => sendPack(response, commit, makePack(count)));
      assert.match(await bench.faultOf(), /^limit: The repository holds too many objects/);
    }
  });

  it('is stopped when its pack never ends, and leaves no more than the bound on the disk', async () => {
    const commit = await fill();
    const noise = await gather(incompressible(60_000));
    bench.server.intrusion = atFetch((response) => {
      beginFetch(response, commit);
      // One object of 4 GB, stored without compression.
      response.write(packPart(Buffer.concat([makePack(1).subarray(0, 12), Buffer.from('bf8080807f7801', 'hex')])));
      const block = Buffer.concat([Buffer.from([0, 0x60, 0xea, 0x9f, 0x15]), noise]);
      pour(response, packPart(block));
    });
    assert.match(await bench.faultOf({ limits: { packBytes: 3_000_000 } }), /^limit: The source sends more/);
    const packs = join(bench.cache, 'copy.git/objects/pack');
    const size = readdirSync(packs).reduce((sum, name) => sum + statSync(join(packs, name)).size, 0);
    assert.ok(size < 4_000_000, `${size} bytes`);
    bench.server.intrusion = undefined;
    assert.deepEqual((await bench.mirror()).files, { 'a.md': 'a' });
  });

  it('is stopped when its list of references never ends', async () => {
    await fill();
    bench.server.intrusion = (request, response) => {
      if (request.method !== 'GET') return false;
      response.writeHead(200, { 'content-type': 'application/x-git-upload-pack-advertisement' });
      response.write(Buffer.concat([line('# service=git-upload-pack\n'), Buffer.from('0000')]));
      const name = 'b'.repeat(1000);
      pour(response, line(`${'1'.repeat(40)} refs/heads/${name}\n`));
      return true;
    };
    const source = await bench.source({ limits: { referenceBytes: 1_000_000 } });
    assert.match(await faultOf(() => source.check(never)), /^limit: /);
  });

  it('is left when it says nothing, or goes on too slowly', async () => {
    const commit = await fill();
    bench.server.intrusion = atFetch((response) => beginFetch(response, commit));
    // Long enough for the beginning of the answer, on a busy machine too.
    assert.match(await bench.faultOf({ limits: { idleTime: 1500 } }), /^network: .*too slowly/);
    bench.server.intrusion = () => true;
    assert.match(await bench.faultOf({ limits: { idleTime: 200 } }), /^network: .*in time/);
    assert.match(await bench.faultOf({ limits: { fetchTime: 200 } }), /^network: .*in time/);
  });

  it('is refused when it compresses its answers, speaks no protocol, or says no', async () => {
    await fill();
    const type = { 'content-type': 'application/x-git-upload-pack-advertisement' };
    bench.server.intrusion = (_request, response) => {
      response.writeHead(200, { ...type, 'content-encoding': 'gzip' }).end('x');
      return true;
    };
    assert.match(await bench.faultOf(), /^corrupt: .*compresses/);
    for (const said of [Buffer.from('zzzz'), Buffer.from('0001'), line(`ERR ${secret} <b>call me</b>`)]) {
      bench.server.intrusion = (_request, response) => {
        response.writeHead(200, type).end(said);
        return true;
      };
      const fault = await bench.faultOf({ secret });
      assert.match(fault, /^corrupt: /);
      assert.doesNotMatch(fault, /sesame|call me/);
    }
  });

  it('changes nothing when it leaves objects out or damages them', async () => {
    const upstream = bench.upstream();
    await upstream.commit({ 'a.md': 'a' });
    await bench.mirror();
    const commit = await upstream.commit({ 'b.md': 'b' });
    const pack = execFileSync('git', ['pack-objects', '--stdout', '-q'], { cwd: upstream.path, input: `${commit}\n` });
    bench.server.intrusion = atFetch((response) => sendPack(response, commit, pack));
    assert.match(await bench.faultOf(), /^corrupt: /);
    const damaged = Buffer.from(pack);
    damaged[20] = 255 - (damaged[20] ?? 0);
    bench.server.intrusion = atFetch((response) => sendPack(response, commit, damaged));
    assert.match(await bench.faultOf(), /^corrupt: /);
    bench.server.intrusion = atFetch((response) => sendPack(response, commit, pack.subarray(0, 60)));
    assert.match(await bench.faultOf(), /^(?:network|corrupt): /);
    bench.server.intrusion = undefined;
    assert.deepEqual((await bench.mirror()).files, { 'a.md': 'a', 'b.md': 'b' });
  });

  it('takes a file of gigabytes in few bytes for too large, and holds it nowhere', async () => {
    const upstream = bench.upstream();
    await upstream.commit({ 'a.md': 'a', 'zeros.bin': Buffer.alloc(30_000_000) });
    const source = await bench.source();
    const follower = new Follower();
    await follower.follow(source, never);
    const zeros = follower.files.get('zeros.bin');
    assert.ok(zeros !== undefined);
    const work = readWhole(source, zeros, never, 25_000_000);
    await assert.rejects(work, (error) => error instanceof UnreadableFile && error.reason === 'too_large');
    const packs = join(bench.cache, 'copy.git/objects/pack');
    const size = readdirSync(packs).reduce((sum, name) => sum + statSync(join(packs, name)).size, 0);
    assert.ok(size < 1_000_000, `${size} bytes`);
  });

  it('cannot send git to another server, before or after it signs in', async () => {
    await fill();
    let asked = 0;
    const inner = createServer((_request, response) => {
      asked += 1;
      response.end('inner secrets');
    });
    await new Promise<void>((resolve) => inner.listen(0, '127.0.0.1', resolve));
    const location = `http://127.0.0.1:${(inner.address() as AddressInfo).port}/notes.git/git-upload-pack`;
    for (const method of ['GET', 'POST']) {
      bench.server.intrusion = (request, response) => {
        if (request.method !== method) return false;
        request.resume();
        response.writeHead(307, { location }).end();
        return true;
      };
      assert.match(await bench.faultOf({ secret }), /^denied_egress: /);
    }
    inner.close();
    assert.equal(asked, 0);
  });

  it('gets the secret, and no process, file or message does', async () => {
    bench.server.credentials = { username: 'ada', password: secret };
    const commit = await fill();
    const controller = new AbortController();
    const encoded = Buffer.from(`ada:${secret}`).toString('base64');
    let isAsked = false;
    bench.server.intrusion = atFetch((response) => {
      beginFetch(response, commit);
      response.write(packPart(makePack(1).subarray(0, 12)));
      isAsked = true;
    });
    const source = await bench.source({ settings: { username: 'ada' }, secret });
    const working = source.list(null, controller.signal).catch((error: unknown) => error);
    const packs = join(bench.cache, 'copy.git/objects/pack');
    await until('git takes objects in', () => isAsked && readdirSync(packs).some((name) => name.startsWith('tmp_')));
    const children = processesBelow(process.pid);
    assert.ok(
      children.some(({ command }) => command.includes('/repository')),
      'git is at work',
    );
    const token = /cartulary-gateway: ([0-9a-f]{64})/.exec(children.map(({ environment }) => environment).join())?.[1];
    assert.ok(token !== undefined);
    for (const { command, environment } of children) {
      assert.ok(!command.includes(token), 'the token is shown to other accounts');
      for (const form of [secret, encoded]) assert.ok(!`${command}${environment}`.includes(form), command);
    }
    const forms = [secret, encoded, token].flatMap((form) => ['-e', form]);
    assert.equal(spawnSync('grep', ['-rlaF', ...forms, bench.cache]).status, 1, 'a file holds it');
    controller.abort();
    assert.match(String(await working), /Abort/);
    await until('no git is left', () =>
      processesBelow(process.pid).every(({ command }) => !command.includes('/repository')),
    );
    assert.deepEqual(readdirSync(packs), [], 'nothing of it is left on the disk');
    assert.ok(bench.server.requests.every(({ authorization }) => authorization === `Basic ${encoded}`));
  });

  it('is read again after the copy of a file was damaged on this machine', async () => {
    const upstream = bench.upstream();
    await upstream.commit({ 'a.bin': await gather(incompressible(100_000)) });
    const source = await bench.source();
    const follower = new Follower();
    await follower.follow(source, never);
    const packs = join(bench.cache, 'copy.git/objects/pack');
    const pack = readdirSync(packs).find((name) => name.endsWith('.pack')) ?? '';
    execFileSync('chmod', ['u+w', join(packs, pack)]);
    const file = openSync(join(packs, pack), 'r+');
    writeSync(file, Buffer.alloc(5000, 7), 0, 5000, 40_000);
    closeSync(file);
    const read = readWhole(source, follower.files.get('a.bin') ?? assert.fail(), never);
    await assert.rejects(read, (error) => error instanceof UnreadableFile && error.reason === 'unreadable');
    await source.close();
    assert.equal(Object.keys((await bench.mirror()).files).length, 1);
  });

  /** A repository with a usual commit. @returns the commit */
  const fill = (): Promise<string> => bench.upstream().commit({ 'a.md': 'a' });
});

/** The processes below one, each with its arguments and its environment. */
function processesBelow(pid: number): { command: string; environment: string }[] {
  const parents = new Map<number, number>();
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    try {
      const stat = readFileSync(`/proc/${name}/stat`, 'latin1');
      parents.set(Number(name), Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]));
    } catch {
      // It has ended.
    }
  }
  const isBelow = (each: number | undefined): boolean =>
    each !== undefined && (each === pid || isBelow(parents.get(each)));
  return [...parents.keys()]
    .filter((each) => each !== pid && isBelow(each))
    .flatMap((each) => {
      try {
        const read = (name: string): string => readFileSync(`/proc/${each}/${name}`, 'latin1').replaceAll('\0', ' ');
        return [{ command: read('cmdline'), environment: read('environ') }];
      } catch {
        return [];
      }
    });
}
