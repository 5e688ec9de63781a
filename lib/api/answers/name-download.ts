/** Media types for a browser to show in place: they run nothing. */
const harmless = new Set([
  'text/plain',
  'text/markdown',
  'text/csv',
  'image/png',
  'image/jpeg',
  'image/gif',
  'image/webp',
  'image/avif',
]);

/** Bytes of UTF-8 that RFC 8187 leaves unencoded. */
const encodeExtended = (text: string): string =>
  encodeURIComponent(text).replace(/['()*]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`);

/**
 * Content-Disposition (RFC 6266). A browser shows the file only where its media type is harmless, and saves it under
 * the document's name. The name is given in ASCII and, where that loses something, also in UTF-8.
 */
export function nameDownload(name: string, mediaType: string): string {
  const essence = (mediaType.split(';')[0] ?? '').trim();
  const disposition = harmless.has(essence) ? 'inline' : 'attachment';
  const plain = name.replace(/[^\x20-\x7e]|["\\%]/gu, '_');
  const extended = plain === name ? '' : `; filename*=UTF-8''${encodeExtended(name)}`;
  return `${disposition}; filename="${plain}"${extended}`;
}
