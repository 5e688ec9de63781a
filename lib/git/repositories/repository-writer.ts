import { createHash } from 'node:crypto';
import { ObjectNotFound } from '../errors.js';
import { orAbsent } from '../file-system.js';
import { listLooseObjects, loosePath } from '../objects/loose-object.js';
import { moveMain, readMain } from './main-ref.js';
import { requireOid } from '../objects/objects.js';
import type { Oid, PackableObject } from '../objects/objects.js';
import { OidSet } from '../objects/oid-set.js';
import { listNamed, listPackNames, listPacks, packPath, removePack } from '../packs/pack-list.js';
import { writePack } from '../packs/pack.js';
import type { SealPack } from '../packs/pack.js';
import type { HeldPack, RepositoryStats } from './repository.js';
import { heldFolder, type RepositoryFolder } from './repository-folder.js';
import { stageBlob } from './stage-blob.js';
import type { AnnounceBlob, StagedBlob } from './stage-blob.js';

/**
 * The half of a repository that all kinds share: every write, and every answer that needs only the folder's names.
 * `Repository` describes each method.
 */
export class RepositoryWriter {
  readonly folder: RepositoryFolder;
  readonly #seal: SealPack;
  #held = 0;
  /** Packs that a sweep under way may remove. */
  #swept: ReadonlySet<string> = new Set();
  /** Packs whose index is about to follow. */
  readonly #begun = new Set<string>();
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
    const begun: string[] = [];
    const place = (name: string): string => {
      const free = this.#findFreeName(name);
      begun.push(free);
      this.#begun.add(free);
      return this.folder.at('objects', 'pack', free);
    };
    try {
      await writePack(objects, this.folder, this.#seal, place);
    } finally {
      for (const name of begun) this.#begun.delete(name);
    }
  }

  /** Whether a pack has no index yet because it is just being added. */
  isBegun(pack: string): boolean {
    return this.#begun.has(pack);
  }

  async holdPack(objects: readonly PackableObject[]): Promise<readonly HeldPack[]> {
    for (const { oid } of objects) requireOid(oid);
    this.#held += 1;
    const number = this.#held;
    await this.folder.fs.mkdir(this.folder.at(heldFolder));
    const begun: string[] = [];
    const place = (name: string): string => {
      const path = this.#heldPath({ name, number });
      begun.push(path);
      return path;
    };
    try {
      const names = await writePack(objects, this.folder, this.#seal, place);
      return names.map((name) => ({ name, number }));
    } catch (error) {
      // Nobody gets their names, and the disk may be full.
      for (const path of begun) for (const ending of ['idx', 'pack']) await this.folder.discard(`${path}.${ending}`);
      throw error;
    }
  }

  nameOf(pack: HeldPack): string {
    return this.#findFreeName(pack.name);
  }

  /** The index comes last: a reader of packs sees each one whole or not at all. */
  async showHeld(pack: HeldPack, name: string): Promise<void> {
    const { fs } = this.folder;
    this.#begun.add(name);
    try {
      for (const ending of ['pack', 'idx'] as const) {
        await fs.rename(`${this.#heldPath(pack)}.${ending}`, packPath(this.folder, name, ending));
      }
    } finally {
      this.#begun.delete(name);
    }
    await fs.syncFolder(this.folder.at('objects', 'pack'));
  }

  /**
   * Runs a sweep of the present packs. It decides about packs by their names, and a name says what is in the pack: one
   * added meanwhile with equal contents gets another name, or it would be removed in the place of the older one.
   * @param sweep gets the names of the packs, and how to name the objects that have other packs or files
   */
  async sweepPresent<Result>(
    sweep: (packs: readonly string[], findAdded: () => Promise<OidSet>) => Promise<Result>,
  ): Promise<Result> {
    const packs = await listPackNames(this.folder);
    this.#swept = new Set(packs);
    try {
      return await sweep(packs, () => this.#nameOthers(packs));
    } finally {
      this.#swept = new Set();
    }
  }

  async #nameOthers(packs: readonly string[]): Promise<OidSet> {
    const others = new OidSet();
    for (const name of await listPackNames(this.folder)) {
      const objects = packs.includes(name) ? undefined : await this.objectsOf(name);
      if (objects !== undefined) others.addAll(objects);
    }
    for (const { oid } of await listLooseObjects(this.folder)) others.add(oid);
    return others;
  }

  /** The same contents get the same name until the sweep is over, so that a failed write can be repeated in its place. */
  #findFreeName(name: string): string {
    let free = name;
    for (let tried = 1; this.#swept.has(free); tried++) {
      free = `pack-${createHash('sha1').update(`${name} ${tried}`).digest('hex')}`;
    }
    return free;
  }

  async dropHeld(pack: HeldPack): Promise<void> {
    for (const ending of ['idx', 'pack']) await orAbsent(this.folder.fs.unlink(`${this.#heldPath(pack)}.${ending}`));
  }

  #heldPath({ name, number }: HeldPack): string {
    return this.folder.at(heldFolder, `${number}-${name}`);
  }

  async objectsOf(pack: string): Promise<OidSet | undefined> {
    const index = await orAbsent(this.folder.fs.readFile(packPath(this.folder, pack, 'idx')));
    return index === undefined ? undefined : listNamed(index);
  }

  /** The index over several packs may name it, and goes first. */
  async dropPack(name: string): Promise<void> {
    const { fs } = this.folder;
    const packs = this.folder.at('objects', 'pack');
    for (const file of await fs.readdir(packs)) {
      if (file.startsWith('multi-pack-index')) await orAbsent(fs.unlink(this.folder.at('objects', 'pack', file)));
    }
    await fs.syncFolder(packs);
    await removePack(this.folder, name);
    await fs.syncFolder(packs);
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
