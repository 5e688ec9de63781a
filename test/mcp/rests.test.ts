import assert from 'node:assert/strict';
import type { DocumentEdit } from '../../lib/text/document-edit.js';
import { readOutlineInSteps } from '../../lib/text/outline.js';
import { findFaultOfShape } from '../../lib/http/json-shape.js';
import { Refusal } from '../../lib/domain/refusal.js';
import { checkArguments } from '../../lib/mcp/check-arguments.js';
import { messageShape } from '../../lib/mcp/normalize-arguments.js';
import { readDefinitions } from '../../lib/mcp/definition.js';
import { cutOutline } from '../../lib/text/cut-outline.js';
import { presentOutline } from '../../lib/mcp/present-outline.js';
import { applyEdits } from '../../lib/text/apply-edits.js';
import { findNearestLines } from '../../lib/text/find-nearest-lines.js';

const long = 256 * 1024;

/** The most lines or headings between two yields. */
const between = 4000;

/** The test counts yields and measures no time: the count is the same on every machine. */
describe('Work on long hostile texts', () => {
  const rules = { isMarkdown: true, longest: 2 * long };
  const appended: DocumentEdit = { op: 'append', newText: 'x' };

  for (const unit of ['# h\n\n', '# a\n', 'a\n=\n', '- a\n  - b\n', '```\n', '> > >\n', '###### h\n', '\n']) {
    it(`yields at least every ${between} lines of ${JSON.stringify(unit)}`, () => {
      const text = fill(unit);
      const lines = text.split('\n').length;
      const outline = readOutlineInSteps(text);
      assert.ok(countPauses(outline) >= Math.floor(lines / between), 'while headings are read');
      // Headings are read before and after, and followed from one to the other.
      const rests = countPauses(applyEdits(text, [appended], rules));
      assert.ok(rests >= 2 * Math.floor(lines / between), `${rests} while an edit is made`);
    });
  }

  it('yields also where every heading repeats the one before it', () => {
    const text = fill('# h\n\n');
    const headings = text.split('\n').length / 2;
    const rests = countPauses(applyEdits(text, [appended], rules));
    // Reading twice, keeping, and twice looking for repeats.
    assert.ok(rests >= Math.floor((2 * 3 * headings + 3 * headings) / between), String(rests));
  });

  it('yields during the search for the nearest lines, and between edits', () => {
    const text = fill('word word\n');
    const lines = text.split('\n').length;
    assert.ok(countPauses(findNearestLines(text, 'wort ward')) >= Math.floor(lines / between));
    const edits = Array.from({ length: 50 }, (): DocumentEdit => ({ op: 'append', newText: 'x' }));
    assert.ok(countPauses(applyEdits('text\n', edits, rules)) >= 2 * 50);
  });

  it('takes so many headings and no more', () => {
    const text = '#\n'.repeat(300_000);
    const { result: headings } = finish(readOutlineInSteps(text));
    assert.equal(headings.length, 100_000);
    assert.deepEqual([headings.at(-1)?.line, headings.at(-1)?.lastLine, headings[0]?.lastLine], [100_000, 300_000, 1]);
  });

  it('refuses messages of many small parts before they are parsed, and yields over long texts', () => {
    const shapeOf = (text: string) => finish(findFaultOfShape(Buffer.from(text), messageShape));
    const long = shapeOf(JSON.stringify({ content: 'a "quoted", [listed], {braced} \\ text\n'.repeat(50_000) }));
    assert.equal(long.result, undefined);
    assert.ok(long.rests >= 7, String(long.rests));
    assert.match(shapeOf(`[${'[],'.repeat(1_000_000)}[]]`).result ?? '', /values/);
    assert.match(shapeOf(`[${'1,'.repeat(20_000)}1]`).result ?? '', /values/);
    assert.match(shapeOf(`${'['.repeat(65)}${']'.repeat(65)}`).result ?? '', /deep/);
    for (const fine of [`${'['.repeat(64)}${']'.repeat(64)}`, `[${'1,'.repeat(10_000)}1]`, '"\\', '', '"[,[,']) {
      assert.equal(shapeOf(fine).result, undefined, fine.slice(0, 20));
    }
  });

  it('reads a list in the form of text as it reads a message', () => {
    const tool = readDefinitions().get('message');
    assert.ok(tool !== undefined);
    const check = (to: unknown) => checkArguments(tool, { action: 'send', body: 'Hello', to });
    const refusalOf = (to: unknown): string => {
      let said = '';
      assert.throws(
        () => finish(check(to)),
        (error) => error instanceof Refusal && (said = error.message) !== '',
      );
      return said;
    };
    assert.equal(refusalOf(`[${'{},'.repeat(2_600_000)}{}]`), 'The argument to has more than 20000 values.');
    assert.equal(refusalOf(` ${'['.repeat(65)}${']'.repeat(65)}`), 'The argument to is nested too deeply.');
    // One of these is parsed, and refused by the schema.
    assert.match(refusalOf(JSON.stringify(['x'.repeat(2_000_000)])), /^The argument to\.0 must have at most/);
    assert.ok(countPauses(check(JSON.stringify(['x'.repeat(2_000_000)]))) >= 7);
    const read = finish(check('["prn_1","prn_2"]')).result;
    assert.deepEqual(read.args['to'], ['prn_1', 'prn_2']);
  });

  it('parses no list longer than the tool takes', () => {
    const tool = readDefinitions().get('message');
    assert.ok(tool !== undefined);
    let lookedAt = 0;
    const item = {
      get other() {
        lookedAt += 1;
        return null;
      },
    };
    const to = Array.from({ length: 21 }, () => item);
    assert.throws(
      () => finish(checkArguments(tool, { action: 'send', body: 'Hello', to })),
      (error) => error instanceof Refusal && /at most 20 items/.test(error.message),
    );
    assert.equal(lookedAt, 0);
  });

  it('shows of an outline no more than an answer may hold, and something of each', () => {
    const outlineOf = (text: string) => finish(readOutlineInSteps(text)).result;
    const long = cutOutline(outlineOf(`# ${'long words '.repeat(200)}\n`.repeat(400)), 20_000);
    assert.ok(JSON.stringify(presentOutline(long).outline).length <= 20_000);
    assert.deepEqual([long.headings.length > 20, long.isComplete], [true, false]);
    // One title above all says nothing, so its sections are shown in order.
    const log = cutOutline(outlineOf(`# Log\n${'## entry\n\n'.repeat(400)}`), 20_000);
    assert.ok(log.headings.length > 150 && !log.isComplete);
    assert.equal(log.nextLine, 2 * log.headings.length);
    const levels = cutOutline(outlineOf('# a\n## b\n### c\n'.repeat(90)), 20_000);
    assert.deepEqual([levels.headings.length, levels.isComplete, levels.nextLine], [180, false, null]);
    const [shown] = presentOutline(levels).outline.slice(1);
    assert.deepEqual(shown, { id: 'b', heading: 'b', level: 2, start_line: 2, chars: 11 });
    assert.equal(cutOutline(outlineOf('# a\n'.repeat(9)), 50).headings.length, 1);
  });
});

const fill = (unit: string): string => unit.repeat(Math.floor(long / unit.length));

/** @returns how often the work can yield */
function countPauses(work: Generator<void, unknown>): number {
  let rests = 0;
  try {
    while (work.next().done !== true) rests += 1;
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
  }
  return rests;
}

/** How often the work yields, and its result. */
function finish<Result>(work: Generator<void, Result>): { readonly rests: number; readonly result: Result } {
  for (let rests = 0; ; rests += 1) {
    const step = work.next();
    if (step.done === true) return { rests, result: step.value };
  }
}
