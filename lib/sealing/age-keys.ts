/** The keys of age (age-encryption.org/v1, "The X25519 recipient type"), as people hand them in. */
import { writeFile } from 'node:fs/promises';

/** A text is no key of age. The message says what it is instead, and never quotes it. */
export class KeyMalformed extends Error {
  override readonly name = 'KeyMalformed';
}

/** The characters of Bech32 (BIP 173), in the order of their values. */
const characters = 'qpzry9x8gf2tvdw0s3jn54khce6mua7l';
const generators = [0x3b6a57b2, 0x26508e6d, 0x1ea119fa, 0x3d4233dd, 0x2a1462b3];
const checksumLength = 6;
/** Characters for the 32 bytes of a key. */
const keyCharacters = 52;
const secretHead = 'age-secret-key-';

/**
 * A public key, `age1…`.
 * @throws KeyMalformed
 */
export function parseRecipient(text: string): string {
  const key = text.trim();
  const small = key.toLowerCase();
  if (key === '') throw new KeyMalformed('The recipient is empty. Give the public key that age-keygen prints, age1….');
  if (small.startsWith(secretHead))
    throw new KeyMalformed(
      'This is a secret key. Give the public one (age1…), and keep the secret one away from here.',
    );
  if (small.startsWith('ssh-'))
    throw new KeyMalformed('This is a key of SSH. Make one of age with age-keygen, and give its public part, age1….');
  if (small.startsWith('age1pq') || /^age1[a-z0-9-]+1/.test(small))
    throw new KeyMalformed('This kind of recipient of age is not supported. Make one with age-keygen, age1….');
  if (!small.startsWith('age1')) throw new KeyMalformed('A recipient of age begins with age1. This text does not.');
  if (!isBech32(small, 'age', keyCharacters))
    throw new KeyMalformed('This recipient of age has a typing error, or is not whole. Copy it again.');
  return small;
}

/**
 * The secret keys of an identity file, as age-keygen writes it: comments, and lines `AGE-SECRET-KEY-1…`.
 * @returns at least one
 * @throws KeyMalformed
 */
export function parseIdentity(text: string): readonly string[] {
  const lines = text.split('\n').map((line) => line.trim());
  if (lines.some((line) => line.startsWith('-----BEGIN AGE ENCRYPTED FILE')))
    throw new KeyMalformed('This identity file is itself sealed. Open it first: age -d.');
  if (lines.some((line) => line.startsWith('-----BEGIN ')))
    throw new KeyMalformed('This is a key of another program. Give the file that age-keygen made.');
  const keys = lines.filter((line) => line !== '' && !line.startsWith('#'));
  if (keys.length === 0) throw new KeyMalformed('The identity file has no key. Give the file that age-keygen made.');
  for (const key of keys) {
    const small = key.toLowerCase();
    if (small.startsWith('age1'))
      throw new KeyMalformed('This is a public key. To open something, give the identity file with the secret one.');
    if (!small.startsWith(secretHead))
      throw new KeyMalformed('A line of the identity file is neither a comment nor a secret key, AGE-SECRET-KEY-1….');
    if (!isBech32(small, 'age-secret-key-', keyCharacters))
      throw new KeyMalformed('A secret key in the identity file has a typing error, or is not whole. Copy it again.');
  }
  return keys.map((key) => key.toUpperCase());
}

/**
 * Whether a text in small letters is a word of Bech32 (BIP 173), such as the keys of age: its last six characters are
 * a checksum, which finds every mistake of up to four characters.
 * @param length characters between the part for people and the checksum
 */
function isBech32(text: string, human: string, length: number): boolean {
  if (!text.startsWith(`${human}1`)) return false;
  const data = Array.from(text.slice(human.length + 1), (character) => characters.indexOf(character));
  if (data.length !== length + checksumLength || data.includes(-1)) return false;
  const codes = Array.from(human, (character) => character.charCodeAt(0));
  const values = [...codes.map((code) => code >> 5), 0, ...codes.map((code) => code & 31), ...data];
  return values.reduce(polymod, 1) === 1;
}

function polymod(sum: number, value: number): number {
  const top = sum >>> 25;
  return generators.reduce(
    (next, generator, bit) => ((top >>> bit) & 1 ? next ^ generator : next),
    ((sum & 0x1ffffff) << 5) ^ value,
  );
}

/**
 * Makes a key, and writes its secret half into a new file in the form of age-keygen.
 * @throws the system's error where there is such a file, or it cannot be written
 */
export async function makeIdentityFile(file: string): Promise<{ readonly recipient: string }> {
  const { generateIdentity, identityToRecipient } = await import('age-encryption');
  const identity = await generateIdentity();
  const recipient = await identityToRecipient(identity);
  await writeFile(file, `# public key: ${recipient}\n${identity}\n`, { mode: 0o600, flag: 'wx', flush: true });
  return { recipient };
}
