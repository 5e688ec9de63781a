import assert from 'node:assert/strict';
import { armor, Decrypter, Encrypter } from 'age-encryption';
import { SealBroken } from '../../lib/sealing/seal-to.js';
import { openWithPassphrase, sealWithPassphrase } from '../../lib/sealing/seal-with-passphrase.js';
import { makeTestRandomness } from '../support/store/service.js';

const passphrase = 'correct horse battery';
const lowestCost = 2;

describe('a file sealed with a passphrase', () => {
  it('opens with the passphrase, for its own backup', async () => {
    assert.equal(await openWithPassphrase(await seal(), passphrase, 'this backup'), 'the keys');
    await assert.rejects(openWithPassphrase(await seal(), passphrase, 'another backup'), SealBroken);
    await assert.rejects(openWithPassphrase(await seal(), 'another one', 'this backup'), SealBroken);
    const long = 'the keys\n'.repeat(50_000);
    assert.equal(await openWithPassphrase(await seal(long), passphrase, 'this backup'), long);
  });

  it('is of the age format: other programs open it, and it opens theirs', async () => {
    const decrypter = new Decrypter();
    decrypter.addPassphrase(passphrase);
    assert.equal(await decrypter.decrypt(armor.decode(await seal()), 'text'), 'this backup\nthe keys');
    const theirs = armor.encode(await sealElsewhere('this backup\ntheir keys'));
    assert.equal(await openWithPassphrase(theirs, passphrase, 'this backup'), 'their keys');
  });

  it('does not open once a byte of it is another, or it is cut short', async () => {
    const bytes = armor.decode(await seal());
    for (let at = 0; at < bytes.length; at += 1) {
      const changed = bytes.slice();
      changed[at] = (changed[at] ?? 0) ^ 1;
      for (const broken of [changed, bytes.slice(0, at)]) {
        await assert.rejects(openWithPassphrase(armor.encode(broken), passphrase, 'this backup'), SealBroken, `${at}`);
      }
    }
  });

  it('does not open when it asks for more work than a backup needs', async () => {
    const text = Buffer.from(await sealElsewhere('this backup\nthe keys')).toString('latin1');
    assert.match(text, /^-> scrypt \S+ 1$/m);
    const costly = Buffer.from(text.replace(/^(-> scrypt \S+) 1$/m, '$1 30'), 'latin1');
    const began = performance.now();
    await assert.rejects(openWithPassphrase(armor.encode(costly), passphrase, 'this backup'), SealBroken);
    assert.ok(performance.now() - began < 1000);
  });

  it('reports a file of another format', async () => {
    for (const other of ['', '{"format":"cartulary-sealed-1"}', 'the keys']) {
      await assert.rejects(
        openWithPassphrase(other, passphrase, 'this backup'),
        /not of a form that this release knows/,
      );
    }
  });

  const seal = (text = 'the keys'): Promise<string> =>
    sealWithPassphrase(text, {
      passphrase,
      belongsTo: 'this backup',
      randomness: makeTestRandomness(),
      cost: lowestCost,
    });

  /** As another program seals it: this one takes its own way through the format. */
  const sealElsewhere = (text: string): Promise<Uint8Array> => {
    const encrypter = new Encrypter();
    encrypter.setPassphrase(passphrase);
    encrypter.setScryptWorkFactor(1);
    return encrypter.encrypt(text);
  };
});
