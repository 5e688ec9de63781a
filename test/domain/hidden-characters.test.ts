import assert from 'node:assert/strict';
import fc from 'fast-check';
import { countHidden, dropHidden, findHidden, findUnfit } from '../../lib/domain/hidden-characters.js';
import { finish } from '../support/finish.js';
import { anyCharacter } from '../support/texts/any-text.js';

/** Texts with one character each that is not allowed in a name, and its place. */
const misleading: readonly (readonly [what: string, text: string, character: string, position: number])[] = [
  ['a space without width', 'own\u200b.md', 'U+200B', 4],
  ['an override of the direction', 'a/\u202egnp.exe', 'U+202E', 3],
  ['an isolate', '\u2066a', 'U+2066', 1],
  ['a mark of direction', 'a\u200f', 'U+200F', 2],
  ['the Arabic mark of direction', 'a\u061c', 'U+061C', 2],
  ['a tag character', 'a\u{e0041}', 'U+E0041', 2],
  ['a soft hyphen', 'lo\u00adbby', 'U+00AD', 3],
  ['a word joiner', 'a\u2060b', 'U+2060', 2],
  ['a byte order mark', '\ufeffa', 'U+FEFF', 1],
  ['a filler of Hangul', 'a\u3164', 'U+3164', 2],
  ['a joiner of graphemes', 'a\u034fb', 'U+034F', 2],
  ['an anchor of annotations', 'a\ufff9', 'U+FFF9', 2],
  ['a separator of lines', 'a\u2028b', 'U+2028', 2],
  ['a separator of paragraphs', 'a\u2029b', 'U+2029', 2],
  ['a control character of the C1 set', 'a\u009bb', 'U+009B', 2],
  ['a joiner between Latin letters', 'a\u200db', 'U+200D', 2],
  ['what keeps letters apart that never join', 'a\u200cb', 'U+200C', 2],
  ['a joiner at the end of a word', 'می\u200c', 'U+200C', 3],
  ['a joiner behind an emoji alone', '👨\u200d.md', 'U+200D', 2],
  ['a selector behind a letter', 'a\ufe0f', 'U+FE0F', 2],
  ['a selector behind a digit', '1\ufe0f.md', 'U+FE0F', 2],
  ['a second selector', '❤\ufe0f\ufe0f', 'U+FE0F', 3],
  ['a selector of Han behind a letter', 'a\u{e0100}', 'U+E0100', 2],
  ['a second selector of Han', '葛\u{e0100}\u{e0101}', 'U+E0101', 3],
  ['a selector of Mongolian behind a letter', 'a\u180b', 'U+180B', 2],
  ['tags that spell no flag', '\u{1f3f4}\u{e0041}\u{e007f}', 'U+E0041', 2],
];

/** Ordinary text in several scripts. */
const honest: readonly string[] = [
  'naïve café Ærøskøbing',
  'می‌خواهم',
  'کار‌ها',
  'क्‍ष',
  'ന്‍',
  'র‍্যাব',
  'ක්‍ෂ',
  'ស្ត្រី',
  'ᠮᠣᠩᠭᠣᠯ\u180b',
  'שלום עולם',
  'مرحبا',
  '\u0600١٢٣',
  '葛\u{e0100}城市',
  '👨‍👩‍👧',
  '👩🏽‍🚀',
  '🏳️‍🌈',
  '1️⃣ ❤️ ☁︎',
  '\u{1f3f4}\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}',
  'e\u0301',
  '한국어',
];

describe('A hidden character', () => {
  for (const [what, text, character, position] of misleading) {
    it(`is found and named: ${what}`, () => {
      assert.deepEqual(findHidden(text), { character, position });
      assert.equal(findHidden(dropHidden(text)), undefined);
    });
  }

  it('is none of those that a script or an emoji needs', () => {
    for (const text of honest) {
      assert.equal(findHidden(text), undefined, text);
      assert.equal(dropHidden(text), text);
      assert.equal(count(text), 0, text);
    }
  });

  it('counts in a text, which may have lines, a byte order mark, and places where Khmer lines may break', () => {
    assert.equal(count('\ufeffone\r\ntwo\u2028three'), 0);
    assert.equal(count('ភាសា\u200bខ្មែរ'), 0);
    assert.equal(count('ig\u200bnore \u202ethis\u{e0041}\u{e0042}'), 4);
    assert.equal(count(`a\ufeff`), 1);
  });

  it('only the hidden character is dropped from any text', () => {
    fc.assert(
      fc.property(fc.string({ unit: anyCharacter }), (text) => {
        const left = dropHidden(text);
        assert.ok(left.length <= text.length);
        assert.equal(findHidden(text) === undefined, left === text);
      }),
    );
  });
});

describe('A text of several lines for other people', () => {
  it('has no control characters but tabs and line feeds, and no tag characters but those of flags', () => {
    for (const [text, character] of [
      ['a\u0007', 'U+0007'],
      ['a\u001b]52;', 'U+001B'],
      ['a\u009b2J', 'U+009B'],
      ['a\u007f', 'U+007F'],
      ['a\u{e0041}', 'U+E0041'],
    ] as const) {
      assert.deepEqual(findUnfit(text), { character, position: 2 });
    }
    for (const text of [...honest, 'one\n\ttwo', 'he said \u200fשלום\u200f', 'soft\u00adhyphen', 'a\u200bb']) {
      assert.equal(findUnfit(text), undefined, text);
    }
  });
});

const count = (text: string): number => finish(countHidden(text));
