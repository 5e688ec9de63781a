import assert from 'node:assert/strict';
import fc from 'fast-check';
import { composeText, decomposeText, placeInRaw } from '../../lib/text/compose-text.js';
import { finish } from '../support/finish.js';

const unit = fc.constantFrom(
  'a',
  'e',
  ' ',
  'e\u0301',
  '\u00e9',
  '\u0301',
  '\u1100\u1161\u11a8',
  '한',
  '\u212b',
  'ﬁ',
  '\n',
);
const text = fc.array(unit, { maxLength: 40 }).map((units) => units.join(''));

describe('the composed form of a text', () => {
  it('is form C of the engine, and form D back again', () => {
    fc.assert(
      fc.property(text, (raw) => {
        assert.equal(finish(composeText(raw)).text, raw.normalize('NFC'));
        assert.equal(finish(decomposeText(raw)), raw.normalize('NFD'));
      }),
    );
  });

  it('composing a text leaves no character out', () => {
    for (let point = 0; point <= 0x10ffff; point += 1) {
      if (point >= 0xd800 && point <= 0xdfff) continue;
      const character = String.fromCodePoint(point);
      if (character.normalize('NFC') === character) continue;
      assert.equal(finish(composeText(`|${character}|`)).text, `|${character}|`.normalize('NFC'), point.toString(16));
    }
  });

  it('has places in the text as it was, between whole clusters alone', () => {
    fc.assert(
      fc.property(text, text, (before, after) => {
        // A letter of its own on either side keeps the two parts from composing with each other.
        const raw = `${before}|${after}`;
        const composed = finish(composeText(raw));
        const at = before.normalize('NFC').length;
        assert.equal(placeInRaw(composed, at), before.length);
        assert.equal(placeInRaw(composed, composed.text.length), raw.length);
        for (let place = 0; place <= composed.text.length; place += 1) {
          const there = placeInRaw(composed, place);
          if (there !== undefined) assert.equal(raw.slice(0, there).normalize('NFC'), composed.text.slice(0, place));
        }
      }),
    );
  });

  it('ends for one long run of marks, which the engine would compose in the square of its length', () => {
    const run = 'e' + '\u0301\u0316'.repeat(400_000);
    assert.equal(finish(composeText(run)).text.length, run.length - 1);
  });
});
