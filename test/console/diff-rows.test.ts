import assert from 'node:assert/strict';
import fc from 'fast-check';
import { joinParts, makeBlocks, type DiffHunk, type DiffRow } from '../../lib/console/web/screens/history/diff-rows.js';
import { diffTexts } from '../../lib/text/diff-texts.js';

describe('the rows of a diff', () => {
  const line = fc.constantFrom('a', 'b', 'c', 'd e', 'd f', '');
  const text = fc
    .tuple(fc.array(line, { maxLength: 60 }), fc.constantFrom('', '\n'))
    .map(([lines, end]) => (lines.length === 0 ? '' : lines.join('\n') + end));

  it('give both texts again with the folded lines, side by side and in one column', () => {
    fc.assert(
      fc.property(text, text, fc.boolean(), (from, to, isSideBySide) => {
        if (from === to) return;
        assert.deepEqual(readSide(from, to, isSideBySide, 'left'), linesOf(from));
        assert.deepEqual(readSide(from, to, isSideBySide, 'right'), linesOf(to));
      }),
    );
  });

  it('number their changes in order, however the rows are laid out', () => {
    fc.assert(
      fc.property(text, text, (from, to) => {
        const numbersOf = (isSideBySide: boolean): (number | null)[] =>
          makeBlocks(hunksOf(from, to), isSideBySide)
            .blocks.flatMap(({ rows }): readonly DiffRow[] => rows)
            .map(({ startsChange }) => startsChange)
            .filter((each) => each !== null);
        const numbers = numbersOf(true);
        assert.deepEqual(
          numbers,
          numbers.map((_, index) => index),
        );
        assert.deepEqual(numbersOf(false), numbers);
        assert.equal(makeBlocks(hunksOf(from, to), true).changes, numbers.length);
      }),
    );
  });

  it('cut a long stretch of changed lines into blocks', () => {
    const many = (word: string): string => `${word}\n`.repeat(1000);
    const { blocks } = makeBlocks(hunksOf(many('a'), many('b')), true);
    assert.ok(blocks.length > 5 && blocks.every(({ rows }) => rows.length <= 150));
  });

  it('mark words next to each other as one change, and a line that is new almost as a whole not at all', () => {
    const part = (words: string, isChanged: boolean) => ({ text: words, is_changed: isChanged });
    assert.deepEqual(joinParts([part('By ', false), part('fast', true), part(' ', false), part('train', true)]), [
      part('By ', false),
      part('fast train', true),
    ]);
    const long = 'something else that is much longer than before';
    assert.equal(joinParts([part(long, true), part(' the ', false), part(long, true)]), null);
  });
});

const linesOf = (text: string): string[] => (text === '' ? [] : text.replace(/\n$/, '').split('\n'));

/** The hunks as the API presents them. */
function hunksOf(from: string, to: string): DiffHunk[] {
  return diffTexts(from, to).hunks.map(({ fromLine, fromLines, toLine, toLines, lines }) => ({
    from_line: fromLine,
    from_lines: fromLines,
    to_line: toLine,
    to_lines: toLines,
    lines: lines.map(({ parts, isEnded, ...line }) => ({
      ...line,
      parts: parts?.map(({ text, isChanged }) => ({ text, is_changed: isChanged })) ?? null,
      is_ended: isEnded,
    })),
  }));
}

/** One text again, from the rows of its side and the folded lines of the newer text. */
function readSide(from: string, to: string, isSideBySide: boolean, side: 'left' | 'right'): string[] {
  const newer = linesOf(to);
  const { blocks, rest } = makeBlocks(hunksOf(from, to), isSideBySide);
  const read: string[] = [];
  const unfold = (line: number, lines: number): void => void read.push(...newer.slice(line - 1, line - 1 + lines));
  for (const { rows, fold } of blocks) {
    if (fold !== null) unfold(fold.line, fold.lines ?? 0);
    for (const row of rows) if (row[side] !== null) read.push(row[side].text);
  }
  if (rest !== null) unfold(rest.line, newer.length);
  return read;
}
