import { createHmac } from 'node:crypto';

/**
 * Covers the id of an erased document, or uncovers it: the feed tells it to those who may hold a copy, and no file of
 * the workspace shows it.
 */
export function coverErasedId(secret: string, id: Uint8Array): Uint8Array {
  const key = createHmac('sha512', secret).update('erased ids').digest();
  return id.map((byte, index) => byte ^ (key[index % key.length] ?? 0));
}
