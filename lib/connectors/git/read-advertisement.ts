import { BodyTooLarge } from '../../egress/read-foreign-body.js';
import { PacketLines } from './packet-lines.js';

const firstRoom = 64 * 1024;

/**
 * Reads the start of what `git-upload-pack` says: lines of git's protocol up to the first flush. It then waits for an
 * order, and says nothing more until then.
 * @param pieces is left right after the flush
 * @returns undefined where they end before, or are no such lines
 * @throws BodyTooLarge
 */
export async function readAdvertisement(pieces: AsyncGenerator<Buffer>, maxBytes: number): Promise<Buffer | undefined> {
  const lines = new PacketLines(({ length }) => length === 0);
  // One buffer: a server may send every byte as a piece of its own, and each would take a hundred.
  let held = Buffer.alloc(Math.min(firstRoom, maxBytes));
  let bytes = 0;
  for (;;) {
    const piece = await pieces.next();
    if (piece.done === true) return undefined;
    const { value } = piece;
    if (bytes + value.length > maxBytes) throw new BodyTooLarge();
    if (bytes + value.length > held.length) {
      const room = Math.min(maxBytes, Math.max(held.length * 2, bytes + value.length));
      held = Buffer.concat([held.subarray(0, bytes)], room);
    }
    value.copy(held, bytes);
    bytes += value.length;
    const state = lines.look(value);
    if (state === 'broken') return undefined;
    if (state === 'end') return held.subarray(0, bytes);
  }
}
