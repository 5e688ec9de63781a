/** A line is longer than allowed. */
export class LineTooLong extends Error {
  override readonly name = 'LineTooLong';
}

const lineFeed = 0x0a;

/** Cuts a stream of bytes into lines, and keeps no more than one line. */
export class LineSplitter {
  readonly #longest: number;
  #pieces: Buffer[] = [];
  #length = 0;

  /** @param longest bytes of a line */
  constructor(longest: number) {
    this.#longest = longest;
  }

  /** The lines that end in this piece. @throws LineTooLong */
  *split(piece: Buffer): Generator<Buffer, void, undefined> {
    let start = 0;
    for (let end = piece.indexOf(lineFeed); end >= 0; end = piece.indexOf(lineFeed, start)) {
      this.#keep(piece.subarray(start, end));
      const line = this.#pieces.length === 1 ? this.#pieces[0] : Buffer.concat(this.#pieces);
      [this.#pieces, this.#length, start] = [[], 0, end + 1];
      if (line !== undefined) yield line;
    }
    if (start < piece.length) this.#keep(piece.subarray(start));
  }

  #keep(part: Buffer): void {
    this.#length += part.length;
    if (this.#length > this.#longest) throw new LineTooLong();
    this.#pieces.push(part);
  }
}
