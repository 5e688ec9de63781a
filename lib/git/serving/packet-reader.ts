import { MalformedPacket, maxPacketLength, packetHead, packetLength, readPacket, type Packet } from './packets.js';

/** Reads the packets at the beginning of a stream, one at a time, and gives what follows them. It holds one packet. */
export class PacketReader {
  readonly #pieces: AsyncIterator<Uint8Array>;
  #rest: Buffer = Buffer.alloc(0);

  constructor(source: AsyncIterable<Uint8Array>) {
    this.#pieces = source[Symbol.asyncIterator]();
  }

  /**
   * Takes time in proportion to the packet's length, however small the pieces are in which it comes.
   * @param longest bytes of a line; a longer one is refused before it is read
   * @returns undefined at the end of the stream
   * @throws MalformedPacket, also where the stream ends within a packet, or the packet is longer; the stream's errors
   */
  async next(longest = maxPacketLength - packetHead): Promise<Packet | undefined> {
    const head = await this.#take(packetHead, Buffer.alloc(0));
    if (head === undefined) return undefined;
    const length = packetLength(head, 0) ?? 0;
    if (length - packetHead > longest) throw new MalformedPacket();
    const whole = await this.#take(length, head);
    return whole === undefined ? undefined : readPacket(whole, 0)?.packet;
  }

  /** @returns so many bytes, which begin with those already taken; undefined where the stream ends before the first */
  async #take(length: number, taken: Buffer): Promise<Buffer | undefined> {
    const bytes = Buffer.allocUnsafe(length);
    let filled = taken.copy(bytes);
    while (filled < length) {
      if (this.#rest.length === 0) {
        const piece = await this.#pieces.next();
        if (piece.done === true && filled === 0) return undefined;
        if (piece.done === true) throw new MalformedPacket();
        this.#rest = asBuffer(piece.value);
      }
      const copied = this.#rest.copy(bytes, filled);
      this.#rest = this.#rest.subarray(copied);
      filled += copied;
    }
    return bytes;
  }

  /** Everything after the packets that were read. It can be iterated once, and may be left early. */
  async *following(): AsyncGenerator<Buffer> {
    const rest = this.#rest;
    this.#rest = Buffer.alloc(0);
    if (rest.length > 0) yield rest;
    for (let next = await this.#pieces.next(); next.done !== true; next = await this.#pieces.next()) {
      yield asBuffer(next.value);
    }
  }
}

const asBuffer = ({ buffer, byteOffset, byteLength }: Uint8Array): Buffer =>
  Buffer.from(buffer, byteOffset, byteLength);
