/**
 * A passphrase as a recipient and an identity of the age format (age-encryption.org/v1, "The scrypt recipient type").
 * The package's own scrypt would hold the event loop for a second. Node's runs beside it.
 */
import { createCipheriv, createDecipheriv, scrypt } from 'node:crypto';
import type * as Age from 'age-encryption';
import type { Randomness } from '../domain/clock.js';

/** scrypt's N. It takes 128 MiB and a good part of a second. */
const usualCost = 2 ** 17;
/** The binary logarithm of the largest N accepted from a file. */
const maxWorkFactor = 20;
const label = 'age-encryption.org/v1/scrypt';
const saltLength = 16;
const tagLength = 16;
const fileKeyLength = 16;
/** The key sealed with this nonce is used once, so the nonce is constant. */
const nonce = Buffer.alloc(12);

export interface Passphrase {
  readonly passphrase: string;
  readonly randomness: Randomness;
  /** scrypt's N, a power of two. Left out: the usual one. */
  readonly cost?: number | undefined;
}

/** Loaded where something is sealed or opened, since every command should be quick. */
export const loadAge = (): Promise<typeof Age> => import('age-encryption');

/** The recipient that only the passphrase opens. */
export async function passphraseRecipient({
  passphrase,
  randomness,
  cost = usualCost,
}: Passphrase): Promise<Age.Recipient> {
  const { Stanza } = await loadAge();
  return {
    async wrapFileKey(fileKey) {
      const salt = Buffer.from(randomness.bytes(saltLength));
      const key = await deriveKey(passphrase, salt, cost);
      const cipher = createCipheriv('chacha20-poly1305', key, nonce, { authTagLength: tagLength });
      const body = Buffer.concat([cipher.update(fileKey), cipher.final(), cipher.getAuthTag()]);
      const args = ['scrypt', salt.toString('base64').replaceAll('=', ''), String(Math.log2(cost))];
      return [new Stanza(args, new Uint8Array(body))];
    },
  };
}

/** The identity that opens what was sealed with the passphrase. */
export function passphraseIdentity(passphrase: string): Age.Identity {
  return { unwrapFileKey: (stanzas: Age.Stanza[]) => unwrapFileKey(stanzas, passphrase) };
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
