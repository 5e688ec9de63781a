import assert from 'node:assert/strict';
import { link, mkdtemp, readdir, readFile, rename, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ShardKeys, ShardKeysUnreadable } from '../../lib/stored/shard-keys.js';
import { makeTestRandomness } from '../support/store/service.js';

describe('the keys of shards', () => {
  let above: string;
  let folder: string;
  let file: string;
  const randomness = makeTestRandomness('shard keys');

  beforeEach(async () => {
    above = await mkdtemp(join(tmpdir(), 'cartulary-keys-'));
    folder = join(above, 'follow');
    file = join(folder, 'keys.json');
  });
  afterEach(() => rm(above, { recursive: true }));

  it('are made one generation after the other, and are there after a restart', async () => {
    const keys = await openKeys();
    assert.equal(keys.current('acme'), undefined);
    assert.deepEqual(keys.generations('acme'), []);
    const [first, second, other] = await Promise.all([keys.add('acme'), keys.add('acme'), keys.add('_service')]);
    assert.deepEqual([first.generation, second.generation, other.generation], [1, 2, 1]);
    for (const each of [keys, await openKeys()]) {
      assert.deepEqual(each.current('acme'), second);
      assert.deepEqual(each.find('acme', 1), first.key);
      assert.deepEqual(each.find('_service', 1), other.key);
      assert.equal(each.find('acme', 3), undefined);
      assert.deepEqual(each.generations('acme'), [1, 2]);
      assert.deepEqual(each.shards(), ['_service', 'acme']);
    }
  });

  it('are closed to other accounts, and alone in their folder', async () => {
    const keys = await openKeys();
    await keys.add('acme');
    assert.equal((await stat(folder)).mode & 0o777, 0o700);
    assert.equal((await stat(file)).mode & 0o777, 0o600);
    assert.deepEqual(await readdir(folder), ['keys.json']);
  });

  it('are destroyed in every file that held them, and their generation is not given out again', async () => {
    const keys = await openKeys();
    const first = await keys.add('acme');
    // A second name shows what becomes of the bytes of a file that was replaced.
    await link(file, join(above, 'replaced'));
    const second = await keys.add('acme');
    assert.ok(await isZero(join(above, 'replaced')));
    await link(file, join(above, 'destroyed'));
    await keys.destroy('acme', 1);
    assert.ok(await isZero(join(above, 'destroyed')));
    await keys.destroy('acme', 1);
    for (const each of [keys, await openKeys()]) {
      assert.equal(each.find('acme', 1), undefined);
      assert.deepEqual(each.current('acme'), second);
    }
    assert.ok(!(await readFile(file, 'utf8')).includes(Buffer.from(first.key).toString('base64')));
    await keys.destroy('acme', 2);
    assert.equal(keys.current('acme'), undefined);
    assert.equal((await (await openKeys()).add('acme')).generation, 3);
    assert.notDeepEqual(first.key, new Uint8Array(32), 'a key that was handed out stays what it was');
  });

  it('are taken up from elsewhere, and never exchanged', async () => {
    const keys = await openKeys();
    const key = randomness.bytes(32);
    await keys.take('acme', 5, key);
    await keys.take('acme', 5, key);
    await keys.take('acme', 4, randomness.bytes(32));
    await assert.rejects(keys.take('acme', 5, randomness.bytes(32)), /another key of acme, generation 5/);
    await assert.rejects(keys.take('acme', 6, randomness.bytes(31)), /32 bytes/);
    await assert.rejects(keys.take('acme', 0, key), /generation from 1/);
    assert.deepEqual(keys.current('acme'), { generation: 5, key: Uint8Array.from(key) });
    assert.equal((await keys.add('acme')).generation, 6);
  });

  it('are as before or as after wherever a change was interrupted', async () => {
    const keys = await openKeys();
    await keys.add('acme');
    const before = await readFile(file);
    await keys.add('acme');
    const after = await readFile(file);
    const moments: readonly (readonly [files: Record<string, Buffer>, generations: readonly number[]])[] = [
      [{ 'keys.json': before, 'keys.json.new': after.subarray(0, 20) }, [1]],
      [{ 'keys.json': before, 'keys.json.new': after }, [1]],
      [{ 'keys.json.old': before, 'keys.json.new': after }, [1]],
      [{ 'keys.json': after, 'keys.json.old': before }, [1, 2]],
      [{ 'keys.json': after, 'keys.json.old': Buffer.alloc(before.length) }, [1, 2]],
    ];
    for (const [files, generations] of moments) {
      await rm(folder, { recursive: true });
      await openKeys();
      for (const [name, bytes] of Object.entries(files)) await writeFile(join(folder, name), bytes);
      assert.deepEqual((await openKeys()).generations('acme'), generations);
      assert.deepEqual(await readdir(folder), ['keys.json']);
    }
  });

  it('are refused from a file that is damaged, newer, or a link', async () => {
    await (await openKeys()).add('acme');
    const good = await readFile(file, 'utf8');
    const key = /"1": "([^"]+)"/.exec(good)?.[1] ?? '';
    const wrong = ['', good.slice(0, 30), '[]', good.replace('"format": 1', '"format": 2'), good.replace(key, 'abcd')];
    for (const text of [...wrong, good.replace('"last": 1', '"last": 0')]) {
      assert.notEqual(text, good);
      await writeFile(file, text);
      await assert.rejects(openKeys(), (error) => {
        assert.ok(error instanceof ShardKeysUnreadable, String(error));
        assert.ok(!error.message.includes(key));
        return true;
      });
    }
    await writeFile(file, good);
    await rename(file, join(above, 'elsewhere'));
    await symlink(join(above, 'elsewhere'), file);
    await assert.rejects(openKeys());
  });

  function openKeys(): Promise<ShardKeys> {
    return ShardKeys.open(folder, randomness);
  }

  async function isZero(path: string): Promise<boolean> {
    const bytes = await readFile(path);
    return bytes.length > 0 && bytes.every((byte) => byte === 0);
  }
});
