import assert from 'node:assert/strict';
import fc from 'fast-check';
import { makeQuote, PassageFinder, type Passage } from '../../lib/text/passage.js';
import type { Quote } from '../../lib/domain/comment.js';
import { finish } from '../support/finish.js';

describe('finding a quoted passage again', () => {
  const word = fc.constantFrom('a', 'b', 'ab', ' ', '\n', 'the ', 'ä', '😀');
  const piece = fc.array(word, { maxLength: 12 }).map((words) => words.join(''));

  it('finds it exactly where it is while the text is the same', () => {
    fc.assert(
      fc.property(piece, piece, piece, (before, quoted, after) => {
        fc.pre(quoted !== '');
        const text = before + quoted + after;
        const passage = { start: before.length, end: before.length + quoted.length };
        assert.deepEqual(find(text, makeQuote(text, passage)), passage);
      }),
    );
  });

  it('finds it wherever edits before and after have put it', () => {
    fc.assert(
      fc.property(piece, piece, piece, piece, (before, after, newBefore, newAfter) => {
        const words = '<quoted words>';
        const text = before + words + after;
        const quote = makeQuote(text, { start: before.length, end: before.length + words.length });
        const found = find(newBefore + words + newAfter, quote);
        assert.deepEqual(found, { start: newBefore.length, end: newBefore.length + words.length });
      }),
    );
  });

  it('gives the same words, except for blanks between them, or nothing, in any later text', () => {
    fc.assert(
      fc.property(piece, piece, piece, piece, (before, quoted, after, edited) => {
        fc.pre(quoted.trim() !== '');
        const text = before + quoted + after;
        const quote = makeQuote(text, { start: before.length, end: before.length + quoted.length });
        const found = find(edited, quote);
        if (found === undefined) assert.ok(!flow(edited).includes(flow(quoted)));
        else assert.equal(flow(edited.slice(found.start, found.end)), flow(quoted));
      }),
    );
  });

  it('distinguishes equal words by the text around them', () => {
    const text = 'red fish, blue fish, old fish';
    const quote = makeQuote(text, { start: 15, end: 19 });
    assert.equal(find('blue fish, then red fish, and old fish', quote)?.start, 5);
    assert.equal(find('fish fish', quote)?.start, 5);
  });

  it('takes a bounded time where the words occur everywhere', () => {
    const text = 'a '.repeat(500_000);
    const quote = { ...makeQuote(text, { start: 400_000, end: 400_900 }), before: 'zz' };
    assert.notEqual(find(text, quote), undefined);
    const absent = { text: `${'a '.repeat(499)}b`, before: '', after: '', start: 0 };
    assert.equal(find(text, absent), undefined);
  });
});

const find = (text: string, quote: Quote): Passage | undefined => finish(new PassageFinder(text).find(quote));

const flow = (text: string): string => text.replace(/\s+/g, ' ').trim();
