import assert from 'node:assert/strict';
import fc from 'fast-check';
import { Refusal } from '../../lib/domain/refusal.js';
import { findIllFormed, requireWellFormed } from '../../lib/domain/well-formed.js';
import { anyText } from '../support/texts/any-text.js';

const text = anyText(6);
const { value } = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    text,
    fc.integer(),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(text, tie('value')),
  ),
}));

describe('Ill-formed Unicode', () => {
  it('is found exactly where a text comes back from UTF-8 changed', () => {
    let found = 0;
    fc.assert(
      fc.property(value, (given) => {
        const isWhole = textsIn(given).every((each) => Buffer.from(each).toString() === each);
        assert.equal(findIllFormed(given) === undefined, isWhole);
        if (!isWhole) found += 1;
      }),
      { seed: 1, numRuns: 1000 },
    );
    assert.ok(found > 100 && found < 900, `${found} of them were ill-formed`);
  });

  it('is found by its path, and in a name by the path of the named member', () => {
    const cases: readonly (readonly [unknown, string | undefined])[] = [
      ['whole \u{1f600} \0 \ufffe', undefined],
      ['\ud800', ''],
      [{ query: 'a\udc00b' }, 'query'],
      [{ edits: [{ new_text: 'fine' }, { new_text: '\udc00\ud800' }] }, 'edits.1.new_text'],
      [{ subject: { 'half \ud83d': 1 } }, 'subject'],
      [{ ['\ud800']: 1 }, ''],
    ];
    for (const [value, path] of cases) assert.equal(findIllFormed(value), path, JSON.stringify(value));
  });

  it('is refused with the field, cut where it is long', () => {
    const fieldOf = (value: unknown): unknown => {
      try {
        requireWellFormed(value, 'body');
      } catch (error) {
        assert.ok(error instanceof Refusal && error.details?.reason === 'bad_field');
        assert.ok(error.message.isWellFormed());
        return error.details['field'];
      }
      return 'none';
    };
    assert.equal(fieldOf('\ud800'), 'body');
    assert.equal(fieldOf({ message: '\ud800' }), 'message');
    assert.equal(fieldOf({ [`${'x'.repeat(99)}\u{1f600}`]: '\ud800' }), `${'x'.repeat(99)}\ufffd`);
    assert.equal(fieldOf({ message: 'fine' }), 'none');
  });
});

/** All text in a value, the names of members too. */
function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, member]) => [name, ...textsIn(member)]);
}
