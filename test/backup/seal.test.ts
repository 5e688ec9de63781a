import assert from 'node:assert/strict';
import { openWithPassphrase, SealBroken, sealWithPassphrase } from '../../lib/backup/seal-with-passphrase.js';
import { makeTestRandomness } from '../support/store/service.js';

const passphrase = 'correct horse battery';
const lowestCost = 1024;

describe('what a passphrase seals', () => {
  const seal = (): Promise<string> =>
    sealWithPassphrase('the keys', {
      passphrase,
      belongsTo: 'this backup',
      randomness: makeTestRandomness(),
      cost: lowestCost,
    });

  it('opens with the passphrase, for what it belongs to', async () => {
    assert.equal(await openWithPassphrase(await seal(), passphrase, 'this backup'), 'the keys');
    await assert.rejects(openWithPassphrase(await seal(), passphrase, 'another backup'), SealBroken);
  });

  it('does not open with a tag that was cut short, whatever its length', async () => {
    const sealed = JSON.parse(await seal()) as { readonly tag: string };
    const tag = Buffer.from(sealed.tag, 'base64');
    assert.equal(tag.length, 16);
    for (let length = 0; length < tag.length; length += 1) {
      const changed = JSON.stringify({ ...sealed, tag: tag.subarray(0, length).toString('base64') });
      await assert.rejects(openWithPassphrase(changed, passphrase, 'this backup'), SealBroken, `${length} bytes`);
    }
  });
});
