import { isUtf8 } from 'node:buffer';
import { charsetOf, decodeAs } from '../../text/charset.js';
import { Unreadable } from './unreadable.js';

const charsetParameter = /;\s*charset\s*=\s*"?([\w.:+-]{1,40})/i;
const charsetInPage = /<meta\b[^>]{0,200}?\bcharset\s*=\s*["']?([\w.:+-]{1,40})/i;
/** Bytes of a page that are looked at for its charset. */
const lookedAt = 4096;

function markedCharset(bytes: Buffer): string | undefined {
  if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) return 'utf-8';
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'utf-16le';
  return bytes[0] === 0xfe && bytes[1] === 0xff ? 'utf-16be' : undefined;
}

/** Whether, and in which order, every second of the first bytes is zero, as in text of Latin letters in UTF-16. */
function charsetByZeroBytes(bytes: Buffer): string | undefined {
  const length = Math.min(bytes.length & ~1, 512);
  if (length < 4) return undefined;
  const zeros = [0, 0];
  for (let at = 0; at < length; at += 1) if (bytes[at] === 0) zeros[at % 2] = (zeros[at % 2] ?? 0) + 1;
  const [even = 0, odd = 0] = zeros;
  if (even === 0 && odd > length * 0.4) return 'utf-16le';
  return odd === 0 && even > length * 0.4 ? 'utf-16be' : undefined;
}

/** A decoder by its label. Undefined for an unknown label. */
function openDecoder(label: string, fatal: boolean): InstanceType<typeof TextDecoder> | undefined {
  try {
    return new TextDecoder(label, { fatal });
  } catch {
    return undefined;
  }
}

/**
 * Text by its byte order mark, its declared charset, the zero bytes of UTF-16, or as UTF-8. Nothing is guessed: wrong
 * text is worse than none.
 * @param otherwise the charset of what says nothing of itself and is no UTF-8. Left out: that is not read
 * @throws Unreadable `damaged` for what is not in this charset
 */
export function decodeText(bytes: Buffer, mediaType: string, otherwise?: string): string {
  const known = markedCharset(bytes) ?? charsetParameter.exec(mediaType)?.[1] ?? charsetByZeroBytes(bytes);
  if (known === undefined && otherwise !== undefined && !isUtf8(bytes)) {
    // Most charsets have a character for every byte. What has a zero byte is no text in any of them.
    const isText = !bytes.includes(0) && charsetOf(bytes, `text/plain; charset=${otherwise}`) === otherwise;
    if (isText) return decodeAs(bytes, otherwise);
    throw new Unreadable('damaged');
  }
  const decoder = openDecoder(known ?? 'utf-8', true);
  const text = decoder?.decode(bytes);
  // UTF-8 has a character for a zero byte, and no text has that character.
  if (text === undefined || text.includes('\0')) throw new Unreadable('damaged');
  return text;
}

/** The text of a page, which may name its charset itself. Browsers show what is wrong in it, too. */
export function decodePage(bytes: Buffer, mediaType: string): string {
  const inPage = (): string | undefined => charsetInPage.exec(bytes.toString('latin1', 0, lookedAt))?.[1];
  const declared =
    markedCharset(bytes) ?? charsetParameter.exec(mediaType)?.[1] ?? charsetByZeroBytes(bytes) ?? inPage();
  const decoder = (declared === undefined ? undefined : openDecoder(declared, false)) ?? new TextDecoder('utf-8');
  return decoder.decode(bytes);
}
