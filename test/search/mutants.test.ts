import assert from 'node:assert/strict';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { SearchIndex } from '../../lib/search/search-index.js';
import { countOf } from '../support/counts.js';
import { checkHistories, usualSeed } from './check-histories.js';

const mutants: readonly Mutant[] = [
  {
    fault: 'counts documents and lengths beyond the reach',
    file: 'ranking/rank-documents.js',
    text: 'for (const { reader, intervals } of reached) {',
    instead: 'for (const { reader } of reached) { const intervals = [0, reader.segment.entries];',
    seed: 3,
  },
  {
    fault: 'counts a term’s documents beyond the reach',
    file: 'segments/cut-postings.js',
    text: 'frequency += countLive(reader, cut, fields);',
    instead: 'frequency += reader.segment.postingStarts[only + 1] - reader.segment.postingStarts[only];',
    seed: 1,
  },
  {
    fault: 'caps postings before they are cut to the reach',
    file: 'segments/cut-postings.js',
    text: 'const end = segment.postingStarts[term + 1] ?? 0;',
    instead: 'const end = Math.min(segment.postingStarts[term] + 3, segment.postingStarts[term + 1]);',
    seed: 1,
  },
  {
    fault: 'ignores the reach',
    file: 'reachable.js',
    text: 'if (this.#everything)',
    instead: 'if (true)',
    seed: 1,
  },
  {
    fault: 'counts dead documents among all',
    file: 'ranking/rank-documents.js',
    text: 'else if (reader.isDead(ordinal))',
    instead: 'else if (false)',
    seed: 3,
  },
  {
    fault: 'counts dead documents of a term',
    file: 'segments/cut-postings.js',
    text: 'if (fields === everyField && reader.dead === 0)',
    instead: 'if (fields === everyField)',
    seed: 3,
  },
  {
    fault: 'finds dead documents',
    file: 'ranking/maxscore.js',
    text: 'reader.dead > 0 && reader.isDead(ordinal)',
    instead: 'false',
    seed: 3,
  },
  {
    fault: 'forgets at the swap who died during a merge',
    file: 'segments/segment-set.js',
    text: 'merged.delete(segment.findKey(change.key))',
    instead: 'void 0',
    seed: 9,
  },
  {
    fault: 'forgets at the swap what was moved during a merge',
    file: 'segments/segment-set.js',
    text: 'merged.rename(change.from, change.to)',
    instead: 'void 0',
    seed: 97,
  },
  {
    fault: 'leaves out what scores much like the last hit of the page before',
    file: 'ranking/maxscore.js',
    text: 'if (score === after.score',
    instead: 'if (score >= after.score - 0.05',
    seed: 1,
  },
  {
    fault: 'leaves out documents that meaning would lift onto the page',
    file: 'ranking/maxscore.js',
    text: '(added + maxMeaning) * almostOne < threshold',
    instead: 'added < threshold',
    seed: 7,
  },
  {
    fault: 'takes meaning to be worth nothing in its bound',
    file: 'ranking/plan-bounds.js',
    text: 'maxMeaning: meaningWorth * almostOne',
    instead: 'maxMeaning: 0',
    seed: 3,
  },
  {
    fault: 'takes for a later page’s what was on the page before',
    file: 'ranking/maxscore.js',
    text: '(score + maxMeaning) * almostOne >= ceiling ||',
    instead: '',
    seed: 3,
  },
  {
    fault: 'tells the meaning of documents beyond the reach',
    file: 'ranking/add-scores.js',
    text: 'function* addMeaning(on, { reader, intervals }, meaning, worth) {',
    instead: 'function* addMeaning(on, { reader }, meaning, worth) { const intervals = [0, reader.segment.entries];',
    seed: 3,
  },
  {
    fault: 'loses what a document means when it is merged',
    file: 'segments/merge-segments.js',
    text: 'segment.directionStarts[place + 1] = direction;',
    instead: 'segment.directionStarts[place + 1] = 0;',
    seed: 7,
  },
  {
    fault: 'revises what was written meanwhile',
    file: 'segments/backfill.js',
    text: 'const isNewer = this.#touched?.has(key) || leftOut',
    instead: 'const isNewer = leftOut',
    seed: 7,
  },
  {
    fault: 'reads a moved folder’s documents at their old place',
    file: 'segments/merge-segments.js',
    text: 'locationIn(segment, runs, ordinal)',
    instead: 'segment.locationAt(ordinal)',
    seed: 9,
  },
  {
    fault: 'counts a required word once for each chunk with it',
    file: 'ranking/add-scores.js',
    text: 'if (own !== head)',
    instead: 'if (true)',
    seed: 4,
  },
  {
    fault: 'ranks a long document without its text',
    file: 'ranking/add-scores.js',
    text: 'if (best !== 0)',
    instead: 'if (false)',
    seed: 8,
  },
  {
    fault: 'ranks a long document by its first chunk with a word',
    file: 'ranking/add-scores.js',
    text: 'score > bestScore ||',
    instead: '',
    seed: 10,
  },
  {
    fault: 'leaves a deleted document’s chunks',
    file: 'segments/segment-reader.js',
    text: 'this.segment.endOf(ordinal)',
    instead: 'ordinal + 1',
    seed: 4,
  },
  {
    fault: 'leaves a moved document’s chunks at their old place',
    file: 'segments/renamed-range.js',
    text: 'segment.endOf(exact)',
    instead: 'exact + 1',
    seed: 48,
  },
  {
    fault: 'reaches a document without its chunks',
    file: 'reachable.js',
    text: 'segment.endOf(ordinal)',
    instead: 'ordinal + 1',
    seed: 10,
  },
  {
    fault: 'sets a title against the number of all chunks',
    file: 'ranking/weigh.js',
    text: 'field === 0 ? heads : chunks',
    instead: 'heads',
    seed: 8,
  },
  {
    fault: 'leaves the entries of a pattern in the order of its words',
    file: 'segments/cut-postings.js',
    text: 'heads === null ?',
    instead: 'true ?',
    seed: 8,
  },
];

/** Histories of a fault's own seed. If none of them finds the fault, one of the usual seed has to. */
const runs = countOf('MUTANT_HISTORIES', { usual: 1, campaign: 120 });

describe('search: faults put into the index on purpose', function () {
  this.timeout(240_000);
  let folder = '';

  before(() => {
    folder = fs.mkdtempSync(path.join(os.tmpdir(), 'cartulary-mutants-'));
    const built = fileURLToPath(new URL('../..', import.meta.url));
    for (const room of ['domain', 'scheduling']) {
      fs.cpSync(path.join(built, 'lib', room), path.join(folder, 'lib', room), { recursive: true });
    }
    fs.writeFileSync(path.join(folder, 'package.json'), '{"type":"module"}');
    const modules = fileURLToPath(new URL('../../node_modules', import.meta.resolve('lunr')));
    fs.symlinkSync(path.resolve(modules), path.join(folder, 'node_modules'), 'junction');
  });
  after(() => {
    fs.rmSync(folder, { recursive: true });
  });

  async function openMutant({ file, text, instead }: Mutant, number: number): Promise<typeof SearchIndex> {
    const built = fileURLToPath(new URL('../../lib/search', import.meta.url));
    const copy = path.join(folder, 'lib', `search-${number}`);
    fs.cpSync(built, copy, { recursive: true });
    const source = fs.readFileSync(path.join(copy, file), 'utf8');
    assert.equal(source.split(text).length, 2, `the text to be changed stands once in ${file}: ${text}`);
    fs.writeFileSync(path.join(copy, file), source.replace(text, instead));
    const module = (await import(pathToFileURL(path.join(copy, 'search-index.js')).href)) as {
      SearchIndex: typeof SearchIndex;
    };
    return module.SearchIndex;
  }

  async function isFoundOut(engine: typeof SearchIndex, histories: { runs: number; seed: number }): Promise<boolean> {
    try {
      await checkHistories(engine, { folder, ...histories, endsAtFirst: true });
      return false;
    } catch (error) {
      assert.ok((error as Error).cause instanceof assert.AssertionError, error as Error);
      return true;
    }
  }

  mutants.forEach((mutant, number) => {
    it(`is found out when it ${mutant.fault}`, async () => {
      const engine = await openMutant(mutant, number);
      const isFound =
        (await isFoundOut(engine, { runs, seed: mutant.seed })) ||
        (await isFoundOut(engine, { runs: 120, seed: usualSeed }));
      assert.ok(isFound);
    });
  });
});

/** A fault put into the built index: its file, the text, and the replacement. */
interface Mutant {
  readonly fault: string;
  readonly file: string;
  readonly text: string;
  readonly instead: string;
  /** Of a history that finds it: the first from 1 on. */
  readonly seed: number;
}
