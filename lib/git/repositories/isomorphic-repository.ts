import { Readable } from 'node:stream';
import { readObject } from 'isomorphic-git';
import type { FsClient } from 'isomorphic-git';
import { checkObjects } from '../objects/check-objects.js';
import { GitProgramMissing, ObjectNotFound, RepositoryUnreadable, asUnreadable } from '../errors.js';
import { orAbsent } from '../file-system.js';
import { listHistoryByReading } from './list-commits.js';
import { joinPacks } from '../maintenance/join-packs.js';
import { openLooseObject, loosePath } from '../objects/loose-object.js';
import { hashObject, requireOid } from '../objects/objects.js';
import type { GitObject, ObjectType, Oid } from '../objects/objects.js';
import type { OidSet } from '../objects/oid-set.js';
import { listPackNames } from '../packs/pack-list.js';
import { endStreams } from '../program/end-streams.js';
import type {
  LetGoOptions,
  MaintenanceReport,
  Repository,
  RepositoryPlace,
  SweepOptions,
  Swept,
} from './repository.js';
import type { RepositoryWriter } from './repository-writer.js';
import { sweepInWorker } from '../maintenance/sweep-in-worker.js';
import { takeUpLeftovers } from '../maintenance/take-up-leftovers.js';
import { sweepPacks } from '../maintenance/sweep-packs.js';
import { WrittenRepository } from './written-repository.js';

/** A repository whose objects are read by isomorphic-git. It holds every pack in memory from which it has read. */
export class IsomorphicRepository extends WrittenRepository implements Repository {
  readonly #fs: FsClient;
  readonly #missing: string | null;
  readonly place: RepositoryPlace | null;
  readonly takesDeltas = false;
  readonly #closing = new AbortController();
  readonly #streams = new Set<Readable>();
  #cache = {};
  #lastMaintenance: Promise<unknown> = Promise.resolve();

  /**
   * @param fs the file system as isomorphic-git takes it; the writer's folder must stand on the same one.
   * @param missing the work that `maintain` reports as left out; null for a repository in memory, where nothing is.
   */
  constructor(fs: FsClient, writer: RepositoryWriter, missing: string | null = null) {
    super(writer);
    this.#fs = fs;
    this.#missing = missing;
    this.place = missing === null ? null : { path: writer.folder.path, git: 'never' };
  }

  async read(oid: Oid): Promise<GitObject> {
    requireOid(oid);
    const object = await this.#readOnce(oid).catch(async (error: unknown) => {
      if (error instanceof ObjectNotFound) {
        await this.#requireReadable(oid);
        throw error;
      }
      // The pack it was in may have been joined into another one meanwhile.
      this.#cache = {};
      return this.#readOnce(oid);
    });
    if (hashObject(object.type, object.bytes) !== oid) throw new RepositoryUnreadable(`Object ${oid} is damaged.`);
    return object;
  }

  override async has(oid: Oid): Promise<boolean> {
    try {
      await this.read(oid);
      return true;
    } catch (error) {
      if (error instanceof ObjectNotFound) return false;
      throw error;
    }
  }

  async size(oid: Oid): Promise<number> {
    requireOid(oid);
    const loose = await openLooseObject(this.writer.folder, oid);
    loose?.stream.destroy();
    return loose?.size ?? (await this.read(oid)).bytes.length;
  }

  async readStream(oid: Oid): Promise<{ size: number; stream: Readable }> {
    requireOid(oid);
    const { type, size, stream } = (await openLooseObject(this.writer.folder, oid)) ?? (await this.#openPacked(oid));
    if (type !== 'blob') {
      stream.destroy();
      throw new RepositoryUnreadable(`Object ${oid} is a ${type}, no blob.`);
    }
    this.#streams.add(stream);
    stream.once('close', () => this.#streams.delete(stream));
    return { size, stream };
  }

  sweep({ roots, onCopied, signal: stopped }: SweepOptions): Promise<Swept> {
    const signal = stopped === undefined ? this.#closing.signal : AbortSignal.any([stopped, this.#closing.signal]);
    const { place } = this;
    const { folder, seal } = this.writer;
    const sweep = this.#lastMaintenance.then(async () => {
      // In memory nothing fails halfway.
      if (place !== null) await takeUpLeftovers(folder, null, (name) => this.writer.isBegun(name));
      return this.writer.sweepPresent(async (packs, findAdded) => {
        const onGoing = (going: OidSet): void | Promise<void> => onCopied(going, findAdded);
        const request = { packs, ...(await roots()) };
        const read = (oid: Oid): Promise<GitObject> => this.read(oid);
        const swept =
          place === null
            ? await sweepPacks({ folder, seal, program: null, read, signal, onCopied: onGoing }, request)
            : await sweepInWorker({ place, request }, onGoing, signal);
        this.#cache = {};
        return swept;
      });
    });
    this.#lastMaintenance = sweep.catch(() => undefined);
    return sweep;
  }

  async letGo(options: LetGoOptions): Promise<void> {
    this.#cache = {};
    await endStreams(this.#streams, options);
  }

  /** Joins packs; loose objects all stay, so nothing has to be kept. */
  maintain(): Promise<MaintenanceReport> {
    const maintenance = this.#lastMaintenance.then(async () => {
      const before = await this.stats();
      const damaged = await joinPacks(this.writer.folder, this.writer.seal);
      this.#cache = {};
      return { before, after: await this.stats(), missing: this.#missing, damaged };
    });
    this.#lastMaintenance = maintenance.catch(() => undefined);
    return maintenance;
  }

  fsck(): Promise<string[]> {
    return checkObjects(
      this.writer.folder,
      () => this.head(),
      (oid) => this.read(oid),
    );
  }

  history(from: Oid, after: Oid | null = null): AsyncIterable<Oid> {
    const isCutOff = async (): Promise<boolean> =>
      (await orAbsent(this.writer.folder.fs.size(this.writer.folder.at('shallow')))) !== undefined;
    return listHistoryByReading((oid) => this.read(oid), from, isCutOff, after);
  }

  bundle(): Promise<void> {
    return Promise.reject(new GitProgramMissing('make a bundle'));
  }

  async close(): Promise<void> {
    this.#closing.abort();
    for (const stream of this.#streams) stream.destroy();
    await this.#lastMaintenance;
    this.#cache = {};
  }

  async #readOnce(oid: Oid): Promise<GitObject> {
    try {
      const { type, object } = await readObject({
        fs: this.#fs,
        gitdir: this.writer.folder.path,
        oid,
        format: 'content',
        cache: this.#cache,
      });
      const content = object as Uint8Array;
      const bytes = Buffer.from(content.buffer, content.byteOffset, content.byteLength);
      return { type: type as ObjectType, bytes };
    } catch (error) {
      if (error instanceof Error && error.name === 'NotFoundError') throw new ObjectNotFound(oid);
      throw asUnreadable(error, `Object ${oid} cannot be read`);
    }
  }

  /**
   * isomorphic-git takes an unreadable object for absent. So its possible files are checked before an object is called
   * absent.
   */
  async #requireReadable(oid: Oid): Promise<void> {
    const { folder } = this.writer;
    try {
      await listPackNames(folder);
      if ((await orAbsent(folder.fs.size(loosePath(folder, oid)))) === undefined) return;
    } catch (error) {
      throw asUnreadable(error, `Object ${oid} cannot be read`);
    }
    throw new RepositoryUnreadable(`Object ${oid} cannot be read.`);
  }

  async #openPacked(oid: Oid): Promise<{ type: ObjectType; size: number; stream: Readable }> {
    const { type, bytes } = await this.read(oid);
    const stream = Readable.from([bytes], { objectMode: false });
    return { type, size: bytes.length, stream };
  }
}
