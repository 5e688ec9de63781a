import { pipeline, Transform, type Readable } from 'node:stream';
import type { AuditNote, ReadContext } from '../operation.js';
import { recordEnd } from '../record-end.js';

/** The audit log's action for the end of an export, however it ended. */
const action = 'folder.exported';

/**
 * Counts an export's documents and bytes, and records them at its end. The export's own record was written at its
 * beginning.
 */
export class ExportTally {
  readonly #context: ReadContext;
  readonly #note: AuditNote;
  /** Documents with every byte sent. */
  #documents = 0;
  #bytes = 0;
  /** Number of all documents, once known. */
  #inAll: number | undefined;
  #hasEnded = false;

  constructor(context: ReadContext, note: AuditNote) {
    this.#context = context;
    this.#note = note;
  }

  /** Passes the items on. Their number is known when all of them have been requested. */
  async *countAll<Item>(items: AsyncIterable<Item>): AsyncGenerator<Item> {
    let inAll = 0;
    for await (const item of items) {
      inAll += 1;
      yield item;
    }
    this.#inAll = inAll;
  }

  /** Counts a document sent in one piece. */
  add(content: Buffer): Buffer {
    this.#documents += 1;
    this.#bytes += content.length;
    return content;
  }

  /** Counts the pieces of a document as they are sent, and the document with the last one. */
  follow(content: Readable): Readable {
    const counted = new Transform({
      transform: (piece: Buffer, _encoding, done) => {
        this.#bytes += piece.length;
        done(null, piece);
      },
      flush: (done) => {
        this.#documents += 1;
        done();
      },
    });
    // An error of either is the other's too. The reader gets it from the returned stream.
    pipeline(content, counted, () => undefined);
    return counted;
  }

  /** May be called twice. */
  end(): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    const detail = { documents: this.#documents, bytes: this.#bytes };
    const isComplete = this.#inAll === this.#documents;
    recordEnd(this.#context, { action, note: { ...this.#note, detail }, isComplete });
  }
}
