import {
  encodeError,
  encodePacket,
  encodeProgress,
  flushPacket,
  MalformedPacket,
  packetHead,
  packetLength,
  readPacket,
  textOf,
  type Packet,
} from './packets.js';

/** Bytes in front of the pack that are looked at. Behind them the answer passes as it is. */
const maxOpeningLength = 1024 * 1024;
const nothing = Buffer.alloc(0);
/** Four letters, a version, and the number of objects. */
const packHeadLength = 12;

/**
 * The answer to one request of a fetch on its way to the client. It can put words for the person in front of the pack, and at a sudden end.
 */
export class FetchAnswer {
  readonly #words: string | undefined;
  /** What has not passed of the lines in front of the pack. Undefined behind them. */
  #opening: Buffer | undefined = nothing;
  #isInPack = false;
  /** The beginning of the pack, as far as it has passed. */
  #packHead = nothing;
  #band = 0;
  #hasPassed = false;
  /** What is left of the packet under way, and the part of a head that has passed. */
  #left = 0;
  #head = nothing;

  /** @param words for the person, shown before the pack; left out: none */
  constructor(words?: string) {
    this.#words = words;
  }

  /** Whether a pack was sent: then the fetch has no other round. */
  get hasPack(): boolean {
    return this.#isInPack;
  }

  /** How many objects the pack has (gitformat-pack). Undefined until that has passed. */
  get objects(): number | undefined {
    if (this.#packHead.length < packHeadLength) return undefined;
    return this.#packHead.readUInt32BE(packHeadLength - 4);
  }

  /** @returns what is to be sent on */
  pass(piece: Buffer): Buffer {
    if (this.#opening === undefined) {
      if (this.#isInPack) this.#follow(piece);
      else this.#notePack(piece);
      return piece;
    }
    const passed = this.#readOpening(this.#opening.length === 0 ? piece : Buffer.concat([this.#opening, piece]));
    this.#hasPassed ||= passed.length > 0;
    return passed;
  }

  /** What is still to be sent when git has ended. */
  rest(): Buffer {
    const rest = this.#opening ?? nothing;
    this.#opening = undefined;
    return rest;
  }

  /**
   * The end of an answer that breaks off, with words for the person. git takes it for a failure.
   * @returns undefined where no words can stand
   */
  breakOff(words: string): Buffer | undefined {
    if (!this.#hasPassed) return encodeError(words);
    if (!this.#isInPack || this.#head.length > 0) return undefined;
    const failure = encodePacket(Buffer.concat([Buffer.from([3]), Buffer.from(`${words}\n`)]));
    return Buffer.concat([Buffer.alloc(this.#left), failure, flushPacket]);
  }

  #readOpening(bytes: Buffer): Buffer {
    try {
      for (let at = 0; ;) {
        const read = readPacket(bytes, at);
        if (read === undefined) return this.#keepBack(bytes, at);
        if (isSideband(read.packet)) return this.#enterPack(bytes, at);
        this.#note(textOf(read.packet));
        at = read.end;
      }
    } catch (error) {
      if (!(error instanceof MalformedPacket)) throw error;
      this.#opening = undefined;
      this.#followBare(bytes);
      return bytes;
    }
  }

  /** A client of an old protocol can have the pack without packets, behind lines in packets. */
  #followBare(bytes: Buffer): void {
    const start = bytes.indexOf('PACK');
    this.#notePack(start < 0 ? bytes : bytes.subarray(start));
  }

  /** Keeps the beginning of the pack. */
  #notePack(bytes: Buffer): void {
    if (this.#packHead.length === packHeadLength) return;
    this.#packHead = Buffer.concat([this.#packHead, bytes.subarray(0, packHeadLength - this.#packHead.length)]);
  }

  /** Lets whole packets pass. */
  #keepBack(bytes: Buffer, end: number): Buffer {
    const isTooLong = bytes.length - end > maxOpeningLength;
    this.#opening = isTooLong ? undefined : bytes.subarray(end);
    return isTooLong ? bytes : bytes.subarray(0, end);
  }

  #enterPack(bytes: Buffer, start: number): Buffer {
    this.#opening = undefined;
    this.#isInPack = true;
    const rest = bytes.subarray(start);
    this.#follow(rest);
    if (this.#words === undefined) return bytes;
    return Buffer.concat([bytes.subarray(0, start), encodeProgress(this.#words), rest]);
  }

  #note(text: string | undefined): void {
    // Behind this line everything is in bands.
    if (text === 'packfile') this.#isInPack = true;
  }

  #follow(piece: Buffer): void {
    for (let at = 0; at < piece.length;) {
      if (this.#left === 0) {
        const missing = packetHead - this.#head.length;
        const part = piece.subarray(at, at + missing);
        at += part.length;
        this.#head = Buffer.concat([this.#head, part]);
        if (this.#head.length < packetHead) return;
        this.#left = (packetLength(this.#head, 0) ?? packetHead) - packetHead;
        this.#head = nothing;
        this.#band = 0;
        continue;
      }
      if (this.#band === 0) {
        this.#band = piece[at] ?? 0;
        this.#left -= 1;
        at += 1;
        continue;
      }
      const passed = Math.min(this.#left, piece.length - at);
      if (this.#band === 1) this.#notePack(piece.subarray(at, at + passed));
      this.#left -= passed;
      at += passed;
    }
  }
}

/** Whether the packet is a part of the pack, or words beside it: the first byte names the band. */
function isSideband(packet: Packet): boolean {
  const band = packet.type === 'line' ? packet.bytes[0] : undefined;
  return band === 1 || band === 2 || band === 3;
}
