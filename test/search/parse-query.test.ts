import assert from 'node:assert/strict';
import fc from 'fast-check';
import { Refusal } from '../../lib/domain/refusal.js';
import { isWithinEdits, matchesWildcard } from '../../lib/search/query/match-pattern.js';
import {
  maxClauses,
  maxPatterns,
  maxTerms,
  parseQuery,
  type Query,
  type QueryTerm,
} from '../../lib/search/query/parse-query.js';
import { countEdits } from './oracle.js';
import { anyCharacter } from '../support/texts/any-text.js';

const exact = (...terms: string[]): object[] => terms.map((term) => ({ type: 'exact', term }));

describe('search: the query language', () => {
  it('reads words, fields, signs, boosts, wildcards and edits', () => {
    const { clauses } = parseQuery('+title:walking -draft ladder^3 clim* safty~1');
    assert.deepEqual(clauses, [
      { presence: 'required', boost: 1, fields: 0b0010, terms: [{ type: 'exact', term: 'walk' }] },
      { presence: 'prohibited', boost: 1, fields: 0b1111, terms: [{ type: 'exact', term: 'draft' }] },
      { presence: 'optional', boost: 3, fields: 0b1111, terms: [{ type: 'exact', term: 'ladder' }] },
      { presence: 'optional', boost: 1, fields: 0b1111, terms: [{ type: 'wildcard', pattern: 'clim*', stems: [] }] },
      {
        presence: 'optional',
        boost: 1,
        fields: 0b1111,
        terms: [{ type: 'fuzzy', word: 'safty', term: 'safti', edits: 1, stems: [] }],
      },
    ]);
  });

  it('takes quoted words as a required phrase, or a forbidden one', () => {
    const { clauses, phrases } = parseQuery('"Leave of absence" -"unpaid leave" 2024');
    assert.deepEqual(phrases, [
      { words: ['leave', 'of', 'absence'], isProhibited: false, fields: 0b1111, terms: exact('leav', 'absenc') },
      { words: ['unpaid', 'leave'], isProhibited: true, fields: 0b1111, terms: exact('unpaid', 'leav') },
    ]);
    assert.deepEqual(
      clauses.map(({ presence }) => presence),
      ['required', 'optional'],
    );
  });

  it('takes quoted words behind a field as a phrase of that field, and a label as a whole', () => {
    const { clauses, phrases } = parseQuery('title:"The Who" -path:"old plan" -label:" needs review"');
    assert.deepEqual(phrases, [
      { words: ['the', 'who'], isProhibited: false, fields: 0b0010, terms: [] },
      { words: ['old', 'plan'], isProhibited: true, fields: 0b0100, terms: exact('old', 'plan') },
    ]);
    const [the, who] = [{ type: 'exact', term: 'the' } as const, { type: 'exact', term: 'who' } as const];
    assert.deepEqual(clauses, [
      { presence: 'required', boost: 1, fields: 0b0010, terms: [the, who] },
      { presence: 'prohibited', boost: 1, fields: 0b1000, terms: [{ type: 'exact', term: '\u0000needs review' }] },
    ]);
    assert.deepEqual(parseQuery('title:"team plan"', 'plain').phrases, parseQuery('"team plan"').phrases);
  });

  it('takes a query that lunr’s parser refuses as plain words', () => {
    assert.deepEqual(termsOf(parseQuery('10:30')), ['10', '30', '\u000110 30']);
    assert.deepEqual(termsOf(parseQuery('https://example.org/a?b=c')), ['http', 'exampl', 'org', 'b', 'c']);
    assert.deepEqual(termsOf(parseQuery('colour:red')), ['colour', 'red']);
    assert.deepEqual(termsOf(parseQuery('**bold** move')), ['bold', 'move']);
    for (const text of ['+', '-', '*', '~', '^', ':', '"', '""', '+-', 'a ^', '\\', ' ']) parseQuery(text);
  });

  it('takes a lone sign for punctuation, and one before a number in passing too', () => {
    const { clauses } = parseQuery('walls - stairs takes ~15 minutes');
    assert.ok(clauses.every(({ presence, terms }) => presence === 'optional' && terms[0]?.type === 'exact'));
  });

  it('in its plain form knows words and quotes only', () => {
    assert.deepEqual(termsOf(parseQuery('-draft ladder* title:x', 'plain')), ['draft', 'ladder', 'titl', 'x']);
  });

  it('leaves out words of little meaning, unless there are no others', () => {
    assert.deepEqual(termsOf(parseQuery('what is the ladder')), ['ladder']);
    assert.deepEqual(termsOf(parseQuery('the who')), ['the', 'who']);
  });

  it('seeks pairs of characters where words have no spaces, and single characters', () => {
    assert.deepEqual(termsOf(parseQuery('東京都')), ['東京', '京都']);
    assert.deepEqual(termsOf(parseQuery('水')), ['水']);
  });

  it('has limits that depend on its text alone', () => {
    assert.equal(reasonOf('x'.repeat(2001)), 'query_too_long');
    assert.equal(reasonOf(`${'+word '.repeat(maxClauses)}x`), 'query_too_complex');
    assert.equal(reasonOf(`"${'b '.repeat(maxTerms + 1)}"`), 'query_too_complex');
    assert.equal(reasonOf('abcd* '.repeat(maxPatterns + 1)), 'query_too_complex');
    assert.equal(reasonOf('ab*'), 'query_too_complex');
    assert.equal(reasonOf('foobar~14'), 'query_too_complex');
    assert.equal(reasonOf('foo~1'), 'query_too_complex');
    assert.equal(reasonOf('ladder^99999999999'), undefined);
    assert.equal(parseQuery(`ladder^${'9'.repeat(400)}`).clauses[0]?.boost, 100);
  });

  it('parses or refuses any text without a crash', () => {
    const piece = fc.constantFrom(
      '"',
      '+',
      '-',
      '*',
      '~',
      '^',
      ':',
      '\\',
      ' ',
      'title',
      'word',
      '1',
      '漢',
      '\u0301',
      '\ufdfa',
      '\ud800',
    );
    fc.assert(
      fc.property(
        fc.oneof(
          fc.array(piece).map((list) => list.join('')),
          fc.string({ unit: anyCharacter }),
        ),
        (text) => {
          const reason = reasonOf(text);
          assert.ok(reason === undefined || reason === 'query_too_complex' || reason === 'query_too_long');
        },
      ),
      { numRuns: 2_000 },
    );
  });
});

describe('search: patterns', () => {
  it('edits are counted as by the whole table', () => {
    const word = fc.string({ unit: fc.constantFrom('a', 'b', 'ж', '𐀀'), maxLength: 7 });
    fc.assert(
      fc.property(
        word,
        word,
        fc.constantFrom(1, 2),
        (a, b, most) => isWithinEdits(a, b, most) === countEdits(a, b) <= most,
      ),
      { numRuns: 3_000 },
    );
  });

  it('stars stand for any characters, without backtracking', () => {
    assert.ok(matchesWildcard('configuration', 'con*g*ion'));
    assert.ok(!matchesWildcard('configuration', 'con*gg*'));
    assert.ok(!matchesWildcard('a'.repeat(64), `${'a*'.repeat(200)}b`));
  });
});

function nameOf(term: QueryTerm): string {
  if (term.type === 'any') return term.terms.join('|');
  return term.type === 'wildcard' ? term.pattern : term.term;
}

function termsOf({ clauses }: Query): string[] {
  return clauses.flatMap(({ terms }) => terms.map(nameOf));
}

function reasonOf(text: string): unknown {
  try {
    parseQuery(text);
  } catch (error) {
    assert.ok(error instanceof Refusal);
    assert.equal(error.code, 'INVALID_REQUEST');
    return error.details?.reason;
  }
  return undefined;
}
