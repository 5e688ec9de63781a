import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Service, type ServiceOptions } from '../../../lib/app/service.js';
import type { ConnectorKind, ConnectorRun } from '../../../lib/domain/connector.js';
import type { Document } from '../../../lib/domain/document.js';
import { parseFolderLocation, parseLocation } from '../../../lib/domain/location.js';
import { Refusal } from '../../../lib/domain/refusal.js';
import { nodeFileSystem, type FileSystem } from '../../../lib/git/file-system.js';
import { connectSource } from '../../../lib/operations/connectors/connect-source.js';
import type { ShownConnector } from '../../../lib/operations/connectors/find-connector.js';
import {
  listConnectorRuns,
  listConnectors,
  readConnector,
} from '../../../lib/operations/connectors/list-connectors.js';
import { syncNow } from '../../../lib/operations/connectors/steer-connector.js';
import { listDocuments } from '../../../lib/operations/documents/list-documents.js';
import { readDocument } from '../../../lib/operations/documents/read-document.js';
import { listFolders } from '../../../lib/operations/folders/list-folders.js';
import { perform } from '../../../lib/operations/perform.js';
import type { Workspace } from '../../../lib/workspace/workspace.js';
import { keepLog, type LogLine } from '../http/log.js';
import { makeTestRandomness, operator, TestClock, TestService } from '../store/service.js';
import { until } from '../until.js';

/** A connection, as an approver makes it. */
export interface Connecting {
  readonly kind: ConnectorKind;
  readonly settings: Readonly<Record<string, unknown>>;
  readonly secret?: string;
  readonly location?: string;
}

/** How the service keeps its repository. */
export interface Disk {
  readonly git?: 'auto' | 'never';
  readonly fs?: FileSystem;
}

/** A service that mirrors real sources of this machine, as its server does. */
export class SyncingService {
  readonly log: LogLine[] = [];
  readonly clock = new TestClock();
  /** A folder for remotes. */
  readonly outside: string;
  readonly dataFolder: string;
  /** A folder for what else a test needs. */
  readonly scratch: string;
  /** `host:port` of this machine that connectors may reach. It can be added to. */
  readonly allowedHosts: string[];
  #test: TestService | undefined;
  readonly #disk: Disk;
  #starts = 0;

  private constructor(
    { outside, dataFolder, scratch }: Pick<SyncingService, 'outside' | 'dataFolder' | 'scratch'>,
    allowedHosts: string[],
    disk: Disk,
  ) {
    this.outside = outside;
    this.dataFolder = dataFolder;
    this.scratch = scratch;
    this.allowedHosts = allowedHosts;
    this.#disk = disk;
  }

  /** @param findHosts makes remotes in a folder of its own, and tells which hosts of this machine are allowed */
  static async open(
    findHosts: (outside: string) => Promise<string[]> = () => Promise.resolve([]),
    disk: Disk = {},
  ): Promise<SyncingService> {
    const [outside = '', dataFolder = '', scratch = ''] = await Promise.all(
      ['outside', 'data', 'scratch'].map((name) => mkdtemp(join(tmpdir(), `cartulary-syncing-${name}-`))),
    );
    const allowedHosts = await findHosts(outside);
    const world = new SyncingService({ outside, dataFolder, scratch }, allowedHosts, disk);
    await world.start();
    return world;
  }

  /** @param withConnectors whether runs begin at once, as in a server */
  async start({ withConnectors = true }: { readonly withConnectors?: boolean } = {}): Promise<void> {
    this.#starts += 1;
    const { git = 'auto', fs = nodeFileSystem } = this.#disk;
    const options: ServiceOptions & { readonly fs: FileSystem } = {
      dataFolder: this.dataFolder,
      git,
      fs,
      clock: this.clock,
      randomness: makeTestRandomness(`start ${this.#starts}`),
      onFault: () => undefined,
      connectors: {
        allowance: { hosts: this.allowedHosts, folders: [this.outside], programs: {} },
        log: keepLog(this.log),
      },
    };
    const service = await Service.open(options);
    const workspace = service.find('acme') ?? (await service.addWorkspace('acme'));
    this.#test = new TestService(service, workspace, this.clock, this.dataFolder);
    if (withConnectors) await this.startConnectors();
  }

  startConnectors(): Promise<void> {
    return this.test.service.startSchedules();
  }

  async stop(): Promise<void> {
    await this.test.service.close();
    this.#test = undefined;
  }

  /** Ends the service and starts it again on the same data. */
  async restart(): Promise<void> {
    await this.stop();
    await this.start();
  }

  get test(): TestService {
    if (this.#test === undefined) throw new Error('The service does not run.');
    return this.#test;
  }

  get workspace(): Workspace {
    return this.test.workspace;
  }

  get commits(): number {
    return this.workspace.journal.state.commits;
  }

  /** Connects a source and waits for the end of its first run. */
  async connect({ secret, location = 'docs', ...connection }: Connecting): Promise<string> {
    const input = { ...connection, secret: secret ?? null, location: parseFolderLocation(location), name: 'Source' };
    const { result } = await perform(this.workspace, operator, connectSource, input);
    await this.ended(result.id, 1);
    return result.id;
  }

  /** Lets it run now, and waits for the end of the run. */
  async sync(id: string): Promise<ConnectorRun> {
    const before = (await this.runs(id))[0]?.number ?? 0;
    await perform(this.workspace, operator, syncNow, { connectorId: id });
    return this.ended(id, before + 1);
  }

  ended(id: string, number: number): Promise<ConnectorRun> {
    return until(`run ${number} of the connector has ended`, async () => {
      const [last] = await this.runs(id);
      return last !== undefined && last.number >= number && last.outcome !== null ? last : undefined;
    });
  }

  async runs(id: string): Promise<readonly ConnectorRun[]> {
    const input = { connectorId: id, after: '', limit: 100 };
    return (await perform(this.workspace, operator, listConnectorRuns, input)).result.items;
  }

  async shown(id: string): Promise<ShownConnector> {
    return (await perform(this.workspace, operator, readConnector, { connectorId: id })).result;
  }

  async listed(): Promise<readonly ShownConnector[]> {
    const input = { location: parseFolderLocation(''), after: '', limit: 100 };
    return (await perform(this.workspace, operator, listConnectors, input)).result.items;
  }

  /** The text there; undefined where there is no document. */
  async read(location: string): Promise<string | undefined> {
    try {
      const input = { location: parseLocation(location), withContent: true };
      return (await perform(this.workspace, operator, readDocument, input)).result.bytes?.toString();
    } catch (error) {
      if (error instanceof Refusal && error.code === 'NOT_FOUND') return undefined;
      throw error;
    }
  }

  /** Every document below a folder, as lists show them, with its text. */
  async texts(folder = 'docs'): Promise<Record<string, string | undefined>> {
    const found: Record<string, string | undefined> = {};
    for (const { location } of await this.#list(folder)) found[location] = await this.read(location);
    return found;
  }

  /** The same, with the SHA-256 of the content. */
  async digests(folder = 'docs'): Promise<Record<string, string>> {
    return Object.fromEntries((await this.#list(folder)).map(({ location, current }) => [location, current.sha256]));
  }

  async #list(folder: string): Promise<Document[]> {
    const page = { location: parseFolderLocation(folder), after: '', limit: 200 };
    const found = [...(await perform(this.workspace, operator, listDocuments, page)).result.items];
    const folders = (await perform(this.workspace, operator, listFolders, page)).result.items;
    for (const { location } of folders) found.push(...(await this.#list(location)));
    return found;
  }

  async close(): Promise<void> {
    await this.#test?.service.close();
    await Promise.all(
      [this.outside, this.dataFolder, this.scratch].map((path) => rm(path, { recursive: true, force: true })),
    );
  }
}
