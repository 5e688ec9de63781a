import assert from 'node:assert/strict';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import fc from 'fast-check';
import { splitWords, splitWordsInSteps, type WordVisitor } from '../../lib/search/analysis/split-words.js';
import { english, forgetLanguages, openLanguages } from '../../lib/search/languages/languages.js';
import { forgetStems, stemOfDocument } from '../../lib/search/analysis/stem-word.js';

describe('search: words of plain ASCII', () => {
  it('are those that the pattern for all scripts finds, at the same places, in steps or at once', () => {
    const run = fc.oneof(
      fc.stringMatching(/^[abZ09 .\-_\n\0\x7f]{0,200}$/),
      // As long as what is taken at once, and a little less or more.
      fc
        .tuple(fc.constantFrom('a', '.', 'aB1 ', 'word '), fc.constantFrom(64, 1024, 4096, 16_384), fc.integer())
        .map(([piece, length, by]) => piece.repeat(length).slice(0, length + (by % 3))),
    );
    const text = fc.array(run, { maxLength: 6 }).map((runs) => runs.join(''));
    fc.assert(
      fc.property(text, text, (ascii, more) => {
        // The dash is in no word, and with it the text is not plain ASCII.
        const byPattern = placesOf((visit) => splitWords(`${ascii}\u2014`, visit));
        assert.equal(
          placesOf((visit) => splitWords(ascii, visit)),
          byPattern,
        );
        for (const whole of [ascii, `${ascii}\u2014${more}`, `${ascii}\u0301${more}`, `${more}é${ascii}`]) {
          const atOnce = placesOf((visit) => splitWords(whole, visit));
          const inSteps = placesOf((visit) => {
            for (const _ of splitWordsInSteps(whole, visit));
          });
          assert.ok(atOnce === inSteps, JSON.stringify(whole.slice(0, 2000)));
        }
      }),
      { numRuns: 150, seed: 11 },
    );
  });
});

describe('search: remembered words', () => {
  setFlagsFromString('--expose-gc');
  const collectGarbage = runInNewContext('gc') as () => void;
  const several = openLanguages(['en', 'de']);

  afterEach(() => {
    forgetStems();
    forgetLanguages();
  });

  for (const [where, remember] of [
    ['in documents', (word: string) => void stemOfDocument(word)],
    ['in English', (word: string) => void english.stemsOf(word, word)],
    ['in several languages', (word: string) => void several.stemsOf(word, word)],
  ] as const) {
    it(`${where} do not keep the texts that they come from in memory`, () => {
      const before = heap();
      for (let number = 0; number < 300; number += 1) {
        const text = `${'filler '.repeat(15_000)}longwordnumber${number}x end`;
        splitWords(text, remember);
      }
      const kept = heap() - before;
      assert.ok(kept < 3_000_000, `${kept} bytes are kept of 31 million`);
    });
  }

  /** Bytes of the heap, garbage not counted. */
  function heap(): number {
    collectGarbage();
    return process.memoryUsage().heapUsed;
  }
});

function placesOf(go: (visit: WordVisitor) => void): string {
  const placed: string[] = [];
  go((word, start, end) => placed.push(`${word} ${start} ${end}`));
  return placed.join('\n');
}
