import assert from 'node:assert/strict';
import * as fc from 'fast-check';
import {
  ancestorsOf,
  byteLength,
  compareText,
  faultOfLocation,
  faultOfNewLocation,
  isWithin,
  joinLocation,
  maxLocationLength,
  maxSegmentLength,
  nameOf,
  parentOf,
  parseFolderLocation,
  parseLocation,
  parseName,
  requireNewLocation,
  rebase,
  rootLocation,
  segmentsOf,
} from '../../lib/domain/location.js';
import { Refusal } from '../../lib/domain/refusal.js';
import { anyCharacter } from '../support/texts/any-text.js';

const isRefused = (text: string): boolean => faultOfLocation(text) !== undefined;

/** Valid segments, in many scripts. */
const segment = fc
  .string({ unit: 'grapheme', minLength: 1, maxLength: 20 })
  .map((text) => text.normalize('NFC'))
  .filter((text) => !text.includes('/') && !isRefused(text));
const location = fc.array(segment, { minLength: 1, maxLength: 6 }).map((segments) => segments.join('/'));

describe('A location', () => {
  it('is taken as it is, in any script and with blanks inside', () => {
    for (const text of ['a', 'handbook/policies/leave.md', 'Ünïcode/文書/📄.md', 'a b/ c', 'A/a', '-', '...', '~']) {
      assert.equal(parseLocation(text), text);
    }
  });

  it('may not be empty, and the root is named by the empty text only where a folder is meant', () => {
    assert.ok(isRefused(''));
    assert.equal(parseFolderLocation(''), rootLocation);
    for (const text of ['/', '/a', 'a/', '/a/']) assert.equal(parseFolderLocation(text), text.replaceAll('/', ''));
    for (const text of ['///', '//a', 'a//']) assert.throws(() => parseFolderLocation(text), Refusal);
  });

  it('has no empty, "." or ".." segment anywhere', () => {
    for (const text of ['/', '/a', 'a/', 'a//b', '.', '..', './a', 'a/.', 'a/../b', '../a']) {
      assert.ok(isRefused(text), JSON.stringify(text));
    }
  });

  it('has no control character, C1 ones and DEL included, and no backslash', () => {
    const codes = [...Array(0x20).keys(), ...Array.from({ length: 0x21 }, (_, index) => 0x7f + index)];
    for (const code of codes) assert.ok(isRefused(`a${String.fromCharCode(code)}b`), code.toString(16));
    assert.ok(!isRefused('a\u00a0b'));
    for (const text of ['\\', 'a\\b', '..\\a', '.git\\a']) assert.ok(isRefused(text), text);
  });

  it('has no half of a surrogate pair', () => {
    for (const text of ['\ud800', '\udc00', 'a\ud83d', '\udca9a', '\udca9\ud83d']) assert.ok(isRefused(text));
    assert.ok(!isRefused('\ud83d\udca9'));
  });

  it('is in normalization form C; nothing is normalized silently', () => {
    assert.ok(!isRefused('caf\u00e9'));
    for (const text of ['cafe\u0301', '\u212b', '\u1100\u1161', 'a/cafe\u0301/b']) assert.ok(isRefused(text));
    fc.assert(
      fc.property(fc.string({ unit: anyCharacter, maxLength: 12 }), (text) => {
        if (text.normalize('NFC') !== text) assert.ok(isRefused(text));
      }),
      { seed: 1 },
    );
  });

  it('counts its sizes in bytes of UTF-8, not in characters', () => {
    assert.ok(!isRefused('a'.repeat(maxSegmentLength)));
    assert.ok(isRefused('a'.repeat(maxSegmentLength + 1)));
    assert.ok(!isRefused('é'.repeat(127)));
    assert.ok(isRefused('é'.repeat(128)));
    assert.ok(!isRefused(`${'📄'.repeat(63)}abc`));
    assert.ok(isRefused('📄'.repeat(64)));
    const long = `${'a'.repeat(250)}/`.repeat(4);
    assert.ok(!isRefused(`${long}${'b'.repeat(maxLocationLength - long.length)}`));
    assert.ok(isRefused(`${long}${'b'.repeat(maxLocationLength - long.length + 1)}`));
    assert.ok(
      isRefused(`${'é'.repeat(100)}/${'é'.repeat(100)}/${'é'.repeat(100)}/${'é'.repeat(100)}/${'é'.repeat(112)}`),
    );
  });

  it('has no segment that git takes for its own folder on some system, in any position', () => {
    const hfs = ['.g\u200cit', '\u200d.git', '.git\ufeff', '.\u202eGi\u206ft', '.GI\u200et'];
    const ntfs = [
      '.git.',
      '.git ',
      '.git. . ',
      '.git::$INDEX_ALLOCATION',
      '.git:x',
      'git~1',
      'GIT~1',
      'git~1.',
      'Git~12',
    ];
    for (const name of ['.git', '.GIT', '.Git', ...hfs, ...ntfs]) {
      for (const text of [name, `a/${name}`, `${name}/a`, `a/${name}/b`])
        assert.ok(isRefused(text), JSON.stringify(text));
    }
  });

  it('has no segment named like one of the files that change git’s behaviour', () => {
    const names = [
      '.gitmodules',
      '.GitModules',
      '.gitattributes',
      '.gitmodules ',
      '.gitattributes..',
      '.git\u200cmodules',
    ];
    const short = ['gitmod~1', 'GITMOD~4', 'gitatt~1', 'gi7eba~1', 'gi7d29~1', 'gi7eba~1 .', 'GI7D29~9'];
    const hashed = ['gi7e~123', 'gi7eb~12', 'GI7D~123', 'gi7~1234', 'g~123456', '~1234567', 'gi7e~123 .'];
    for (const name of [...names, ...short, ...hashed]) {
      assert.ok(isRefused(name), JSON.stringify(name));
      assert.ok(isRefused(`a/${name}`), JSON.stringify(name));
    }
  });

  it('may look like git without being it', () => {
    for (const text of [
      'git',
      '.gitignore',
      '.github/a',
      'a.git',
      '.git-b',
      '.gita',
      'git~',
      'git~a',
      'agit~1',
      '.gi',
      'gi7e~12',
      'gi7e~012',
      'gi8e~123',
      'x~123456',
    ]) {
      assert.ok(!isRefused(text), text);
    }
  });

  it('does not use the name that keeps empty folders', () => {
    for (const text of ['.keep', 'a/.keep', '.keep/a']) assert.ok(isRefused(text));
    for (const text of ['.Keep', 'keep', '.keeps']) assert.ok(!isRefused(text));
  });

  it('that is new looks like itself: no hidden character, no blank at an end of a segment', () => {
    for (const [text, said] of [
      ['lobby/own\u200b.md', /has U\+200B as character 10, which cannot be seen/],
      ['lobby/\u202egnp.exe.md', /has U\+202E as character 7/],
      ['lobby/a\u{e0041}\u{e0042}.md', /has U\+E0041 as character 8/],
      ['lobby/own.md ', /begins or ends with a blank \(U\+0020 as character 13\)/],
      [' a', /blank \(U\+0020 as character 1\)/],
      ['a /b', /blank \(U\+0020 as character 2\)/],
      ['a/\u00a0b', /blank \(U\+00A0 as character 3\)/],
      ['\u{1f4c4}/a\u3000', /blank \(U\+3000 as character 4\)/],
      ['a/\u2800', /blank \(U\+2800 as character 3\)/],
      ['a/CON', /has the segment "CON", which Windows takes for a device/],
      ['aux.c', /"aux\.c", which Windows/],
      ['nul/a.md', /"nul", which Windows/],
      ['Com0.tar.gz', /"Com0\.tar\.gz", which Windows/],
    ] as const) {
      assert.ok(!isRefused(text), `${text} can be named where it is already`);
      assert.match(faultOfNewLocation(text) ?? '', said);
      assert.throws(() => requireNewLocation(text, 'to_folder'), /^Refusal: The to_folder has /);
    }
    for (const text of [
      '',
      'a b/c.md',
      'گزارش/کار‌ها.md',
      '👩🏽‍🚀.md',
      'Ünïcode/文書/📄.md',
      '...',
      'console.md',
      'com10',
      'a.con',
      'aux-x',
    ]) {
      assert.equal(faultOfNewLocation(text), undefined, text);
    }
  });

  it('is refused as INVALID_REQUEST bad_location with the field named', () => {
    assert.throws(
      () => parseLocation('a//b', 'to_folder'),
      (error) =>
        error instanceof Refusal &&
        error.code === 'INVALID_REQUEST' &&
        error.details?.reason === 'bad_location' &&
        error.details['field'] === 'to_folder',
    );
  });

  it('names are one segment: a slash is refused', () => {
    assert.equal(parseName('b c.md'), 'b c.md');
    for (const text of ['a/b', '/', '', '..', '.git', 'e\u0301']) assert.throws(() => parseName(text), Refusal);
  });

  it('splits into its folder and name, and joins again', () => {
    fc.assert(
      fc.property(location, (text) => {
        const parsed = parseLocation(text);
        assert.equal(joinLocation(parentOf(parsed), nameOf(parsed)), parsed);
        assert.equal(segmentsOf(parsed).join('/'), parsed);
        const above = ancestorsOf(parsed);
        assert.equal(above.length, segmentsOf(parsed).length);
        assert.ok(above.every((folder) => isWithin(folder, parsed) && folder !== parsed));
        assert.equal(above.at(-1), parentOf(parsed));
      }),
      { seed: 1 },
    );
    assert.throws(() => joinLocation(parseLocation('a'.repeat(200)), 'b'.repeat(900)), Refusal);
  });

  it('lies within a folder by whole segments, never by a common beginning of names', () => {
    const [a, ab, abSlash, b] = ['a', 'ab', 'ab/c', 'a/b'].map((text) => parseLocation(text));
    assert.ok(a !== undefined && ab !== undefined && abSlash !== undefined && b !== undefined);
    assert.ok(!isWithin(a, ab) && !isWithin(a, abSlash) && isWithin(a, b) && isWithin(a, a));
    assert.ok(isWithin(rootLocation, a) && isWithin(rootLocation, rootLocation) && !isWithin(a, rootLocation));
  });

  it('keeps everything below a folder when that folder is replaced', () => {
    fc.assert(
      fc.property(location, location, location, (from, to, rest) => {
        const below = `${from}/${rest}`;
        assert.equal(rebase(below as never, from as never, to as never), `${to}/${rest}`);
        assert.equal(rebase(from as never, from as never, to as never), to);
      }),
      { seed: 1 },
    );
  });
});

describe('Text', () => {
  it('text is counted as UTF-8 bytes', () => {
    fc.assert(
      fc.property(fc.string({ unit: anyCharacter }), (text) => assert.equal(byteLength(text), Buffer.byteLength(text))),
      { seed: 1 },
    );
    assert.equal(byteLength('\ud800'), 3);
  });

  it('is ordered as its UTF-8 bytes are, where UTF-16 differs', () => {
    assert.ok(compareText('\uffff', '\u{10000}') < 0);
    fc.assert(
      fc.property(fc.string({ unit: anyCharacter }), fc.string({ unit: anyCharacter }), (a, b) => {
        assert.equal(Math.sign(compareText(a, b)), Buffer.compare(Buffer.from(a), Buffer.from(b)));
      }),
      { seed: 1 },
    );
  });
});
