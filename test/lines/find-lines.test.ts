import assert from 'node:assert/strict';
import * as fc from 'fast-check';
import { findLines, startOfText, type FoundLine, type TextPosition } from '../../lib/lines/find-lines.js';
import type { LineMatcher } from '../../lib/lines/line-query.js';
import { matchExact } from '../../lib/lines/match-exact.js';
import { compilePattern, PatternFault } from '../../lib/lines/compile-pattern.js';

const never = (): boolean => false;
const asked = { from: startOfText, most: 1000, context: 0 };

function search(text: string, matcher: LineMatcher, options = asked): readonly FoundLine[] {
  return findLines(text, true, matcher, options, never).lines;
}

const places = (found: readonly FoundLine[]): string[] => found.map(({ line, column }) => `${line}:${column}`);

/** The plain way: every line in the composed form, and the place of its first match in it. */
function scan(text: string, find: (line: string) => number): number[] {
  const lines = text.replace(/^\ufeff/, '').split(/\r?\n/);
  if (lines.at(-1) === '') lines.pop();
  return lines.flatMap((line, index) => (find(line.normalize('NFC')) < 0 ? [] : [index + 1]));
}

const piece = fc.constantFrom(
  'a',
  'b',
  'A',
  'é',
  'e\u0301',
  'e',
  '\u0301',
  '한',
  '\u1112\u1161\u11ab',
  '𝔘',
  '🎯',
  ' ',
  'ﬀ',
  'K',
  '1',
);
const words = fc.array(piece, { maxLength: 6 }).map((pieces) => pieces.join(''));
const line = fc.tuple(words, fc.constantFrom('\n', '\r\n', '\n', '\r'));
const text = fc
  .tuple(fc.constantFrom('', '\ufeff'), fc.array(line, { maxLength: 12 }), words)
  .map(([mark, lines, last]) => mark + lines.flat().join('') + last);

describe('Lines of a text', () => {
  it('are found as by a plain scan of all lines, in any form of Unicode and with any line ends', () => {
    fc.assert(
      fc.property(text, words, (given, query) => {
        fc.pre(query !== '');
        const sought = query.normalize('NFC');
        const found = search(given, matchExact(query));
        assert.deepEqual(
          found.map((each) => each.line),
          scan(given, (each) => each.indexOf(sought)),
        );
      }),
      { numRuns: 2000, seed: 20260386 },
    );
  });

  it('are found by patterns as by the engine of JavaScript, where both have the syntax', () => {
    const patterns: readonly (readonly [string, RegExp])[] = [
      ['^a', /^a/u],
      ['b$', /b$/u],
      ['a.b', /a.b/su],
      ['[éA]+1', /[éA]+1/u],
      ['(?i)ab', /ab/iu],
      ['^$', /^$/u],
      ['^.{2}$', /^.{2}$/su],
      ['\\bb\\b', /\bb\b/],
      ['a|한', /a|한/u],
    ];
    fc.assert(
      fc.property(text, fc.constantFrom(...patterns), (given, [pattern, expression]) => {
        const found = search(given, compilePattern(pattern));
        assert.deepEqual(
          found.map((each) => each.line),
          scan(given, (each) => each.search(expression)),
          `${pattern} in ${JSON.stringify(given)}`,
        );
      }),
      { numRuns: 2000, seed: 20260387 },
    );
  });

  it('have the column of the first match in the line as it is written', () => {
    assert.deepEqual(places(search('x\n  e\u0301e\u0301 zebra é zebra\r\n', matchExact('zebra'))), ['2:8']);
    assert.deepEqual(places(search('cafe\u0301 noir', compilePattern('é noir$'))), ['1:4']);
    assert.deepEqual(places(search('\ufeffalpha', compilePattern('^alpha$'))), ['1:2']);
    assert.deepEqual(places(search('한글 🎯🎯', matchExact('🎯'))), ['1:4']);
  });

  it('come with the section of the innermost heading above, and with lines around them', () => {
    const given = '# One\nalpha\n\n## Two\nbeta\nalpha\r\ngamma\n';
    const found = search(given, matchExact('alpha'), { ...asked, context: 2 });
    assert.deepEqual(found, [
      { line: 2, column: 1, text: 'alpha', cut: false, section: 'one', before: ['# One'], after: ['', '## Two'] },
      { line: 6, column: 1, text: 'alpha', cut: false, section: 'two', before: ['## Two', 'beta'], after: ['gamma'] },
    ]);
    const [plain] = findLines('Title\n==\nalpha', false, matchExact('alpha'), asked, never).lines;
    assert.equal(plain?.section, null);
  });

  it('are shown around the match, with 400 units at most and no half of a character', () => {
    const found = search(`${'🎯'.repeat(1000)}here${'🎯'.repeat(1000)}`, matchExact('here'));
    assert.equal(found[0]?.column, 2001);
    assert.equal(found[0].cut, true);
    assert.ok(found[0].text.length <= 400 && found[0].text.includes('here'), found[0].text);
    assert.ok(found[0].text.isWellFormed());
    const [long] = search(`${'🎯'.repeat(300)}a\nhere`, matchExact('here'), { ...asked, context: 1 });
    assert.ok(long?.before[0]?.isWellFormed() === true && long.before[0].length <= 400);
  });

  it('are searched up to their 100,000th character', () => {
    const filler = 'x'.repeat(99_995);
    assert.equal(search(`${filler}zebra`, matchExact('zebra')).length, 1);
    assert.equal(search(`${filler}.zebra`, matchExact('zebra')).length, 0);
    assert.equal(search(`${filler}zebra`, compilePattern('zebra$')).length, 1);
    assert.equal(search(`${filler}zebra and more`, compilePattern('zebra$')).length, 0);
  });

  it('of more than a window are found wherever the match lies, and nothing is taken for their beginning or end', () => {
    for (const at of [0, 1795, 1799, 1800, 1801, 1990, 1995, 1999, 2000, 3599, 3600, 3799, 3800, 5000]) {
      const long = `${'.'.repeat(at)}zebra 1.2.3${'.'.repeat(6000 - at)}`;
      assert.deepEqual(
        places(search(long, compilePattern('\\bz[a-z]+\\b \\d[.\\d]+\\d'))),
        [`1:${at + 1}`],
        `at ${at}`,
      );
      assert.deepEqual(search(long, compilePattern('^zebra')).length, at === 0 ? 1 : 0, `^ at ${at}`);
      assert.deepEqual(search(long, compilePattern('3$')).length, 0, `$ at ${at}`);
    }
    assert.equal(search('a'.repeat(5000), compilePattern('a\\b')).length, 1);
    assert.equal(search('a'.repeat(5001), compilePattern('^a{3}$|\\ba\\b|a\\ba')).length, 0);
    assert.equal(search('a'.repeat(5000), compilePattern('^.+')).length, 1);
  });

  it('stop within a line when the time is over, and the next call goes on at the same window', () => {
    const given = `${'a'.repeat(9000)}\n${'b'.repeat(9000)}zebra\nzebra`;
    const matcher = compilePattern('zebra');
    const found: FoundLine[] = [];
    let [from, calls]: [TextPosition | null, number] = [startOfText, 0];
    while (from !== null) {
      const page = findLines(given, true, matcher, { ...asked, from }, () => true);
      found.push(...page.lines);
      from = page.next;
      calls += 1;
      assert.ok(calls < 20);
    }
    assert.deepEqual(places(found), ['2:9001', '3:1']);
    assert.ok(calls > 10, 'each call took one window');
  });

  it('come as many as asked, and the rest is found from where they end', () => {
    const given = 'x\n'.repeat(50);
    const first = findLines(given, true, matchExact('x'), { ...asked, most: 20 }, never);
    assert.equal(first.lines.length, 20);
    assert.deepEqual(first.next, { line: 21, window: 0 });
    const last = findLines(given, true, matchExact('x'), { from: first.next, most: 100, context: 0 }, never);
    assert.deepEqual([last.lines.length, last.next], [30, null]);
  });
});

/** At the bounds, and written to make engines try much. */
const hostile: readonly string[] = [
  '(a+)+$',
  '(?:a?){40}a{40}',
  '(?:a*){30}b$',
  '(.*a){20}b',
  '(?:a|b|ab){25}c',
  '(a|aa|aaa)*b',
  '[ab]*a[ab]{100}c',
  '[ab]*a[ab]{60}$',
  '(?s).*(?:a.{30}){2}a$',
  '(?i)(?:[^a]?.){28}q$',
  '(?:\\w?\\W?){30}$x',
  '\\b(?:a\\b?){20}z',
  '.*.*.*.*.*.*.*.*=.*$',
];

describe('A pattern', () => {
  it('never sees more than a window of a line, however hostile it and the line are', () => {
    const mixed = Array.from({ length: 60_000 }, (_, index) => 'ab'[((index * index * 7919) % 65_521) & 1] ?? '').join(
      '',
    );
    const lines = ['a'.repeat(100_000), mixed.repeat(2), '🎯'.repeat(60_000), 'e\u0301a'.repeat(50_000)];
    for (const pattern of hostile) {
      for (const long of lines) {
        const matcher = compilePattern(pattern);
        let windows = 0;
        const watched: LineMatcher = {
          ...matcher,
          find(given, start, end) {
            windows += 1;
            assert.ok(end - start <= 2001, `${end - start} units`);
            return matcher.find(given, start, end);
          },
        };
        search(long, watched);
        assert.ok(windows <= 56, `${pattern}: ${windows} windows`);
      }
    }
  });

  it('is refused with the place at fault, where it is not in the syntax', () => {
    const faults: readonly (readonly [string, number | null])[] = [
      ['(abc', null],
      ['ab(?=c)', 3],
      ['é🎯(?<!a)', 3],
      ['(a)\\1', 4],
      ['a**', 2],
      ['x[z-a]', 3],
      ['a{1001}', 2],
      ['a\\', null],
    ];
    for (const [pattern, position] of faults) {
      assert.throws(
        () => compilePattern(pattern),
        (error: unknown) => error instanceof PatternFault && error.position === position,
        pattern,
      );
    }
  });

  it('is refused where it has more than 200 characters or becomes more than 128 steps', () => {
    assert.throws(() => compilePattern('a'.repeat(201)), PatternFault);
    assert.throws(() => compilePattern('a{127}b{2}'), PatternFault);
    assert.throws(() => compilePattern('(?:a{10}){100}'), PatternFault);
    assert.throws(() => compilePattern('\\pL{1000}'.repeat(20)), PatternFault);
    compilePattern('a{100}');
  });
});
