/**
 * Reads the start of what `git-upload-pack` says: lines of git's protocol up to the first flush. It then waits for an
 * order, and says nothing more until then.
 * @param pieces is left right after the flush
 * @returns undefined where they end before, or are no such lines
 */
export async function readAdvertisement(pieces: AsyncGenerator<Buffer>): Promise<Buffer | undefined> {
  const held: Buffer[] = [];
  let digits = '';
  let left = 0; // bytes of the current line
  for (;;) {
    const piece = await pieces.next();
    if (piece.done === true) return undefined;
    const { value } = piece;
    held.push(value);
    for (let at = 0; at < value.length;) {
      const skipped = Math.min(left, value.length - at);
      left -= skipped;
      at += skipped;
      if (at === value.length) break;
      const taken = value.toString('latin1', at, at + 4 - digits.length);
      digits += taken;
      at += taken.length;
      if (digits.length < 4) break;
      if (!/^[0-9a-f]{4}$/i.test(digits)) return undefined;
      const length = Number.parseInt(digits, 16);
      digits = '';
      if (length === 0) return Buffer.concat(held);
      left = Math.max(length - 4, 0);
    }
  }
}
