import assert from 'node:assert/strict';
import { armor, Decrypter, Encrypter, generateIdentity, identityToRecipient } from 'age-encryption';
import { KeyMalformed, parseIdentity, parseRecipient } from '../../lib/sealing/age-keys.js';
import { SealBroken } from '../../lib/sealing/seal-to.js';
import { openKey, sealKey } from '../../lib/stored/seal-key.js';
import { makeTestRandomness } from '../support/store/service.js';

const randomness = makeTestRandomness('seal key');
const key = Uint8Array.from(randomness.bytes(32));
const place = { shard: 'acme', generation: 3 };
describe('the key of a generation, sealed to the operator', () => {
  it('opens with the secret key of each recipient', async () => {
    const identities = [await generateIdentity(), await generateIdentity()];
    const recipients = await Promise.all(identities.map(identityToRecipient));
    const sealed = await sealKey(key, { ...place, to: { recipients } }, randomness);
    assert.match(sealed, /^-----BEGIN AGE ENCRYPTED FILE-----\n/);
    for (const identity of identities)
      assert.deepEqual(await openKey(sealed, { ...place, with: { identities: [identity] } }), key);
    const stranger = await generateIdentity();
    const opened = await openKey(sealed, { ...place, with: { identities: [stranger, ...identities] } });
    assert.deepEqual(opened, key);
    await assertBroken(openKey(sealed, { ...place, with: { identities: [stranger] } }), /identity is another one/);
  });

  it('opens with the passphrase', async () => {
    const sealed = await sealKey(key, { ...place, to: { passphrase: 'correct horse', cost: 2 } }, randomness);
    assert.deepEqual(await openKey(sealed, { ...place, with: { passphrase: 'correct horse' } }), key);
    await assertBroken(openKey(sealed, { ...place, with: { passphrase: 'wrong' } }), /passphrase is another one/);
  });

  it('is an age file with a line of JSON, for other programs', async () => {
    const identity = await generateIdentity();
    const recipients = [await identityToRecipient(identity)];
    const decrypter = new Decrypter();
    decrypter.addIdentity(identity);
    const sealed = await sealKey(key, { ...place, to: { recipients } }, randomness);
    assert.deepEqual(JSON.parse(await decrypter.decrypt(armor.decode(sealed), 'text')), {
      format: 1,
      shard: 'acme',
      generation: 3,
      key: Buffer.from(key).toString('base64'),
    });
  });

  it('is refused for another shard or generation, in another form, and when it is changed', async () => {
    const identity = await generateIdentity();
    const recipients = [await identityToRecipient(identity)];
    const held = { with: { identities: [identity] } };
    const sealed = await sealKey(key, { ...place, to: { recipients } }, randomness);
    await assertBroken(openKey(sealed, { shard: 'other', generation: 3, ...held }), /another one\. Somebody put it/);
    await assertBroken(openKey(sealed, { shard: 'acme', generation: 4, ...held }), /another one\. Somebody put it/);
    await assertBroken(openKey('no armor', { ...place, ...held }), /form that this release knows/);
    const bytes = armor.decode(sealed);
    bytes[bytes.length - 1] = (bytes.at(-1) ?? 0) ^ 1;
    await assertBroken(openKey(armor.encode(bytes), { ...place, ...held }), /does not open/);
    const inside = { format: 1, ...place, key: Buffer.from(key).toString('base64') };
    const wrong = [
      '',
      '[1]',
      'null',
      JSON.stringify({ ...inside, format: 2 }),
      JSON.stringify({ ...inside, key: 'abc' }),
    ];
    for (const text of wrong) {
      const encrypter = new Encrypter();
      encrypter.addRecipient(recipients[0] ?? '');
      const other = armor.encode(await encrypter.encrypt(text));
      await assertBroken(openKey(other, { ...place, ...held }), /form that this release knows|not whole/);
    }
  });
});

describe('keys of age that people hand in', () => {
  it('are taken as age-keygen writes them', async () => {
    for (let made = 0; made < 20; made += 1) {
      const identity = await generateIdentity();
      const recipient = await identityToRecipient(identity);
      assert.equal(parseRecipient(` ${recipient}\n`), recipient);
      assert.equal(parseRecipient(recipient.toUpperCase()), recipient);
      assert.deepEqual(parseIdentity(`# created: today\r\n# public key: ${recipient}\r\n${identity}\r\n`), [identity]);
      assert.deepEqual(parseIdentity(`${identity}\n\n${identity}`), [identity, identity]);
    }
  });

  it('are refused with what is wrong, and never quoted', async () => {
    const identity = await generateIdentity();
    const recipient = await identityToRecipient(identity);
    const typo = (text: string): string => `${text.slice(0, 30)}${text[30] === 'q' ? 'p' : 'q'}${text.slice(31)}`;
    const cases: readonly (readonly [(text: string) => unknown, string, RegExp])[] = [
      [parseRecipient, '', /is empty/],
      [parseRecipient, identity, /is a secret key/],
      [parseRecipient, 'ssh-ed25519 AAAA', /key of SSH/],
      [parseRecipient, 'age1yubikey1qwerty', /kind of recipient/],
      [parseRecipient, 'somebody', /begins with age1/],
      [parseRecipient, typo(recipient), /typing error/],
      [parseRecipient, recipient.slice(0, -1), /not whole/],
      [parseIdentity, '# nothing\n', /has no key/],
      [parseIdentity, recipient, /is a public key/],
      [parseIdentity, typo(identity.toLowerCase()).toUpperCase(), /typing error/],
      [parseIdentity, `${identity}\nsecret words`, /neither a comment nor/],
      [parseIdentity, '-----BEGIN OPENSSH PRIVATE KEY-----\nabc', /another program/],
      [parseIdentity, '-----BEGIN AGE ENCRYPTED FILE-----\nabc', /itself sealed/],
    ];
    for (const [parse, text, message] of cases) {
      assert.throws(
        () => parse(text),
        (error) => {
          assert.ok(error instanceof KeyMalformed, String(error));
          assert.match(error.message, message);
          assert.ok(text.length < 20 || !error.message.includes(text.slice(4, 20)));
          return true;
        },
        text.slice(0, 12),
      );
    }
  });
});

async function assertBroken(work: Promise<unknown>, message: RegExp): Promise<void> {
  await assert.rejects(work, (error) => {
    if (!(error instanceof SealBroken)) throw error;
    assert.match(error.message, message);
    return true;
  });
}
