import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import * as fc from 'fast-check';
import { hashObject, makePackable } from '../../lib/git/objects/objects.js';
import { ObjectNotFound } from '../../lib/git/repositories/repository.js';
import type { Repository } from '../../lib/git/repositories/repository.js';
import { Tree } from '../../lib/git/objects/tree.js';
import { gather, incompressible, makeCommit, piecesOf } from '../support/git/fixture.js';

const absent = 'abcdef0123'.repeat(4);

/** Makes a new, empty repository. */
type Create = () => Promise<Repository>;

/** The promises of `Repository`, for every kind of it. */
export function describeRepository(kind: string, create: Create): void {
  describe(`a repository (${kind})`, () => {
    describe('its objects', () => describeObjects(create));
    describe('its blobs', () => describeBlobs(create));
    describe('its history and packs', () => describeHistory(create));
  });
}

/** Objects in packs: given, and given back. */
function describeObjects(create: Create): void {
  let repository: Repository;
  beforeEach(async () => (repository = await create()));
  afterEach(() => repository.close());

  it('is empty and sound at first', async () => {
    assert.equal(await repository.head(), null);
    assert.deepEqual(await repository.stats(), { packs: 0, looseObjects: 0, bytes: 0 });
    assert.deepEqual(await repository.fsck(), []);
  });

  it('gives back the objects of a pack, of every type and size', async () => {
    const { objects } = makeCommit({ 'a/b.md': 'text', 'c.bin': '\0\n\r\n', empty: '' });
    const large = makePackable('blob', await gather(incompressible(700_001)));
    await repository.addPack([...objects, large]);
    for (const object of [...objects, large]) {
      const { type, bytes } = await repository.read(object.oid);
      assert.equal(type, object.type);
      assert.equal(hashObject(type, bytes), object.oid);
      assert.equal(await repository.size(object.oid), object.size);
      assert.equal(await repository.has(object.oid), true);
    }
    assert.deepEqual(await repository.fsck(), []);
  });

  it('answers many reads at once, each with its own object', async () => {
    const blobs = Array.from({ length: 300 }, (_, i) => makePackable('blob', Buffer.from(`${i}\n`.repeat(i * 7))));
    await repository.addPack(blobs);
    const read = await Promise.all(blobs.map(({ oid }) => repository.read(oid)));
    for (const [i, { bytes }] of read.entries()) assert.equal(bytes.toString(), `${i}\n`.repeat(i * 7));
  });

  it('sees a new pack at once, also for an object it has just missed', async () => {
    for (let i = 0; i < 5; i++) {
      const blob = makePackable('blob', Buffer.from(`number ${i}`));
      assert.equal(await repository.has(blob.oid), false);
      await repository.addPack([blob]);
      assert.equal((await repository.read(blob.oid)).bytes.toString(), `number ${i}`);
    }
    assert.equal((await repository.stats()).packs, 5);
  });

  it('reports that an object is absent', async () => {
    for (const ask of [
      () => repository.read(absent),
      () => repository.size(absent),
      () => repository.readStream(absent),
      () => repository.moveHead(absent),
    ])
      await assert.rejects(ask, (error) => error instanceof ObjectNotFound && error.oid === absent);
    assert.equal(await repository.has(absent), false);
    assert.equal(await repository.head(), null);
  });

  it('knows the empty tree without its being stored', async () => {
    assert.equal((await repository.read(Tree.empty.oid)).bytes.length, 0);
  });

  it('refuses anything but an object name, before all other checks', async () => {
    for (const bad of ['', 'main', 'HEAD', absent.slice(1), `${absent}\n`, absent.toUpperCase(), '--all'])
      for (const ask of [
        () => repository.read(bad),
        () => repository.has(bad),
        () => repository.size(bad),
        () => repository.readStream(bad),
        () => repository.moveHead(bad),
        () => repository.dropStaged(bad),
      ])
        await assert.rejects(ask, TypeError);
  });

  it('adds nothing for no objects', async () => {
    await repository.addPack([]);
    assert.equal((await repository.stats()).packs, 0);
  });

  it('takes repeated objects, in one pack or in two', async () => {
    const { objects, commit } = makeCommit({ a: 'x' });
    await repository.addPack([...objects, ...objects]);
    await repository.addPack([...objects, makePackable('blob', Buffer.from('more'))]);
    await repository.addPack(objects);
    await repository.moveHead(commit);
    assert.deepEqual(await repository.fsck(), []);
  });
}

/** Blobs as streams, in both directions. */
function describeBlobs(create: Create): void {
  let repository: Repository;
  beforeEach(async () => (repository = await create()));
  afterEach(() => repository.close());

  it('stages a blob, describes it, and streams it', async () => {
    const content = await gather(incompressible(3_000_001));
    const staged = await repository.stageBlob(incompressible(3_000_001));
    assert.deepEqual(staged, {
      oid: hashObject('blob', content),
      size: content.length,
      sha256: createHash('sha256').update(content).digest('hex'),
    });
    const { size, stream } = await repository.readStream(staged.oid);
    assert.equal(size, content.length);
    assert.ok(content.equals(await gather(stream)));
    assert.ok(content.equals((await repository.read(staged.oid)).bytes));
    assert.equal(await repository.size(staged.oid), content.length);
    assert.equal((await repository.stats()).looseObjects, 1);
    assert.deepEqual(await repository.fsck(), []);
  });

  it('streams the content of a pack, small, large and empty', async () => {
    for (const length of [0, 1, 70_000, 2_000_000]) {
      const content = await gather(incompressible(length));
      const blob = makePackable('blob', content);
      await repository.addPack([blob]);
      const { size, stream } = await repository.readStream(blob.oid);
      assert.equal(size, length);
      assert.ok(content.equals(await gather(stream)));
    }
  });

  it('distinguishes text from other content, at any cut of the pieces', async () => {
    const bytes = fc.oneof(
      fc.string({ unit: 'grapheme', maxLength: 12 }).map((text) => Buffer.from(text)),
      fc.uint8Array({ maxLength: 6 }).map((piece) => Buffer.from(piece)),
    );
    const cuts = fc.array(fc.nat({ max: 30 }), { maxLength: 6 });
    await fc.assert(
      fc.asyncProperty(bytes, cuts, async (content, at) => {
        const places = [0, ...at.filter((cut) => cut < content.length).sort((a, b) => a - b), content.length];
        const pieces = places.slice(1).map((end, i) => content.subarray(places[i], end));
        const { size, oid } = await repository.stageBlob(piecesOf(...pieces));
        assert.equal(size, content.length);
        assert.equal(oid, hashObject('blob', content));
      }),
      {
        numRuns: 60,
        examples: [
          [Buffer.from('a\0b'), []],
          [Buffer.from('😀'), [1, 2, 3]],
          [Buffer.from('😀').subarray(0, 3), [1]],
          [Buffer.from([0x80]), []],
          [Buffer.from([0xed, 0xa0, 0x80]), [1, 2]],
          [Buffer.from([0xc0, 0xaf]), [1]],
        ],
      },
    );
  }).timeout(30_000);

  it('drops a staged blob, and drops nothing where there is none', async () => {
    const { oid } = await repository.stageBlob(piecesOf('to be dropped'));
    await repository.dropStaged(oid);
    await repository.dropStaged(oid);
    assert.equal(await repository.has(oid), false);
    assert.deepEqual(await repository.stats(), { packs: 0, looseObjects: 0, bytes: 0 });
  });

  it('leaves nothing behind when the source of a staged blob fails', async () => {
    async function* failing(): AsyncGenerator<Uint8Array, void, undefined> {
      yield Buffer.from('half');
      throw new Error('the line broke');
    }
    await assert.rejects(repository.stageBlob(failing()), /the line broke/);
    assert.deepEqual(await repository.stats(), { packs: 0, looseObjects: 0, bytes: 0 });
  });

  it('announces a staged blob before it shows, and stages nothing when that fails', async () => {
    const announced: string[] = [];
    const staged = await repository.stageBlob(piecesOf('announced'), async (blob) => {
      assert.equal(await repository.has(blob.oid), false);
      announced.push(blob.oid);
    });
    assert.deepEqual(announced, [staged.oid]);
    assert.equal(await repository.has(staged.oid), true);
    const refused = repository.stageBlob(piecesOf('refused'), () => Promise.reject(new Error('cannot note it down')));
    await assert.rejects(refused, /cannot note it down/);
    assert.equal(await repository.has(hashObject('blob', Buffer.from('refused'))), false);
  });

  it('allows to give up a stream early', async () => {
    const blob = makePackable('blob', await gather(incompressible(2_000_000)));
    await repository.addPack([blob]);
    const staged = await repository.stageBlob(incompressible(2_500_000));
    for (const oid of [blob.oid, staged.oid]) {
      const { stream } = await repository.readStream(oid);
      for await (const piece of stream) {
        assert.ok((piece as Buffer).length > 0);
        break;
      }
      assert.equal(stream.destroyed, true);
      const unread = await repository.readStream(oid);
      const closed = new Promise((resolve) => unread.stream.once('close', resolve));
      unread.stream.destroy();
      await closed;
    }
  });
}

/** The commit of main, and the lives of packs. */
function describeHistory(create: Create): void {
  let repository: Repository;
  beforeEach(async () => (repository = await create()));
  afterEach(() => repository.close());

  it('lists the commits of a range of its history, the oldest first', async () => {
    const first = makeCommit({ 'a.md': 'one' });
    const second = makeCommit({ 'a.md': 'two' }, [first.commit]);
    const third = makeCommit({ 'a.md': 'three' }, [second.commit]);
    await repository.addPack([first, second, third].flatMap(({ objects }) => objects));
    const listed = async (after?: string): Promise<string[]> => {
      const commits: string[] = [];
      for await (const oid of repository.history(third.commit, after)) commits.push(oid);
      return commits;
    };
    assert.deepEqual(await listed(), [first.commit, second.commit, third.commit]);
    assert.deepEqual(await listed(first.commit), [second.commit, third.commit]);
  });

  it('moves main, in the order of the calls', async () => {
    const commits = Array.from({ length: 10 }, (_, i) => makeCommit({ a: String(i) }));
    await repository.addPack(commits.flatMap(({ objects }) => objects));
    await Promise.all(commits.map(({ commit }) => repository.moveHead(commit)));
    assert.equal(await repository.head(), commits.at(-1)?.commit);
    assert.deepEqual(await repository.fsck(), []);
  });

  it('sweeps objects that main does not reach, and keeps the rest, also those added meanwhile', async () => {
    const gone = makeCommit({ 'a.md': 'gone', 'b.md': 'in both' });
    const kept = makeCommit({ 'b.md': 'in both', 'c/d.md': 'kept' });
    const apart = makePackable('blob', Buffer.from('asked to stay'));
    const later = makePackable('blob', Buffer.from('added while it sweeps'));
    await repository.addPack([...gone.objects, ...kept.objects]);
    await repository.addPack([apart]);
    await repository.moveHead(kept.commit);
    const { loose, missing } = await repository.sweep({
      roots: async () => ({ head: kept.commit, also: [apart.oid, absent], held: [] }),
      onCopied: () => repository.addPack([later]),
    });
    await repository.letGo({ within: 1000, reason: new Error('It goes.') });
    assert.deepEqual([loose, missing], [[], []]);
    for (const { oid } of [...kept.objects, apart, later]) assert.equal(await repository.has(oid), true);
    const needed = new Set(kept.objects.map(({ oid }) => oid));
    for (const { oid } of gone.objects) assert.equal(await repository.has(oid), needed.has(oid), oid);
    assert.deepEqual(await repository.fsck(), []);
  });

  it('keeps every object and few packs through maintenance', async () => {
    const known: string[] = [];
    let parents: string[] = [];
    for (let i = 0; i < 60; i++) {
      const files = { 'same.md': 'same', [`folder/${i}.md`]: `text number ${i}\n`.repeat(20) };
      const { objects, commit } = makeCommit(files, parents);
      await repository.addPack(objects);
      known.push(...objects.map(({ oid }) => oid));
      parents = [commit];
    }
    await repository.moveHead(parents[0]!);
    const unreferenced = makePackable('blob', Buffer.from('in a pack, and nothing refers to it'));
    await repository.addPack([unreferenced]);
    const kept = await repository.stageBlob(piecesOf('staged, and not yet committed'));
    const unkept = await repository.stageBlob(piecesOf('staged, and not named to maintenance'));
    known.push(unreferenced.oid, kept.oid, unkept.oid);

    const reading = Promise.all(known.map((oid) => repository.read(oid)));
    const report = await repository.maintain((oid) => oid === kept.oid);
    await reading;

    assert.equal(report.before.packs, 61);
    assert.ok(report.after.packs <= 2, `${report.after.packs} packs are left`);
    assert.deepEqual(report.after, await repository.stats());
    for (const oid of known) assert.equal(hashOf(await repository.read(oid)), oid);
    assert.deepEqual(await repository.fsck(), []);

    await repository.dropStaged(kept.oid);
    assert.equal(await repository.has(kept.oid), false, 'a kept blob can still be dropped');
    const again = await repository.maintain();
    assert.ok(again.after.packs <= 2);
  }).timeout(30_000);

  it('takes writes while maintenance runs', async () => {
    const all: string[] = [];
    const add = async (i: number): Promise<void> => {
      const blob = makePackable('blob', Buffer.from(`number ${i}`));
      await repository.addPack([blob]);
      all.push(blob.oid);
    };
    for (let i = 0; i < 10; i++) await add(i);
    const maintenance = Promise.all([repository.maintain(), repository.maintain()]);
    for (let i = 10; i < 30; i++) await add(i);
    await maintenance;
    await repository.maintain();
    for (const oid of all) assert.equal(hashOf(await repository.read(oid)), oid);
    assert.deepEqual(await repository.fsck(), []);
  }).timeout(30_000);
}

function hashOf({ type, bytes }: Awaited<ReturnType<Repository['read']>>): string {
  return hashObject(type, bytes);
}
