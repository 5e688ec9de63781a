import assert from 'node:assert/strict';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { deflateSync } from 'node:zlib';
import { createHash } from 'node:crypto';
import { requireGit, type GitProgram } from '../../lib/git/program/git-program.js';
import { hashObject } from '../../lib/git/objects/objects.js';
import { PushUnfit, type PushLimits } from '../../lib/git/serving/push-limits.js';
import { Quarantine, timeToTakeIn } from '../../lib/git/serving/quarantine.js';
import { readObjects } from '../../lib/git/serving/read-objects.js';
import { makeDeltaBomb } from '../support/git/delta-bomb.js';
import { fsck, gather, git, incompressible, piecesOf, TemporaryFolders } from '../support/git/fixture.js';
import { putObject, putTree, type Entry } from '../support/git/put-object.js';

const mebibyte = 1024 * 1024;
const limits: PushLimits = { bytes: 4 * mebibyte, file: mebibyte, commits: 100, changes: 100, time: 60_000 };

describe('The quarantine of a push', function () {
  this.timeout(60_000);
  const folders = new TemporaryFolders();
  let program: GitProgram;
  /** A bare repository with a commit of a long file, and a client's with one commit more. */
  let served: string;
  let client: string;
  let base: string;
  let head: string;
  const signal = new AbortController().signal;

  before(async () => {
    program = await requireGit('test');
    const folder = await folders.make();
    [served, client] = [join(folder, 'served.git'), join(folder, 'client.git')];
    git(folder, ['init', '-q', '--bare', '-b', 'main', 'served.git']);
    const text = (await gather(incompressible(8000))).toString('base64');
    const commit = (from: string, content: string): string =>
      `commit refs/heads/main\ncommitter Ada <ada@example.org> 1700000000 +0000\ndata 1\nx${from}\n` +
      `M 644 inline long.md\ndata ${content.length}\n${content}\ndone\n`;
    git(served, ['fast-import', '--quiet'], commit('', text));
    git(folder, ['clone', '-q', '--bare', 'served.git', 'client.git']);
    base = git(served, ['rev-parse', 'main']).toString().trim();
    git(client, ['fast-import', '--quiet'], commit(`\nfrom ${base}`, `${text}more`));
    head = git(client, ['rev-parse', 'main']).toString().trim();
  });
  after(() => folders.remove());

  it('takes in a thin pack, completes it, and borrows the rest', async () => {
    const { quarantine, folder } = await open();
    const thin = pack(`${head}\n^${base}\n`, '--thin', '--delta-base-offset');
    assert.ok(thin.length < 1000, 'the long file is a delta');
    const { packs } = await quarantine.takeIn(piecesOf(thin.subarray(0, 5), thin.subarray(5)));
    assert.equal(packs.length, 1);
    assert.equal((await quarantine.findTooLarge(packs)).size, 0);
    const objects: string[] = [];
    for await (const { oid, type, size, content } of readObjects(quarantine.start, [head, base])) {
      objects.push(`${oid} ${type} ${size} ${(await gather(content)).length}`);
    }
    assert.deepEqual(
      objects.map((each) => each.split(' ')[1]),
      ['commit', 'commit'],
    );
    assert.equal(fsck(folder), '');
    quarantine.close();
  });

  it('gives git time by the bytes that were sent', () => {
    assert.equal(timeToTakeIn(2000), 21_000);
    assert.equal(timeToTakeIn(100 * mebibyte), 120_000);
  });

  it('the quarantine of a push accepts a pack without objects', async () => {
    const { quarantine } = await open();
    const { packs } = await quarantine.takeIn(piecesOf(pack('')));
    assert.equal((await quarantine.findTooLarge(packs)).size, 0);
    quarantine.close();
  });

  it('refuses bytes that are no pack, and packs that end too early or are changed', async () => {
    const whole = pack(`${head}\n`);
    await refuses(Buffer.from('garbage'), /damaged/);
    await refuses(Buffer.alloc(0), /damaged/);
    await refuses(whole.subarray(0, whole.length - 30), /damaged/);
    const changed = Buffer.from(whole);
    changed[whole.length - 40]! ^= 1;
    await refuses(changed, /damaged|form/);
    // It states as many objects as there can be.
    await refuses(
      Buffer.concat([Buffer.from('PACK\0\0\0\x02\xff\xff\xff\xff', 'latin1'), Buffer.alloc(100)]),
      /too large|damaged/,
    );
  });

  it('refuses a pack whose objects need others that are not there', async () => {
    const folder = await folders.make();
    git(folder, ['init', '-q', '--bare', 'x.git']);
    const other = join(folder, 'x.git');
    const tree = putTree(other, [{ name: 'a', mode: '100644', oid: putObject(other, 'blob', 'never sent') }]);
    const commit = putObject(other, 'commit', `tree ${tree}\nauthor A <a@b> 1 +0000\ncommitter A <a@b> 1 +0000\n\nx\n`);
    await refuses(git(other, ['pack-objects', '--stdout', '-q'], `${commit}\n${tree}\n`), /lacks objects/);
    // A delta whose base nobody has.
    const delta = Buffer.concat([Buffer.alloc(20, 9), deflateSync(Buffer.from([1, 1, 1, 65]))]);
    await refuses(makePack([[7, 4, delta]]), /lacks objects/);
  });

  /** A pack with a commit of one folder for each list of entries. */
  async function packFolders(
    ...listed: readonly (readonly Omit<Entry, 'oid'>[])[]
  ): Promise<{ readonly bytes: Buffer; readonly trees: readonly string[] }> {
    const folder = await folders.make();
    git(folder, ['init', '-q', '--bare', 'x.git']);
    const other = join(folder, 'x.git');
    const oid = putObject(other, 'blob', 'x');
    const trees = listed.map((entries) =>
      putTree(
        other,
        entries.map((entry) => ({ ...entry, oid })),
      ),
    );
    const by = 'A <a@b> 1 +0000';
    const commits = trees.map((tree) =>
      putObject(other, 'commit', `tree ${tree}\nauthor ${by}\ncommitter ${by}\n\nx\n`),
    );
    const names = [oid, ...trees, ...commits].join('\n');
    return { bytes: git(other, ['pack-objects', '--stdout', '-q'], `${names}\n`), trees };
  }

  it('refuses folders with names that git takes for its own, and names the folder', async () => {
    for (const name of ['.git', '.GIT', 'git~1', '..', '.gitmodules']) {
      const mode = name === '.gitmodules' ? '120000' : '100644';
      const { bytes, trees } = await packFolders([{ name, mode }]);
      await refuses(bytes, new RegExp(`^The folder ${trees[0]} .* git keeps for itself.* grep ${trees[0]}$`));
    }
  });

  it('refuses such a folder also behind more warnings than are kept', async () => {
    const odd = Array.from({ length: 60 }, (_, index) => [{ name: `${index}`, mode: '100777' }]);
    const { bytes, trees } = await packFolders(...odd, [{ name: '.git', mode: '100644' }], ...odd.toReversed());
    await refuses(bytes, new RegExp(`^The folder ${trees[60]} .* git keeps for itself`));
    const { quarantine } = await open();
    const { gitsName } = await quarantine.takeIn(piecesOf((await packFolders(...odd)).bytes));
    assert.equal(gitsName, undefined, 'odd modes alone are no such name');
    quarantine.close();
  });

  it('names the object that is not of the form that git gives it, and the check', async () => {
    const twice = { name: 'a', mode: '100644' };
    const faulty: Readonly<Record<string, readonly Omit<Entry, 'oid'>[]>> = {
      duplicateEntries: [twice, twice],
      treeNotSorted: [{ ...twice, name: 'b' }, twice],
      zeroPaddedFilemode: [{ ...twice, mode: '0100644' }],
      fullPathname: [{ ...twice, name: 'a/b' }],
    };
    for (const [check, entries] of Object.entries(faulty)) {
      const { bytes, trees } = await packFolders(entries);
      await refuses(bytes, new RegExp(`^The object ${trees[0]} of the push .* \\(${check}\\)\\. Make .*rev-list`));
    }
  });

  it('refuses more objects than a push may have, and reads the names of fewer in parts', async () => {
    const folder = await folders.make();
    git(folder, ['init', '-q', '--bare', 'x.git']);
    const made = (count: number): Buffer => {
      const blobs = Array.from({ length: count }, (_, index) => `blob\ndata ${`${index}`.length}\n${index}\n`);
      git(join(folder, 'x.git'), ['fast-import', '--quiet', '--force'], `${blobs.join('')}done\n`);
      const oids = Array.from({ length: count }, (_, index) => hashObject('blob', Buffer.from(`${index}`)));
      return git(join(folder, 'x.git'), ['pack-objects', '--stdout', '-q'], `${oids.join('\n')}\n`);
    };
    const { quarantine } = await open({ file: 3 });
    const { packs } = await quarantine.takeIn(piecesOf(made(5000)));
    assert.equal((await quarantine.findTooLarge(packs)).size, 4000);
    quarantine.close();
    await refuses(made(50_100), /at most 50000 objects.* git push origin COMMIT:main/);
  });

  it('refuses more bytes than a push may have', async () => {
    await refuses(pack(`${head}\n`), /at most 1000 bytes/, { bytes: 1000 });
  });

  it('looks at sizes before it reads: a large file is named, a large folder or commit refused', async () => {
    const large = deflateSync(Buffer.alloc(3 * mebibyte));
    const { quarantine } = await open();
    const { packs } = await quarantine.takeIn(piecesOf(makePack([[3, 3 * mebibyte, large]])));
    assert.deepEqual([...(await quarantine.findTooLarge(packs)).values()], [3 * mebibyte]);
    quarantine.close();
    const message = Buffer.from(
      `tree 4b825dc642cb6eb9a060e54bf8d69288fbee4904\nauthor A <a@b> 1 +0000\ncommitter A <a@b> 1 +0000\n\n${'x'.repeat(2 * mebibyte)}`,
    );
    const tree = deflateSync(Buffer.alloc(0));
    const commits = makePack([
      [2, 0, tree],
      [1, message.length, deflateSync(message)],
    ]);
    await refuses(commits, /commit .* at most 1048576/);
  });

  it('refuses an object that would take more memory than git may have', async () => {
    // A delta of some bytes that stands for 900 MB: copies of one stretch, over and over.
    const stretch = 0xffffff;
    const source = Buffer.alloc(stretch, 97);
    const oid = createHash('sha1').update(`blob ${stretch}\0`).update(source).digest();
    const length = (value: number): number[] => {
      const bytes = [];
      for (let rest = value; ; rest = Math.floor(rest / 128)) {
        if (rest < 128) return [...bytes, rest];
        bytes.push((rest % 128) | 128);
      }
    };
    const copies = 56;
    const copy = [0x80 | 0x70, 0xff, 0xff, 0xff];
    const delta = Buffer.from([
      ...length(stretch),
      ...length(copies * stretch),
      ...Array.from({ length: copies }, () => copy).flat(),
    ]);
    const bomb = makePack([
      [3, stretch, deflateSync(source)],
      [7, delta.length, Buffer.concat([oid, deflateSync(delta)])],
    ]);
    assert.ok(bomb.length < 20_000);
    await refuses(bomb, /too large to unpack/);
  });

  it('says in the same words that what is left of a push takes too much memory to be packed', async () => {
    // No commit has what it is a delta of, so git unpacks it. Another git has taken it in, which had no bounds.
    const { pack: bomb, head: tip } = makeDeltaBomb([600], true);
    const { quarantine, folder } = await open();
    git(folder, ['index-pack', '--stdin', '--threads=1'], bomb);
    await assert.rejects(
      quarantine.keepReached({ head: tip, onto: null }),
      (error: unknown) => error instanceof PushUnfit && /too large to unpack/.test(error.message),
    );
    quarantine.close();
  });

  it('says that a push takes too long also where that ends the packing of what is left of it', async () => {
    const { quarantine } = await open({ time: 300 });
    await quarantine.takeIn(piecesOf(pack(`${head}\n`)));
    await assert.rejects(quarantine.finish(waitFor(quarantine)), /takes too long/);
    await assert.rejects(quarantine.keepReached({ head, onto: null }), /takes too long/);
    quarantine.close();
  });

  /** Work that goes on until it is ended. */
  const waitFor = (quarantine: Quarantine): Promise<void> =>
    quarantine.start(['cat-file', '--batch-check']).requireSuccess('It was ended');

  it('ends git when the push takes too long', async () => {
    // It never ends by itself: it reads names from its open standard input.
    const { quarantine } = await open({ time: 1 });
    await quarantine.takeIn(piecesOf(pack(`${head}\n`))).catch(() => undefined);
    const waiting = quarantine.start(['cat-file', '--batch-check']);
    assert.equal(await waiting.ended, null, 'ended by a signal');
    assert.throws(() => quarantine.requireInTime(), /takes too long/);
    quarantine.close();
  });

  const pack = (revisions: string, ...flags: readonly string[]): Buffer =>
    git(client, ['pack-objects', '--stdout', '--revs', '-q', ...flags], revisions);

  async function open(changed: Partial<PushLimits> = {}): Promise<{ quarantine: Quarantine; folder: string }> {
    const folder = join(await folders.make(), 'q');
    await mkdir(folder);
    const quarantine = await Quarantine.open(program, folder, served, { ...limits, ...changed }, signal);
    return { quarantine, folder };
  }

  /** A pack of objects as given: the type's number and the content, deflated. */
  function makePack(objects: readonly (readonly [type: number, size: number, deflated: Buffer])[]): Buffer {
    const parts: Buffer[] = [Buffer.from('PACK\0\0\0\x02'), Buffer.from([0, 0, 0, objects.length])];
    for (const [type, size, deflated] of objects) {
      const head = [(type << 4) | (size & 15)];
      for (let rest = Math.floor(size / 16); rest > 0; rest = Math.floor(rest / 128)) {
        head[head.length - 1]! |= 128;
        head.push(rest % 128);
      }
      parts.push(Buffer.from(head), deflated);
    }
    const all = Buffer.concat(parts);
    return Buffer.concat([all, createHash('sha1').update(all).digest()]);
  }

  async function refuses(bytes: Buffer, said: RegExp, changed: Partial<PushLimits> = {}): Promise<void> {
    const { quarantine } = await open(changed);
    await assert.rejects(
      async () => {
        const { packs, gitsName } = await quarantine.takeIn(piecesOf(bytes));
        if (gitsName !== undefined) throw gitsName;
        await quarantine.findTooLarge(packs);
      },
      (error: unknown) => error instanceof PushUnfit && said.test(error.message),
    );
    quarantine.close();
  }
});
