import type { ServerResponse } from 'node:http';

/**
 * The headers of one answer, gathered on the way and handed over at once. Node checks and copies each header that is
 * set by itself, and most answers have fifteen.
 *
 * A header keeps its first spelling; every name here has one spelling only.
 */
export class HeaderLines {
  /** Names and values in turn, as `writeHead` takes them. */
  readonly #lines: string[];

  constructor(lines: readonly string[] = []) {
    this.#lines = [...lines];
  }

  /** Sets a header, in place of an earlier value. */
  set(name: string, value: string): void {
    const at = this.#find(name);
    if (at < 0) this.#lines.push(name, value);
    else this.#lines[at + 1] = value;
  }

  /** Adds a field to Vary (RFC 9110 §12.5.5). */
  vary(field: string): void {
    const at = this.#find('Vary');
    this.set('Vary', at < 0 ? field : `${this.#lines[at + 1] ?? ''}, ${field}`);
  }

  setAll(headers: Readonly<Record<string, string>>): void {
    for (const name in headers) {
      const value = headers[name] ?? '';
      if (name === 'Vary') this.vary(value);
      else this.set(name, value);
    }
  }

  /** Another set with the same headers. */
  copy(): HeaderLines {
    return new HeaderLines(this.#lines);
  }

  /** Writes status and headers, to leave together with the first bytes of the body. */
  writeHead(response: ServerResponse, status: number): void {
    response.writeHead(status, this.#lines);
  }

  /** Sets the headers on a response before it begins, so its owner may still change them. */
  putOn(response: ServerResponse): void {
    for (let at = 0; at < this.#lines.length; at += 2) {
      response.setHeader(this.#lines[at] ?? '', this.#lines[at + 1] ?? '');
    }
  }

  #find(name: string): number {
    for (let at = 0; at < this.#lines.length; at += 2) if (this.#lines[at] === name) return at;
    return -1;
  }
}
