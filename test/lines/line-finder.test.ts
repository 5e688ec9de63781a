import assert from 'node:assert/strict';
import { Refusal } from '../../lib/domain/refusal.js';
import { startOfText } from '../../lib/lines/find-lines.js';
import { LineFinder } from '../../lib/lines/line-finder.js';
import type { LineQuery } from '../../lib/lines/line-query.js';

const asked = { from: startOfText, most: 20, context: 0 };
const noSpending = (): void => undefined;

function textOf(words: string): { bytes: Buffer; mediaType: string; isMarkdown: boolean } {
  return { bytes: Buffer.from(words), mediaType: 'text/plain', isMarkdown: false };
}

describe('The thread that finds lines', () => {
  let finder: LineFinder;
  beforeEach(() => {
    finder = new LineFinder();
  });
  afterEach(() => finder.close());

  const searching = (query: LineQuery, signal?: AbortSignal) => ({ query, signal, spend: noSpending });
  const exact = (text: string): LineQuery => ({ match: 'exact', text });

  const find = (text: string): Promise<number[]> =>
    finder.search(searching(exact('zebra')), async (search) => {
      const { lines } = await search.read(text, textOf(text), asked, 60_000);
      return lines.map(({ line }) => line);
    });

  it('takes one search at a time, in the order in which they come', async () => {
    const steps: string[] = [];
    const run = (name: string): Promise<void> =>
      finder.search(searching(exact('zebra')), async (search) => {
        steps.push(`${name} begins`);
        await search.read('key', textOf('zebra'), asked, 60_000);
        await search.read('key', textOf('zebra'), asked, 60_000);
        steps.push(`${name} ends`);
      });
    await Promise.all(['one', 'two', 'three'].map(run));
    const inTurn = ['one', 'two', 'three'].flatMap((name) => [`${name} begins`, `${name} ends`]);
    assert.deepEqual(steps, inTurn);
  });

  it('counts the time of texts that it passes over as its own', async () => {
    await find('some lion');
    await finder.search(searching(exact('zebra')), async (search) => {
      const before = search.milliseconds;
      assert.equal(search.mayHold('some lion'), false);
      assert.ok(search.milliseconds > before);
    });
  });

  it('refuses a bad pattern, and goes on with the next search', async () => {
    const bad = finder.search(searching({ match: 'pattern', text: '(' }), async () => undefined);
    await assert.rejects(bad, (error: unknown) => error instanceof Refusal && error.details?.reason === 'bad_pattern');
    assert.deepEqual(await find('a\nzebra'), [2]);
  });

  it('stops within a text once nobody waits any more, and lets the next search in', async () => {
    const leaving = new AbortController();
    const pattern: LineQuery = { match: 'pattern', text: '[ab]*a[ab]{60}c' };
    const lines = Array.from({ length: 400 }, (_, index) => 'ab'.repeat(20_000 + (index % 7)) + 'b'.repeat(index % 11));
    const left = finder.search(searching(pattern, leaving.signal), async (search) => {
      const reading = search.read('key', textOf(lines.join('\n')), asked, 3_600_000);
      setImmediate(() => leaving.abort(new Error('gone')));
      await reading;
    });
    await assert.rejects(left, /gone/);
    assert.deepEqual(await find('zebra'), [1]);
  });

  it('does not begin a search whose caller left while it waited', async () => {
    const leaving = new AbortController();
    const first = find('zebra');
    let hasBegun = false;
    const second = finder.search(searching(exact('zebra'), leaving.signal), async () => {
      hasBegun = true;
    });
    leaving.abort(new Error('gone'));
    await assert.rejects(second, /gone/);
    assert.deepEqual([await first, hasBegun], [[1], false]);
  });

  it('tells for how long it was busy, for a refused pattern and a failed work too', async () => {
    const spent: number[] = [];
    const spend = (milliseconds: number): void => void spent.push(milliseconds);
    const pattern: LineQuery = { match: 'pattern', text: 'a{1000}' };
    await assert.rejects(finder.search({ query: pattern, signal: undefined, spend }, async () => undefined));
    const failing = finder.search({ query: exact('a'), signal: undefined, spend }, async () => {
      throw new Error('failed');
    });
    await assert.rejects(failing, /failed/);
    assert.ok(spent.length === 2 && spent.every((milliseconds) => milliseconds > 0), spent.join(' '));
  });

  it('knows of a text that was read before whether it can hold a query, until it has to forget it', async () => {
    const lookedAt: string[] = [];
    const look = (query: LineQuery): Promise<void> =>
      finder.search(searching(query), async (search) => {
        for (const text of ['a zebra\n', 'a lion\n']) {
          if (!search.mayHold(text)) continue;
          lookedAt.push(text.trim());
          await search.read(text, textOf(text), asked, 60_000);
        }
      });
    await look(exact('zebra'));
    assert.deepEqual(lookedAt.splice(0), ['a zebra', 'a lion'], 'nothing was known');
    await look(exact('zebra'));
    await look({ match: 'pattern', text: 'z[aeiou]bra|lion' });
    await look({ match: 'pattern', text: '(?i)LION$' });
    assert.deepEqual(lookedAt.splice(0), ['a zebra', 'a zebra', 'a lion', 'a lion']);
    finder.forget();
    await look(exact('zebra'));
    assert.deepEqual(lookedAt, ['a zebra', 'a lion']);
  });

  it('does not go on with a search in another thread, which does not know what is looked for', async () => {
    const reading = finder.search(searching(exact('zebra')), async (search) => {
      await finder.close();
      return search.read('key', textOf('lion'), asked, 60_000);
    });
    await assert.rejects(reading, /closed/);
    assert.deepEqual(await find('a\nzebra'), [2]);
  });

  it('ends when it is idle after an erase, and starts again for the next search', async () => {
    const first = find('zebra');
    finder.forget();
    assert.deepEqual(await first, [1]);
    assert.deepEqual(await find('a\nzebra'), [2]);
  });
});
