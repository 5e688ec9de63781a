import { StringDecoder } from 'node:string_decoder';

/** Characters of a line that are buffered until it ends. */
const longest = 64 * 1024;

/** Cuts a program's standard error into lines. Only whole ones come out, or half a secret could pass for none. */
export class StderrLines {
  readonly #decoder = new StringDecoder('utf8');
  #held = '';
  #isTooLong = false;

  /** The lines that end in this piece. */
  take(piece: Buffer): string[] {
    const [first = '', ...more] = this.#decoder.write(piece).split('\n');
    const lines: string[] = [];
    this.#hold(first);
    for (const next of more) {
      lines.push(this.end());
      this.#hold(next);
    }
    return lines;
  }

  /** The rest, as a line. */
  end(): string {
    const line = this.#isTooLong ? `(a line of more than ${longest} characters)` : this.#held;
    [this.#held, this.#isTooLong] = ['', false];
    return line;
  }

  #hold(text: string): void {
    this.#isTooLong ||= this.#held.length + text.length > longest;
    this.#held = this.#isTooLong ? '' : this.#held + text;
  }
}
