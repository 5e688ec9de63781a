import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { folderKind } from '../../../lib/connectors/folder/folder-kind.js';
import { gitKind } from '../../../lib/connectors/git/git-kind.js';
import type { Connector } from '../../../lib/domain/connector.js';
import { parseFolderLocation } from '../../../lib/domain/location.js';
import type { Role } from '../../../lib/domain/role.js';
import { connectSource, type ConnectInput } from '../../../lib/operations/connectors/connect-source.js';
import type { ShownConnector } from '../../../lib/operations/connectors/find-connector.js';
import { keepLog, type LogLine } from '../../support/http/log.js';
import { Client } from '../../support/store/client.js';
import { openTestService, type TestService } from '../../support/store/service.js';

/** A service that may mirror one folder of this machine, and one host of it that refuses everybody. */
export class ConnectedWorld {
  readonly test: TestService;
  readonly ada: Client;
  /** Lines of the service's log about connectors. */
  readonly log: LogLine[];
  /** Faults that the service survived. */
  readonly faults: unknown[];
  /** What the host that refuses was sent. */
  readonly authorizations: string[];
  /** Whether that host says nothing at all. */
  isMute = false;
  readonly #folder: string;
  readonly #server: Server;

  private constructor(
    parts: Pick<ConnectedWorld, 'test' | 'ada' | 'log' | 'faults' | 'authorizations'>,
    folder: string,
    server: Server,
  ) {
    this.test = parts.test;
    this.ada = parts.ada;
    this.log = parts.log;
    this.faults = parts.faults;
    this.authorizations = parts.authorizations;
    this.#folder = folder;
    this.#server = server;
  }

  /** @param testTimeout milliseconds for a test of a connection; the usual ones when left out */
  static async open(store: 'memory' | 'disk' = 'memory', testTimeout?: number): Promise<ConnectedWorld> {
    const folder = await mkdtemp(join(tmpdir(), 'cartulary-connected-'));
    await mkdir(join(folder, 'notes'));
    await writeFile(join(folder, 'notes', 'one.md'), '# One\n');
    const authorizations: string[] = [];
    // It says back what it was sent, as a badly made server does.
    const mute = { is: (): boolean => false };
    const server = createServer((request, response) => {
      if (mute.is()) return;
      const { authorization = '' } = request.headers;
      authorizations.push(authorization);
      response.writeHead(403, { 'Content-Type': 'text/plain' }).end(`no: ${authorization}`);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const log: LogLine[] = [];
    const faults: unknown[] = [];
    const test = await openTestService({
      store,
      onFault: (what, cause) => void faults.push(what, cause),
      connectors: {
        allowance: { hosts: [`127.0.0.1:${port}`], folders: [join(folder, 'notes')], programs: {} },
        log: keepLog(log),
        ...(testTimeout === undefined ? {} : { testTimeout }),
        kinds: { folder: () => Promise.resolve(folderKind), git: () => Promise.resolve(gitKind) },
      },
    });
    const ada = new Client(test.workspace, (await test.person('approver', '', 'Ada')).id);
    const world = new ConnectedWorld({ test, ada, log, faults, authorizations }, folder, server);
    mute.is = () => world.isMute;
    return world;
  }

  /** Settings of the folder that may be mirrored. */
  get notes(): Connector['settings'] {
    return { path: join(this.#folder, 'notes') };
  }

  /** Settings of the host that refuses. */
  get refusing(): Connector['settings'] {
    const { port } = this.#server.address() as AddressInfo;
    return { url: `http://127.0.0.1:${port}/notes.git`, username: 'ada' };
  }

  /** What Ada connects, unless told otherwise. */
  input(location: string, change: Partial<ConnectInput> = {}): ConnectInput {
    const place = parseFolderLocation(location);
    return { location: place, kind: 'folder', settings: this.notes, secret: null, name: 'Notes', ...change };
  }

  connect(location: string, change: Partial<ConnectInput> = {}, by = this.ada): Promise<ShownConnector> {
    return by.perform(connectSource, this.input(location, change));
  }

  /** Connects with a secret. */
  connectWithSecret(location: string, secret: string): Promise<ShownConnector> {
    return this.connect(location, { kind: 'git', settings: this.refusing, secret });
  }

  async client(role: Role, folder = ''): Promise<Client> {
    return new Client(this.test.workspace, (await this.test.person(role, folder)).id);
  }

  async close(): Promise<void> {
    await this.test.close();
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
    await rm(this.#folder, { recursive: true, force: true, maxRetries: 5 });
  }
}
