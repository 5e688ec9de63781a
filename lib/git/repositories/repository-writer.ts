import { ObjectNotFound } from '../errors.js';
import { orAbsent } from '../file-system.js';
import { listLooseObjects, loosePath } from '../objects/loose-object.js';
import { moveMain, readMain } from './main-ref.js';
import { requireOid } from '../objects/objects.js';
import type { Oid, PackableObject } from '../objects/objects.js';
import { listPacks } from '../packs/pack-list.js';
import { writePack } from '../packs/pack.js';
import type { SealPack } from '../packs/pack.js';
import type { RepositoryStats } from './repository.js';
import type { RepositoryFolder } from './repository-folder.js';
import { stageBlob } from './stage-blob.js';
import type { AnnounceBlob, StagedBlob } from './stage-blob.js';

/**
 * The half of a repository that all kinds share: every write, and every answer that needs only the folder's names.
 * `Repository` describes each method.
 */
export class RepositoryWriter {
  readonly folder: RepositoryFolder;
  readonly #seal: SealPack;
  #lastMove: Promise<unknown> = Promise.resolve();

  constructor(folder: RepositoryFolder, seal: SealPack) {
    this.folder = folder;
    this.#seal = seal;
  }

  get seal(): SealPack {
    return this.#seal;
  }

  async addPack(objects: readonly PackableObject[]): Promise<void> {
    for (const { oid } of objects) requireOid(oid);
    await writePack(objects, this.folder, this.#seal);
  }

  head(): Promise<Oid | null> {
    return readMain(this.folder);
  }

  /** Moves main after the moves requested before this one. */
  async moveHead(to: Oid, has: (oid: Oid) => Promise<boolean>): Promise<void> {
    requireOid(to);
    const move = this.#lastMove.then(async () => {
      if (!(await has(to))) throw new ObjectNotFound(to);
      await moveMain(this.folder, to);
    });
    this.#lastMove = move.catch(() => undefined);
    await move;
  }

  stageBlob(source: AsyncIterable<Uint8Array>, announce?: AnnounceBlob): Promise<StagedBlob> {
    return stageBlob(this.folder, source, announce);
  }

  async dropStaged(oid: Oid): Promise<void> {
    requireOid(oid);
    await orAbsent(this.folder.fs.unlink(loosePath(this.folder, oid)));
  }

  async stats(): Promise<RepositoryStats> {
    const packs = await listPacks(this.folder);
    const loose = await listLooseObjects(this.folder);
    let bytes = 0;
    for (const pack of packs) bytes += pack.bytes;
    for (const object of loose) bytes += object.bytes;
    return { packs: packs.length, looseObjects: loose.length, bytes };
  }
}
