import { hkdfSync } from 'node:crypto';
import type { Clock, Randomness } from '../domain/clock.js';
import { describeError } from '../domain/describe-error.js';
import type { FollowedShardStatus } from '../domain/follow-status.js';
import { pause } from '../scheduling/pause.js';
import type { Timers } from '../scheduling/timers.js';
import type { FollowedFile } from '../sidecar/followed-file.js';
import type { ServiceFile } from '../sidecar/service-file.js';
import { BucketFault } from './bucket-fault.js';
import type { Bucket } from './bucket.js';
import { deletePast } from './delete-past.js';
import { serviceShard } from './object-names.js';
import { ShardStream, type ShardSource } from './shard-stream.js';
import { WorkspaceSource, type FollowedWorkspace } from './workspace-source.js';

/** What is followed. */
export interface FollowedService {
  readonly file: Pick<ServiceFile, 'followed' | 'tend'>;
  opened(): Iterable<FollowedWorkspace>;
  /** All that are there, also those that could not be opened. */
  listWorkspaces(): readonly { readonly name: string }[];
}

export interface FollowedShardsOptions {
  readonly life: string;
  readonly service: FollowedService;
  readonly bucket: Bucket;
  readonly dataFolder: string;
  readonly recipients: readonly string[];
  readonly clock: Clock;
  readonly randomness: Randomness;
  /** Milliseconds after which those that are stored are stored again, while others take longer. */
  readonly interval: number;
  readonly timers: Timers;
  /** Asks the bucket whether this life is current yet. @throws Refusal `superseded`; BucketFault */
  readonly requireCurrent: (signal: AbortSignal) => Promise<void>;
}

interface FollowedShard<Source extends ShardSource = ShardSource> {
  readonly source: Source;
  stream: ShardStream;
  /** Ends with the last work: two works would cut one file. */
  last: Promise<unknown>;
}

interface WorkspaceShard extends FollowedShard<WorkspaceSource> {
  readonly workspace: FollowedWorkspace;
  /** Why it could not be stored, times in a row, for a reason of its own. */
  failures: number;
  fault: unknown;
  /** When it is tried again, by the steady clock. */
  triedAgainAt: number;
}

/** Everything was stored but some workspaces, of which even their files cannot be read. */
export class WorkspaceLeftOut extends Error {
  override readonly name = 'WorkspaceLeftOut';

  constructor(workspace: string, cause: unknown) {
    super(`The workspace ${workspace} cannot be copied; the others are. ${describeError(cause)}`, { cause });
  }
}

/** Workspaces that are stored at the same time. */
const atOnce = 4;
/** Milliseconds until a workspace that failed by itself is tried again, at first and at most. */
const firstPause = 1000;
const longestPause = 30_000;

/** The files of a service in one life: those of the workspaces, which come and go, and its own. */
export class FollowedShards {
  readonly #options: FollowedShardsOptions;
  readonly #workspaces = new Map<string, WorkspaceShard>();
  readonly #service: FollowedShard;
  /**
   * For each workspace's name, what the keys of its files are derived from: in one life, a file of the same contents has
   * the same name and the same key, also in another workspace of that name. So neither's object is of no use to the other.
   */
  readonly #fileKeys = new Map<string, Uint8Array>();
  /** The last epoch of each shard. */
  readonly #epochs = new Map<string, number>();

  constructor(options: FollowedShardsOptions) {
    this.#options = { ...options, clock: neverBack(options.clock) };
    const source = new ServiceSource(options.service.file, (isPoint, signal) => this.#storeWorkspaces(isPoint, signal));
    this.#service = { source, stream: this.#openStream(serviceShard, source), last: Promise.resolve() };
  }

  get life(): string {
    return this.#options.life;
  }

  get status(): FollowedShardStatus[] {
    const now = this.#options.clock.elapsed();
    const describe = (workspace: string | null, { stream }: FollowedShard): FollowedShardStatus => ({
      workspace,
      behind: stream.storedAt === undefined ? null : Math.max(0, now - stream.storedAt),
      ...stream.progress,
    });
    return [...[...this.#workspaces].map(([name, shard]) => describe(name, shard)), describe(null, this.#service)];
  }

  /** The names of all that are there, and the epoch of each that is followed. */
  find(name: string): { readonly source: WorkspaceSource | undefined; readonly epoch: number } | undefined {
    if (name === serviceShard) return { source: undefined, epoch: this.#service.stream.epoch };
    const shard = this.#workspaces.get(name);
    return shard === undefined ? undefined : { source: shard.source, epoch: shard.stream.epoch };
  }

  /** Whether the service has a workspace of this name, followed or not. */
  isListed(name: string): boolean {
    return this.#options.service.listWorkspaces().some((each) => each.name === name);
  }

  /**
   * Stores what was changed. The service's file is cut before the workspaces and stored after them, so its copy is never
   * newer than theirs: it names no workspace that is not there, and a record on its way to a chain is in one of them.
   * A workspace that fails again and again by itself, as with a damaged file, holds up neither it nor the others.
   * @param isPoint whether this moment is to be one that can be restored by its time
   * @throws WorkspaceLeftOut; the first other fault, after the others were tried
   */
  async store(isPoint: boolean, signal: AbortSignal): Promise<void> {
    await this.#inOrder(this.#service, () => this.#service.stream.store(isPoint, signal));
    if (isPoint) await this.#removeNeedless(signal);
    for (const [name, { failures, fault }] of this.#workspaces)
      if (failures > 0) throw new WorkspaceLeftOut(name, fault);
  }

  async #removeNeedless(signal: AbortSignal): Promise<void> {
    const waiting = [...this.#workspaces.values(), this.#service];
    const work = async (): Promise<void> => {
      for (let shard = waiting.pop(); shard !== undefined; shard = waiting.pop())
        await shard.stream.removeNeedless(signal);
    };
    await Promise.all(Array.from({ length: atOnce }, work));
  }

  async #storeWorkspaces(isPoint: boolean, signal: AbortSignal): Promise<void> {
    // Those that the cut of the service's file names are open by now.
    this.#update();
    const now = this.#options.clock.elapsed();
    const waiting = [...this.#workspaces.values()].filter(({ triedAgainAt }) => triedAgainAt <= now);
    const faults: unknown[] = [];
    const stored = new Set<WorkspaceShard>();
    const work = async (): Promise<void> => {
      for (let shard = waiting.pop(); shard !== undefined; shard = waiting.pop()) {
        const each = shard;
        const working = this.#inOrder(each, async () => {
          await each.source.prepare(signal);
          // An erase may have begun another stream by its turn.
          await each.stream.store(isPoint, signal);
        });
        const fault = await working.then(
          () => this.#noteStored(each),
          (cause: unknown) => this.#noteFault(each, cause),
        );
        if (fault === undefined) stored.add(each);
        else faults.push(fault);
      }
    };
    await this.#storeBeside(Promise.all(Array.from({ length: atOnce }, work)), stored, signal);
    signal.throwIfAborted();
    if (faults.length > 0) throw faults[0];
  }

  /** As long as some take longer, such as one with a large file, the others are stored again and again. */
  async #storeBeside(work: Promise<unknown>, stored: ReadonlySet<WorkspaceShard>, signal: AbortSignal): Promise<void> {
    const { interval, timers } = this.#options;
    const ended = new AbortController();
    void work.catch(() => undefined).then(() => ended.abort());
    const either = AbortSignal.any([signal, ended.signal]);
    while (!either.aborted) {
      await pause(interval, either, timers).catch(() => undefined);
      for (const shard of stored) {
        if (either.aborted) break;
        // The next round finds out why one failed.
        if (shard.failures === 0)
          await this.#inOrder(shard, () => shard.stream.store(false, signal)).catch(() => undefined);
      }
    }
    await work;
  }

  #noteStored(shard: WorkspaceShard): undefined {
    shard.failures = 0;
    shard.triedAgainAt = 0;
  }

  /** @returns the fault where it holds up the service's file: a file may have gone that the next cut needs no more */
  #noteFault(shard: WorkspaceShard, cause: unknown): unknown {
    if (cause instanceof BucketFault) return cause;
    shard.failures += 1;
    shard.fault = cause;
    if (shard.failures === 1) return cause;
    const after = Math.min(longestPause, firstPause * 2 ** Math.min(shard.failures - 2, 10));
    shard.triedAgainAt = this.#options.clock.elapsed() + after;
    return undefined;
  }

  /** As `Copies.forgetKeys`. */
  async forgetKeys(name: string, signal: AbortSignal): Promise<void> {
    this.#update();
    const shard = this.#workspaces.get(name);
    if (shard === undefined) return;
    await this.#inOrder(shard, async () => {
      this.#fileKeys.delete(name);
      await shard.source.prepare(signal);
      await shard.source.forgetGone();
    });
  }

  /** As `Copies.forgetPast`. Can be repeated from its beginning. */
  async forgetPast(name: string, signal: AbortSignal): Promise<void> {
    this.#update();
    const shard = this.#workspaces.get(name);
    // Nothing of it was stored in this life, and it has to be open to be erased from.
    if (shard === undefined) throw new Error(`${name} is not followed.`);
    await this.#inOrder(shard, async () => {
      const { source } = shard;
      // No later object is to open with the key of one that goes.
      this.#fileKeys.delete(name);
      await source.prepare(signal);
      // Before the file is stored as a whole: it must not name what opens the objects that go.
      await source.forgetGone();
      const stream = this.#openStream(name, source);
      shard.stream.close();
      // Before anything of it is stored: what it takes from the log would be missing in the stream before it.
      shard.stream = stream;
      await stream.store(true, signal);
      const kept = { shard: name, life: this.life, epoch: stream.epoch, source };
      await deletePast((names) => this.remove(names, signal), this.#options.bucket, kept, signal);
    });
  }

  /**
   * Removes objects that were listed before. Those of a machine that has taken over since are not among them, and one
   * that has taken over earlier is asked for: its copy is not ours to remove.
   * @throws Refusal `superseded`; BucketFault
   */
  async remove(names: readonly string[], signal: AbortSignal): Promise<void> {
    if (names.length === 0) return;
    await this.#options.requireCurrent(signal);
    await this.#options.bucket.delete(names, { signal });
  }

  close(): void {
    for (const { stream } of [...this.#workspaces.values(), this.#service]) stream.close();
  }

  /** Takes in workspaces that were opened, and lets go of those that were closed. */
  #update(): void {
    const { service, bucket, dataFolder, life, clock, randomness } = this.#options;
    const opened = new Map([...service.opened()].map((workspace) => [workspace.name, workspace]));
    for (const [name, shard] of this.#workspaces) {
      if (opened.get(name) === shard.workspace) continue;
      shard.stream.close();
      this.#workspaces.delete(name);
    }
    for (const [name, workspace] of opened) {
      if (this.#workspaces.has(name)) continue;
      const source = new WorkspaceSource({
        workspace,
        bucket,
        dataFolder,
        life,
        clock,
        randomness,
        keyOf: (file) => this.#deriveKey(name, file),
      });
      const stream = this.#openStream(name, source);
      const shard = { workspace, source, stream, last: Promise.resolve() };
      this.#workspaces.set(name, { ...shard, failures: 0, fault: undefined, triedAgainAt: 0 });
    }
  }

  #deriveKey(workspace: string, file: string): Uint8Array {
    const secret = this.#fileKeys.get(workspace) ?? this.#options.randomness.bytes(32);
    this.#fileKeys.set(workspace, secret);
    return new Uint8Array(hkdfSync('sha256', secret, '', `cartulary file\n${file}`, 32));
  }

  #openStream(name: string, source: ShardSource): ShardStream {
    const { bucket, dataFolder, recipients, life, clock, randomness } = this.#options;
    const epoch = (this.#epochs.get(name) ?? 0) + 1;
    this.#epochs.set(name, epoch);
    return new ShardStream({ name, life, epoch, bucket, recipients, dataFolder, source, clock, randomness });
  }

  #inOrder<Result>(shard: FollowedShard, work: () => Promise<Result>): Promise<Result> {
    const working = shard.last.then(work);
    shard.last = working.catch(() => undefined);
    return working;
  }
}

/**
 * A clock that stands still where the system's is set back: the moments of one file are compared with those of another.
 */
function neverBack(clock: Clock): Clock {
  let last = 0;
  return { now: () => (last = Math.max(last, clock.now())), elapsed: () => clock.elapsed() };
}

/** The service's own file. Nothing lies beside it. */
export class ServiceSource implements ShardSource {
  readonly #file: Pick<ServiceFile, 'followed' | 'tend'>;
  readonly storeOthers: NonNullable<ShardSource['storeOthers']>;

  /** @param storeOthers stores the workspaces */
  constructor(file: Pick<ServiceFile, 'followed' | 'tend'>, storeOthers: NonNullable<ShardSource['storeOthers']>) {
    this.#file = file;
    this.storeOthers = storeOthers;
  }

  log(): FollowedFile {
    const { followed } = this.#file;
    if (followed === undefined) throw new Error('The service’s file was not opened to be followed.');
    return followed;
  }

  atMoment(cut: () => void): Promise<void> {
    this.#file.tend?.();
    cut();
    return Promise.resolve();
  }

  storeFiles(): Promise<void> {
    return Promise.resolve();
  }
}
