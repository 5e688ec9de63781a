import { notFound } from '../domain/refusal.js';

interface Upload {
  readonly documentId: string;
  /** Resolves when it is over, however it ended. */
  readonly over: Promise<unknown>;
  /** Ends the wait for its next piece. */
  stop: (() => void) | undefined;
  isBrokenOff: boolean;
}

/** Passes pieces on until the upload is broken off. */
export type Guard = <Piece>(pieces: AsyncIterable<Piece>) => AsyncGenerator<Piece, undefined>;

/**
 * Contents on their way to existing documents. During an upload, its bytes lie in a file that belongs to no version
 * yet. An erase of the document breaks it off, even when its sender is silent.
 */
export class Uploads {
  readonly #underWay = new Set<Upload>();

  /**
   * Takes in content for a document.
   * @param take gets the guard for the incoming pieces
   * @throws errors of `take`; with the guard Refusal NOT_FOUND once it is broken off
   */
  follow<Result>(documentId: string, take: (guard: Guard) => Promise<Result>): Promise<Result> {
    const { promise: over, resolve } = makePromise();
    const upload: Upload = { documentId, over, stop: undefined, isBrokenOff: false };
    this.#underWay.add(upload);
    return take((pieces) => guard(pieces, upload)).finally(() => {
      this.#underWay.delete(upload);
      resolve();
    });
  }

  /** Ends uploads to the documents at once; resolves when none of their bytes lie in a file of their own any more. */
  async breakOff(documentIds: readonly string[]): Promise<void> {
    const ended = [...this.#underWay].filter(({ documentId }) => documentIds.includes(documentId));
    for (const upload of ended) {
      upload.isBrokenOff = true;
      upload.stop?.();
    }
    await Promise.all(ended.map(({ over }) => over));
  }
}

async function* guard<Piece>(pieces: AsyncIterable<Piece>, upload: Upload): AsyncGenerator<Piece, undefined> {
  const source = pieces[Symbol.asyncIterator]();
  try {
    for (;;) {
      // A race with one lasting promise would keep in memory every piece that ever won it.
      const next = await new Promise<IteratorResult<Piece>>((resolve, reject) => {
        upload.stop = () => reject(notFound());
        if (upload.isBrokenOff) upload.stop();
        else source.next().then(resolve, reject);
      });
      if (next.done === true) return;
      yield next.value;
    }
  } finally {
    upload.stop = undefined;
    // Without await: a silent sender would delay it.
    source.return?.().catch(() => undefined);
  }
}

function makePromise(): { readonly promise: Promise<void>; readonly resolve: () => void } {
  let resolve = (): void => undefined;
  const promise = new Promise<void>((done) => (resolve = done));
  return { promise, resolve };
}
