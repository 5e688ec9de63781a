/** Most bytes that one instruction copies, as in git's own deltas. */
const maxCopy = 0x1_0000;
/** Most bytes that one instruction inserts. */
const maxInsertion = 127;

/**
 * Writes the instructions that make `target` from `base`, in the form of gitformat-pack(5). Their common beginning and
 * end are copied, and the bytes between are inserted. That suffices for two listings that differ in one name.
 * @param into the buffer, filled from its beginning
 * @returns the number of bytes written; undefined where it does not fit, or would be more than half the target
 */
export function encodeDelta(base: Uint8Array, target: Uint8Array, into: Uint8Array): number | undefined {
  const shorter = Math.min(base.length, target.length);
  let start = 0;
  while (start < shorter && base[start] === target[start]) start += 1;
  let end = 0;
  while (end < shorter - start && base[base.length - 1 - end] === target[target.length - 1 - end]) end += 1;
  const middle = target.subarray(start, target.length - end);
  const copies = Math.ceil(start / maxCopy) + Math.ceil(end / maxCopy);
  // Two lengths of up to eight bytes, seven bytes a copy, and one more for each insertion.
  const most = 16 + copies * 7 + middle.length + Math.ceil(middle.length / maxInsertion);
  if (most > into.length || most * 2 > target.length) return undefined;
  let at = putLength(into, 0, base.length);
  at = putLength(into, at, target.length);
  at = putCopies(into, at, 0, start);
  for (let from = 0; from < middle.length; from += maxInsertion) {
    const piece = middle.subarray(from, from + maxInsertion);
    into[at] = piece.length;
    into.set(piece, at + 1);
    at += 1 + piece.length;
  }
  return putCopies(into, at, base.length - end, end);
}

/** Seven bits a byte, the lowest first. @returns where to go on */
function putLength(into: Uint8Array, start: number, length: number): number {
  let at = start;
  let rest = length;
  for (; rest >= 0x80; rest = Math.floor(rest / 0x80)) into[at++] = (rest % 0x80) | 0x80;
  into[at++] = rest;
  return at;
}

function putCopies(into: Uint8Array, start: number, from: number, length: number): number {
  let at = start;
  for (let done = 0; done < length; done += maxCopy) {
    const offset = from + done;
    const size = Math.min(maxCopy, length - done);
    const opcode = at++;
    let parts = 0x80;
    for (let byte = 0; byte < 4; byte++) {
      const value = (offset >>> (8 * byte)) & 0xff;
      if (value === 0) continue;
      into[at++] = value;
      parts |= 1 << byte;
    }
    // No size byte at all means the largest size.
    for (let byte = 0; byte < 2; byte++) {
      const value = (size >>> (8 * byte)) & 0xff;
      if (value === 0) continue;
      into[at++] = value;
      parts |= 0x10 << byte;
    }
    into[opcode] = parts;
  }
  return at;
}
