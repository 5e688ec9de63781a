import assert from 'node:assert/strict';
import { openEntry, sealEntry } from '../../../lib/signin/oauth/seal-entry.js';
import { makeTestRandomness } from '../../support/store/service.js';

describe('a value kept under an id', () => {
  const sealed = sealEntry('AccessToken', 'an id', { scope: 'write' }, makeTestRandomness());

  it('is opened only with the id under which it was sealed', () => {
    assert.deepEqual(openEntry('AccessToken', 'an id', sealed), { scope: 'write' });
    assert.throws(() => openEntry('AccessToken', 'another id', sealed));
    assert.throws(() => openEntry('RefreshToken', 'an id', sealed));
  });

  it('does not open when it was cut short, at any place', () => {
    for (let length = 0; length < sealed.length; length += 1) {
      assert.throws(() => openEntry('AccessToken', 'an id', sealed.subarray(0, length)), `${length} bytes`);
    }
  });
});
