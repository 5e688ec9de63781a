import { PassThrough, pipeline, type Readable } from 'node:stream';
import { ReachWatch, type Watched } from '../workspace/watch-reach.js';
import type { AuditNote, ReadContext } from './operation.js';
import { recordRefusal } from './perform.js';

/** An answer sent after its operation has ended: its caller may lose access meanwhile. */
export class RevocableStream {
  readonly #context: ReadContext;
  readonly #action: string;
  readonly #note: AuditNote;
  readonly #watch: ReachWatch;
  #ended: Promise<Error> | undefined;

  /** Call it in the operation's first synchronous part. */
  constructor(context: ReadContext, action: string, note: AuditNote) {
    this.#context = context;
    this.#action = action;
    this.#note = note;
    this.#watch = new ReachWatch(context.workspace, context.caller);
  }

  /** Call it before each further part. @throws Refusal as `ReachWatch` does; this end is recorded */
  async requireReadable(document: Watched): Promise<void> {
    try {
      this.#watch.requireReadable(document);
    } catch (error) {
      throw await this.#end(error, document);
    }
  }

  /** The same content. It breaks off with the refusal when the caller may not have the rest. */
  guard(content: Readable, document: Watched): Readable {
    const guarded = new PassThrough();
    const check = (pieces: AsyncIterable<Buffer>): AsyncIterable<Buffer> => this.#check(pieces, document);
    // An error of either is the other's too. The reader gets it from the returned stream.
    pipeline(content, check, guarded, () => undefined);
    return guarded;
  }

  async *#check(pieces: AsyncIterable<Buffer>, document: Watched): AsyncGenerator<Buffer, undefined> {
    for await (const piece of pieces) {
      await this.requireReadable(document);
      yield piece;
    }
  }

  /** Records once, for any number of further parts. */
  #end(error: unknown, document: Watched): Promise<Error> {
    const { workspace, caller } = this.#context;
    const operation = { name: this.#action, note: () => this.#noteOfEnd(document) };
    this.#ended ??= recordRefusal(workspace, caller, operation, undefined, error);
    return this.#ended;
  }

  /**
   * Called when the record is written. It does not name a document destroyed meanwhile, or about to be: an erase that
   * waited for this end has already searched the records.
   */
  #noteOfEnd({ id, number }: Watched): AuditNote {
    const { target, documentId, detail, ...others } = this.#note;
    const ended = { ...others, detail: { ...detail, broken_off: true } };
    const { documents } = this.#context.workspace.journal.reader;
    const isThere = documents.byId(id) !== undefined || documents.deleted(number)?.id === id;
    if (documentId !== undefined && !isThere) return ended;
    return {
      ...ended,
      ...(target === undefined ? {} : { target }),
      ...(documentId === undefined ? {} : { documentId }),
    };
  }
}
