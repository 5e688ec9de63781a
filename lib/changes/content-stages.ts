import { unavailable } from '../domain/refusal.js';
import type { Oid, PackableObject } from '../git/objects/objects.js';
import type { HeldPack } from '../git/repositories/repository.js';
import type { FoundContent } from '../history/projection.js';
import type { StagedPacks } from '../journal/staged-packs.js';
import type { StagedBlobs, Staging } from '../journal/staging.js';
import type { Charset } from '../text/charset.js';
import { prepareStream } from './prepare-content.js';

/** Bytes, after compression, that are written as one pack. */
const packBytes = 8 * 1024 * 1024;
/** Contents in one pack: many small ones take memory beside their bytes, and one pack is laid out in one go. */
const packObjects = 5000;

/** Where contents are stored before their transaction. */
export interface StageParts {
  readonly packs: StagedPacks;
  readonly staging: Staging;
}

/** What takes in contents: a run of a connector, or a push. The id of a push is its own alone. */
export interface StageOwner {
  readonly type: 'connector' | 'push';
  readonly id: string;
}

/** The open stages of a workspace. */
export class ContentStages {
  readonly #parts: StageParts;
  readonly #open = new Map<ContentStage, Promise<void>>();

  constructor(parts: StageParts) {
    this.#parts = parts;
  }

  /** Opens a stage for one run of a connector, or one push. The caller closes it, however that ends. */
  open(owner: StageOwner): ContentStage {
    let close = (): void => undefined;
    const closed = new Promise<void>((resolve) => (close = resolve));
    const stage = new ContentStage(this.#parts, owner, () => {
      this.#open.delete(stage);
      close();
    });
    this.#open.set(stage, closed);
    return stage;
  }

  /** Contents that a transaction is about to refer to: an erase must not sweep them. What comes meanwhile comes too. */
  awaited(): Iterable<Oid> {
    return this.#parts.packs.awaited();
  }

  /**
   * Ends the stages of connectors, and all those of pushes: they can hold what is being erased. Resolves when nothing of
   * them is left, or has been committed.
   */
  async breakOff(connectorIds: readonly string[]): Promise<void> {
    const isMeant = ({ type, id }: StageOwner): boolean => type === 'push' || connectorIds.includes(id);
    const ended = [...this.#open].filter(([stage]) => isMeant(stage.owner));
    for (const [stage] of ended) stage.breakOff();
    await Promise.all(ended.map(([, closed]) => closed));
  }
}

/**
 * Takes in the contents of one run or push, small and large ones, over minutes and several at once. Memory holds no more than
 * two packs of them and their names. Nothing of it can be seen before `show`, and nothing of it stays after `close`
 * unless a commit refers to it.
 */
export class ContentStage {
  readonly owner: StageOwner;
  readonly #parts: StageParts;
  readonly #onClosed: () => void;
  readonly #breaking = new AbortController();
  readonly #oids = new Set<Oid>();
  readonly #large: StagedBlobs = [];
  readonly #packs: HeldPack[] = [];
  /** Names of the packs that the repository has. */
  readonly #shown: string[] = [];
  #batch: PackableObject[] = [];
  #bytes = 0;
  #writing: Promise<void> = Promise.resolve();
  #isShown = false;

  constructor(parts: StageParts, owner: StageOwner, onClosed: () => void) {
    this.#parts = parts;
    this.owner = owner;
    this.#onClosed = onClosed;
  }

  /** Aborts when an erase ends the run or push. It has to begin again, by what the rows say then. */
  get signal(): AbortSignal {
    return this.#breaking.signal;
  }

  breakOff(): void {
    this.#breaking.abort(unavailable(new Error('An erase ended it. It begins again.')));
  }

  /**
   * Takes in one content. It waits while packs are written too slowly.
   * @param known the charset that its media type declares, where a media type is known
   * @throws errors of the source, the repository or the journal; Refusal UNAVAILABLE when the stage was broken off
   */
  async add(source: AsyncIterable<Uint8Array>, known?: Charset): Promise<FoundContent> {
    const { signal } = this;
    signal.throwIfAborted();
    const prepared = await prepareStream(this.#parts.staging, source, this.#large, known);
    const { deflated, ...content } = prepared;
    const { blobOid, size } = content;
    signal.throwIfAborted();
    if (deflated !== null && !this.#oids.has(blobOid)) {
      this.#oids.add(blobOid);
      this.#batch.push({
        oid: blobOid,
        type: 'blob',
        size,
        deflated: Buffer.from(deflated.buffer, deflated.byteOffset, deflated.byteLength),
      });
      this.#bytes += deflated.length;
      if (this.#bytes >= packBytes || this.#batch.length >= packObjects) await this.#write();
    }
    return content;
  }

  /**
   * Makes everything durable, and readable for the transaction to come.
   * @throws errors of the repository or the journal; Refusal UNAVAILABLE when the stage was broken off
   */
  async show(): Promise<void> {
    await this.#write();
    await this.#writing;
    this.signal.throwIfAborted();
    if (this.#packs.length === 0) return;
    this.#isShown = true;
    await this.#parts.packs.show(this.#packs, this.#oids, this.owner.id, this.#shown);
  }

  /** Drops what no version refers to. To be called once nothing is being added. Never throws. */
  async close(): Promise<void> {
    const { packs, staging } = this.#parts;
    try {
      await this.#writing.catch(() => undefined);
      this.#batch = [];
      // What cannot be removed now goes when the repository is opened again.
      await packs.drop(this.#packs).catch(() => undefined);
      if (this.#isShown) await packs.settle(this.#shown, this.#oids);
      await staging.release(this.#large);
    } finally {
      this.#onClosed();
    }
  }

  /** One pack is written at a time, while the next one fills. */
  async #write(): Promise<void> {
    const before = this.#writing;
    const batch = this.#batch;
    if (batch.length === 0) return before;
    this.#batch = [];
    this.#bytes = 0;
    this.#writing = before.then(async () => {
      this.#packs.push(...(await this.#parts.packs.hold(batch)));
    });
    this.#writing.catch(() => undefined);
    return before;
  }
}
