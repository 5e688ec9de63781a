import { createHmac } from 'node:crypto';
import { join } from 'node:path';
import type { PasswordCost } from '../access/hash-password.js';
import { makePeople, type People } from '../access/people.js';
import { CursorSealer } from '../access/seal-cursor.js';
import { RateLimiter } from '../limits/token-buckets.js';
import { makeWorkLimits, type WorkKind, type WorkLimits } from '../limits/work-limits.js';
import type { WorkLimit } from '../limits/work-limiter.js';
import { requireWorkspaceName } from '../access/secret.js';
import { makeAuditKey, makeSigner } from '../audit/signed-checkpoint.js';
import { makeSources, noAllowance, type ConnectorMeans } from '../connectors/sources.js';
import type { Caller } from '../domain/caller.js';
import type { Clock, Randomness } from '../domain/clock.js';
import type { DiskRoom, DiskRoomOptions } from '../disk/disk-room.js';
import { closeToOthers } from '../disk/close-to-others.js';
import type { Log } from '../domain/log.js';
import { LineFinder } from '../lines/line-finder.js';
import type { Readiness, RepositoryFault, RepositoryLag } from '../domain/readiness.js';
import { conflict, invalidRequest } from '../domain/refusal.js';
import type { RestoreSource } from '../operations/workspaces/restore-workspace.js';
import { takeOwnerLock, type OwnerLock } from '../sidecar/owner-lock.js';
import { auditKeyOf, openServiceFile, type ServiceFile } from '../sidecar/service-file.js';
import type { ListedWorkspace } from '../sidecar/tables/workspace-table.js';
import { describeOrigin } from '../workspace/describe-origin.js';
import { FaultyWorkspaces } from '../workspace/faulty-workspaces.js';
import { adoptUnborn, openWorkspace, type WorkspaceFiles } from '../workspace/open-workspace.js';
import { requireWritable, type Copies } from '../journal/copies.js';
import { ServiceJournal } from '../journal/service-journal.js';
import { createWorkspace } from '../journal/workspace-files.js';
import { endRemovals, type RemovalReceipt } from '../backup/removed-workspace.js';
import { adoptWorkspace, removeMark } from '../backup/stage-workspace.js';
import { sweepDataFolder } from '../backup/sweep-data-folder.js';
import { findFaults, findLags, ReadinessProbe } from './check-readiness.js';
import { removeWorkspace } from './remove-workspace-files.js';
import { Schedules, type SchedulesOptions } from './schedules.js';
import { prepareUpgrade, schemaPath } from './upgrade.js';
import { watchDisk } from './watch-disk.js';
import { observeSending, openSender } from '../webhooks/open-sender.js';
import type { WorkObservers } from '../metrics/count-work.js';
import type { SenderMeans } from '../webhooks/sender.js';
import type { Workspace } from '../workspace/workspace.js';

/** The options of the service. */
export interface ServiceOptions extends Pick<WorkspaceFiles, 'copies' | 'extractor' | 'timers'> {
  /** The data folder; null keeps everything in memory for a try-out. */
  readonly dataFolder: string | null;
  readonly git: 'auto' | 'never';
  readonly clock: Clock;
  readonly randomness: Randomness;
  readonly onFault: (what: string, cause: unknown) => void;
  readonly onNews?: WorkspaceFiles['onNews'];
  /** Count commits, runs of connectors and deliveries of webhooks. Left out: nothing is counted. */
  readonly observers?: WorkObservers | undefined;
  /** Bytes of the disk that stay free. Left out: the usual ones. */
  readonly diskReserve?: number | undefined;
  /** Bytes that a workspace's derived repositories may take. Left out: the usual ones. */
  readonly derivedBudget?: number | undefined;
  /** Measures the disk; lets a test's disk fill. */
  readonly measureDisk?: DiskRoomOptions['measure'];
  /** The program's release, for records about it. */
  readonly release?: string;
  /** Whether a data folder of an earlier format is upgraded, or refused. Left out: `auto`. */
  readonly upgrade?: 'auto' | 'never';
  /** Opens a sidecar; lets a test's disk fail. */
  readonly openSidecar?: NonNullable<WorkspaceFiles['openSidecar']>;
  /** Milliseconds for which a slow reader may keep files removed by an erase open, for tests. */
  readonly readersGrace?: number;
  /** Milliseconds between two looks at what was written, for tests that wait for changes. */
  readonly tailInterval?: number;
  /** What connectors may use. Left out: public addresses alone, and no log. */
  readonly connectors?: Partial<Pick<ConnectorMeans, 'allowance' | 'log' | 'kinds' | 'testTimeout'>>;
  /** What webhooks may reach, and how long receivers may take. Left out: public addresses alone. */
  readonly webhooks?: Partial<Omit<SenderMeans, 'clock' | 'log'>> & Pick<SchedulesOptions, 'timers'>;
  /** What a password hash costs in place of the usual, for tests. */
  readonly passwordCost?: PasswordCost;
  /** Limits of concurrent work in place of the usual ones, for tests. */
  readonly workLimits?: Partial<Record<WorkKind, Partial<WorkLimit>>>;
}

/** Another process owns the data folder. */
export class DataFolderInUse extends Error {
  override readonly name = 'DataFolderInUse';
}

/** The running service: its workspaces, and the parts shared by all faces. */
export class Service {
  readonly clock: Clock;
  readonly randomness: Randomness;
  readonly cursors: CursorSealer;
  readonly limiter: RateLimiter;
  readonly workLimits: WorkLimits;
  readonly people: People;
  /** The key by which the service recognises its own forms. */
  readonly formKey: Uint8Array;
  readonly dataFolder: string | null;
  /** The disk of the data folder. Null in memory. */
  readonly disk: DiskRoom | null;
  readonly copies: Copies | undefined;
  /** Data of no single workspace. */
  readonly file: ServiceFile;
  /** Changes people, sessions, links and consents. */
  readonly journal: ServiceJournal;
  readonly #files: WorkspaceFiles;
  readonly #lock: OwnerLock | undefined;
  readonly #workspaces = new Map<string, Workspace>();
  readonly #schedules: Schedules;
  readonly #faulty: FaultyWorkspaces;
  readonly #probe: ReadinessProbe;
  /** Resolves when no workspace is being made. */
  #making: Promise<unknown> = Promise.resolve();

  private constructor(
    files: WorkspaceFiles & { readonly workLimits: WorkLimits; readonly passwordCost?: PasswordCost | undefined },
    serviceFile: ServiceFile,
    lock: OwnerLock | undefined,
    means: ConnectorMeans,
    { webhooks, observers }: Pick<ServiceOptions, 'webhooks' | 'observers'>,
  ) {
    this.#schedules = new Schedules({ means, timers: webhooks?.timers });
    this.#files = {
      ...files,
      sources: makeSources(means),
      sender: observeSending(
        openSender({ hosts: [], ...webhooks, clock: means.clock, log: means.log }),
        observers?.onSent,
      ),
      originOf: (name) => describeOrigin(name, serviceFile, { ...files, journal: this.journal }),
    };
    this.file = serviceFile;
    this.#lock = lock;
    this.clock = files.clock;
    this.randomness = files.randomness;
    this.dataFolder = files.dataFolder;
    this.disk = files.disk ?? null;
    this.copies = files.copies;
    const key = serviceFile.addKey('cursor', files.randomness.bytes(32), files.clock.now());
    this.cursors = new CursorSealer(key, files.clock);
    this.limiter = new RateLimiter(files.clock);
    this.workLimits = files.workLimits;
    const peopleKey = serviceFile.addKey('people', files.randomness.bytes(32), files.clock.now());
    this.formKey = serviceFile.addKey('form', files.randomness.bytes(32), files.clock.now());
    this.people = makePeople(serviceFile.people, files.clock, files.randomness, peopleKey, files.passwordCost);
    this.journal = new ServiceJournal({
      file: serviceFile,
      people: this.people,
      epoch: createHmac('sha256', this.formKey).update('epoch').digest('hex'),
      clock: files.clock,
      randomness: files.randomness,
      find: (name) => this.find(name),
      onFault: files.onFault,
      refusal: () => this.copies?.refusal(),
    });
    this.#probe = new ReadinessProbe({
      dataFolder: this.dataFolder,
      disk: this.disk,
      copies: this.copies,
      clock: this.clock,
      opened: () => this.opened(),
      countFaulty: () => this.#faulty.names.length,
    });
    this.#faulty = new FaultyWorkspaces(
      (name) => openWorkspace(this.#files, name),
      (workspace) => {
        this.#add(workspace);
        void this.journal.settleAll([workspace.name]);
      },
      files.onFault,
      files.clock,
    );
  }

  /**
   * Takes the data folder, opens every workspace in it, and lets each catch up before anything is served. One that cannot
   * be opened is reported and set aside.
   * @throws DataFolderInUse; OtherFormat when a newer version wrote the folder, or when it would have to be upgraded and
   * that was not wanted; Error when the service's own file cannot be read
   */
  static async open(options: ServiceOptions): Promise<Service> {
    const { dataFolder } = options;
    const upgrade = dataFolder === null ? undefined : await prepareUpgrade(dataFolder, options);
    if (dataFolder !== null && !(await closeToOthers(dataFolder))) {
      options.onNews?.(
        `${dataFolder} is open to other accounts of this machine. \`cartulary doctor\` says what to do.`,
        {},
      );
    }
    const lock = dataFolder === null ? undefined : takeOwnerLock(join(dataFolder, 'owner.lock'));
    if (dataFolder !== null && lock === undefined) {
      throw new DataFolderInUse(`Another process is using ${dataFolder}.`);
    }
    try {
      upgrade?.begin();
      const file = dataFolder === null ? ':memory:' : join(dataFolder, 'service.sqlite');
      const serviceFile = openServiceFile(file, schemaPath('service'), options.copies?.areKept);
      const files = {
        ...options,
        journalObserver: options.observers?.journal,
        migrations: schemaPath('sidecar'),
        workLimits: makeWorkLimits(options.workLimits),
        lines: new LineFinder(),
        signerOf: keepSigners(options, serviceFile),
        disk: dataFolder === null ? undefined : watchDisk(dataFolder, options),
      };
      const service = new Service(files, serviceFile, lock, meansOf(options), options);
      await service.#sweep();
      for (const { name } of serviceFile.listWorkspaces()) {
        try {
          if (dataFolder !== null) await removeMark(dataFolder, name);
          service.#workspaces.set(name, await openWorkspace(service.#files, name));
        } catch (cause) {
          service.#faulty.add(name, cause);
        }
      }
      await service.journal.settleAll(service.#workspacesToSettle());
      await service.#probe.start();
      await upgrade?.end();
      return service;
    } catch (error) {
      lock?.release();
      throw error;
    }
  }

  /** All that were opened, and those that a record waits for. */
  #workspacesToSettle(): string[] {
    return [...new Set([...this.#workspaces.keys(), ...this.file.records.workspaces()])];
  }

  #add(workspace: Workspace): void {
    this.#workspaces.set(workspace.name, workspace);
    this.#schedules.add(workspace);
  }

  /** Lets connectors run and webhooks be delivered. For a server alone. */
  startSchedules(): Promise<void> {
    return this.#schedules.start(this.opened());
  }

  stopSchedules(): Promise<void> {
    return this.#schedules.stop(this.opened());
  }

  /** Runs before anything is made here. No other process can make anything, because this one has the folder. */
  async #sweep(): Promise<void> {
    if (this.dataFolder === null) return;
    try {
      await endRemovals(this.dataFolder, (name, createdAt) => this.file.removeWorkspace(name, createdAt));
      const listed = this.file.listWorkspaces().map(({ name }) => name);
      await sweepDataFolder(this.dataFolder, listed);
    } catch (cause) {
      this.#files.onFault('What an earlier process left could not be taken away', cause);
    }
  }

  /** Whether the service can do its work. Never throws. */
  readiness(): Promise<Readiness> {
    return this.#probe.read();
  }

  /** The workspaces that could be opened. */
  opened(): Iterable<Workspace> {
    return this.#workspaces.values();
  }

  /** Commits that wait for a repository that cannot be written. */
  findLags(): RepositoryLag[] {
    return findLags(this.#workspaces.values());
  }

  /** What stands in the way of the maintenance of repositories. */
  findFaults(): RepositoryFault[] {
    return findFaults(this.#workspaces.values());
  }

  /** @throws Refusal UNAVAILABLE when it is there and could not be opened */
  find(name: string): Workspace | undefined {
    const workspace = this.#workspaces.get(name);
    if (workspace !== undefined) return workspace;
    const refusal = this.#faulty.refusalFor(name);
    if (refusal !== undefined) throw refusal;
    return undefined;
  }

  /** Including workspaces that could not be opened. */
  names(): string[] {
    return [...this.#workspaces.keys(), ...this.#faulty.names].toSorted();
  }

  /**
   * A new, empty workspace.
   * @throws Refusal INVALID_REQUEST for a bad name, CONFLICT when there is one
   */
  async addWorkspace(name: string): Promise<Workspace> {
    requireWorkspaceName(name);
    return this.#inOrder(async () => {
      if (this.names().includes(name)) throw conflict('name_taken', `There is a workspace "${name}" already.`);
      const workspace = (await adoptUnborn(this.#files, name)) ?? (await this.#createWorkspace(name));
      try {
        this.file.addWorkspace(name, this.clock.now());
      } catch (error) {
        await workspace.close();
        throw error;
      }
      this.#add(workspace);
      return workspace;
    });
  }

  listWorkspaces(): ListedWorkspace[] {
    return this.file.listWorkspaces();
  }

  /**
   * Removes a workspace for good: it is served no more, then its rows go, then its files.
   * @throws Refusal INVALID_REQUEST where there is none, or in memory; Error where its files cannot be set aside: then
   * nothing has happened
   */
  removeWorkspace(name: string): Promise<RemovalReceipt> {
    const { dataFolder, file, clock } = this;
    if (dataFolder === null) throw invalidRequest('no_data_folder', 'What is in memory goes with the process.');
    const parts = { dataFolder, file, clock, workspaces: this.#workspaces, faulty: this.#faulty };
    return this.#inOrder(() => removeWorkspace(name, { ...parts, onFault: this.#files.onFault }));
  }

  /** Workspaces are made and removed one after the other, because two of one name would use the same files. */
  #inOrder<Result>(make: () => Promise<Result>): Promise<Result> {
    const made = this.#making.then(() => {
      requireWritable(this.copies);
      return make();
    });
    this.#making = made.catch(() => undefined);
    return made;
  }

  async #createWorkspace(name: string): Promise<Workspace> {
    await createWorkspace(this.#files, name);
    return openWorkspace(this.#files, name);
  }

  /**
   * Restores a workspace from a backup, under its own name, or from a clone alone. It is checked first, and served at
   * once afterwards.
   * @throws Refusal as `restoreWorkspace` does; INVALID_REQUEST for a bad name, or in memory
   */
  async restore(source: RestoreSource, caller: Caller): Promise<Workspace> {
    const { dataFolder } = this;
    if (dataFolder === null) throw invalidRequest('no_data_folder', 'Restore into a data folder.');
    if ('name' in source) requireWorkspaceName(source.name);
    return this.#inOrder(() => this.#restoreInto(dataFolder, source, caller));
  }

  async #restoreInto(dataFolder: string, source: RestoreSource, caller: Caller): Promise<Workspace> {
    const files = { ...this.#files, dataFolder };
    const isListed = (name: string): boolean => this.file.listWorkspaces().some((each) => each.name === name);
    // Few commands restore: the others do without its code.
    const { restoreWorkspace } = await import('../operations/workspaces/restore-workspace.js');
    const means = { files, serviceMigrations: schemaPath('service'), isListed };
    const staged = await restoreWorkspace(source, means, caller);
    await adoptWorkspace(staged, files, this.file);
    const workspace = await openWorkspace(this.#files, staged.name);
    this.#faulty.forget(staged.name);
    this.#add(workspace);
    return workspace;
  }

  /** Ends all live streams, which would keep a stopping server waiting. */
  endWatches(): void {
    for (const workspace of this.#workspaces.values()) workspace.watchers.endAll();
  }

  /** Finishes the work in progress in every workspace and gives up the data folder. */
  async close(): Promise<void> {
    await this.#making;
    await this.stopSchedules();
    await this.#faulty.close();
    await this.journal.close();
    for (const workspace of this.#workspaces.values()) await workspace.close();
    this.file.close();
    this.#lock?.release();
  }
}

/** Each workspace's key for its audit chain, made once and kept in the service's file. */
function keepSigners({ clock, randomness }: ServiceOptions, file: ServiceFile): WorkspaceFiles['signerOf'] {
  return (name) => {
    const purpose = auditKeyOf(name);
    const key = file.findKey(purpose) ?? file.addKey(purpose, makeAuditKey(randomness), clock.now());
    return makeSigner(name, key);
  };
}

function meansOf({ connectors = {}, clock, randomness, dataFolder, observers }: ServiceOptions): ConnectorMeans {
  const { onRun } = observers ?? {};
  return { allowance: noAllowance, log: silence, clock, randomness, dataFolder, onRun, ...connectors };
}

const ignore = (): void => undefined;
const silence: Log = { debug: ignore, info: ignore, warn: ignore, error: ignore };
