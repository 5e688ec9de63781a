import { Readable } from 'node:stream';
import { writeBundle } from '../packs/write-bundle.js';
import { CatFile } from '../program/cat-file.js';
import type { CatFileAnswer } from '../program/cat-file-child.js';
import { ObjectNotFound, RepositoryUnreadable } from '../errors.js';
import { runGit } from '../program/git-program.js';
import type { GitProgram } from '../program/git-program.js';
import { listHistoryWithGit } from './list-commits.js';
import { openLooseObject } from '../objects/loose-object.js';
import { maintainWithGit } from '../maintenance/maintain-with-git.js';
import { takeUpLeftovers } from '../maintenance/take-up-leftovers.js';
import { requireOid } from '../objects/objects.js';
import type { GitObject, ObjectType, Oid } from '../objects/objects.js';
import type { OidSet } from '../objects/oid-set.js';
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
import { WrittenRepository } from './written-repository.js';
import { streamBlob } from '../program/stream-with-git.js';
import { sweepInWorker } from '../maintenance/sweep-in-worker.js';

/** Blobs up to this size are read whole and streamed from memory. */
const smallBlob = 256 * 1024;

/** A repository on disk whose objects are read by the git program. */
export class DiskRepositoryWithGit extends WrittenRepository implements Repository {
  readonly #program: GitProgram;
  readonly #path: string;
  readonly takesDeltas = true;
  readonly #contents: CatFile;
  readonly #facts: CatFile;
  readonly #streams = new Set<Readable>();
  readonly #closing = new AbortController();
  /** Paths of the damaged files that maintenance met and passes over. */
  readonly #damaged = new Set<string>();
  #lastMaintenance: Promise<unknown> = Promise.resolve();

  constructor(program: GitProgram, writer: RepositoryWriter) {
    super(writer);
    this.#program = program;
    this.#path = writer.folder.path;
    this.#contents = new CatFile(program, this.#path, 'contents');
    this.#facts = new CatFile(program, this.#path, 'facts');
  }

  async read(oid: Oid): Promise<GitObject> {
    const { type, bytes } = await this.#ask(this.#contents, oid);
    return { type: type as ObjectType, bytes };
  }

  override async has(oid: Oid): Promise<boolean> {
    try {
      await this.#ask(this.#facts, oid);
      return true;
    } catch (error) {
      if (error instanceof ObjectNotFound) return false;
      throw error;
    }
  }

  async size(oid: Oid): Promise<number> {
    return (await this.#ask(this.#facts, oid)).size;
  }

  async readStream(oid: Oid): Promise<{ size: number; stream: Readable }> {
    const { type, size } = await this.#ask(this.#facts, oid);
    if (type !== 'blob') throw new RepositoryUnreadable(`Object ${oid} is a ${type}, no blob.`);
    if (size <= smallBlob) {
      const { bytes } = await this.read(oid);
      return { size, stream: Readable.from([bytes], { objectMode: false }) };
    }
    const loose = await openLooseObject(this.writer.folder, oid);
    const stream = loose?.stream ?? streamBlob(this.#program, this.#path, oid, size);
    this.#streams.add(stream);
    stream.once('close', () => this.#streams.delete(stream));
    return { size, stream };
  }

  get place(): RepositoryPlace {
    return { path: this.#path, git: 'auto' };
  }

  sweep({ roots, onCopied, signal: stopped }: SweepOptions): Promise<Swept> {
    const signal = stopped === undefined ? this.#closing.signal : AbortSignal.any([stopped, this.#closing.signal]);
    const { writer } = this;
    const sweep = this.#lastMaintenance.then(async () => {
      await takeUpLeftovers(writer.folder, this.#program, (name) => writer.isBegun(name));
      return writer.sweepPresent(async (packs, findAdded) => {
        const onGoing = (going: OidSet): void | Promise<void> => onCopied(going, findAdded);
        const request = { packs, ...(await roots()) };
        return sweepInWorker({ place: this.place, request }, onGoing, signal);
      });
    });
    this.#lastMaintenance = sweep.catch(() => undefined);
    return sweep;
  }

  async letGo(options: LetGoOptions): Promise<void> {
    await Promise.all([this.#contents.replace(), this.#facts.replace(), endStreams(this.#streams, options)]);
  }

  maintain(isKept: (oid: Oid) => boolean = () => false, callOff?: AbortSignal): Promise<MaintenanceReport> {
    const maintenance = this.#lastMaintenance.then(async () => {
      const before = await this.stats();
      let isCalledOff: boolean;
      try {
        const { signal } = this.#closing;
        const options = { signal, callOff, damaged: this.#damaged };
        isCalledOff = !(await maintainWithGit(this.#program, this.writer, isKept, options));
      } finally {
        this.#contents.renew();
        this.#facts.renew();
      }
      return { before, after: await this.stats(), missing: null, damaged: [...this.#damaged], isCalledOff };
    });
    this.#lastMaintenance = maintenance.catch(() => undefined);
    return maintenance;
  }

  async fsck(): Promise<string[]> {
    const { code, stdout, stderr } = await runGit(
      this.#program,
      this.#path,
      ['fsck', '--strict', '--full', '--no-dangling', '--no-progress'],
      { signal: this.#closing.signal },
    );
    const problems = `${stdout}\n${stderr}`.split('\n').filter((line) => line !== '' && !line.startsWith('notice:'));
    if (code !== 0 && problems.length === 0) problems.push(`git fsck ended with ${code ?? 'a signal'}.`);
    return problems;
  }

  history(from: Oid, after: Oid | null = null): AsyncIterable<Oid> {
    requireOid(from);
    if (after !== null) requireOid(after);
    return listHistoryWithGit(this.#program, this.#path, from, after);
  }

  bundle(head: Oid, file: string): Promise<void> {
    requireOid(head);
    return writeBundle(this.#program, this.#path, head, file);
  }

  async close(): Promise<void> {
    this.#closing.abort();
    for (const stream of this.#streams) stream.destroy();
    await Promise.all([this.#contents.close(), this.#facts.close()]);
    await this.#lastMaintenance;
  }

  async #ask(catFile: CatFile, oid: Oid): Promise<CatFileAnswer> {
    requireOid(oid);
    const answer = (await catFile.ask(oid)) ?? (await this.#askOnceMore(catFile, oid));
    if (!/^(?:blob|tree|commit)$/.test(answer.type))
      throw new RepositoryUnreadable(`Object ${oid} is a ${answer.type}.`);
    return answer;
  }

  /**
   * "missing" is also a child's answer for an object whose pack is damaged, or was removed by maintenance after the
   * child looked. A process of its own tells the cases apart by its further output.
   */
  async #askOnceMore(catFile: CatFile, oid: Oid): Promise<CatFileAnswer> {
    const { code, stderr } = await runGit(this.#program, this.#path, ['cat-file', '-e', oid]);
    if (code === 0) {
      catFile.renew();
      const answer = await catFile.ask(oid);
      if (answer !== undefined) return answer;
    } else if (code === 1 && stderr === '') throw new ObjectNotFound(oid);
    throw new RepositoryUnreadable(`Object ${oid} cannot be read: ${stderr.trim()}`);
  }
}
