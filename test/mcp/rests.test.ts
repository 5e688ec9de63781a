import assert from 'node:assert/strict';
import type { DocumentEdit } from '../../lib/domain/document-edit.js';
import { readOutlineInSteps } from '../../lib/domain/outline.js';
import { Refusal } from '../../lib/domain/refusal.js';
import { applyEdits } from '../../lib/operations/apply-edits.js';
import { findNearestLines } from '../../lib/operations/find-nearest-lines.js';

const long = 256 * 1024;
const fill = (unit: string): string => unit.repeat(Math.floor(long / unit.length));
/** Lines or headings that are looked at between two rests, at most. */
const between = 4000;

/** @returns how often the work can rest */
function countRests(work: Generator<void, unknown>): number {
  let rests = 0;
  try {
    while (work.next().done !== true) rests += 1;
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
  }
  return rests;
}

/** How often it can rest is counted, not how long it takes: the one is the same on every machine. */
describe('Work on long hostile texts', () => {
  const rules = { isMarkdown: true, longest: 2 * long };
  const appended: DocumentEdit = { op: 'append', newText: 'x' };

  for (const unit of ['# h\n\n', '# a\n', 'a\n=\n', '- a\n  - b\n', '```\n', '> > >\n', '###### h\n', '\n']) {
    it(`rests at least every ${between} lines of ${JSON.stringify(unit)}`, () => {
      const text = fill(unit);
      const lines = text.split('\n').length;
      const outline = readOutlineInSteps(text);
      assert.ok(countRests(outline) >= Math.floor(lines / between), 'while headings are read');
      // Headings are read before and after, and followed from one to the other.
      const rests = countRests(applyEdits(text, [appended], rules));
      assert.ok(rests >= 2 * Math.floor(lines / between), `${rests} while an edit is made`);
    });
  }

  it('rests also where every heading repeats the one before it', () => {
    const text = fill('# h\n\n');
    const headings = text.split('\n').length / 2;
    const rests = countRests(applyEdits(text, [appended], rules));
    // Reading twice, keeping, and twice looking for repeats.
    assert.ok(rests >= Math.floor((2 * 3 * headings + 3 * headings) / between), String(rests));
  });

  it('rests while the nearest lines are sought, and between edits', () => {
    const text = fill('word word\n');
    const lines = text.split('\n').length;
    assert.ok(countRests(findNearestLines(text, 'wort ward')) >= Math.floor(lines / between));
    const edits = Array.from({ length: 50 }, (): DocumentEdit => ({ op: 'append', newText: 'x' }));
    assert.ok(countRests(applyEdits('text\n', edits, rules)) >= 2 * 50);
  });
});
