import { encodePacket } from './packets.js';

/** The bands of an answer (gitprotocol-pack): data, words for the person, and the words of a fatal error. */
export type Band = 1 | 2 | 3;

/** Bytes of content in one packet of a band. */
const longest = 65_515;

/** Content in one band, in as many packets as it takes. An empty one keeps the connection alive. */
export function encodeBand(band: Band, content: string | Uint8Array): Buffer {
  const bytes = Buffer.from(content as string);
  const packets: Buffer[] = [];
  for (let at = 0; at < bytes.length || packets.length === 0; at += longest) {
    packets.push(encodePacket(Buffer.concat([Buffer.of(band), bytes.subarray(at, at + longest)])));
  }
  return Buffer.concat(packets);
}
