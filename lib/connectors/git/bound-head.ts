import { BodyTooLarge } from '../../egress/read-foreign-body.js';
import { PacketLines } from './packet-lines.js';

/**
 * Passes the answer to a fetch on. git holds all of it in memory that comes before the pack, so that part is bounded.
 * @param maxBytes before the pack
 * @throws BodyTooLarge
 */
export async function* boundHead(
  pieces: AsyncIterable<Uint8Array>,
  maxBytes: number,
): AsyncGenerator<Uint8Array, void, undefined> {
  // The older protocol announces no pack, but the pack comes in the first channel.
  const lines = new PacketLines(({ start }) => start.startsWith('packfile') || start.startsWith('\u0001'));
  let bytes = 0;
  let isHead = true;
  for await (const piece of pieces) {
    // Bytes that are no lines are never a pack; git ends at them.
    if (isHead) isHead = lines.look(Buffer.from(piece.buffer, piece.byteOffset, piece.length)) !== 'end';
    if (isHead) bytes += piece.length;
    if (bytes > maxBytes) throw new BodyTooLarge();
    yield piece;
  }
}
