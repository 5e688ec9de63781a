import { generateIdentity, identityToRecipient } from 'age-encryption';
import { makeSystemRandomness, systemClock } from '../../lib/app/real-world.js';
import { Service } from '../../lib/app/service.js';
import { schemaPath } from '../../lib/app/upgrade.js';
import type { Clock } from '../../lib/domain/clock.js';
import { verifyWorkspace } from '../../lib/integrity/verify-workspace.js';
import { changePolicy } from '../../lib/operations/workspaces/change-policy.js';
import { perform } from '../../lib/operations/perform.js';
import { systemTimers } from '../../lib/scheduling/timers.js';
import type { Bucket } from '../../lib/stored/bucket.js';
import { followFolder } from '../../lib/stored/follow-folder.js';
import { Lives } from '../../lib/stored/lives.js';
import { Follower, type FollowerOptions } from '../../lib/stored/follower.js';
import { restoreService, type RestoredService } from '../../lib/stored/restore-service.js';
import type { Workspace } from '../../lib/workspace/workspace.js';
import { operator } from '../support/store/service.js';
import { until } from '../support/until.js';
import { never, openBucketAt, type ServedStore } from './bucket-world.js';

export const address = 's3://team/machine/a';

/** A key that opens copies. */
export interface CopyKey {
  readonly identity: string;
  readonly recipient: string;
}

export async function makeCopyKey(): Promise<CopyKey> {
  const identity = await generateIdentity();
  return { identity, recipient: await identityToRecipient(identity) };
}

export const bucketOf = (store: ServedStore, change: Parameters<typeof openBucketAt>[2] = {}): Bucket =>
  openBucketAt(store.proxy.host, store.key, change);

/** Deletes everything in the bucket. */
export async function emptyBucket(store: ServedStore): Promise<void> {
  const bucket = bucketOf(store);
  const names: string[] = [];
  for await (const { name } of bucket.list('', { signal: never })) names.push(name);
  await bucket.delete(names, { signal: never });
}

export interface FollowedOptions {
  readonly dataFolder: string;
  readonly store: ServedStore;
  readonly key: CopyKey;
  readonly clock?: Clock;
  /** Whether it takes over from the life that is current. */
  readonly takesOver?: boolean;
  readonly change?: Partial<FollowerOptions>;
  readonly service?: Partial<Parameters<typeof Service.open>[0]>;
}

/** A service with a workspace `acme`, and what keeps its copy. Each round that finds a change makes a point. */
export class Followed {
  readonly service: Service;
  readonly follower: Follower;
  readonly dataFolder: string;
  readonly clock: Clock;
  readonly faults: string[];

  private constructor(service: Service, follower: Follower, dataFolder: string, clock: Clock, faults: string[]) {
    this.service = service;
    this.follower = follower;
    this.dataFolder = dataFolder;
    this.clock = clock;
    this.faults = faults;
  }

  static async open(options: FollowedOptions): Promise<Followed> {
    const { dataFolder, store, key, clock = systemClock, takesOver = false, change, service } = options;
    const faults: string[] = [];
    const randomness = makeSystemRandomness();
    if (takesOver) {
      const folder = followFolder(dataFolder);
      await new Lives({ bucket: bucketOf(store), address, folder, clock, randomness }).takeOver(never);
    }
    const follower = new Follower({
      bucket: bucketOf(store),
      address,
      dataFolder,
      recipients: [key.recipient],
      interval: 30,
      pointInterval: 0,
      isVersioned: false,
      clock,
      randomness,
      timers: systemTimers,
      onFault: (what, cause) => faults.push(`${what}: ${String(cause)}`),
      onNews: () => undefined,
      ...change,
    });
    const opened = await Service.open({
      dataFolder,
      git: 'auto',
      clock,
      randomness,
      passwordCost: { ln: 4, r: 8, p: 1 },
      onFault: (what, cause) => faults.push(`${what}: ${String(cause)}`),
      copies: follower,
      ...service,
    });
    if (opened.find('acme') === undefined) {
      const workspace = await opened.addWorkspace('acme');
      await perform(workspace, operator, changePolicy, { requestsPerMinute: 1_000_000, burst: 1_000_000 });
    }
    const followed = new Followed(opened, follower, dataFolder, clock, faults);
    await follower.start(opened);
    return followed;
  }

  get workspace(): Workspace {
    const workspace = this.service.find('acme');
    if (workspace === undefined) throw new Error('There is no workspace.');
    return workspace;
  }

  /** Resolves when everything answered by now is in the bucket. */
  async stored(): Promise<void> {
    const asked = this.clock.elapsed();
    await until(
      () => `the copy is complete (${JSON.stringify(this.follower.status)}; ${this.faults.join('; ')})`,
      () => {
        const { shards } = this.follower.status;
        const now = this.clock.elapsed();
        return shards.length > 1 && shards.every(({ behind }) => behind !== null && now - behind >= asked);
      },
    );
  }

  async close(): Promise<void> {
    await this.follower.stop();
    await this.service.close();
  }
}

/** Restores from the bucket, and requires that it is sound. */
export async function restoreSound(
  store: ServedStore,
  key: CopyKey,
  dataFolder: string,
  at?: number,
  only?: string,
): Promise<RestoredService> {
  const restored = await restoreService({
    bucket: bucketOf(store),
    identities: [key.identity],
    at,
    life: undefined,
    only,
    serviceMigrations: schemaPath('service'),
    dataFolder,
    git: 'auto',
    signal: never,
    onProgress: () => undefined,
  });
  for (const { workspace } of restored.workspaces) {
    const { problems } = await verifyWorkspace({ dataFolder, name: workspace, git: 'auto' }, () => undefined);
    if (problems.length > 0) throw new Error(`${workspace} is not sound: ${JSON.stringify(problems)}`);
  }
  return restored;
}
