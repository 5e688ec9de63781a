import assert from 'node:assert/strict';
import fc from 'fast-check';
import { countLines, cutText, type TextPart } from '../../lib/text/cut-text.js';

const piece = fc.constantFrom('x', 'yz', '\n', '\r\n', '\r', '😀', 'longer piece');
const texts = fc.array(piece, { maxLength: 20 }).map((pieces) => pieces.join(''));

describe('a text cut into parts', () => {
  it('goes on where a line has exactly the length of its parts', () => {
    const text = `${'x'.repeat(2000)}\nsecond line`;
    for (const maxChars of [500, 1000, 2000]) {
      assert.equal(
        readAll(text, maxChars)
          .map((part) => part.text)
          .join(''),
        text,
      );
    }
  });

  it('is the joined parts, for every length of them, none of which splits a character', () => {
    fc.assert(
      fc.property(texts, fc.integer({ min: 1, max: 30 }), (text, maxChars) => {
        const parts = readAll(text, maxChars);
        assert.equal(parts.map((part) => part.text).join(''), text);
        for (const part of parts) {
          assert.ok(part.text.length <= Math.max(3, maxChars));
          assert.ok(part.text.isWellFormed());
        }
      }),
      { numRuns: 2000, seed: 20_250_101 },
    );
  });

  it('is the joined parts of a section too', () => {
    fc.assert(
      fc.property(texts, fc.integer({ min: 1, max: 12 }), fc.nat(), fc.nat(), (text, maxChars, first, more) => {
        const lines = countLines(text);
        const firstLine = 1 + (first % Math.max(1, lines));
        const lastLine = Math.min(Math.max(1, lines), firstLine + (more % 4));
        const expected = text
          .split(/(?<=\n)/)
          .slice(firstLine - 1, lastLine)
          .join('');
        const parts = readAll(text, maxChars, firstLine, lastLine);
        assert.equal(parts.map((part) => part.text).join(''), expected);
      }),
      { numRuns: 2000, seed: 20_250_101 },
    );
  });
});

/** Reads on as each part says, until the end. */
function readAll(text: string, maxChars: number, firstLine = 1, lastLine?: number): TextPart[] {
  const parts: TextPart[] = [];
  let at = { startLine: firstLine, startColumn: 1 };
  for (;;) {
    const part = cutText(text, { ...at, lastLine, maxChars });
    parts.push(part);
    if (part.nextLine === null) return parts;
    at = { startLine: part.nextLine, startColumn: part.nextColumn ?? 1 };
    assert.ok(parts.length <= text.length, 'each part goes on');
  }
}
