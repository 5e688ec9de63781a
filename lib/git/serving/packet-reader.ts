import { MalformedPacket, readPacket, type Packet } from './packets.js';

/** Reads the packets at the beginning of a stream, one at a time, and gives what follows them. It holds one packet. */
export class PacketReader {
  readonly #pieces: AsyncIterator<Uint8Array>;
  #rest: Buffer = Buffer.alloc(0);

  constructor(source: AsyncIterable<Uint8Array>) {
    this.#pieces = source[Symbol.asyncIterator]();
  }

  /**
   * @returns undefined at the end of the stream
   * @throws MalformedPacket, also where the stream ends within a packet; the stream's errors
   */
  async next(): Promise<Packet | undefined> {
    for (;;) {
      const read = readPacket(this.#rest, 0);
      if (read !== undefined) {
        this.#rest = this.#rest.subarray(read.end);
        return read.packet;
      }
      const piece = await this.#pieces.next();
      if (piece.done === true) {
        if (this.#rest.length === 0) return undefined;
        throw new MalformedPacket();
      }
      this.#rest = Buffer.concat([this.#rest, piece.value]);
    }
  }

  /** Everything after the packets that were read. It can be iterated once, and may be left early. */
  async *following(): AsyncGenerator<Buffer> {
    const rest = this.#rest;
    this.#rest = Buffer.alloc(0);
    if (rest.length > 0) yield rest;
    for (let next = await this.#pieces.next(); next.done !== true; next = await this.#pieces.next()) {
      yield Buffer.from(next.value.buffer, next.value.byteOffset, next.value.byteLength);
    }
  }
}
