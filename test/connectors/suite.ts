import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readdir, readFile, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { UnreadableFile, type Source, type SourceFile } from '../../lib/connectors/source.js';
import { EgressFault } from '../../lib/egress/egress-fault.js';
import { countOf, seedOf } from '../support/counts.js';
import { until } from '../support/until.js';
import { Follower, meansOf, readIfReadable, readWhole } from './follow.js';
import { describeMirror } from './mirror-suite.js';
import { changeAtRandom, Dice, type Truth } from './random-changes.js';
import type { MakeRemote, Remote, Traits } from './remote.js';

/** Names that are rare and lawful. */
const oddNames = [
  'a b  c.md',
  '100%.md',
  '%41.md',
  '#hash?query=1&x.md',
  'semi;colon+plus.md',
  'quote\'and".md',
  '$(echo)`x`.md',
  '-rf.md',
  '日本語/ファイル.md',
  'emoji 🗂️.md',
  'no-extension',
  '.hidden/file',
  'x'.repeat(200),
  `${'deep/'.repeat(40)}file.md`,
];

/** Milliseconds in which everything ends after an abort. */
const soon = 1000;

/** The suite of all kinds of sources: what each of them promises a sync. */
export function describeKind(name: string, makeRemote: MakeRemote, traits: Traits): void {
  describe(`a source of the kind ${name}`, function () {
    this.timeout(60_000);
    let folder: string;
    let remote: Remote;
    let opened: Source[];
    const never = new AbortController().signal;

    beforeEach(async () => {
      folder = await realpath(await mkdtemp(join(tmpdir(), 'cartulary-kind-')));
      await mkdir(join(folder, 'remote'));
      await mkdir(join(folder, 'cache'));
      remote = await makeRemote(join(folder, 'remote'));
      opened = [];
    });
    afterEach(async () => {
      for (const source of opened) await source.close();
      await remote.close();
      await rm(folder, { recursive: true, force: true });
    });

    async function open(change: { secret?: string | null; maxEntries?: number } = {}): Promise<Source> {
      const secret = change.secret === undefined ? remote.secret : change.secret;
      const means = meansOf(remote, join(folder, 'cache'), change.maxEntries);
      const source = await traits.kind.open(remote.settings as never, secret, means);
      opened.push(source);
      return source;
    }

    async function fill(files: Readonly<Record<string, string | Buffer>>): Promise<void> {
      for (const [path, content] of Object.entries(files)) await remote.put(path, Buffer.from(content));
      await remote.publish();
    }

    async function listed(source: Source): Promise<Follower> {
      const follower = new Follower();
      await follower.follow(source, never);
      return follower;
    }

    function fileOf(follower: Follower, path: string): SourceFile {
      const file = follower.files.get(path);
      assert.ok(file !== undefined, `${path} is not listed; there are ${[...follower.files.keys()].join(', ')}`);
      return file;
    }

    async function requireEqual(source: Source, follower: Follower, truth: Truth): Promise<void> {
      assert.deepEqual([...follower.files.keys()].sort(), [...truth.keys()].sort());
      for (const [path, content] of truth) {
        const file = fileOf(follower, path);
        if (file.size !== undefined) assert.equal(file.size, content.length, `the size of ${path}`);
        assert.ok((await readWhole(source, file, never)).equals(content), `the content of ${path}`);
      }
    }

    /** The fault with which it ends. */
    async function faultOf(work: () => Promise<unknown>): Promise<EgressFault> {
      try {
        await work();
      } catch (error) {
        assert.ok(error instanceof EgressFault, `no fault of a source: ${String(error)}`);
        assert.match(error.message, /^[A-Z].*[.]$/s, 'the fault is a sentence');
        if (remote.secret !== null) assert.ok(!error.message.includes(remote.secret), 'the fault holds the secret');
        return error;
      }
      return assert.fail('it did not fail');
    }

    describeMirror(traits, () => ({ remote, cacheFolder: join(folder, 'cache') }));

    it('says what it found, and describes itself without its secret', async () => {
      await fill({ 'a.md': 'a' });
      const said = await (await open()).check(never);
      assert.match(said, /^[A-Z].*[.]$/);
      const description = traits.kind.describe(remote.settings as never);
      for (const text of [said, description]) {
        assert.ok(remote.secret === null || !text.includes(remote.secret), `it holds the secret: ${text}`);
      }
    });

    it('lists and reads what is there, through random changes', async () => {
      const dice = new Dice(`${name}:${seedOf(1)}`);
      const truth: Truth = new Map();
      const follower = new Follower();
      for (let round = 0; round < countOf('CONNECTOR_ROUNDS', { usual: 2, campaign: 40 }); round += 1) {
        await changeAtRandom(remote, truth, dice, round === 0 ? 30 : 8);
        await remote.publish();
        const source = await open();
        await follower.follow(source, never);
        await requireEqual(source, follower, truth);
      }
    });

    it('gives another version to a changed file, and to no other', async () => {
      await fill({ 'a.md': 'first', 'b.md': 'same' });
      const before = await listed(await open());
      await fill({ 'a.md': 'other' });
      const source = await open();
      const after = await listed(source);
      assert.notEqual(fileOf(after, 'a.md').version, fileOf(before, 'a.md').version);
      assert.equal(fileOf(after, 'b.md').version, fileOf(before, 'b.md').version);
      assert.equal(String(await readWhole(source, fileOf(after, 'a.md'), never)), 'other');
    });

    it('tells by a cheap look whether something may have changed', async () => {
      await fill({ 'a.md': 'first' });
      const follower = await listed(await open());
      const { cursor } = follower;
      if (cursor === null) return assert.equal(traits.probes, false);
      const unchanged = await (await open()).probe(cursor, never);
      assert.equal(unchanged, traits.probes ? 'unchanged' : 'maybe_changed');
      await fill({ 'a.md': 'other' });
      assert.equal(await (await open()).probe(cursor, never), 'maybe_changed');
    });

    it('gives a renamed file its id again, or no id at all', async () => {
      await fill({ 'a.md': 'first', 'b.md': 'second' });
      const before = await listed(await open());
      await remote.move('a.md', 'moved/c.md');
      await remote.publish();
      const after = await listed(await open());
      const [from, to] = [fileOf(before, 'a.md').id, fileOf(after, 'moved/c.md').id];
      if (traits.keepsIds) assert.ok(from !== undefined && from === to, `${from} is not ${to}`);
      const ids = [...after.files.values()].flatMap(({ id }) => id ?? []);
      assert.equal(new Set(ids).size, ids.length, 'an id names two files');
    });

    it('gives a new file with the name of a deleted one another id', async () => {
      await fill({ 'a.md': 'first', 'b.md': 'b' });
      const before = await listed(await open());
      await remote.remove('a.md');
      await remote.publish();
      await fill({ 'c.md': 'unlike it' });
      const after = await listed(await open());
      const id = fileOf(before, 'a.md').id;
      assert.ok(id === undefined || fileOf(after, 'c.md').id !== id, 'a deleted file lives on under its id');
    });

    it('lists and reads files with unusual names under exactly these names', async () => {
      const names = oddNames.filter((each) => traits.cannotName?.includes(each) !== true);
      await fill(Object.fromEntries(names.map((each) => [each, `named ${each}`])));
      const source = await open();
      const truth = new Map(names.map((each) => [each, Buffer.from(`named ${each}`)]));
      await requireEqual(source, await listed(source), truth);
    });

    it('reads empty, binary and large files unchanged', async () => {
      const dice = new Dice('contents');
      const truth = new Map([
        ['empty', Buffer.alloc(0)],
        ['every-byte.bin', Buffer.from(Array.from({ length: 1024 }, (_, index) => index % 256))],
        ['lines.txt', Buffer.from('a\r\nb\nc\r\u2028d\0e')],
        ['large.bin', dice.bytes(5 * 1024 * 1024 + 3)],
      ]);
      await fill(Object.fromEntries(truth));
      const source = await open();
      await requireEqual(source, await listed(source), truth);
    });

    it('reads several files at once', async () => {
      const files = Array.from({ length: 40 }, (_, index) => `f${index}.bin`);
      const dice = new Dice('at once');
      const truth: Truth = new Map(files.map((each) => [each, dice.bytes(20_000 + dice.roll(50_000))]));
      await fill(Object.fromEntries(truth));
      const source = await open();
      const follower = await listed(source);
      for (let start = 0; start < files.length; start += traits.kind.readsAtOnce) {
        const some = files.slice(start, start + traits.kind.readsAtOnce);
        const read = await Promise.all(some.map((each) => readWhole(source, fileOf(follower, each), never)));
        some.forEach((each, index) => assert.ok(read[index]?.equals(truth.get(each) ?? Buffer.alloc(0)), each));
      }
    });

    it('ends a file beyond the bound, and reads one that just fits', async () => {
      await fill({ fits: Buffer.alloc(1000, 1), over: Buffer.alloc(1001, 1), far: Buffer.alloc(3_000_000, 1) });
      const source = await open();
      const follower = await listed(source);
      assert.equal((await readWhole(source, fileOf(follower, 'fits'), never, 1000)).length, 1000);
      for (const path of ['over', 'far']) {
        const work = readWhole(source, fileOf(follower, path), never, 1000);
        await assert.rejects(work, (error) => error instanceof UnreadableFile && error.reason === 'too_large');
      }
      assert.equal((await readWhole(source, fileOf(follower, 'fits'), never, 1000)).length, 1000);
    });

    it('never gives a file that changed or went away since the listing another content', async () => {
      await fill({ 'a.md': 'first', 'b.md': 'second', 'c.md': 'third' });
      const source = await open();
      const follower = await listed(source);
      await remote.remove('a.md');
      await fill({ 'b.md': 'SECOND' });
      for (const [path, content] of Object.entries({ 'a.md': 'first', 'b.md': 'second' })) {
        const read = await readIfReadable(source, fileOf(follower, path), never);
        if (traits.keepsVersions) assert.equal(String(read), content);
        else assert.ok(read === null || String(read) === content, `${path} was read as ${String(read)}`);
      }
      assert.equal(String(await readWhole(source, fileOf(follower, 'c.md'), never)), 'third');
    });

    it('ends a listing beyond the bound', async () => {
      await fill(Object.fromEntries(Array.from({ length: 15 }, (_, index) => [`f${index}`, 'x'])));
      const source = await open({ maxEntries: 10 });
      assert.equal((await faultOf(() => listed(source))).fault, 'limit');
    });

    it('ends soon after an abort while it lists or reads, and leaves nothing behind', async () => {
      await fill(Object.fromEntries(Array.from({ length: 60 }, (_, index) => [`many/f${index}`, 'x'])));
      await fill({ large: new Dice('abort').bytes(8 * 1024 * 1024) });
      const before = await countOpen();
      const source = await open();
      const follower = await listed(source);
      await source.close();
      for (const work of [
        async (each: Source, { signal }: AbortController) => {
          const listing = await each.list(null, signal);
          for await (const part of listing.entries) void part;
        },
        async (each: Source, controller: AbortController) => {
          for await (const piece of each.read(fileOf(follower, 'large'), 1e9, controller.signal)) {
            void piece;
            controller.abort();
          }
        },
      ]) {
        const controller = new AbortController();
        const again = await open();
        await new Follower().follow(again, never);
        const working = work(again, controller).then(
          () => 'ended',
          () => 'ended',
        );
        controller.abort();
        const late = new Promise((resolve) => void setTimeout(resolve, soon, 'still at work').unref());
        assert.equal(await Promise.race([working, late]), 'ended');
        await again.close();
      }
      await until('nothing is open that was not before', async () => (await countOpen()) <= before);
    });

    for (const wrong of traits.wrongSecrets ?? []) {
      it(`ends as a fault of credentials with the secret ${wrong === null ? 'left out' : JSON.stringify(wrong)}`, async () => {
        await fill({ 'a.md': 'a' });
        for (const work of [(source: Source) => source.check(never), listed]) {
          const fault = await faultOf(async () => work(await open({ secret: wrong })));
          assert.equal(fault.fault, 'auth');
          if (wrong !== null) assert.ok(!fault.message.includes(wrong), 'the fault holds the secret');
        }
      });
    }

    it('ends as a fault when the remote went away, and never lists nothing', async () => {
      await fill({ 'a.md': 'a', 'b.md': 'b' });
      await listed(await open());
      await remote.vanish();
      for (const work of [(source: Source) => source.check(never), listed]) {
        const { fault, message } = await faultOf(async () => work(await open()));
        assert.ok(traits.goneAs.includes(fault), `${fault}: ${message}`);
      }
    });

    it('reads nothing wrong when the remote goes away midway', async () => {
      const truth: Truth = new Map([['large', new Dice('midway').bytes(8 * 1024 * 1024)]]);
      await fill(Object.fromEntries(truth));
      const source = await open();
      const file = fileOf(await listed(source), 'large');
      const pieces: Uint8Array[] = [];
      try {
        for await (const piece of source.read(file, 1e9, never)) {
          if (pieces.push(piece) === 1) await remote.vanish();
        }
      } catch (error) {
        assert.ok(error instanceof UnreadableFile || error instanceof EgressFault, String(error));
        return;
      }
      assert.ok(Buffer.concat(pieces).equals(truth.get('large') ?? Buffer.alloc(0)), 'a part passes for the whole');
    });
  });
}

/** Open descriptors and children of this process. */
async function countOpen(): Promise<number> {
  const own = await readdir('/proc/self/fd').catch(() => []);
  const children = await readFile(`/proc/self/task/${process.pid}/children`, 'utf8').catch(() => '');
  return own.length + children.split(' ').filter((each) => each !== '').length;
}
