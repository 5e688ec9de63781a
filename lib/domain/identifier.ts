import type { Randomness } from './clock.js';

const alphabet = '0123456789abcdefghijkmnpqrstuvwx';

/** Five bits a character, from an alphabet without look-alikes. */
export function encodeBase32(bytes: Uint8Array): string {
  let text = '';
  let bits = 0;
  let buffer = 0;
  for (const byte of bytes) {
    buffer = (buffer << 8) | byte;
    bits += 8;
    while (bits >= 5) {
      bits -= 5;
      text += alphabet[(buffer >> bits) & 31];
    }
    buffer &= (1 << bits) - 1;
  }
  if (bits > 0) text += alphabet[(buffer << (5 - bits)) & 31];
  return text;
}

/** A random name of the given kind, 100 bits: `grt_` and twenty characters. Says nothing about order or number. */
export function makeIdentifier(
  prefix: 'prn' | 'grp' | 'grt' | 'req' | 'clm' | 'thr' | 'cmt' | 'msg' | 'mth' | 'idn' | 'ses' | 'era' | 'chk' | 'whk',
  randomness: Randomness,
): string {
  return `${prefix}_${encodeBase32(randomness.bytes(13)).slice(0, 20)}`;
}
