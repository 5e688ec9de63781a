import assert from 'node:assert/strict';
import * as fc from 'fast-check';
import { escapeJson, showLine, showText } from '../../lib/domain/visible-text.js';

/** ESC, BEL, CSI in one character, DEL, a change of direction, a line separator outside ASCII. */
const controls = '\u001b\u0007\u009b\u007f\u202e\u2028';

describe('a displayed text', () => {
  it('names the characters that a terminal would have obeyed', () => {
    assert.equal(showText(`a${controls}b`), String.raw`a\u{1b}\u{7}\u{9b}\u{7f}\u{202e}\u{2028}b`);
    assert.equal(showText('one\ntwo\tthree\r\n'), 'one\ntwo\tthree\\u{d}\n');
    assert.equal(showLine('one\ntwo\tthree'), String.raw`one\ntwo\tthree`);
    assert.equal(showText('Größe, 日本語, עברית, 👩‍👩‍👧'), 'Größe, 日本語, עברית, 👩‍👩‍👧');
  });

  const anyText = fc.string({
    unit: fc.oneof(fc.integer({ min: 0, max: 0xffff }).map((code) => String.fromCharCode(code))),
  });

  it('holds none of them, for any text', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        assert.ok(!Array.from(showLine(text)).some(isObeyed));
        assert.ok(!Array.from(showText(text)).some((each) => isObeyed(each) && each !== '\n' && each !== '\t'));
      }),
    );
  });

  it('is the same for every parser of JSON', () => {
    assert.equal(escapeJson(JSON.stringify(controls)), String.raw`"\u001b\u0007\u009b\u007f\u202e\u2028"`);
    fc.assert(
      fc.property(anyText, fc.jsonValue(), (text, value) => {
        const json = JSON.stringify({ [text]: [text, value] });
        const escaped = escapeJson(json);
        assert.deepEqual(JSON.parse(escaped), JSON.parse(json));
        assert.ok(!Array.from(escaped).some(isObeyed));
      }),
    );
  });
});

const isObeyed = (character: string): boolean =>
  /[\p{Cc}\u2028\u2029]/u.test(character) || /\p{Bidi_Control}/u.test(character);
