/** A packet of git's protocols (gitprotocol-common): a line, or one of the marks between lines. */
export type Packet =
  { readonly type: 'line'; readonly bytes: Buffer } | { readonly type: 'flush' | 'delimiter' | 'end' };

/** The bytes are no packets. */
export class MalformedPacket extends Error {
  override readonly name = 'MalformedPacket';

  constructor() {
    super('The bytes are not in the packets of git.');
  }
}

/** Bytes in front of a packet's content. */
export const packetHead = 4;
/** Bytes of a packet, with its head. */
export const maxPacketLength = 65_520;
const marks = { 0: 'flush', 1: 'delimiter', 2: 'end' } as const;

export const flushPacket = Buffer.from('0000');

/** @param content at most 65,516 bytes; a line of text ends with a line feed */
export function encodePacket(content: string | Uint8Array): Buffer {
  const bytes = Buffer.from(content as string);
  const length = bytes.length + packetHead;
  if (length > maxPacketLength) throw new Error('A packet is too long.');
  return Buffer.concat([Buffer.from(length.toString(16).padStart(packetHead, '0')), bytes]);
}

/** Lines for the person at the client, which git shows behind `remote:`. */
export function encodeProgress(text: string): Buffer {
  return encodePacket(Buffer.concat([Buffer.from([2]), Buffer.from(text)]));
}

/** An error in place of an answer: git shows it behind `fatal: remote error:`. */
export function encodeError(text: string): Buffer {
  return encodePacket(`ERR ${text}\n`);
}

/**
 * The length of the packet that begins there, with its head. The marks have no content.
 * @returns undefined where the head is not complete
 * @throws MalformedPacket
 */
export function packetLength(bytes: Buffer, at: number): number | undefined {
  if (at + packetHead > bytes.length) return undefined;
  let length = 0;
  for (let next = at; next < at + packetHead; next += 1) {
    const digit = digitOf(bytes[next] ?? 0);
    if (digit === undefined) throw new MalformedPacket();
    length = length * 16 + digit;
  }
  if (length === 3 || length > maxPacketLength) throw new MalformedPacket();
  return Math.max(length, packetHead);
}

function digitOf(byte: number): number | undefined {
  if (byte >= 48 && byte <= 57) return byte - 48;
  const small = byte | 32;
  return small >= 97 && small <= 102 ? small - 87 : undefined;
}

/**
 * Reads the packet that begins there.
 * @returns undefined where it is not complete
 * @throws MalformedPacket
 */
export function readPacket(bytes: Buffer, at: number): { readonly packet: Packet; readonly end: number } | undefined {
  const length = packetLength(bytes, at);
  if (length === undefined || at + length > bytes.length) return undefined;
  const end = at + length;
  const mark = bytes[at + packetHead - 1];
  const isMark = length === packetHead && (mark === 48 || mark === 49 || mark === 50);
  if (isMark) return { packet: { type: marks[(mark - 48) as 0 | 1 | 2] }, end };
  return { packet: { type: 'line', bytes: bytes.subarray(at + packetHead, end) }, end };
}

/** A line's text, without the line feed at its end; undefined for a mark. */
export function textOf(packet: Packet): string | undefined {
  if (packet.type !== 'line') return undefined;
  const { bytes } = packet;
  return bytes.toString('utf8', 0, bytes.at(-1) === 10 ? bytes.length - 1 : bytes.length);
}
