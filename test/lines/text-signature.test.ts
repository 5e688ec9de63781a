import assert from 'node:assert/strict';
import * as fc from 'fast-check';
import { RE2JS } from 're2js';
import { findLines, startOfText } from '../../lib/lines/find-lines.js';
import { matchExact } from '../../lib/lines/match-exact.js';
import { requiredLiterals } from '../../lib/lines/required-literals.js';
import { mayHold, signLines, signLiteral } from '../../lib/lines/text-signature.js';
import { makeRandom } from '../support/faults/load.js';

/** Whether a text is passed over for a query. */
function isPassed(text: string, match: 'exact' | 'pattern', query: string): boolean {
  const { literals, ignoresCase } = requiredLiterals({ match, text: query });
  const signature = signLines(text);
  const needs = literals.map((literal) => signLiteral(literal, ignoresCase));
  return !mayHold(signature, needs);
}

describe('The signature of a text', () => {
  const pieces = [
    'a',
    'b',
    'K',
    'k',
    'ſ',
    's',
    'S',
    '\u212a',
    'é',
    'e\u0301',
    '\u0301',
    '東',
    '京',
    '🎯',
    ' ',
    '\n',
    '1',
    '.',
    '%',
  ];
  const text = fc.array(fc.constantFrom(...pieces), { maxLength: 40 }).map((all) => all.join(''));

  it('never passes over a text that holds the characters, in any form of Unicode', () => {
    fc.assert(
      fc.property(text, fc.nat(40), fc.integer({ min: 1, max: 8 }), (given, start, length) => {
        const composed = given.normalize('NFC');
        const query = composed.slice(start, start + length);
        fc.pre(query !== '' && !query.includes('\n') && query === query.normalize('NFC'));
        assert.ok(!isPassed(given, 'exact', query));
      }),
      { numRuns: 5000 },
    );
  });

  it('never passes over a text with a line that is found, also among marks in disorder', () => {
    const pieces = [
      'a',
      'e',
      '\u0301',
      '\u0316',
      '\u0301\u0316'.repeat(20),
      '\u0301'.repeat(31),
      '\ufeff',
      '東',
      '\n',
      '\r\n',
    ];
    const disorder = fc.array(fc.constantFrom(...pieces), { maxLength: 14 }).map((all) => all.join(''));
    let found = 0;
    fc.assert(
      fc.property(disorder, disorder, fc.nat(60), fc.integer({ min: 3, max: 40 }), (given, other, start, length) => {
        const query = (length % 2 === 0 ? given : other).slice(start, start + length);
        fc.pre(query !== '' && !/[\r\n]/.test(query));
        const asked = { from: startOfText, most: 1, context: 0 };
        if (findLines(given, false, matchExact(query), asked, () => false).lines.length === 0) return;
        found += 1;
        assert.ok(!isPassed(given, 'exact', query), JSON.stringify([given, query]));
      }),
      { numRuns: 4000 },
    );
    assert.ok(found > 500, `${found}`);
  });

  it('takes time in proportion to a line of marks in disorder', () => {
    const take = (count: number): number => {
      const text = `a${'\u0301\u0316'.repeat(count)}`;
      signLines(text);
      const before = process.cpuUsage();
      for (let round = 0; round < 3; round += 1) signLines(text);
      const { user, system } = process.cpuUsage(before);
      return user + system;
    };
    const [short, long] = [take(2500), take(20_000)];
    assert.ok(long < 24 * Math.max(short, 20_000), `${short} and ${long} µs`);
  });

  it('never passes over a text with the characters anywhere in it, across the borders of its windows', () => {
    const chance = makeRandom('windows');
    const letters = (count: number): string =>
      Array.from({ length: count }, () => String.fromCharCode(97 + Math.floor(chance() * 26))).join('');
    for (let round = 0; round < 300; round += 1) {
      const query = letters(3 + Math.floor(chance() * 497));
      const before = Math.floor(chance() * 14_000);
      assert.ok(!isPassed(letters(before) + query + letters(Math.floor(chance() * 9000)), 'exact', query), `${before}`);
    }
  });

  it('passes over most texts without the characters', () => {
    const chance = makeRandom('others');
    const word = (): string =>
      Array.from({ length: 5 }, () => String.fromCharCode(97 + Math.floor(chance() * 26))).join('');
    const texts = Array.from({ length: 200 }, () => Array.from({ length: 500 }, word).join(' '));
    const left = texts.filter((each) => !isPassed(each, 'exact', 'clause 17-B'));
    assert.ok(left.length < 10, `${left.length} of 200`);
    assert.ok(isPassed('東北の京', 'exact', '東京'));
    assert.ok(!isPassed('東京', 'exact', '東京'));
  });

  const part = fc.constantFrom(
    'a',
    'b',
    'k',
    'S',
    's',
    'é',
    '東',
    '🎯',
    ' ',
    '1',
    '%',
    '\\.',
    '\\d',
    '\\b',
    '.',
    '^',
    '$',
    '[ab]',
    '[^\\]a]',
    '[[:alpha:]]',
    '(ab)',
    '(?:a|b)',
    '(?i)',
    '(?i:k)',
    '(?U)',
    '[!-[:k:]',
    '(?P<name>s)',
    'ab',
    'abc',
    '*',
    '+',
    '?',
    '{2}',
    '{0,1}',
    '{1,}',
    '{',
    '}',
    '|',
    '\\x61',
    '\\pL',
    '\\p{Greek}',
    '\\101',
    '\\Qa.b\\E',
    '\\*',
    '(',
    ')',
    '[)]',
    '\\(',
  );
  const pattern = fc.array(part, { minLength: 1, maxLength: 8 }).map((all) => all.join(''));
  const line = fc
    .array(
      fc.constantFrom(
        'a',
        'b',
        'ab',
        'abc',
        'k',
        'K',
        '\u212a',
        's',
        'S',
        'ſ',
        'é',
        '東',
        '🎯',
        ' ',
        '1',
        '%',
        '.',
        '*',
        '(',
        '{',
        '}',
        '{2}',
      ),
      { maxLength: 14 },
    )
    .map((all) => all.join(''));

  it('never passes over a line that fits an expression', () => {
    let fits = 0;
    fc.assert(
      fc.property(pattern, line, (expression, given) => {
        const engine = compile(expression.normalize('NFC'));
        fc.pre(engine !== undefined);
        if (!engine.matcher(given.normalize('NFC')).find()) return;
        fits += 1;
        assert.ok(
          !isPassed(given, 'pattern', expression),
          JSON.stringify(requiredLiterals({ match: 'pattern', text: expression })),
        );
      }),
      { numRuns: 20_000 },
    );
    assert.ok(fits > 1000, `${fits}`);
  });

  it('is asked for the characters that an expression names outside of groups and alternatives', () => {
    const of = (expression: string): readonly string[] =>
      requiredLiterals({ match: 'pattern', text: expression }).literals;
    assert.deepEqual(of('(?i)draft \\d+'), ['draft ']);
    assert.deepEqual(of('TODO\\(\\w+\\): *fix'), ['TODO(', '):', 'fix']);
    assert.deepEqual(of('colou?r[12]\\.txt$'), ['colo', 'r', '.txt']);
    assert.deepEqual(of('this|that'), []);
    assert.deepEqual(of('(this|that) one'), [' one']);
    assert.deepEqual(of('this(?s) one'), ['this one']);
  });

  it('is not asked for what flags part from its repetition', () => {
    assert.ok(!isPassed('ab', 'pattern', 'abc(?s)?'));
    assert.ok(!isPassed('ab', 'pattern', '(?U)abc(?i-s)(?m){0,1}'));
  });

  it('is not asked for what follows a class with a range that ends at a bracket', () => {
    assert.ok(!isPassed('xz', 'pattern', '[!-[:x:](]abc)?z'));
  });

  it('is asked for few signs of a long literal', () => {
    const letters = Array.from({ length: 500 }, (_, at) => String.fromCharCode(0x100 + at)).join('');
    assert.equal(signLiteral(letters, false).length, 64);
  });
});

function compile(expression: string): RE2JS | undefined {
  try {
    return RE2JS.compile(expression);
  } catch {
    return undefined;
  }
}
