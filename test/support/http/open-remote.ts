import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { mountRemote } from '../../../lib/remote/mount-git.js';
import type { Role } from '../../../lib/domain/role.js';
import { keepLog, type LogLine } from './log.js';
import { openTestServer, TestServer, type TestServerOptions } from './server.js';

/** A service on a free port that serves git beside REST, with a folder for clones. */
export async function openRemoteServer(options: TestServerOptions = {}): Promise<RemoteTestServer> {
  const server = await openTestServer({ store: 'disk', ...options });
  mountGit(server);
  return new RemoteTestServer(server, await mkdtemp(join(tmpdir(), 'cartulary-clones-')));
}

/** Serves git beside the other faces. */
export function mountGit({ rest, host, log }: TestServer): void {
  const { later, addressOf } = rest;
  rest.mount(mountRemote(host.service, { log: keepLog(log as LogLine[]), later, addressOf }));
}

/** A principal with a key for git. */
export interface RemotePerson {
  readonly id: string;
  readonly key: string;
  /** The address with the key in it. */
  readonly url: string;
}

export class RemoteTestServer extends TestServer {
  /** For clones; it goes with the server. */
  readonly folder: string;

  constructor({ host, rest, log }: TestServer, folder: string) {
    super(host, rest, log);
    this.folder = folder;
  }

  /** The address of a workspace, with a key in it if one is given. */
  url(key?: string, workspace = 'acme'): string {
    const user = key === undefined ? '' : `git:${key}@`;
    return `http://${user}127.0.0.1:${this.rest.port}/git/${workspace}`;
  }

  /** A person with one folder grant, and a key for REST and git. */
  async cloner(role: Role | null, folder = '', name: string = role ?? 'nobody'): Promise<RemotePerson> {
    const id = await this.host.principal(name);
    if (role !== null) await this.host.grant(role, { type: 'principal', id }, folder);
    const key = await this.host.key(id, ['rest', 'git']);
    return { id, key, url: this.url(key) };
  }

  override async close(): Promise<void> {
    await super.close();
    await rm(this.folder, { recursive: true, force: true });
  }
}
