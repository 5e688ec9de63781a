import type { Passphrase } from './passphrase.js';
import { openWith, SealBroken, sealTo } from './seal-to.js';

export interface SealOptions extends Passphrase {
  /** The subject of the seal: it opens with no other. One line. */
  readonly belongsTo: string;
}

/**
 * Seals a text so that only the passphrase opens it, and a change is noticed. The subject of the seal is the first
 * line.
 */
export function sealWithPassphrase(text: string, options: SealOptions): Promise<string> {
  const { belongsTo, randomness, ...to } = options;
  return sealTo(`${belongsTo}\n${text}`, to, randomness);
}

/** Opens a sealed text. @throws SealBroken */
export async function openWithPassphrase(file: string, passphrase: string, belongsTo: string): Promise<string> {
  const opened = await openWith(file, { passphrase });
  const prefix = `${belongsTo}\n`;
  if (!opened.startsWith(prefix)) {
    throw new SealBroken('does not open: the passphrase is another one, or it or the manifest was changed');
  }
  return opened.slice(prefix.length);
}
