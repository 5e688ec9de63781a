import assert from 'node:assert/strict';
import { setImmediate as turn } from 'node:timers/promises';
import type { Location } from '../../lib/domain/location.js';
import { splitWords, splitWordsInSteps, wordsOf, type WordVisitor } from '../../lib/search/analysis/split-words.js';
import { shapes } from '../support/texts/shapes.js';
import { IndexOf, snippetFrom } from './index-of.js';

const query = 'ladd* ledder~2 stair rung';

describe('search: an expensive query', () => {
  const now = performance.now.bind(performance);
  let elapsed = 0;

  // Each look at the clock finds that a long time has passed. So the work yields wherever it can.
  beforeEach(() => {
    performance.now = () => (elapsed += 1000);
  });
  afterEach(() => {
    performance.now = now;
  });

  it('lets other requests run many times while it ranks', async () => {
    const of = makeIndex();
    const state = { isAnswered: false };
    const asked = of.find(query).finally(() => (state.isAnswered = true));
    let turns = 0;
    for (; !state.isAnswered; turns += 1) await turn();
    assert.equal((await asked).length, 40);
    assert.ok(turns > 20, `${turns} turns`);
  });

  it('answers with the index of the moment when it was asked, with any writes and merges meanwhile', async () => {
    const of = makeIndex();
    const before = await of.page(query, { limit: 10 });
    for (const rests of [1, 5, 12, 25]) {
      const asked = of.page(query, { limit: 10 });
      for (let pause = 0; pause < rests; pause += 1) await turn();
      for (let number = 0; number < 40; number += 1) {
        const location = `f${number % 4}/${number}.md`;
        const text = of.texts.get(location) ?? '';
        of.remove(location);
        of.write(location, 'something else');
        of.write(location, text);
      }
      assert.deepEqual(await asked, before, `after ${rests} turns`);
      await of.index.settle();
    }
  });

  it('gives a document renamed meanwhile its present name', async () => {
    const of = makeIndex();
    const before = await of.find(query);
    const asked = of.find(query);
    await turn();
    of.rename('f1', 'moved');
    assert.deepEqual(
      await asked,
      before.map((location) => location.replace(/^f1\//, 'moved/')),
    );
  });

  it('does not mix with other queries under way', async () => {
    const of = makeIndex();
    const queries = [query, 'stair', 'rung wood', 'stai* wood', 'wood~1 -stair'];
    const alone: string[][] = [];
    for (const each of queries) alone.push(await of.find(each));
    assert.deepEqual(await Promise.all(queries.map((each) => of.find(each))), alone);
  });
});

describe('search: hostile texts', () => {
  it('are analysed in bounded steps, and give the same words', () => {
    for (const piece of ['漢字', 'ក្រ', '\ufdfa ', 'a\u0301\u0302 ', 'word ', '[', '한국', '\u1100\u1161\u11a8', '𠀋']) {
      const text = piece.repeat(120_000 / piece.length);
      const { steps, most, words } = stepsOf(text);
      assert.ok(most <= 40_000, `${most} words at once of ${JSON.stringify(piece)}`);
      assert.ok(steps >= 7, `${steps} steps of ${JSON.stringify(piece)}`);
      assert.deepEqual(words, wordsOf(text));
    }
  });

  it('give each word the same place, for any cut of the text', () => {
    const read = (go: (visit: WordVisitor) => void): string => {
      const placed: string[] = [];
      go((word, start, end) => placed.push(`${word} ${start} ${end}`));
      return placed.join('\n');
    };
    for (const [shape, make] of Object.entries(shapes)) {
      for (const before of ['', 'a', 'ab ', '漢', '𠀋𠀋 ', '\u200b']) {
        const text = `${before}${make(40_000)} last`;
        const whole = read((visit) => splitWords(text, visit));
        const inSteps = read((visit) => {
          for (const _ of splitWordsInSteps(text, visit));
        });
        assert.ok(inSteps === whole, `${shape}, after ${JSON.stringify(before)}`);
      }
    }
  });

  it('yield also where they hold no word for long', () => {
    for (const piece of ['\u200b', '👨\u200d', '.']) {
      assert.ok(stepsOf(piece.repeat(500_000 / piece.length)).steps >= 30, piece);
    }
  });

  it('are cut nowhere where a pair of characters would be lost', () => {
    const text = Array.from({ length: 20_000 }, (_, index) =>
      String.fromCharCode(0x4e00 + ((index * 7919) % 20_000)),
    ).join('');
    const pairs = wordsOf(text).filter((word) => word.length === 2);
    assert.equal(pairs.length, 19_999);
    assert.deepEqual(
      pairs.slice(4090, 4100),
      Array.from({ length: 10 }, (_, index) => text.slice(4090 + index, 4092 + index)),
    );
  });

  it('are searched for a phrase, and for a snippet, in alternation with others', async () => {
    const now = performance.now.bind(performance);
    let elapsed = 0;
    performance.now = () => (elapsed += 1000);
    try {
      const text = '漢字 '.repeat(60_000);
      const of = new IndexOf({ 'a.md': text });
      const turnsOf = async (work: Promise<unknown>): Promise<number> => {
        const state = { isDone: false };
        void work.finally(() => (state.isDone = true));
        let turns = 0;
        for (; !state.isDone; turns += 1) await turn();
        return turns;
      };
      assert.ok((await turnsOf(of.find('"字 字"'))) > 20);
      assert.ok((await turnsOf(snippetFrom(of.index, 'a.md' as Location, text, 'absent xyz* zebra~2'))) > 20);
    } finally {
      performance.now = now;
    }
  });

  it('are searched for a phrase in alternation with others, also where many short ones are at hand', async () => {
    const of = new IndexOf({}, { firstTier: 1_000_000 });
    for (let index = 0; index < 200; index += 1) of.write(`${index}.txt`, 'The one of the others.');
    const now = performance.now.bind(performance);
    let elapsed = 0;
    performance.now = () => (elapsed += 3);
    try {
      const state = { isDone: false };
      void of.find('"one others"').finally(() => (state.isDone = true));
      let turns = 0;
      for (; !state.isDone; turns += 1) await turn();
      assert.ok(turns > 60, `${turns} turns`);
    } finally {
      performance.now = now;
    }
  });

  /** Steps of the work, and the most words that one of them visits. */
  const stepsOf = (text: string): { steps: number; most: number; words: string[] } => {
    const words: string[] = [];
    let [steps, most, before] = [0, 0, 0];
    const work = splitWordsInSteps(text, (word) => words.push(word));
    for (let isDone = false; !isDone; steps += 1) {
      isDone = work.next().done === true;
      most = Math.max(most, words.length - before);
      before = words.length;
    }
    return { steps, most, words };
  };
});

function makeIndex(): IndexOf {
  const of = new IndexOf({}, { firstTier: 600 });
  for (let number = 0; number < 40; number += 1) {
    of.write(`f${number % 4}/${number}.md`, `ladder ${'stair '.repeat(number % 5)} rung ${'wood '.repeat(number)}`);
  }
  return of;
}
