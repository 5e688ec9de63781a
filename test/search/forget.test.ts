import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Location } from '../../lib/domain/location.js';
import { SearchIndex } from '../../lib/search/search-index.js';
import { Child } from '../support/processes/child.js';
import { everything, IndexOf, forget } from './index-of.js';

const program = fileURLToPath(new URL('forgetful.js', import.meta.url));

describe('search: an erased document', function () {
  this.timeout(60_000);
  let folder = '';
  let secret = '';
  let index = '';

  beforeEach(() => {
    folder = fs.mkdtempSync(path.join(os.tmpdir(), 'cartulary-forget-'));
    index = path.join(folder, 'index');
    // Letters that no stemmer cuts, so that a search finds the word in its kept form.
    secret = Array.from(randomBytes(12), (byte) => 'bcdfghjkmpqrtvwx'[byte & 15]).join('');
    fs.writeFileSync(path.join(folder, 'words'), `${secret} in a sentence`);
  });
  afterEach(() => {
    fs.rmSync(folder, { recursive: true });
  });

  it('leaves no word in the heap or in a file', async () => {
    assert.equal(await start().ended(), 0);
    assert.ok(isIn(path.join(folder, 'before.heapsnapshot')), 'the snapshot shows what is remembered');
    assert.ok(!isIn(path.join(folder, 'after.heapsnapshot')));
    assert.deepEqual(filesWithIt(), []);
  });

  it('is forgotten the second time when the process was killed the first time, at any moment', async () => {
    for (let round = 0; round < 6; round += 1) {
      fs.rmSync(index, { recursive: true, force: true });
      const child = start();
      await child.hear();
      await delay(6 * round);
      await child.kill();
      const again = SearchIndex.open({ folder: index, readText: () => null, firstTier: 400 });
      assert.equal(again.dropped, null);
      // The document's number is 1; the killed process's work on it may be lost.
      again.apply({ commit: 'erased', removals: ['secret.md' as never] });
      await forget(again, 1);
      assert.deepEqual(filesWithIt(), []);
      const { hits } = await again.search({ reach: everything, query: 'ladder', limit: 200 });
      assert.equal(hits.length, 80);
      await again.close();
    }
  });

  const start = (): Child => new Child(program, index, path.join(folder, 'words'), folder);

  const isIn = (file: string): boolean => fs.readFileSync(file).includes(secret);

  const filesWithIt = (): string[] => fs.readdirSync(index).filter((name) => isIn(path.join(index, name)));
});

describe('search: a deleted document', () => {
  let folder = '';

  beforeEach(() => {
    folder = fs.mkdtempSync(path.join(os.tmpdir(), 'cartulary-delete-'));
  });
  afterEach(() => {
    fs.rmSync(folder, { recursive: true });
  });

  const secretKey = 801;

  it('keeps its words in the index as it keeps its history, and none of them has any effect', async () => {
    const of = new IndexOf({}, { folder, firstTier: 400 });
    const alone = new IndexOf({}, { firstTier: 400 });
    for (let number = 0; number < 10; number += 1) {
      for (const each of [of, alone]) each.write(`f/${number}.md`, `ladder ${number} ${'rung '.repeat(number)}`);
    }
    writeBeside(of, 'ladder quagmire quagga rung');
    writeBeside(alone, 'nothing');
    alone.remove('f/secret.md');
    of.remove('f/secret.md');
    await of.index.settle();
    await of.index.save();
    assert.ok(holds('quagmir'), 'until a merge');
    for (const query of ['quagmire', 'quag*', 'quagmyre~1', 'ladder rung', 'rung -quagmire', '-quagga']) {
      assert.deepEqual(await of.page(query, { limit: 3 }), await alone.page(query, { limit: 3 }), query);
    }
  });

  it('loses its words with the next merge of its segment, from memory and from files', async () => {
    const of = new IndexOf({}, { folder, firstTier: 400 });
    writeBeside(of, 'ladder quagmire');
    for (let number = 0; number < 5; number += 1) of.write(`f/${number}.md`, `ladder ${number}`);
    of.remove('f/secret.md');
    await of.index.save();
    assert.ok(holds('quagmir'));
    for (let number = 5; number < 200; number += 1) of.write(`f/${number}.md`, `ladder ${number}`);
    await of.index.settle();
    await of.index.save();
    assert.ok(!holds('quagmir'));
    await of.index.close();
  });

  it('can be erased later, which rewrites every file with its words', async () => {
    const of = new IndexOf({}, { folder, firstTier: 400 });
    for (let number = 0; number < 10; number += 1) of.write(`f/${number}.md`, `ladder ${'rung '.repeat(number)}`);
    writeBeside(of, 'ladder quagmire');
    of.remove('f/secret.md');
    await of.index.save();
    assert.ok(holds('quagmir'));
    await forget(of.index, secretKey);
    assert.ok(!holds('quagmir'));
    assert.equal((await of.find('ladder')).length, 11);
    await of.index.close();
  });

  const holds = (word: string): boolean => {
    const files = fs.readdirSync(folder).filter((name) => name.endsWith('.segment'));
    assert.ok(files.length > 0);
    return files.some((name) => fs.readFileSync(path.join(folder, name)).includes(word));
  };

  /** In one segment with a live neighbour; one that is alone in its segment goes at once. */
  const writeBeside = (of: IndexOf, text: string): void => {
    const document = (location: string, words: string) =>
      ({ location: location as Location, text: words, kind: 'text', labels: [] }) as const;
    const analysis = of.index.analyze(document('f/neighbour.md', 'ladder rung'), document('f/secret.md', text));
    of.index.apply({ commit: of.nextCommit(), upserts: [{ analysis, keys: [800, secretKey] }] });
  };
});
