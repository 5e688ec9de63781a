import { randomFillSync } from 'node:crypto';
import { existsSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { pino, type Logger } from 'pino';
import { makePeople, type People } from './access/people.js';
import { CursorSealer } from './access/seal-cursor.js';
import { RateLimiter } from './access/rate-limit.js';
import { workspaceNamePattern } from './access/secret.js';
import { makeAuditKey, makeSigner } from './audit/checkpoint.js';
import { packagePath, readBuild, type Build, type Config } from './config.js';
import type { Caller } from './domain/caller.js';
import { formatTime, type Clock, type Randomness } from './domain/clock.js';
import { conflict, invalidRequest, Refusal } from './domain/refusal.js';
import { restoreWorkspace, type RestoreSource } from './operations/restore-workspace.js';
import { takeOwnerLock, type OwnerLock } from './sidecar/owner-lock.js';
import { auditKeyOf, openServiceFile, type ServiceFile } from './sidecar/service-file.js';
import type { RestServer } from './rest/server.js';
import type { SignIn } from './signin/sign-in.js';
import type { ServerFacts } from './socket/command.js';
import type { Answer } from './socket/send-command.js';
import { makeOperator } from './socket/initialize.js';
import { listenForCommands } from './socket/listen.js';
import { describeOrigin } from './workspace/describe-origin.js';
import { FaultyWorkspaces } from './workspace/faulty-workspaces.js';
import { adoptUnborn, createWorkspace, openWorkspace, type WorkspaceFiles } from './workspace/open-workspace.js';
import { adoptWorkspace, removeMark } from './workspace/stage-workspace.js';
import type { Workspace } from './workspace/workspace.js';

/** Time as it is. */
export const systemClock: Clock = { now: () => Date.now() };

/** The system's randomness, drawn in pages: a system call for each record would cost more than the record. */
export function makeSystemRandomness(): Randomness {
  const pool = Buffer.alloc(8192);
  let used = pool.length;
  return {
    bytes(count) {
      if (count > pool.length) return randomFillSync(Buffer.alloc(count));
      if (used + count > pool.length) {
        randomFillSync(pool);
        used = 0;
      }
      const bytes = Buffer.from(pool.subarray(used, used + count));
      pool.fill(0, used, used + count);
      used += count;
      return bytes;
    },
  };
}

/** What the composition needs to know. */
export interface ServiceOptions {
  /** The data folder; null keeps everything in memory for a try-out. */
  readonly dataFolder: string | null;
  readonly git: 'auto' | 'never';
  readonly clock: Clock;
  readonly randomness: Randomness;
  readonly onFault: (what: string, cause: unknown) => void;
  readonly onNews?: WorkspaceFiles['onNews'];
  /** Of the program, for what is written down about it. */
  readonly release?: string;
}

/** Another process owns the data folder. */
export class DataFolderInUse extends Error {
  override readonly name = 'DataFolderInUse';
}

/** The running service: its workspaces, and what all faces share. */
export class Service {
  readonly clock: Clock;
  readonly randomness: Randomness;
  readonly cursors: CursorSealer;
  readonly limiter: RateLimiter;
  readonly people: People;
  /** By which the service knows its own forms again. */
  readonly formKey: Uint8Array;
  readonly dataFolder: string | null;
  /** What belongs to no workspace alone. */
  readonly file: ServiceFile;
  readonly #files: WorkspaceFiles;
  readonly #lock: OwnerLock | undefined;
  readonly #workspaces = new Map<string, Workspace>();
  readonly #faulty: FaultyWorkspaces;

  private constructor(files: WorkspaceFiles, serviceFile: ServiceFile, lock: OwnerLock | undefined) {
    this.#files = files;
    this.file = serviceFile;
    this.#lock = lock;
    this.clock = files.clock;
    this.randomness = files.randomness;
    this.dataFolder = files.dataFolder;
    const key = serviceFile.addKey('cursor', files.randomness.bytes(32), files.clock.now());
    this.cursors = new CursorSealer(key, files.clock, files.randomness);
    this.limiter = new RateLimiter(files.clock);
    const peopleKey = serviceFile.addKey('people', files.randomness.bytes(32), files.clock.now());
    this.formKey = serviceFile.addKey('form', files.randomness.bytes(32), files.clock.now());
    this.people = makePeople(serviceFile.people, files.clock, files.randomness, peopleKey);
    this.#faulty = new FaultyWorkspaces(
      (name) => openWorkspace(files, name),
      (workspace) => this.#workspaces.set(workspace.name, workspace),
      files.onFault,
    );
  }

  /**
   * Takes the data folder, opens every workspace in it, and lets each catch up before anything is served. One that
   * cannot be opened is reported and set aside; the others are served.
   * @throws DataFolderInUse; Error when the service's own file cannot be read
   */
  static async open(options: ServiceOptions): Promise<Service> {
    const { dataFolder } = options;
    if (dataFolder !== null) mkdirSync(dataFolder, { recursive: true });
    const lock = dataFolder === null ? undefined : takeOwnerLock(join(dataFolder, 'owner.lock'));
    if (dataFolder !== null && lock === undefined) {
      throw new DataFolderInUse(`Another process is using ${dataFolder}.`);
    }
    try {
      const file = dataFolder === null ? ':memory:' : join(dataFolder, 'service.sqlite');
      const serviceFile = openServiceFile(file, schemaPath('service'));
      const files = {
        ...options,
        migrations: schemaPath('sidecar'),
        signerOf: keepSigners(options, serviceFile),
        originOf: (name: string) => describeOrigin(name, serviceFile, options),
      };
      const service = new Service(files, serviceFile, lock);
      for (const { name } of serviceFile.listWorkspaces()) {
        try {
          if (dataFolder !== null) await removeMark(dataFolder, name);
          service.#workspaces.set(name, await openWorkspace(service.#files, name));
        } catch (cause) {
          service.#faulty.add(name, cause);
        }
      }
      return service;
    } catch (error) {
      lock?.release();
      throw error;
    }
  }

  /** @throws Refusal UNAVAILABLE when it is there and could not be opened */
  find(name: string): Workspace | undefined {
    const workspace = this.#workspaces.get(name);
    if (workspace !== undefined) return workspace;
    const refusal = this.#faulty.refusalFor(name);
    if (refusal !== undefined) throw refusal;
    return undefined;
  }

  /** Also of those that could not be opened. */
  names(): string[] {
    return [...this.#workspaces.keys(), ...this.#faulty.names].toSorted();
  }

  /**
   * A new, empty workspace.
   * @throws Refusal INVALID_REQUEST for a bad name, CONFLICT when there is one
   */
  async addWorkspace(name: string): Promise<Workspace> {
    requireWorkspaceName(name);
    if (this.names().includes(name)) throw conflict('name_taken', `There is a workspace "${name}" already.`);
    const workspace = (await adoptUnborn(this.#files, name)) ?? (await this.#createWorkspace(name));
    this.file.addWorkspace(name, this.clock.now());
    this.#workspaces.set(name, workspace);
    return workspace;
  }

  async #createWorkspace(name: string): Promise<Workspace> {
    await createWorkspace(this.#files, name);
    return openWorkspace(this.#files, name);
  }

  /**
   * A workspace from a backup, under its own name, or from a clone alone. It is checked first, and then here at once.
   * @throws Refusal as `restoreWorkspace` does; INVALID_REQUEST for a bad name, or in memory
   */
  async restore(source: RestoreSource, caller: Caller): Promise<Workspace> {
    const { dataFolder } = this;
    if (dataFolder === null) throw invalidRequest('no_data_folder', 'Restore into a data folder.');
    if ('name' in source) requireWorkspaceName(source.name);
    const files = { ...this.#files, dataFolder };
    const isListed = (name: string): boolean => this.file.listWorkspaces().some((each) => each.name === name);
    const staged = await restoreWorkspace(
      source,
      { files, serviceMigrations: schemaPath('service'), isListed },
      caller,
    );
    await adoptWorkspace(staged, files, this.file);
    const workspace = await openWorkspace(this.#files, staged.name);
    this.#faulty.forget(staged.name);
    this.#workspaces.set(staged.name, workspace);
    return workspace;
  }

  /** Finishes what is under way in every workspace and gives the data folder free. */
  async close(): Promise<void> {
    await this.#faulty.close();
    for (const workspace of this.#workspaces.values()) await workspace.close();
    this.file.close();
    this.#lock?.release();
  }
}

/** @throws Refusal INVALID_REQUEST */
function requireWorkspaceName(name: string): void {
  if (workspaceNamePattern.test(name)) return;
  throw invalidRequest('bad_field', 'A workspace name is 1 to 39 of a-z 0-9 and -, not starting with -.', {
    field: 'workspace',
  });
}

/** Each workspace's key for its audit chain: made once, kept in the service's file. */
function keepSigners({ clock, randomness }: ServiceOptions, file: ServiceFile): WorkspaceFiles['signerOf'] {
  return (name) => {
    const purpose = auditKeyOf(name);
    const key = file.findKey(purpose) ?? file.addKey(purpose, makeAuditKey(randomness), clock.now());
    return makeSigner(name, key);
  };
}

/** A path in the package's schema folder. */
export function schemaPath(...parts: string[]): string {
  return packagePath('schema', ...parts);
}

/**
 * The log: one line of JSON an entry, to standard error, so that standard output is left to answers. Lines leave
 * together, at the latest after a quarter of a second: a system call for each would cost a request a twentieth.
 */
export function makeLog(level: Config['logLevel']): Logger {
  return pino({ level, base: null }, pino.destination({ dest: 2, sync: false, minLength: 8192, periodicFlush: 250 }));
}

/**
 * Opens the data folder as configured.
 * @throws DataFolderInUse; Error when a file cannot be read
 */
export function openService(
  config: Pick<Config, 'git'> & { readonly data: string | null },
  onFault: ServiceOptions['onFault'],
  onNews?: ServiceOptions['onNews'],
): Promise<Service> {
  return Service.open({
    dataFolder: config.data,
    git: config.git,
    clock: systemClock,
    randomness: makeSystemRandomness(),
    onFault,
    onNews,
    release: readBuild().version,
  });
}

/**
 * Brings a workspace into a data folder that no server has; one that had to be made for it goes again where that fails.
 * Never throws for what is wrong with the source: that is the answer.
 */
export async function restoreInto(
  config: Pick<Config, 'git' | 'data'>,
  source: RestoreSource,
  onFault: ServiceOptions['onFault'],
): Promise<Answer> {
  const isNew = !existsSync(config.data);
  let service: Service | undefined;
  try {
    service = await openService(config, onFault);
    const { name, journal } = await service.restore(source, makeOperator(service.randomness));
    const { head, chain } = journal.state;
    await service.close();
    return { result: { workspace: name, data: config.data, commit: head, audit: chain } };
  } catch (error) {
    await service?.close();
    if (isNew && service !== undefined) rmSync(config.data, { recursive: true, force: true });
    if (error instanceof DataFolderInUse) {
      const message = `${error.message} Stop the server first, or name another folder with --data.`;
      return { error: { code: 'UNAVAILABLE', message } };
    }
    if (!(error instanceof Refusal) || error.code === 'INTERNAL')
      throw error instanceof Refusal ? (error.cause ?? error) : error;
    const { code, message, details } = error;
    return { error: details === undefined ? { code, message } : { code, message, details } };
  }
}

/** The service with its faces open. */
export interface RunningService {
  /** Where it answers: the public address where one is configured. */
  readonly url: string;
  readonly service: Service;
  /**
   * Stops gracefully: no new connections, what is under way is finished or, after `within` milliseconds, cut off, and
   * everything that was written is in the repository.
   */
  close(within?: number): Promise<void>;
}

/** Milliseconds that requests under way may take to finish when the service stops; the rest of ten seconds is for the disk. */
const patience = 7000;

export interface ServingOptions {
  /** Tried in order until one is free; left out: the configured one. */
  readonly ports?: readonly number[];
  /** Whether it ends with the one client that it was started for. */
  readonly isTemporary?: boolean;
}

/**
 * Opens the data folder and all faces. Resolves when it answers.
 * @throws DataFolderInUse; Error with the system's code (`EADDRINUSE`, `EACCES`) when the address cannot be listened on
 */
export async function startService(
  config: Omit<Config, 'data'> & { readonly data: string | null },
  log: Logger,
  { ports = [config.port], isTemporary = false }: ServingOptions = {},
): Promise<RunningService> {
  const onFault = (what: string, cause: unknown): void => log.error({ err: cause }, what);
  const service = await openService(config, onFault, (what, figures) => log.info(figures, what));
  const opened: (() => Promise<void>)[] = [];
  try {
    const build = readBuild();
    // Loaded before anyone can ask for it.
    const { mountMcp } = await import('./mcp/mount.js');
    const server = await listenOnFirst(ports, service, config, log, build);
    opened.push(() => server.close(0));
    const url = config.publicUrl ?? urlOf(config.host, server.port);
    const signIn = await mountSignIn(server, service, config, log, url);
    opened.push(() => signIn.close());
    const { openOAuth } = await import('./signin/oauth/open-oauth.js');
    const oauth = await openOAuth(service, signIn, { publicUrl: url, log, trustProxy: config.trustProxy });
    opened.push(async () => oauth.close());
    server.mount(oauth);
    const { later, addressOf } = server;
    const { corsOrigins } = config;
    const { readAccessToken } = oauth;
    const { version } = build;
    server.mount(mountMcp(service, { version, log, publicUrl: url, corsOrigins, later, addressOf, readAccessToken }));
    const started = formatTime(service.clock.now());
    const facts: ServerFacts = { url, pid: process.pid, version, started_at: started, is_temporary: isTemporary };
    const { dataFolder } = service;
    const commands =
      dataFolder === null ? undefined : await listenForCommands({ dataFolder, host: service, server: facts, onFault });
    return {
      url,
      service,
      async close(within = patience) {
        oauth.close();
        await Promise.all([server.close(within), commands?.close()]);
        await signIn.close();
        await service.close();
      },
    };
  } catch (error) {
    for (const close of opened) await close();
    await service.close();
    throw error;
  }
}

async function listenOnFirst(
  ports: readonly number[],
  service: Service,
  config: Omit<Config, 'data'>,
  log: Logger,
  build: Build,
): Promise<RestServer> {
  // Loaded only by those who serve: it is much, and commands should be quick.
  const { startServer } = await import('./rest/server.js');
  const { host, trustProxy, corsOrigins, validateResponses } = config;
  for (const [index, port] of ports.entries()) {
    try {
      return await startServer(service, { host, port, build, log, trustProxy, corsOrigins, validateResponses });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE' || index === ports.length - 1) throw error;
    }
  }
  throw new Error('No port was given.');
}

async function mountSignIn(
  server: RestServer,
  service: Service,
  { trustProxy, upstream }: Omit<Config, 'data'>,
  log: Logger,
  url: string,
): Promise<SignIn> {
  const { createSignIn } = await import('./signin/sign-in.js');
  const { Upstream } = await import('./signin/upstream.js');
  const provider = upstream === null ? undefined : new Upstream(upstream, service.randomness);
  const signIn = await createSignIn(service, { url, log, trustProxy, upstream: provider });
  server.mount(signIn);
  return signIn;
}

/** An address that a client on this machine can use. */
export function urlOf(host: string, port: number): string {
  if (host === '0.0.0.0' || host === '::') return `http://127.0.0.1:${port}`;
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
}
