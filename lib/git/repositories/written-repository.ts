import type { Oid, PackableObject } from '../objects/objects.js';
import type { OidSet } from '../objects/oid-set.js';
import { listPackNames } from '../packs/pack-list.js';
import type { HeldPack, RepositoryStats } from './repository.js';
import type { RepositoryWriter } from './repository-writer.js';
import type { AnnounceBlob, StagedBlob } from './stage-blob.js';

/** The half of a repository that does not depend on how its objects are read: all writes. */
export abstract class WrittenRepository {
  protected readonly writer: RepositoryWriter;

  constructor(writer: RepositoryWriter) {
    this.writer = writer;
  }

  abstract has(oid: Oid): Promise<boolean>;

  addPack(objects: readonly PackableObject[]): Promise<void> {
    return this.writer.addPack(objects);
  }

  holdPack(objects: readonly PackableObject[]): Promise<readonly HeldPack[]> {
    return this.writer.holdPack(objects);
  }

  nameOf(pack: HeldPack): string {
    return this.writer.nameOf(pack);
  }

  showHeld(pack: HeldPack, name: string): Promise<void> {
    return this.writer.showHeld(pack, name);
  }

  dropHeld(pack: HeldPack): Promise<void> {
    return this.writer.dropHeld(pack);
  }

  objectsOf(pack: string): Promise<OidSet | undefined> {
    return this.writer.objectsOf(pack);
  }

  dropPack(name: string): Promise<void> {
    return this.writer.dropPack(name);
  }

  head(): Promise<Oid | null> {
    return this.writer.head();
  }

  moveHead(to: Oid): Promise<void> {
    return this.writer.moveHead(to, (oid) => this.has(oid));
  }

  stageBlob(source: AsyncIterable<Uint8Array>, announce?: AnnounceBlob): Promise<StagedBlob> {
    return this.writer.stageBlob(source, announce);
  }

  dropStaged(oid: Oid): Promise<void> {
    return this.writer.dropStaged(oid);
  }

  packs(): Promise<readonly string[]> {
    return listPackNames(this.writer.folder);
  }

  stats(): Promise<RepositoryStats> {
    return this.writer.stats();
  }
}
