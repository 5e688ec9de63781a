/**
 * Seals in the age format (age-encryption.org/v1), with one recipient of type scrypt, as text. So other programs open
 * it, too: `age -d`.
 */
import { loadAge, passphraseIdentity, passphraseRecipient, type Passphrase } from './passphrase.js';

/** It was sealed with another passphrase, belongs to another manifest, or was changed. */
export class SealBroken extends Error {
  override readonly name = 'SealBroken';
}

export interface SealOptions extends Passphrase {
  /** The subject of the seal: it opens with no other. One line. */
  readonly belongsTo: string;
}

/**
 * Seals a text so that only the passphrase opens it, and a change is noticed. The subject of the seal is the first
 * line.
 */
export async function sealWithPassphrase(text: string, options: SealOptions): Promise<string> {
  const { armor, Encrypter } = await loadAge();
  const encrypter = new Encrypter();
  encrypter.addRecipient(await passphraseRecipient(options));
  return armor.encode(await encrypter.encrypt(`${options.belongsTo}\n${text}`));
}

/** Opens a sealed text. @throws SealBroken */
export async function openWithPassphrase(file: string, passphrase: string, belongsTo: string): Promise<string> {
  const { armor, Decrypter } = await loadAge();
  let sealed: Uint8Array;
  try {
    sealed = armor.decode(file);
  } catch {
    throw new SealBroken('is not of a form that this release knows');
  }
  const decrypter = new Decrypter();
  decrypter.addIdentity(passphraseIdentity(passphrase));
  const opened = await decrypter.decrypt(sealed, 'text').catch(() => '');
  const prefix = `${belongsTo}\n`;
  if (!opened.startsWith(prefix)) {
    throw new SealBroken('does not open: the passphrase is another one, or it or the manifest was changed');
  }
  return opened.slice(prefix.length);
}
