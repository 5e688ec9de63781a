import assert from 'node:assert/strict';
import * as fc from 'fast-check';
import { faultOfPortableName, storedTwinKeyOf, twinKeyOf } from '../../lib/domain/portable-name.js';
import { faultOfNewLocation } from '../../lib/domain/location.js';

describe('A portable name', () => {
  it('has none of the characters that Windows forbids, and no dot at its end', () => {
    for (const character of '<>:"|?*')
      assert.match(faultOfPortableName(`a${character}b.md`) ?? '', /Windows does not allow/);
    for (const name of ['a.', 'v1..', '...']) assert.match(faultOfPortableName(name) ?? '', /drops the dot/);
    for (const name of [
      'a.md',
      '.env',
      'a..b',
      "it's (1) [x] {y} #2 & 100%.md",
      'プラン.md',
      '📄',
      'a;b=c,d+e@f~g^h`i!j$k',
    ]) {
      assert.equal(faultOfPortableName(name), undefined, name);
    }
  });

  it('is no device of Windows, which no workspace takes', () => {
    for (const name of ['nul', 'AUX.md', 'com1', 'LPT9.txt', 'com¹', 'con .md', 'CONIN$', 'conout$.log', 'prn:x']) {
      assert.match(faultOfNewLocation(`a/${name}`) ?? '', /Windows takes for a device/, name);
    }
    for (const name of ['null', 'auxiliary.md', 'com', 'com10', 'lpt', 'console', 'a.nul', 'con-fig']) {
      assert.equal(faultOfNewLocation(`a/${name}`), undefined, name);
    }
  });

  it('has one key with each name that Windows or macOS takes for it', () => {
    const twins = [
      ['README', 'readme'],
      ['Ärger.md', 'äRGER.MD'],
      ['Straße', 'STRASSE'],
      ['STRAẞE', 'straße'],
      ['Maße', 'masse'],
      ['ΟΔΟΣ', 'οδος'],
      ['οδοσ', 'οδος'],
      ['ﬁle', 'FILE'],
      ['ſ', 'S'],
      ['Ж', 'ж'],
      ['µ', 'μ'],
      ['ǅ', 'ǆ'],
      ['𐐀', '𐐨'],
      ['Ꭰ', 'ꭰ'],
      ['İ', 'i̇'],
      ['가'.normalize('NFD'), '가'],
    ] as const;
    for (const [one, other] of twins) assert.ok(areTwins(one, other), `${one} ${other}`);
    for (const [one, other] of [
      ['a', 'b'],
      ['ı', 'i'],
      ['o', 'ö'],
      ['か', 'が'],
      ['カ', 'か'],
    ] as const) {
      assert.ok(!areTwins(one, other), `${one} ${other}`);
    }
  });

  it('has a key that is its own key, whatever its case, and that agrees with a regular expression that ignores case', () => {
    const name = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 8 });
    fc.assert(
      fc.property(name, (text) => {
        const key = twinKeyOf(text);
        assert.equal(twinKeyOf(key), key);
        assert.equal(storedTwinKeyOf(key), null);
        const escaped = text.normalize('NFC').replaceAll(/[\\^$.*+?()[\]{}|/]/g, String.raw`\$&`);
        for (const other of [text.toUpperCase(), text.toLowerCase()]) {
          const isAlike = new RegExp(`^${escaped}$`, 'iu').test(other.normalize('NFC'));
          if (isAlike) assert.equal(twinKeyOf(other), key);
        }
      }),
    );
  });
});

const areTwins = (one: string, other: string): boolean => twinKeyOf(one) === twinKeyOf(other);
