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
 * Contents on their way to documents that are there. While one comes, its bytes lie in a file that belongs to no version
 * yet: whoever erases the document breaks it off, however long its sender has been silent.
 */
export class Uploads {
  readonly #underWay = new Set<Upload>();

  /**
   * Takes in content for a document.
   * @param take given the guard for what comes in pieces
   * @throws what `take` throws; with the guard Refusal NOT_FOUND once it is broken off
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

  /** Ends what is on its way to the documents at once; resolves when nothing of it lies in a file of its own any more. */
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
      // A race with one lasting promise would keep every piece in memory that ever won it.
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
    // Not waited for: whoever is silent would keep it waiting.
    source.return?.().catch(() => undefined);
  }
}

function makePromise(): { readonly promise: Promise<void>; readonly resolve: () => void } {
  let resolve = (): void => undefined;
  const promise = new Promise<void>((done) => (resolve = done));
  return { promise, resolve };
}
