import type { Readable } from 'node:stream';
import { decodeCommit, hashObject, trimToOwn, type Commit, type GitObject, type Oid } from '../git/objects/objects.js';
import { RepositoryUnreadable, type Repository } from '../git/repositories/repository.js';
import type { Version } from '../domain/document.js';
import { Tree } from '../git/objects/tree.js';
import { checkBlobStream } from './check-blob-stream.js';
import { makeObjectCache } from './object-cache.js';
import { readPending } from './pending-object.js';
import type { Tables } from '../sidecar/tables.js';

const blobCacheBytes = 64 * 1024 * 1024;
/**
 * Bytes of content that is kept when it is written. Longer content is compressed in the background, and an erase could
 * end meanwhile, which has to leave nothing in memory.
 */
const maxRemembered = 32 * 1024;

/** Reads git objects wherever they are: in memory, pending in the sidecar, or in the repository. In this order. */
export class ObjectReader {
  readonly #repository: Repository;
  readonly #tables: () => Tables;
  readonly #blobs = makeObjectCache<Buffer>(blobCacheBytes);

  constructor(repository: Repository, tables: () => Tables) {
    this.#repository = repository;
    this.#tables = tables;
  }

  /** A version's bytes if they need no waiting. */
  contentInMemory({ blobOid }: Pick<Version, 'blobOid'>): Buffer | undefined {
    return this.blobInMemory(blobOid);
  }

  /** A version's bytes. @throws ObjectNotFound, RepositoryUnreadable */
  readContent({ blobOid }: Pick<Version, 'blobOid'>): Promise<Buffer> {
    return this.readBlob(blobOid);
  }

  /** The bytes of a version too large to hold: flat memory. @throws ObjectNotFound, RepositoryUnreadable */
  streamContent({ blobOid }: Pick<Version, 'blobOid'>): Promise<Readable> {
    return this.streamBlob(blobOid);
  }

  /** The blob if it needs no waiting. */
  blobInMemory(oid: Oid): Buffer | undefined {
    return this.#blobs.get(oid);
  }

  /** @throws ObjectNotFound, RepositoryUnreadable */
  async readBlob(oid: Oid): Promise<Buffer> {
    const known = this.#blobs.get(oid) ?? this.#readPending(oid);
    if (known !== undefined) return known;
    const { bytes } = await this.#readStored(oid);
    this.#blobs.set(oid, bytes);
    return bytes;
  }

  /** For content too large to hold: flat memory. @throws ObjectNotFound, RepositoryUnreadable */
  async streamBlob(oid: Oid): Promise<Readable> {
    const { size, stream } = await this.#repository.readStream(oid);
    return checkBlobStream(oid, size, stream);
  }

  /** @throws ObjectNotFound, RepositoryUnreadable */
  async readTree(oid: Oid): Promise<Tree> {
    const { bytes } = readPending(this.#tables().objects, oid) ?? (await this.#readStored(oid));
    return Tree.parse(bytes);
  }

  /** @throws ObjectNotFound, RepositoryUnreadable */
  async readCommit(oid: Oid): Promise<Commit> {
    const { bytes } = readPending(this.#tables().objects, oid) ?? (await this.#readStored(oid));
    return decodeCommit(bytes);
  }

  /** Keeps content that is about to be written, which the text index and the next reader want. Not to be changed. */
  remember({ blobOid }: Pick<Version, 'blobOid'>, bytes: Buffer): void {
    if (bytes.length <= maxRemembered && !this.#blobs.has(blobOid)) this.#blobs.set(blobOid, trimToOwn(bytes));
  }

  /** Forgets everything held in memory (an erase). */
  forget(): void {
    this.#blobs.clear();
  }

  /** git finds an object by its place in an index; only its hash proves that it is the requested one. */
  async #readStored(oid: Oid): Promise<GitObject> {
    const object = await this.#repository.read(oid);
    if (hashObject(object.type, object.bytes) !== oid) throw new RepositoryUnreadable(`Object ${oid} is damaged.`);
    return object;
  }

  #readPending(oid: Oid): Buffer | undefined {
    const bytes = readPending(this.#tables().objects, oid)?.bytes;
    if (bytes !== undefined) this.#blobs.set(oid, bytes);
    return bytes;
  }
}
