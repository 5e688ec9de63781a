import assert from 'node:assert/strict';
import { isUtf8 } from 'node:buffer';
import fc from 'fast-check';
import { runAtOnce } from '../../lib/scheduling/in-steps.js';
import {
  asUtf8InSteps,
  charsetOf,
  declaredCharset,
  declareUtf8,
  decodeText,
  decodeTextInSteps,
  encodeText,
  fitMediaType,
  judge,
  openDecoder,
  TextCheck,
} from '../../lib/text/charset.js';
import { measureHold } from '../support/processes/measure-hold.js';

describe('How bytes become text', () => {
  const anyBytes = fc.oneof(
    fc.string({ unit: 'grapheme', maxLength: 30 }).map((text) => Buffer.from(text)),
    fc.string({ unit: 'grapheme', maxLength: 30 }).map((text) => Buffer.from(`\ufeff${text}`, 'utf16le')),
    fc.uint8Array({ maxLength: 30 }).map((bytes) => Buffer.from(bytes)),
  );
  const ends = fc.array(fc.nat(), { maxLength: 6 });

  it('is UTF-8 without NUL where nothing else is stated, for any cut of the bytes', () => {
    fc.assert(
      fc.property(anyBytes, ends, (bytes, at) => {
        fc.pre(!((bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0xfe && bytes[1] === 0xff)));
        assert.equal(kindOf(bytes, 'text/plain', at), isUtf8(bytes) && !bytes.includes(0) ? 'text' : 'binary');
      }),
    );
  });

  it('finds each end of a character that a piece can have, and each that is none', () => {
    for (const [bytes, ends, kind] of [
      [Buffer.from('a\0b'), [], 'binary'],
      [Buffer.from('😀'), [1, 2, 3], 'text'],
      [Buffer.from('😀').subarray(0, 3), [1], 'binary'],
      [Buffer.from([0x80]), [], 'binary'],
      [Buffer.from([0xed, 0xa0, 0x80]), [1, 2], 'binary'],
      [Buffer.from([0xc0, 0xaf]), [1], 'binary'],
    ] as const) {
      assert.equal(kindOf(bytes, 'text/plain', ends), kind, bytes.toString('hex'));
    }
  });

  it('does not depend on where the bytes are cut', () => {
    const types = fc.constantFrom('text/plain', ...['windows-1252', 'shift_jis', 'utf-16be', 'gb18030'].map(declaring));
    fc.assert(
      fc.property(anyBytes, ends, types, (bytes, at, mediaType) => {
        const kind = kindOf(bytes, mediaType, at);
        assert.equal(kind, kindOf(bytes, mediaType));
        if (kind === 'binary') return;
        const charset = charsetOf(bytes, mediaType);
        const decoder = openDecoder(declaredCharset(mediaType) === undefined ? undefined : charset);
        const pieces = cut(bytes, at).map((piece) => decoder.decode(piece));
        assert.equal(pieces.join('') + decoder.end(), decodeText(bytes, mediaType));
      }),
    );
  });

  it('keeps bytes binary that do not fit what is stated', () => {
    const utf16 = (...units: number[]): Buffer => Buffer.from(Uint16Array.from([0xfeff, ...units]).buffer);
    for (const [name, bytes, mediaType] of [
      ['half a surrogate', utf16(0x41, 0xd83d), 'text/plain'],
      ['the other half', utf16(0xde00), 'text/plain'],
      ['an odd number of bytes', Buffer.concat([utf16(0x41), Buffer.from([0x41])]), 'text/plain'],
      ['NUL in UTF-16', utf16(0x41, 0), 'text/plain'],
      ['half a character', Buffer.from([0x41, 0x82]), declaring('shift_jis')],
      ['bytes without a character', Buffer.from([0x41, 0xff]), declaring('euc-jp')],
      ['a NUL', Buffer.from([0xe9, 0]), declaring('windows-1252')],
      ['UTF-7', Buffer.from([0xe9]), declaring('utf-7')],
      ['a charset of users', Buffer.from([0xe9]), declaring('x-user-defined')],
      ['the replacement', Buffer.from([0xe9]), declaring('replacement')],
      ['one of its labels', Buffer.from([0xe9]), declaring('iso-2022-kr')],
      ['7 bits with an eighth', Buffer.from([0x1b, 0x24, 0x42, 0xe9]), declaring('iso-2022-jp')],
      ['no charset', Buffer.from([0xe9]), 'text/csv; charset='],
      ['a name of 80 characters', Buffer.from([0xe9]), declaring('x'.repeat(80))],
    ] as const) {
      assert.equal(kindOf(bytes, mediaType), 'binary', name);
    }
  });

  it('reads windows-1252 by the standard, and not as ISO 8859-1', () => {
    for (const label of ['windows-1252', 'latin1', 'ISO-8859-1', '"us-ascii"']) {
      assert.equal(decodeText(Buffer.from([0x80, 0x93, 0xe9, 0x94]), declaring(label)), '€“é”', label);
    }
  });

  it('never reads what is UTF-8 as anything else, escapes included', () => {
    const hidden = Buffer.from('\x1b$B\n# Heading\n\x1b(B');
    assert.equal(decodeText(hidden, declaring('iso-2022-jp')), hidden.toString());
    assert.equal(decodeText(Buffer.from('Zoë'), declaring('windows-1252')), 'Zoë');
  });

  it('takes a mark inside a text for a character', () => {
    const bytes = Buffer.from('\ufeffa\ufeffb', 'utf16le');
    assert.deepEqual([kindOf(bytes), decodeText(bytes, 'text/plain')], ['text', '\ufeffa\ufeffb']);
  });

  it('writes back each text that it has read, in every charset of single bytes and in UTF-16', () => {
    for (const label of ['windows-1250', 'koi8-r', 'iso-8859-15', 'macintosh', 'windows-1252', 'ibm866']) {
      const bytes = Buffer.from(Array.from({ length: 255 }, (_, index) => index + 1));
      const type = declaring(label);
      assert.equal(kindOf(bytes, type), 'text');
      assert.deepEqual(encodeText(decodeText(bytes, type), charsetOf(bytes, type), type), bytes, label);
    }
    for (const [bytes, type] of [
      [Buffer.from('\ufeffäöü😀', 'utf16le'), 'text/plain'],
      [Buffer.from('\ufeffäöü😀', 'utf16le').swap16(), 'text/plain'],
      [Buffer.from('äöü😀', 'utf16le'), declaring('utf-16')],
    ] as const) {
      assert.deepEqual(encodeText(decodeText(bytes, type), charsetOf(bytes, type), type), bytes);
    }
  });

  it('does not hold the event loop, however long the text and whatever its charset', () => {
    const units = Buffer.from('aß字😀'.repeat(1 << 20), 'utf16le');
    for (const [bytes, type] of [
      [Buffer.alloc(16 << 20, Buffer.from('Köln € ', 'latin1')), declaring('windows-1252')],
      [Buffer.alloc(16 << 20, 0xb1), declaring('iso-8859-2')],
      [Buffer.concat([Buffer.from([0xff, 0xfe]), units]), 'text/plain'],
      [Buffer.from('漢字'.repeat(3 << 20)), 'text/plain'],
    ] as const) {
      const charset = charsetOf(bytes, type);
      const text = decodeText(bytes, type);
      const edited = text.slice(0, 1 << 20);
      for (const [name, work] of [
        ['read', () => decodeTextInSteps(bytes, type)],
        ['read as UTF-8', () => asUtf8InSteps(bytes, type)],
        ['edited', () => encodeText(edited, charset, type)],
      ] as const) {
        const held = measureHold(work, 40);
        assert.ok(held < 40, `${type} is ${name} in ${held} ms`);
      }
      assert.ok(runAtOnce(asUtf8InSteps(bytes, type)).equals(Buffer.from(text)), type);
    }
  }).timeout(30_000);

  it('reads the same in steps, wherever a step would divide a character, and whatever is no UTF-8', () => {
    for (const piece of ['ß', '漢', '😀', 'a😀漢ß']) {
      for (let before = 0; before < 4; before += 1) {
        const bytes = Buffer.from(`${'x'.repeat(before)}${piece.repeat((2 << 20) / Buffer.byteLength(piece))}`);
        assert.ok(runAtOnce(decodeTextInSteps(bytes, 'text/plain')) === bytes.toString(), `${before} ${piece}`);
      }
    }
    for (const bytes of [[0x80], [0xf0, 0x9f], [0xf0, 0x9f, 0x98], [0xe6, 0xbc, 0x80, 0x80], [0x61, 0xf0]]) {
      const text = Buffer.alloc((1 << 20) + 1, Buffer.from(bytes));
      assert.ok(runAtOnce(decodeTextInSteps(text, 'text/plain; charset=utf-8')) === text.toString(), bytes.join(' '));
    }
  });

  it('takes all declarations of a charset for the first, and replaces all', () => {
    const twice = 'text/csv; charset=koi8-r; header=present;charset="windows-1252"';
    assert.equal(declaredCharset(twice), 'koi8-r');
    assert.equal(declareUtf8(twice), 'text/csv; header=present; charset=utf-8');
    assert.equal(fitMediaType(twice, { kind: 'binary' }), 'text/csv; header=present');
  });

  it('writes no text that would be read as another one', () => {
    // The bytes of this character are "ba".
    assert.deepEqual(encodeText('慢', 'utf-16le', declaring('utf-16')), { charset: 'utf-16le', character: undefined });
    const type = declaring('windows-1252');
    assert.deepEqual(encodeText('Ã¼', 'windows-1252', type), { charset: 'windows-1252', character: undefined });
    assert.deepEqual(encodeText('a → b', 'windows-1252', type), { charset: 'windows-1252', character: '→' });
    assert.deepEqual(encodeText('あ', 'shift_jis', declaring('shift_jis')), {
      charset: 'shift_jis',
      character: undefined,
    });
  });
});

/** The bytes in pieces with arbitrary ends. */
const cut = (bytes: Buffer, ends: readonly number[]): Buffer[] => {
  const places = [0, ...ends.map((end) => end % (bytes.length + 1)).toSorted((a, b) => a - b), bytes.length];
  return places.slice(1).map((end, index) => bytes.subarray(places[index], end));
};

const declaring = (charset: string): string => `text/csv; charset=${charset}`;

function kindOf(bytes: Buffer, mediaType = 'text/plain', ends: readonly number[] = []): string {
  const declared = declaredCharset(mediaType);
  const check = new TextCheck(declared);
  for (const piece of cut(bytes, ends)) check.update(piece);
  return judge(check, declared).kind;
}
