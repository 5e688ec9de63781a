import assert from 'node:assert/strict';
import * as fc from 'fast-check';
import { encodeBase32, makeIdentifier } from '../../lib/domain/identifier.js';
import { makeTestRandomness } from '../support/store/service.js';

describe('Base32', () => {
  it('writes five bits a character and distinguishes any two byte strings of one length', () => {
    assert.equal(encodeBase32(new Uint8Array([])), '');
    assert.equal(encodeBase32(new Uint8Array([0])), '00');
    assert.equal(encodeBase32(new Uint8Array([255, 255, 255, 255, 255])), 'xxxxxxxx');
    const bytes = fc.uint8Array({ minLength: 10, maxLength: 10 });
    fc.assert(
      fc.property(bytes, bytes, (a, b) => {
        assert.match(encodeBase32(a), /^[0-9a-km-x]{16}$/);
        assert.equal(encodeBase32(a) === encodeBase32(b), Buffer.compare(a, b) === 0);
      }),
      { seed: 1 },
    );
  });

  it('keeps all bits: it reads back as the same number', () => {
    const alphabet = '0123456789abcdefghijkmnpqrstuvwx';
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 5, maxLength: 5 }), (bytes) => {
        const read = Array.from(encodeBase32(bytes)).reduce(
          (sum, letter) => sum * 32n + BigInt(alphabet.indexOf(letter)),
          0n,
        );
        assert.equal(read, BigInt(`0x${Buffer.from(bytes).toString('hex')}`));
      }),
      { seed: 1 },
    );
  });
});

describe('An identifier', () => {
  it('names its kind and then a hundred random bits', () => {
    const randomness = makeTestRandomness();
    const made = Array.from({ length: 100 }, () => makeIdentifier('grt', randomness));
    for (const identifier of made) assert.match(identifier, /^grt_[0-9a-km-x]{20}$/);
    assert.equal(new Set(made).size, made.length);
  });
});
