import { createHash } from 'node:crypto';
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Service } from '../../../lib/app/service.js';
import type { Caller } from '../../../lib/domain/caller.js';
import type { Clock, Randomness } from '../../../lib/domain/clock.js';
import type { Interface } from '../../../lib/domain/credential.js';
import type { Subject } from '../../../lib/domain/grant.js';
import { parseFolderLocation } from '../../../lib/domain/location.js';
import { operatorId } from '../../../lib/domain/principal.js';
import type { Role } from '../../../lib/domain/role.js';
import { addPrincipal } from '../../../lib/operations/principals/add-principal.js';
import { mintCredential } from '../../../lib/operations/credentials/change-credential.js';
import { createGrant, revokeGrant } from '../../../lib/operations/grants/change-grant.js';
import { addGroup, joinGroup, leaveGroup } from '../../../lib/operations/principals/change-group.js';
import { changePolicy } from '../../../lib/operations/workspaces/change-policy.js';
import { perform } from '../../../lib/operations/perform.js';
import type { Workspace } from '../../../lib/workspace/workspace.js';

/** A clock that stands still until the test advances it. */
export class TestClock implements Clock {
  milliseconds = Date.UTC(2026, 0, 5, 9, 0, 0);
  /** What the time of day is ahead, because somebody set it: no time has passed by that. */
  ahead = 0;

  now(): number {
    return this.milliseconds + this.ahead;
  }

  /** A clock that also moves by itself, so that waiting tests see retries after a while. */
  elapsed(): number {
    return this.milliseconds + performance.now();
  }

  advance(milliseconds: number): void {
    this.milliseconds += milliseconds;
  }
}

/**
 * A clock on which each look is a millisecond later than the one before, as on a busy machine. What compares two times,
 * or two texts with a time in them, meets two equal ones on a clock that stands still, and never in a running service.
 */
export class MovingClock extends TestClock {
  override now(): number {
    this.milliseconds += 1;
    return super.now();
  }
}

/** Bytes that look random, and are the same in every run with the same seed. */
export function makeTestRandomness(seed = 'cartulary'): Randomness {
  let counter = 0;
  return {
    bytes(count) {
      // One long digest, for contents: a hundred times as fast as many short ones.
      if (count >= 1024) {
        counter += 1;
        return createHash('shake256', { outputLength: count }).update(`${seed}:${counter}`).digest();
      }
      const parts: Buffer[] = [];
      for (let made = 0; made < count; made += 32) {
        counter += 1;
        parts.push(createHash('sha256').update(`${seed}:${counter}`).digest());
      }
      return Buffer.concat(parts).subarray(0, count);
    },
  };
}

/** The built-in principal of the command line. */
export const operator: Caller = {
  principalId: operatorId,
  kind: 'operator',
  credentialId: null,
  interface: 'command',
  requestId: 'req_test',
};

/**
 * A service with one workspace, `acme`, and short ways to people it. All calls go through `perform`, as the operator.
 */
export class TestService {
  readonly service: Service;
  readonly workspace: Workspace;
  readonly clock: TestClock;
  /** null for one in memory. */
  readonly dataFolder: string | null;

  constructor(service: Service, workspace: Workspace, clock: TestClock, dataFolder: string | null) {
    this.service = service;
    this.workspace = workspace;
    this.clock = clock;
    this.dataFolder = dataFolder;
  }

  async principal(displayName: string, kind: 'person' | 'agent' = 'person'): Promise<string> {
    return (await perform(this.workspace, operator, addPrincipal, { displayName, kind })).result.id;
  }

  async group(displayName: string, ...members: readonly Subject[]): Promise<string> {
    const { result } = await perform(this.workspace, operator, addGroup, { displayName });
    for (const member of members) await this.join(result.id, member);
    return result.id;
  }

  async join(groupId: string, member: Subject): Promise<void> {
    await perform(this.workspace, operator, joinGroup, { groupId, member });
  }

  async leave(groupId: string, member: Subject): Promise<void> {
    await perform(this.workspace, operator, leaveGroup, { groupId, member });
  }

  async grant(
    role: Role,
    subject: Subject,
    location: string,
    scopeType: 'folder' | 'document' = 'folder',
  ): Promise<void> {
    await perform(this.workspace, operator, createGrant, {
      scopeType,
      location: parseFolderLocation(location),
      subject,
      role,
    });
  }

  async revoke(
    role: Role,
    subject: Subject,
    location: string,
    scopeType: 'folder' | 'document' = 'folder',
  ): Promise<void> {
    await perform(this.workspace, operator, revokeGrant, {
      scopeType,
      location: parseFolderLocation(location),
      subject,
      role,
    });
  }

  /** @returns the key's text */
  async key(
    principalId: string,
    interfaces: readonly Interface[] = ['rest'],
    expiresAt: number | null = null,
    isKnown?: true,
  ): Promise<string> {
    const { result } = await perform(this.workspace, operator, mintCredential, {
      principalId,
      name: 'test',
      interfaces,
      expiresAt,
      requestsPerMinute: null,
      isKnown,
    });
    return result.secret ?? '';
  }

  /** A person with one folder grant, and their key. */
  async person(role: Role, folder = '', name: string = role): Promise<{ readonly id: string; readonly key: string }> {
    const id = await this.principal(name);
    await this.grant(role, { type: 'principal', id }, folder);
    return { id, key: await this.key(id) };
  }

  async close(): Promise<void> {
    await this.service.close();
    if (this.dataFolder !== null) await rm(this.dataFolder, { recursive: true, force: true });
  }
}

export interface TestServiceOptions {
  /** `memory` (the default), `disk`, or `disk-without-git`. */
  readonly store?: 'memory' | 'disk' | 'disk-without-git';
  readonly seed?: string;
  /** One that stands still when left out. */
  readonly clock?: TestClock;
  /** Requests a minute; high by default, so that only tests of the limit meet it. */
  readonly requestsPerMinute?: number;
  /** Milliseconds for which a slow reader may hold on to files that an erase removes. */
  readonly readersGrace?: number;
  /** Milliseconds between two looks at what was written, for those who wait for changes. */
  readonly tailInterval?: number;
  /** Measures the disk in place of the system; it has then a real data folder. */
  readonly measureDisk?: NonNullable<Parameters<typeof Service.open>[0]['measureDisk']>;
  /** Receives faults for the log. */
  readonly onFault?: (what: string, cause: unknown) => void;
  /** What connectors may use. */
  readonly connectors?: NonNullable<Parameters<typeof Service.open>[0]['connectors']>;
  /** What webhooks may reach. */
  readonly webhooks?: NonNullable<Parameters<typeof Service.open>[0]['webhooks']>;
  /** Count work. */
  readonly observers?: NonNullable<Parameters<typeof Service.open>[0]['observers']>;
  /** Makes text of files. */
  readonly extractor?: Parameters<typeof Service.open>[0]['extractor'];
  /** Ring for what is tried again. */
  readonly timers?: Parameters<typeof Service.open>[0]['timers'];
  /** Other limits of work under way than the usual ones. */
  readonly workLimits?: NonNullable<Parameters<typeof Service.open>[0]['workLimits']>;
}

export async function openTestService(options: TestServiceOptions = {}): Promise<TestService> {
  const store = options.store ?? 'memory';
  const dataFolder = store === 'memory' ? null : await mkdtemp(join(tmpdir(), 'cartulary-test-'));
  const clock = options.clock ?? new TestClock();
  const service = await openService(dataFolder, clock, options);
  const workspace = await service.addWorkspace('acme');
  const rate = options.requestsPerMinute ?? 1_000_000;
  await perform(workspace, operator, changePolicy, { requestsPerMinute: rate, burst: rate });
  return new TestService(service, workspace, clock, dataFolder);
}

function openService(dataFolder: string | null, clock: TestClock, options: TestServiceOptions): Promise<Service> {
  return Service.open({
    dataFolder,
    git: options.store === 'disk' ? 'auto' : 'never',
    clock,
    randomness: makeTestRandomness(options.seed),
    passwordCost: { ln: 4, r: 8, p: 1 },
    onFault: options.onFault ?? (() => undefined),
    measureDisk: options.measureDisk,
    observers: options.observers,
    extractor: options.extractor,
    timers: options.timers,
    ...(options.readersGrace === undefined ? {} : { readersGrace: options.readersGrace }),
    ...(options.tailInterval === undefined ? {} : { tailInterval: options.tailInterval }),
    ...(options.connectors === undefined ? {} : { connectors: options.connectors }),
    ...(options.webhooks === undefined ? {} : { webhooks: options.webhooks }),
    ...(options.workLimits === undefined ? {} : { workLimits: options.workLimits }),
  });
}

/** A data folder of a closed service, made once for all tests of a file. Each test opens a copy of its own. */
export class KeptData {
  readonly #folder: string;
  readonly #milliseconds: number;

  private constructor(folder: string, milliseconds: number) {
    this.#folder = folder;
    this.#milliseconds = milliseconds;
  }

  /** @param fill what happened in the service (on disk, with git) before all tests */
  static async make(fill: (test: TestService) => Promise<unknown>): Promise<KeptData> {
    const test = await openTestService({ store: 'disk' });
    await fill(test);
    await test.service.close();
    return new KeptData(test.dataFolder ?? '', test.clock.milliseconds);
  }

  /** @returns a service on a copy, at the time at which the first one was closed; closing it removes the copy */
  async open(): Promise<TestService> {
    const dataFolder = await mkdtemp(join(tmpdir(), 'cartulary-test-'));
    await cp(this.#folder, dataFolder, { recursive: true });
    const clock = new TestClock();
    clock.milliseconds = this.#milliseconds;
    const service = await openService(dataFolder, clock, { store: 'disk', seed: 'a copy' });
    const workspace = service.find('acme');
    if (workspace === undefined) throw new Error('The copy has no workspace.');
    return new TestService(service, workspace, clock, dataFolder);
  }

  remove(): Promise<void> {
    return rm(this.#folder, { recursive: true, force: true });
  }
}
