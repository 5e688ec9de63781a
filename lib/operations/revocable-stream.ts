import { PassThrough, pipeline, type Readable } from 'node:stream';
import { ReachWatch, type Watched } from '../workspace/watch-reach.js';
import type { AuditNote, ReadContext } from './operation.js';
import { recordRefusal } from './perform.js';

/** Something that goes on being handed out when its operation is over: its caller may lose what it takes meanwhile. */
export class RevocableStream {
  readonly #context: ReadContext;
  readonly #action: string;
  readonly #note: AuditNote;
  readonly #watch: ReachWatch;
  #ended: Promise<Error> | undefined;

  /** To be made in the operation's first synchronous stretch. */
  constructor(context: ReadContext, action: string, note: AuditNote) {
    this.#context = context;
    this.#action = action;
    this.#note = note;
    this.#watch = new ReachWatch(context.workspace, context.caller);
  }

  /** To be asked before each further part. @throws Refusal as `ReachWatch` does; that it ended so is recorded */
  async requireReadable(document: Watched): Promise<void> {
    try {
      this.#watch.requireReadable(document);
    } catch (error) {
      throw await this.#end(error, document);
    }
  }

  /** The same content, which breaks off with the refusal where the caller may not have the rest. */
  guard(content: Readable, document: Watched): Readable {
    const guarded = new PassThrough();
    const check = (pieces: AsyncIterable<Buffer>): AsyncIterable<Buffer> => this.#check(pieces, document);
    // An error of either is the other's too; whoever reads gets it from the stream that is returned.
    pipeline(content, check, guarded, () => undefined);
    return guarded;
  }

  async *#check(pieces: AsyncIterable<Buffer>, document: Watched): AsyncGenerator<Buffer, undefined> {
    for await (const piece of pieces) {
      await this.requireReadable(document);
      yield piece;
    }
  }

  /** Records once, however many parts are asked for after that. */
  #end(error: unknown, document: Watched): Promise<Error> {
    const { workspace, caller } = this.#context;
    const operation = { name: this.#action, note: () => this.#noteOfEnd(document) };
    this.#ended ??= recordRefusal(workspace, caller, operation, undefined, error);
    return this.#ended;
  }

  /**
   * Asked for where it is recorded. A document that was destroyed meanwhile, or is about to be, is not named any more: an
   * erase that waited for this to end has looked through the records already.
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
