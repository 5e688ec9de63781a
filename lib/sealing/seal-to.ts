import type { Randomness } from '../domain/clock.js';
import { loadAge, passphraseIdentity, passphraseRecipient } from './passphrase.js';

/** Who may open something: everybody with a secret key of these recipients, or whoever knows the passphrase. */
export type SealedTo =
  | { readonly recipients: readonly string[] }
  /** `cost`: scrypt's N. Left out: the usual one. */
  | { readonly passphrase: string; readonly cost?: number | undefined };

/** It was sealed to somebody else, belongs to another subject, or was changed. */
export class SealBroken extends Error {
  override readonly name = 'SealBroken';
}

/** What something is opened with. */
export type OpenedWith = { readonly identities: readonly string[] } | { readonly passphrase: string };

/**
 * Seals a text as an age file in armor (age-encryption.org/v1), which `age -d` opens, too.
 * @param to as parseRecipient returns them; one at least
 */
export async function sealTo(text: string, to: SealedTo, randomness: Randomness): Promise<string> {
  const { armor, Encrypter } = await loadAge();
  const encrypter = new Encrypter();
  if ('passphrase' in to) encrypter.addRecipient(await passphraseRecipient({ ...to, randomness }));
  else for (const recipient of to.recipients) encrypter.addRecipient(recipient);
  return armor.encode(await encrypter.encrypt(text));
}

/**
 * Opens what sealTo sealed.
 * @throws SealBroken, whose message is the end of a sentence that begins with the thing
 */
export async function openWith(file: string, key: OpenedWith): Promise<string> {
  const { armor, Decrypter } = await loadAge();
  let sealed: Uint8Array;
  try {
    sealed = armor.decode(file);
  } catch {
    throw new SealBroken('is not of a form that this release knows');
  }
  const decrypter = new Decrypter();
  if ('passphrase' in key) decrypter.addIdentity(passphraseIdentity(key.passphrase));
  else for (const identity of key.identities) decrypter.addIdentity(identity);
  try {
    return await decrypter.decrypt(sealed, 'text');
  } catch {
    const what = 'passphrase' in key ? 'passphrase' : 'identity';
    throw new SealBroken(`does not open: the ${what} is another one, or it was changed`);
  }
}
