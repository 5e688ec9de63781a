const digitsOfLength = 4;
/** Characters of a line that say what it is. */
const keptOfLine = 8;

/** A line of git's protocol: its length as it is written, and how it begins. */
export interface PacketLine {
  /** 0 for a flush; 1 and 2 for other marks; from 4 on the bytes with those of the length. */
  readonly length: number;
  /** In Latin-1. */
  readonly start: string;
}

/** Looks at the lines of git's protocol while they pass in pieces, and keeps none. */
export class PacketLines {
  readonly #isEnd: (line: PacketLine) => boolean;
  #digits = '';
  #length = 0;
  #start = '';
  /** Bytes of the current line that are to come. */
  #left = 0;

  /** @param isEnd whether the line is the last one to be looked at */
  constructor(isEnd: (line: PacketLine) => boolean) {
    this.#isEnd = isEnd;
  }

  /** @returns whether the last line is in this piece; `broken` where the bytes are no such lines */
  look(piece: Buffer): 'end' | 'more' | 'broken' {
    for (let at = 0; at < piece.length;) {
      if (this.#left === 0) {
        const taken = piece.toString('latin1', at, at + digitsOfLength - this.#digits.length);
        this.#digits += taken;
        at += taken.length;
        if (this.#digits.length < digitsOfLength) return 'more';
        if (!/^[0-9a-f]{4}$/i.test(this.#digits)) return 'broken';
        this.#length = Number.parseInt(this.#digits, 16);
        [this.#digits, this.#start, this.#left] = ['', '', Math.max(this.#length - digitsOfLength, 0)];
      } else {
        this.#start += piece.toString('latin1', at, at + Math.min(this.#left, keptOfLine - this.#start.length));
        const passed = Math.min(this.#left, piece.length - at);
        this.#left -= passed;
        at += passed;
      }
      if (this.#left === 0 && this.#isEnd({ length: this.#length, start: this.#start })) return 'end';
    }
    return 'more';
  }
}
