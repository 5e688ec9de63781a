import { PassThrough, type Readable } from 'node:stream';
import { encodeBand } from '../git/serving/bands.js';
import { reportStatus, type CommandOutcome, type PushAnswerForm } from '../git/serving/receive-pack.js';

/** Milliseconds between two signs of life. Proxies cut connections on which nothing is said for a minute. */
const betweenSigns = 5000;
/** Characters of one line for the person. */
const maxLineLength = 500;

/** Characters that would end the line, or tell the terminal something. */
const notInLine = /[\p{Cc}\p{Surrogate}\u2028\u2029\u202a-\u202e\u2066-\u2069]+/gu;

/** A text as one line that a terminal shows as it is. */
export function asLine(text: string): string {
  const line = text.replaceAll(notInLine, '?');
  return line.length > maxLineLength ? `${line.slice(0, maxLineLength)}…` : line;
}

/** The answer to a push, while it is being worked out. It says now and then that it is still there. */
export class PushAnswer {
  readonly #form: PushAnswerForm;
  readonly #stream = new PassThrough();
  readonly #signs: NodeJS.Timeout;

  constructor(form: PushAnswerForm) {
    this.#form = form;
    this.#signs = setInterval(() => this.#write(encodeBand(1, '')), betweenSigns).unref();
    this.#stream.once('close', () => clearInterval(this.#signs));
    this.#stream.on('error', () => undefined);
  }

  /** What the client gets. */
  get content(): Readable {
    return this.#stream;
  }

  /** Tells the person how far the work is, unless the person wants no such lines. */
  progress(text: string): void {
    if (!this.#form.isQuiet) this.say(text);
  }

  /** Tells the person something. */
  say(text: string): void {
    this.#write(encodeBand(2, `${asLine(text)}\n`));
  }

  /** Ends the answer with the report. @param unpacked null, or why the pack was not taken in */
  end(unpacked: string | null, outcomes: readonly CommandOutcome[]): void {
    clearInterval(this.#signs);
    if (!this.#stream.destroyed) this.#stream.end(reportStatus(this.#form, unpacked, outcomes));
  }

  /** The bands hold everything but the report. Without them there is no place for anything else. */
  #write(bytes: Buffer): void {
    if (this.#form.hasBands && !this.#stream.destroyed && !this.#stream.writableEnded) this.#stream.write(bytes);
  }
}
