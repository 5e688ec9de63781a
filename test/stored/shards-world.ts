import { makeSystemRandomness, systemClock } from '../../lib/app/real-world.js';
import { Service } from '../../lib/app/service.js';
import type { Clock } from '../../lib/domain/clock.js';
import { superseded } from '../../lib/domain/refusal.js';
import type { Copies } from '../../lib/journal/copies.js';
import { changePolicy } from '../../lib/operations/workspaces/change-policy.js';
import { perform } from '../../lib/operations/perform.js';
import { systemTimers } from '../../lib/scheduling/timers.js';
import type { Bucket } from '../../lib/stored/bucket.js';
import { followFolder, prepareFollowFolder } from '../../lib/stored/follow-folder.js';
import { FollowedShards } from '../../lib/stored/followed-shards.js';
import { Lives } from '../../lib/stored/lives.js';
import { operator } from '../support/store/service.js';
import { Actor } from '../support/store/actor.js';
import { never, type ServedStore } from './bucket-world.js';
import { address, bucketOf, type CopyKey } from './follow-world.js';

export interface ShardsOptions {
  readonly dataFolder: string;
  readonly store: ServedStore;
  readonly key: CopyKey;
  readonly clock?: Clock;
  /** Whether it takes over from the life that is current. */
  readonly takesOver?: boolean;
  readonly service?: Partial<Parameters<typeof Service.open>[0]>;
}

/** A service with a workspace `acme`, and its copy, whose rounds are the test's to begin. */
export class StoredShards {
  readonly service: Service;
  readonly shards: FollowedShards;
  readonly bucket: Bucket;
  readonly lives: Lives;
  readonly dataFolder: string;

  private constructor(service: Service, shards: FollowedShards, bucket: Bucket, lives: Lives, dataFolder: string) {
    this.service = service;
    this.shards = shards;
    this.bucket = bucket;
    this.lives = lives;
    this.dataFolder = dataFolder;
  }

  static async open(options: ShardsOptions): Promise<StoredShards> {
    const { dataFolder, store, key, clock = systemClock } = options;
    const randomness = makeSystemRandomness();
    const bucket = bucketOf(store);
    const made: { shards?: FollowedShards } = {};
    const copies: Copies = {
      areKept: true,
      status: undefined,
      refusal: () => undefined,
      forgetKeys: (name, signal) => made.shards?.forgetKeys(name, signal) ?? Promise.resolve(),
      forgetPast: (name, signal) => made.shards?.forgetPast(name, signal) ?? Promise.reject(new Error('None yet.')),
    };
    const service = await Service.open({
      dataFolder,
      git: 'auto',
      clock,
      randomness,
      passwordCost: { ln: 4, r: 8, p: 1 },
      onFault: () => undefined,
      copies,
      ...options.service,
    });
    if (!service.names().includes('acme')) {
      const workspace = await service.addWorkspace('acme');
      await perform(workspace, operator, changePolicy, { requestsPerMinute: 1_000_000, burst: 1_000_000 });
    }
    const folder = followFolder(dataFolder);
    await prepareFollowFolder(folder);
    const lives = new Lives({ bucket, address, folder, clock, randomness });
    if (options.takesOver === true) await lives.takeOver(never);
    const begun = await lives.begin(never);
    if (!('life' in begun)) throw new Error('Another machine is current.');
    const { life } = begun;
    const { recipient } = key;
    const requireCurrent = async (signal: AbortSignal): Promise<void> => {
      if ((await lives.look(signal)) !== 'current') throw superseded();
    };
    const means = { bucket, dataFolder, recipients: [recipient], clock, randomness, requireCurrent, interval: 20 };
    const shards = new FollowedShards({ life, service, timers: systemTimers, ...means });
    made.shards = shards;
    return new StoredShards(service, shards, bucket, lives, dataFolder);
  }

  actor(name = 'acme'): Actor {
    const workspace = this.service.find(name);
    if (workspace === undefined) throw new Error(`There is no workspace ${name}.`);
    return new Actor(workspace, operator.principalId);
  }

  store(isPoint = false): Promise<void> {
    return this.shards.store(isPoint, never);
  }

  async list(under = ''): Promise<string[]> {
    const names: string[] = [];
    for await (const { name } of this.bucket.list(under, { signal: never })) names.push(name);
    return names;
  }

  async close(): Promise<void> {
    this.shards.close();
    await this.service.close();
  }
}

/** Holds the first request that a pattern matches. */
export class Hold {
  readonly reached: Promise<void>;
  readonly release: () => void;

  constructor({ proxy }: ServedStore, pattern: RegExp) {
    let reach = (): void => undefined;
    let release = (): void => undefined;
    this.reached = new Promise((resolve) => (reach = resolve));
    const released = new Promise<void>((resolve) => (release = resolve));
    this.release = release;
    let isTaken = false;
    proxy.judge = async (asked) => {
      if (isTaken || !pattern.test(asked)) return undefined;
      isTaken = true;
      reach();
      await released;
      return undefined;
    };
  }
}
