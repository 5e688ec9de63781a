import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readlinkSync } from 'node:fs';
import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { deflateSync } from 'node:zlib';
import * as fc from 'fast-check';
import { applyDelta, encodeDelta } from '../../lib/git/delta.js';
import { RepositoryUnreadable } from '../../lib/git/errors.js';
import { nodeFileSystem } from '../../lib/git/file-system.js';
import { hashObject, makePackable, type ObjectType } from '../../lib/git/objects.js';
import { createRepository } from '../../lib/git/open-repository.js';
import { openHistoryPacker } from '../../lib/git/open-read-only.js';
import { PackIndex } from '../../lib/git/pack-index.js';
import { entryHeader, layOutPack, sealPack } from '../../lib/git/pack-layout.js';
import { PackReader } from '../../lib/git/pack-reader.js';
import { writePack } from '../../lib/git/pack.js';
import { RepositoryFolder } from '../../lib/git/repository-folder.js';
import { Tree } from '../../lib/git/tree.js';
import { skipBecause } from '../skip.js';
import { TemporaryFolders, gather, git, incompressible, makeCommit } from './fixture.js';

const descriptors = '/proc/self/fd';
const largest = 1_000_000;

/** Files below the folder that this process has open; removed ones are marked as such by the system. */
function openBelow(path: string): string[] {
  return readdirSync(descriptors).flatMap((name) => {
    try {
      const target = readlinkSync(join(descriptors, name));
      return target.startsWith(path) ? [target] : [];
    } catch {
      return [];
    }
  });
}

describe('reading out of packs', () => {
  const folders = new TemporaryFolders();
  let path: string;
  let folder: RepositoryFolder;
  let reader: PackReader;

  beforeEach(async () => {
    path = await folders.make();
    git(path, ['init', '-q', '--bare', '.']);
    folder = new RepositoryFolder(nodeFileSystem, path);
    reader = new PackReader(folder, largest);
  });
  afterEach(() => reader.close());
  after(() => folders.remove());

  const packFiles = (ending: string): string[] =>
    readdirSync(join(path, 'objects', 'pack'))
      .filter((name) => name.endsWith(ending))
      .map((name) => join(path, 'objects', 'pack', name));

  /** Names of all objects, as git says. */
  function listObjects(): { oid: string; type: ObjectType }[] {
    const said = git(path, ['cat-file', '--batch-all-objects', '--batch-check']).toString().trim().split('\n');
    return said.map((line) => ({ oid: line.slice(0, 40), type: line.split(' ')[1] as ObjectType }));
  }

  function assertReadsEverything(): void {
    const objects = listObjects();
    assert.ok(objects.length > 0);
    for (const { oid, type } of objects) {
      const object = reader.read(oid);
      assert.equal(object?.type, type, oid);
      assert.equal(object && hashObject(object.type, object.bytes), oid);
    }
  }

  /** A history of which most is stored as deltas, some of them on long chains. */
  async function addHistory(): Promise<string> {
    const lines = Array.from({ length: 300 }, (_, line) => createHash('sha256').update(`${line}`).digest('base64'));
    let head: string[] = [];
    for (let version = 0; version < 60; version++) {
      lines[(version * 37) % lines.length] = `changed by version ${version}`;
      lines.splice((version * 11) % lines.length, version % 3, 'inserted');
      const files = { 'a.md': lines.join('\n'), [`folder-${version % 5}/b.md`]: lines.slice(0, version).join('\n') };
      const { objects, commit } = makeCommit({ ...files, 'empty.md': '' }, head);
      await writePack(objects, folder, sealPack);
      head = [commit];
    }
    git(path, ['update-ref', 'refs/heads/main', head[0] ?? '']);
    return head[0] ?? '';
  }

  it('gives every object of the packs that the store writes', async () => {
    const { objects } = makeCommit({ 'a/b.md': 'text', empty: '', 'c.bin': '\0\n\r\n', long: 'x'.repeat(900_000) });
    const sizes = [1, 2000, 4070, 4080, 4090, 4096, 8192, 8193, 30_000, 999_000];
    const blobs = await Promise.all(
      sizes.map(async (size) => makePackable('blob', await gather(incompressible(size)), size % 2)),
    );
    await writePack([...objects, ...blobs], folder, sealPack);
    await writePack([makePackable('blob', Buffer.alloc(0))], folder, sealPack);
    assertReadsEverything();
  });

  it('gives every object of packs with deltas, whichever way they name what they go by', async () => {
    await addHistory();
    for (const how of [['--delta-base-offset'], []]) {
      const [old, base] = [packFiles('.pack'), join(path, 'objects', 'pack', 'pack')];
      const names = listObjects().map(({ oid }) => `${oid}\n`);
      git(path, ['pack-objects', '-q', '--no-reuse-delta', '--window=50', ...how, base], names.join(''));
      for (const file of old) for (const ending of ['pack', 'idx']) await rm(file.replace(/pack$/, ending));
      const [pack = ''] = packFiles('.pack');
      const chains = git(path, ['verify-pack', '-s', pack.replace(/pack$/, 'idx')]).toString();
      assert.match(chains, /chain length = 1[0-9]:/);
      assertReadsEverything();
    }
  });

  it('gives what the packs of a history hold that was written anew', async () => {
    const packer = openHistoryPacker(path, true);
    let tree = Tree.empty;
    for (let write = 0; write < 120; write++) {
      const oid = createHash('sha1').update(`${write}`).digest('hex');
      tree = tree.with(`document-${(write * 7919) % 400}.md`, '100644', oid);
      packer.addTrees([tree]);
    }
    await packer.flush();
    assertReadsEverything();
  });

  it('leaves to others what is not there, what is loose, and what is larger than it reads', async () => {
    const large = makePackable('blob', Buffer.alloc(largest + 1));
    const longer = Buffer.concat([Buffer.alloc(largest), Buffer.from('more')]);
    await writePack([large, makePackable('blob', Buffer.from('small'))], folder, sealPack);
    const loose = git(path, ['hash-object', '-w', '--stdin'], 'loose').toString().trim();
    for (const oid of [large.oid, loose, hashObject('blob', longer), 'ab'.repeat(20)])
      assert.equal(reader.read(oid), undefined);
    assert.equal(reader.read(hashObject('blob', Buffer.from('small')))?.bytes.toString(), 'small');
  });

  it('sees packs that come, and others in their place', async () => {
    await addHistory();
    assertReadsEverything();
    const late = makePackable('blob', Buffer.from('late'));
    assert.equal(reader.read(late.oid), undefined);
    // Some file systems tell only apart what is some milliseconds apart.
    await new Promise((resolve) => setTimeout(resolve, 20));
    await writePack([late], folder, sealPack);
    assert.equal(reader.read(late.oid)?.bytes.toString(), 'late');
    git(path, ['repack', '-q', '-a', '-d', '-k']);
    await new Promise((resolve) => setTimeout(resolve, 20));
    assertReadsEverything();
    assert.equal(reader.read(late.oid)?.bytes.toString(), 'late');
  });

  it('holds no file of a pack that is gone once it has been told to forget, and none when it is closed', async function () {
    if (!existsSync(descriptors)) skipBecause(this, 'open files can be counted on Linux only');
    await addHistory();
    assertReadsEverything();
    assert.ok(openBelow(path).length > 0, 'packs are kept open');
    const [{ oid } = { oid: '' }] = listObjects();
    for (const ending of ['.idx', '.pack']) for (const file of packFiles(ending)) await rm(file);
    assert.ok(openBelow(path).length > 0);
    reader.forget();
    assert.deepEqual(openBelow(path), []);
    assert.equal(reader.read(oid), undefined);
    await writePack([makePackable('blob', Buffer.from('another'))], folder, sealPack);
    assert.ok(reader.read(hashObject('blob', Buffer.from('another'))));
    reader.close();
    assert.deepEqual(openBelow(path), []);
    assert.equal(reader.read(hashObject('blob', Buffer.from('another'))), undefined);
    assert.deepEqual(openBelow(path), []);
  });

  it('leaves to others whatever is damaged, goes on with the rest, and reads it again once it is mended', async () => {
    const damaged = makePackable('blob', await gather(incompressible(3000)));
    const [name = ''] = await writePack([damaged, makePackable('blob', Buffer.from('other'))], folder, sealPack);
    await writePack([makePackable('blob', Buffer.from('elsewhere'))], folder, sealPack);
    const other = hashObject('blob', Buffer.from('other'));
    const elsewhere = hashObject('blob', Buffer.from('elsewhere'));
    const file = join(path, 'objects', 'pack', name);
    const [pack, index] = [await readFile(`${file}.pack`), await readFile(`${file}.idx`)];
    const overwrite = async (ending: string, change: (bytes: Buffer) => Buffer): Promise<void> => {
      await rm(`${file}.${ending}`);
      await writeFile(`${file}.${ending}`, change(Buffer.from(ending === 'pack' ? pack : index)));
    };
    const flip = (at: number) => (bytes: Buffer) => {
      bytes[at] = (bytes[at] ?? 0) ^ 0x55;
      return bytes;
    };
    /** Exchanges where the two objects stand. */
    const exchange = (bytes: Buffer): Buffer => {
      const at = 1032 + 2 * 24;
      return Buffer.concat([
        bytes.subarray(0, at),
        bytes.subarray(at + 4, at + 8),
        bytes.subarray(at, at + 4),
        bytes.subarray(at + 8),
      ]);
    };
    const damages: [string, (bytes: Buffer) => Buffer][] = [
      ['pack', flip(1500)],
      ['pack', (bytes) => bytes.subarray(0, 1500)],
      ['pack', () => Buffer.alloc(0)],
      ['idx', exchange],
      ['idx', flip(0)],
      ['idx', (bytes) => bytes.subarray(0, 500)],
      ['idx', (bytes) => bytes.subarray(0, 1100)],
    ];
    for (const [ending, damage] of damages) {
      await overwrite(ending, damage);
      reader.forget();
      assert.equal(reader.read(damaged.oid), undefined);
      assert.equal(reader.read(elsewhere)?.bytes.toString(), 'elsewhere');
      await overwrite(ending, (bytes) => bytes);
      await new Promise((resolve) => setTimeout(resolve, 20));
      reader.read('ab'.repeat(20)); // whoever is asked for something that is not there looks again
      assert.equal(reader.read(damaged.oid)?.bytes.length, 3000);
      assert.equal(reader.read(other)?.bytes.toString(), 'other');
    }
  });

  it('leaves to others a pack without its other half', async () => {
    const blob = makePackable('blob', Buffer.from('halved'));
    const [name = ''] = await writePack([blob], folder, sealPack);
    const file = join(path, 'objects', 'pack', name);
    for (const ending of ['pack', 'idx']) {
      await rename(`${file}.${ending}`, `${file}.away`);
      reader.forget();
      assert.equal(reader.read(blob.oid), undefined);
      await rename(`${file}.away`, `${file}.${ending}`);
    }
    await rm(join(path, 'objects', 'pack'), { recursive: true });
    reader.forget();
    assert.equal(reader.read(blob.oid), undefined);
  });

  it('comes to an end where deltas go by each other', async () => {
    const oids = ['11'.repeat(20), '22'.repeat(20)];
    const delta = deflateSync(Buffer.from([1, 1, 1, 65]));
    const entries = oids.map((oid, i) => ({
      oid,
      header: Buffer.concat([entryHeader(7, 4), Buffer.from(oids[1 - i] ?? '', 'hex')]),
      deflated: delta,
    }));
    const { name, pack, index } = sealPack(layOutPack(entries));
    await writeFile(join(path, 'objects', 'pack', `${name}.pack`), pack);
    await writeFile(join(path, 'objects', 'pack', `${name}.idx`), index);
    for (const oid of oids) assert.equal(reader.read(oid), undefined);
  });

  it('finds every object in an index that is read by position, and no other', async () => {
    // Many names that begin with the same byte, so that they are narrowed down.
    const entries = Array.from({ length: 3000 }, (_, i) => ({
      oid: `${i % 3 === 0 ? 'ab' : 'ff'}${createHash('sha1').update(`${i}`).digest('hex').slice(2)}`,
      header: entryHeader(3, 0),
      deflated: deflateSync(Buffer.alloc(0)),
    }));
    const layout = layOutPack(entries);
    const file = join(path, 'one.idx');
    await writeFile(file, sealPack(layout).index);
    for (const held of [0, 1_000_000]) {
      const index = new PackIndex(file, held);
      for (const [i, { oid }] of entries.entries()) assert.equal(index.find(Buffer.from(oid, 'hex')), layout.starts[i]);
      for (const oid of ['00', 'ab', 'ac', 'fe', 'ff'].flatMap((first) => [
        `${first}${'00'.repeat(19)}`,
        `${first}${'ff'.repeat(19)}`,
      ]))
        assert.equal(index.find(Buffer.from(oid, 'hex')), undefined);
      index.close();
    }
  });

  for (const kind of ['auto', 'never'] as const)
    it(`is let go of with everything else when an erase is final (git: ${kind})`, async function () {
      if (!existsSync(descriptors)) skipBecause(this, 'open files can be counted on Linux only');
      const place = join(await folders.make(), 'content.git');
      const repository = await createRepository({ path: place, git: kind });
      const gone = makeCommit({ 'a.md': 'gone' });
      const kept = makeCommit({ 'b.md': 'kept' });
      await repository.addPack([...gone.objects, ...kept.objects]);
      await repository.moveHead(kept.commit);
      for (const { oid } of gone.objects) await repository.read(oid);
      assert.ok(openBelow(place).length > 0);
      await repository.sweep({
        roots: async () => ({ packs: await repository.packs(), head: kept.commit, also: [] }),
        onCopied: async () => void (await repository.read(gone.commit)),
      });
      await repository.letGo();
      assert.deepEqual(openBelow(place), []);
      await assert.rejects(repository.read(gone.commit));
      assert.equal((await repository.read(kept.commit)).type, 'commit');
      await repository.close();
      assert.deepEqual(openBelow(place), []);
    });
});

describe('a delta', () => {
  const text = fc.array(fc.constantFrom('a', 'b', 'line\n', '0123456789abcdef'.repeat(40)), { maxLength: 200 });

  it('gives what it was made of', () => {
    fc.assert(
      fc.property(text, text, text, text, (start, end, one, other) => {
        const [base, target] = [one, other].map((middle) => Buffer.from([...start, ...middle, ...end].join('')));
        assert.ok(base && target);
        const into = Buffer.alloc(target.length + 1000);
        const length = encodeDelta(base, target, into);
        if (length === undefined) return;
        const delta = into.subarray(0, length);
        assert.ok(applyDelta(base, delta, target.length)?.equals(target));
        assert.equal(applyDelta(base, delta, target.length - 1), null);
        assert.throws(
          () => applyDelta(Buffer.concat([base, base, Buffer.from('x')]), delta, largest),
          RepositoryUnreadable,
        );
      }),
    );
  });

  it('that is damaged is told, or gives something else of the length that it states', () => {
    const base = Buffer.from('0123456789'.repeat(20));
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 40 }), fc.boolean(), (bytes, isFit) => {
        const delta = Buffer.from(isFit ? [200, 1, 20, ...bytes] : bytes);
        try {
          const target = applyDelta(base, delta, 1000);
          if (isFit) assert.equal(target?.length, 20);
        } catch (error) {
          assert.ok(error instanceof RepositoryUnreadable);
        }
      }),
    );
  });
});
