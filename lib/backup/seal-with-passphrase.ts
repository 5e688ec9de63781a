/**
 * Seals in the age format (age-encryption.org/v1), with one recipient of type scrypt, as text. So other programs open
 * it, too: `age -d`. The package's own scrypt would hold the event loop for a second. Node's runs beside it.
 */
import { createCipheriv, createDecipheriv, scrypt } from 'node:crypto';
import type * as Age from 'age-encryption';
import type { Randomness } from '../domain/clock.js';

/** It was sealed with another passphrase, belongs to another manifest, or was changed. */
export class SealBroken extends Error {
  override readonly name = 'SealBroken';
}

/** scrypt's N. It takes 128 MiB and a good part of a second, once a backup. */
const usualCost = 2 ** 17;
/** The binary logarithm of the largest N accepted from a file. */
const maxWorkFactor = 20;
const label = 'age-encryption.org/v1/scrypt';
const saltLength = 16;
const tagLength = 16;
const fileKeyLength = 16;
/** The key sealed with this nonce is used once, so the nonce is constant. */
const nonce = Buffer.alloc(12);

/** Only backups need it, and every command should be quick. */
const loadLibrary = (): Promise<typeof Age> => import('age-encryption');

export interface SealOptions {
  readonly passphrase: string;
  /** The subject of the seal: it opens with no other. One line. */
  readonly belongsTo: string;
  readonly randomness: Randomness;
  /** scrypt's N, a power of two. Left out: the usual one. */
  readonly cost?: number | undefined;
}

/**
 * Seals a text so that only the passphrase opens it, and a change is noticed. The subject of the seal is the first
 * line.
 */
export async function sealWithPassphrase(text: string, options: SealOptions): Promise<string> {
  const { passphrase, belongsTo, randomness, cost = usualCost } = options;
  const { armor, Encrypter, Stanza } = await loadLibrary();
  const encrypter = new Encrypter();
  encrypter.addRecipient({
    async wrapFileKey(fileKey) {
      const salt = Buffer.from(randomness.bytes(saltLength));
      const key = await deriveKey(passphrase, salt, cost);
      const cipher = createCipheriv('chacha20-poly1305', key, nonce, { authTagLength: tagLength });
      const body = Buffer.concat([cipher.update(fileKey), cipher.final(), cipher.getAuthTag()]);
      const args = ['scrypt', salt.toString('base64').replaceAll('=', ''), String(Math.log2(cost))];
      return [new Stanza(args, new Uint8Array(body))];
    },
  });
  return armor.encode(await encrypter.encrypt(`${belongsTo}\n${text}`));
}

/** Opens a sealed text. @throws SealBroken */
export async function openWithPassphrase(file: string, passphrase: string, belongsTo: string): Promise<string> {
  const { armor, Decrypter } = await loadLibrary();
  let sealed: Uint8Array;
  try {
    sealed = armor.decode(file);
  } catch {
    throw new SealBroken('is not of a form that this release knows');
  }
  const decrypter = new Decrypter();
  decrypter.addIdentity({ unwrapFileKey: (stanzas: Age.Stanza[]) => unwrapFileKey(stanzas, passphrase) });
  const opened = await decrypter.decrypt(sealed, 'text').catch(() => '');
  const prefix = `${belongsTo}\n`;
  if (!opened.startsWith(prefix)) {
    throw new SealBroken('does not open: the passphrase is another one, or it or the manifest was changed');
  }
  return opened.slice(prefix.length);
}

/** The key of the file. Null for a wrong passphrase. */
async function unwrapFileKey(stanzas: readonly Age.Stanza[], passphrase: string): Promise<Uint8Array | null> {
  const [stanza] = stanzas;
  if (stanza === undefined || stanzas.length !== 1 || stanza.args[0] !== 'scrypt') return null;
  const salt = Buffer.from(stanza.args[1] ?? '', 'base64');
  const workFactor = /^[1-9]\d?$/.test(stanza.args[2] ?? '') ? Number(stanza.args[2]) : Number.POSITIVE_INFINITY;
  if (workFactor > maxWorkFactor || salt.length !== saltLength) return null;
  if (stanza.body.length !== fileKeyLength + tagLength) return null;
  const key = await deriveKey(passphrase, salt, 2 ** workFactor);
  const decipher = createDecipheriv('chacha20-poly1305', key, nonce, { authTagLength: tagLength });
  decipher.setAuthTag(stanza.body.subarray(fileKeyLength));
  try {
    return new Uint8Array(Buffer.concat([decipher.update(stanza.body.subarray(0, fileKeyLength)), decipher.final()]));
  } catch {
    return null;
  }
}

/** The passphrase counts in NFC, so that it is the same from every keyboard. */
function deriveKey(passphrase: string, salt: Buffer, cost: number): Promise<Buffer> {
  const options = { N: cost, r: 8, p: 1, maxmem: 2048 * cost + 2 ** 16 };
  return new Promise((resolve, reject) => {
    scrypt(passphrase.normalize('NFC'), Buffer.concat([Buffer.from(label), salt]), 32, options, (error, key) =>
      error === null ? resolve(key) : reject(error),
    );
  });
}
