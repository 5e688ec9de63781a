import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { SearchIndex } from '../../lib/search/search-index.js';
import { everything } from './index-of.js';

const program = fileURLToPath(new URL('forgetful.js', import.meta.url));

describe('search: an erased document', function () {
  this.timeout(60_000);
  let folder = '';
  let secret = '';
  let index = '';

  beforeEach(() => {
    folder = fs.mkdtempSync(path.join(os.tmpdir(), 'cartulary-forget-'));
    index = path.join(folder, 'index');
    // Letters that no stemmer cuts, so that the word is sought as it would be kept.
    secret = Array.from(randomBytes(12), (byte) => 'bcdfghjkmpqrtvwx'[byte & 15]).join('');
    fs.writeFileSync(path.join(folder, 'words'), `${secret} in a sentence`);
  });
  afterEach(() => {
    fs.rmSync(folder, { recursive: true });
  });

  const start = () =>
    spawn(process.execPath, [program, index, path.join(folder, 'words'), folder], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
  const isIn = (file: string): boolean => fs.readFileSync(file).includes(secret);
  const filesWithIt = (): string[] => fs.readdirSync(index).filter((name) => isIn(path.join(index, name)));

  it('leaves no word in the heap or in a file', async () => {
    const [code] = (await once(start(), 'exit')) as [number];
    assert.equal(code, 0);
    assert.ok(isIn(path.join(folder, 'before.heapsnapshot')), 'the snapshot shows what is remembered');
    assert.ok(!isIn(path.join(folder, 'after.heapsnapshot')));
    assert.deepEqual(filesWithIt(), []);
  });

  it('is forgotten the second time when the process was killed the first time, wherever that was', async () => {
    for (let round = 0; round < 6; round += 1) {
      fs.rmSync(index, { recursive: true, force: true });
      const child = start();
      await once(child.stdout, 'data');
      await wait(6 * round);
      child.kill('SIGKILL');
      await once(child, 'exit');
      const again = SearchIndex.open({ folder: index, readText: () => null, firstTier: 400 });
      assert.equal(again.dropped, null);
      // The document's number is 1; what the killed process had done to it may be lost.
      again.apply({ commit: 'erased', removals: ['secret.md' as never] });
      await again.forget(1);
      assert.deepEqual(filesWithIt(), []);
      const { hits } = await again.search({ reach: everything, query: 'ladder', limit: 200 });
      assert.equal(hits.length, 80);
      await again.close();
    }
  });
});
