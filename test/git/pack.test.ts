import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdir, readFile, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { nodeFileSystem } from '../../lib/git/file-system.js';
import { makePackable } from '../../lib/git/objects/objects.js';
import { choosePacksToJoin, decodeIndex } from '../../lib/git/packs/pack-list.js';
import type { ListedPack } from '../../lib/git/packs/pack-list.js';
import { encodeIndex, layOutPack, packEntry, sealPack } from '../../lib/git/packs/pack-layout.js';
import { writePack } from '../../lib/git/packs/pack.js';
import { RepositoryFolder } from '../../lib/git/repositories/repository-folder.js';
import { sealInWorker } from '../../lib/git/packs/seal-in-worker.js';
import { TemporaryFolders, gather, git, incompressible, makeCommit } from '../support/git/fixture.js';

describe('a pack', () => {
  const folders = new TemporaryFolders();
  after(() => folders.remove());

  it('and its index equal git’s of the same objects', async () => {
    const path = await emptyRepository();
    const { objects } = makeCommit(
      Object.fromEntries(Array.from({ length: 500 }, (_, i) => [`f${i % 7}/d${i}.md`, `${i} `.repeat(i * 9)])),
    );
    // Lengths at which the entry's header takes another byte.
    for (const size of [0, 15, 16, 2047, 2048, 262_143, 262_144, 1_500_000])
      objects.push(makePackable('blob', await gather(incompressible(size))));
    const [name, ...others] = await writePack(objects, new RepositoryFolder(nodeFileSystem, path), sealInWorker);
    assert.deepEqual(others, []);
    const file = join(path, 'objects', 'pack', `${name}.pack`);
    const made = git(path, ['index-pack', '--strict', '-o', join(path, 'other.idx'), file])
      .toString()
      .trim();
    assert.ok(name?.endsWith(made.replace(/^pack\s+/, '')), 'the name is the checksum');
    const index = await readFile(file.replace('.pack', '.idx'));
    assert.ok(index.equals(await readFile(join(path, 'other.idx'))), 'the index is the same, byte for byte');
    const verified = git(path, ['verify-pack', '-v', file]).toString();
    for (const { oid, type, size } of objects) assert.match(verified, new RegExp(`^${oid} ${type} +${size} `, 'm'));
  });

  it('is the same whether it is sealed in a worker or not', async () => {
    const { objects } = makeCommit({ a: 'x', 'b/c': 'y' });
    const here = sealPack(layOutPack(objects.map(packEntry)));
    const [one, two] = await Promise.all([
      sealInWorker(layOutPack(objects.map(packEntry))),
      sealInWorker(layOutPack(objects.slice(1).map(packEntry))),
    ]);
    assert.deepEqual(one, here);
    assert.notEqual(two.name, here.name);
  });

  it('is written pack first and index last, and holds each object once', async () => {
    const path = await emptyRepository();
    const renamed: string[] = [];
    const fs = {
      ...nodeFileSystem,
      rename: async (from: string, to: string): Promise<void> => {
        await nodeFileSystem.rename(from, to);
        renamed.push(to);
      },
    };
    const { objects } = makeCommit({ a: 'x' });
    const [name] = await writePack([...objects, ...objects], new RepositoryFolder(fs, path), sealPack);
    assert.deepEqual(
      renamed.map((file) => file.slice(-4)),
      ['pack', '.idx'],
    );
    const listed = git(path, ['show-index'], await readFile(join(path, 'objects', 'pack', `${name}.idx`)));
    assert.equal(listed.toString().trim().split('\n').length, objects.length);
  });

  it('is one of several where there is too much for one, and they hold each object once', async () => {
    const path = await emptyRepository();
    const files = Object.fromEntries(Array.from({ length: 40 }, (_, i) => [`${i}.md`, `${i} `.repeat(50)]));
    const { objects, commit } = makeCommit(files);
    const folder = new RepositoryFolder(nodeFileSystem, path);
    const place = (name: string): string => folder.at('objects', 'pack', name);
    // The same again comes after the first packs are closed.
    const names = await writePack([...objects, ...objects], folder, sealPack, place, 300);
    assert.ok(names.length > 2, `${names.length} packs`);
    const held: string[] = [];
    for (const name of names) held.push(...decodeIndex(await readFile(`${place(name)}.idx`)).oids);
    assert.deepEqual(held.toSorted(), objects.map(({ oid }) => oid).toSorted());
    git(path, ['update-ref', 'refs/heads/main', commit]);
    git(path, ['fsck', '--strict', '--full']);
  });

  it('has an index that git reads also beyond 2 GiB', async () => {
    const names = Array.from({ length: 40 }, (_, i) => createHash('sha1').update(String(i)).digest());
    const starts = Float64Array.from(names.keys(), (i) => 12 + i * 150_000_000);
    const crcs = Uint32Array.from(names.keys(), (i) => 0xffff_fff0 + (i % 16));
    const index = encodeIndex({ oids: Buffer.concat(names), starts, crcs, checksum: Buffer.alloc(20, 9) });
    const path = await emptyRepository();
    const shown = git(path, ['show-index'], index).toString().trim().split('\n').sort();
    const expected = names.map(
      (name, i) => `${starts[i]} ${name.toString('hex')} (${crcs[i]!.toString(16).padStart(8, '0')})`,
    );
    assert.deepEqual(shown, expected.sort());
    const decoded = decodeIndex(Buffer.from(index));
    for (const [i, oid] of decoded.oids.entries()) {
      const at = names.findIndex((name) => name.toString('hex') === oid);
      assert.equal(decoded.starts[i], starts[at]);
      assert.equal(decoded.crcs[i], crcs[at]);
    }
  });

  it('is refused by git when it is damaged, so the checks above can fail', async () => {
    const path = await emptyRepository();
    const { pack } = sealPack(layOutPack(makeCommit({ a: 'x' }).objects.map(packEntry)));
    pack[20]! ^= 1;
    await mkdir(join(path, 'x'));
    await writeFile(join(path, 'x', 'a.pack'), pack);
    assert.throws(() => git(path, ['index-pack', '--strict', join(path, 'x', 'a.pack')]));
    assert.deepEqual(await readdir(join(path, 'objects', 'pack')), []);
  });

  async function emptyRepository(): Promise<string> {
    const path = await folders.make();
    git(path, ['init', '-q', '--bare', '.']);
    return path;
  }
});

describe('choosing packs to join', () => {
  it('leaves packs in a geometric sequence alone', () => {
    assert.deepEqual(choose(), []);
    assert.deepEqual(choose(7), []);
    assert.deepEqual(choose(1, 2, 4, 8), []);
    assert.deepEqual(choose(100, 3), []);
  });

  it('joins those that break the sequence, and the larger ones that the sum reaches', () => {
    assert.deepEqual(choose(1, 1), [1, 1]);
    assert.deepEqual(choose(1000, 2, 1, 1), [1, 1, 2]);
    assert.deepEqual(choose(3, 3, 11, 100), [3, 3, 11]);
  });

  it('does not touch a pack that is marked to be kept', () => {
    assert.deepEqual(choosePacksToJoin([{ ...pack(1, 0), isKept: true }, pack(1, 1)]), []);
  });

  it('keeps the packs few and the copying logarithmic over many rounds', () => {
    let packs: ListedPack[] = [];
    let copied = 0;
    let most = 0;
    const rounds = 2000;
    for (let i = 0; i < rounds; i++) {
      packs.push(pack(10, i));
      const joined = choosePacksToJoin(packs);
      const sum = joined.reduce((total, { objects }) => total + objects, 0);
      copied += sum;
      packs = packs.filter((each) => !joined.includes(each));
      if (joined.length > 0) packs.push(pack(sum, i + rounds));
      most = Math.max(most, packs.length);
    }
    assert.ok(most <= Math.log2(rounds) + 1, `${most} packs`);
    assert.ok(copied <= rounds * 10 * Math.log2(rounds), `${copied} objects copied`);
  });

  const pack = (objects: number, i: number): ListedPack => ({ name: `p${i}`, objects, bytes: objects, isKept: false });

  const choose = (...counts: number[]): number[] => choosePacksToJoin(counts.map(pack)).map(({ objects }) => objects);
});
