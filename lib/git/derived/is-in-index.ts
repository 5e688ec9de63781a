import { open } from 'node:fs/promises';
import type { Oid } from '../objects/objects.js';

/** Bytes before the ids: the file's mark, and how many ids begin with each byte or a lower one (gitformat-pack). */
const headLength = 8 + 256 * 4;
const mark = 'ff744f6300000002';

/** Whether a pack's index lists an object. It reads a small part of the file. False for a file of another format. */
export async function isInIndex(index: string, oid: Oid): Promise<boolean> {
  const file = await open(index, 'r');
  try {
    const head = await readAt(file, 0, headLength);
    if (head.length < headLength || head.toString('hex', 0, 8) !== mark) return false;
    const wanted = Buffer.from(oid, 'hex');
    const first = wanted[0] ?? 0;
    const from = first === 0 ? 0 : head.readUInt32BE(8 + (first - 1) * 4);
    const upTo = head.readUInt32BE(8 + first * 4);
    const last = head.readUInt32BE(headLength - 4);
    if (from >= upTo || upTo > last) return false;
    const ids = await readAt(file, headLength + from * 20, (upTo - from) * 20);
    for (let at = 0; at + 20 <= ids.length; at += 20) if (wanted.equals(ids.subarray(at, at + 20))) return true;
    return false;
  } finally {
    await file.close();
  }
}

/** As much of a stretch of a file as there is. */
async function readAt(file: Awaited<ReturnType<typeof open>>, start: number, length: number): Promise<Buffer> {
  const { size } = await file.stat();
  const bytes = Buffer.alloc(Math.max(0, Math.min(length, size - start)));
  for (let done = 0; done < bytes.length;) {
    const { bytesRead } = await file.read(bytes, done, bytes.length - done, start + done);
    if (bytesRead === 0) return bytes.subarray(0, done);
    done += bytesRead;
  }
  return bytes;
}
