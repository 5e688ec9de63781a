import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ConnectorMeans } from '../connectors/sources.js';
import { pathsOf } from '../journal/workspace-files.js';
import type { ScheduleOptions } from '../webhooks/schedule-deliveries.js';
import type { Workspace } from '../workspace/workspace.js';

/** What the schedules of a service may use. */
export interface SchedulesOptions {
  readonly means: ConnectorMeans;
  /** Of webhooks; the system's when left out. */
  readonly timers?: ScheduleOptions['timers'];
}

/** Runs connectors and delivers webhooks, for the workspaces now and for every one added later. For a server alone. */
export class Schedules {
  readonly #options: SchedulesOptions;
  #begin: ((workspace: Workspace) => void) | undefined;
  /** The folder of caches, in memory. */
  #caches: string | undefined;

  constructor(options: SchedulesOptions) {
    this.#options = options;
  }

  async start(workspaces: Iterable<Workspace>): Promise<void> {
    const { means, timers } = this.#options;
    const { makeSyncSlots, openSchedule } = await import('../connectors/schedule-syncs.js');
    const { makeDeliverySlots, openWebhookSchedule } = await import('../webhooks/schedule-deliveries.js');
    const runs = makeSyncSlots();
    const deliveries = makeDeliverySlots();
    if (means.dataFolder === null) this.#caches = await mkdtemp(join(tmpdir(), 'cartulary-sources-'));
    const root = means.dataFolder ?? this.#caches ?? '';
    this.#begin = (workspace) => {
      const cacheFolder = pathsOf(root, workspace.name).sources;
      workspace.connectors.start(openSchedule({ workspace, means, cacheFolder, slots: runs }));
      const { clock, log } = means;
      const options = { workspace, clock, log, slots: deliveries, ...(timers !== undefined && { timers }) };
      workspace.webhooks.start(openWebhookSchedule(options));
    };
    for (const workspace of workspaces) this.#begin(workspace);
  }

  /** For a workspace that is added. */
  add(workspace: Workspace): void {
    this.#begin?.(workspace);
  }

  /** Ends what is under way, and begins nothing more. */
  async stop(workspaces: Iterable<Workspace>): Promise<void> {
    this.#begin = undefined;
    const ends = [...workspaces].flatMap(({ connectors, webhooks }) => [connectors.close(), webhooks.close()]);
    await Promise.all(ends);
    if (this.#caches !== undefined) await rm(this.#caches, { recursive: true, force: true });
  }
}
