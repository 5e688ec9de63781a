import { join } from 'node:path';
import type { Connector } from '../domain/connector.js';
import { maxWait } from '../operations/connectors/decide-next-run.js';
import { afterAllRuns, maxConnectors } from '../operations/connectors/find-connector.js';
import { endLeftRuns } from '../operations/connectors/end-run.js';
import type { ConnectorSchedule } from '../workspace/connector-schedule.js';
import type { Workspace } from '../workspace/workspace.js';
import type { ConnectorMeans } from './sources.js';
import { syncLimits, type SyncLimits } from './sync/limits.js';
import { longestRun, RunCancelled, runConnector } from './sync/run-connector.js';
import { RunSlots } from '../scheduling/run-slots.js';
import { systemTimers, type Timers } from '../scheduling/timers.js';

/**
 * Syncs at once over the whole service: of sources that answered well the last time, and of those that failed then or
 * took long. Each may read several files at once.
 */
export interface SyncSlots {
  readonly usual: RunSlots;
  readonly slow: RunSlots;
}

/** A silent source takes none of the slots of the others. */
export const makeSyncSlots = (): SyncSlots => ({ usual: new RunSlots(4), slow: new RunSlots(2) });

/** Of these, what one workspace may take, and in it one who connects: slow sources of some leave room for others. */
const shares = {
  usual: { ofWorkspace: 3, ofOwner: 2 },
  slow: { ofWorkspace: 2, ofOwner: 1 },
} as const;

/** Milliseconds of a run beyond which the next one is among the slow ones. */
const longRun = 60_000;

export interface ScheduleOptions {
  readonly workspace: Workspace;
  readonly means: ConnectorMeans;
  /** A folder for the caches of the workspace's connectors: each has a folder of its own in it. */
  readonly cacheFolder: string;
  /** Of the whole service. */
  readonly slots: SyncSlots;
  /** Left out: the system's. */
  readonly timers?: Timers;
  /** Left out: the usual ones. */
  readonly limits?: SyncLimits;
}

/** Milliseconds after which the schedule looks again, even if nothing is due: the time of day can be set. */
const maxSleep = 10 * 60_000;
/** Milliseconds until another try, when a run could not be noted. */
const pauseAfterFault = 60_000;

/** Runs the connectors of a workspace when they are due. */
export function openSchedule(options: ScheduleOptions): ConnectorSchedule {
  return new Schedule(options);
}

interface Running {
  readonly owner: string;
  readonly pool: keyof SyncSlots;
  readonly cancel: AbortController;
  readonly over: Promise<void>;
}

class Schedule implements ConnectorSchedule {
  readonly #options: ScheduleOptions;
  readonly #timers: Timers;
  readonly #running = new Map<string, Running>();
  /** When runs that could not be noted may be tried again, by the steady clock. */
  readonly #notBefore = new Map<string, number>();
  #stopTimer: () => void = () => undefined;
  /** Those that are due and wait for a slot, when it last looked. */
  #waiting = 0;
  #isReady = false;
  #isClosed = false;
  readonly #ready: Promise<void>;

  constructor(options: ScheduleOptions) {
    this.#options = options;
    this.#timers = options.timers ?? systemTimers;
    this.#ready = this.#begin();
  }

  async #begin(): Promise<void> {
    try {
      await endLeftRuns(this.#options.workspace);
      this.#isReady = true;
      this.wake();
    } catch (error) {
      this.#fail('Runs of connectors that an earlier process left could not be ended', error);
      this.#sleep(pauseAfterFault, () => void this.#begin());
    }
  }

  readonly wake = (): void => {
    if (this.#isClosed || !this.#isReady) return;
    try {
      this.#look();
    } catch (error) {
      this.#fail('The schedule of connectors could not be read', error);
      this.#sleep(pauseAfterFault, this.wake);
    }
  };

  /** Begins what is due, and sleeps until the next run is. */
  #look(): void {
    const { workspace, means, limits = syncLimits } = this.#options;
    const { connectors } = workspace.journal.reader;
    const now = means.clock.now();
    const { withheld } = workspace.connectors;
    let waiting = 0;
    const due = connectors.due(now, { ...maxWait, run: longestRun(limits) }, maxConnectors);
    for (const connector of due) {
      if (connector.state !== 'active' || this.#running.has(connector.id) || this.#isPutOff(connector)) continue;
      if (withheld.has(connector.id)) continue;
      const pool = this.#poolOf(connector);
      // The end of one that is under way begins another.
      const release = this.#hasItsShare(connector, pool) ? undefined : this.#options.slots[pool].take(this.wake);
      if (release === undefined) waiting += 1;
      else this.#start(connector, pool, release);
    }
    this.#waiting = waiting;
    const next = connectors.nextRunAfter(now);
    const putOff = this.#notBefore.size > 0 ? pauseAfterFault : Number.POSITIVE_INFINITY;
    const pause = Math.min(next === undefined ? Number.POSITIVE_INFINITY : next - now, putOff);
    if (pause < Number.POSITIVE_INFINITY) this.#sleep(Math.min(pause, maxSleep), this.wake);
  }

  /** A source that failed or took long may do so again. */
  #poolOf({ id, failures }: Connector): keyof SyncSlots {
    if (failures > 0) return 'slow';
    const last = this.#options.workspace.journal.reader.connectorRuns.list(id, afterAllRuns, 1)[0];
    if (last === undefined || last.endedAt === null) return 'usual';
    return last.endedAt - last.startedAt > longRun ? 'slow' : 'usual';
  }

  /** Whether who connected it, or the whole workspace, has as many runs of this pool under way as may be. */
  #hasItsShare({ createdBy }: Connector, pool: keyof SyncSlots): boolean {
    const { ofOwner, ofWorkspace } = shares[pool];
    const alike = [...this.#running.values()].filter((each) => each.pool === pool);
    return alike.length >= ofWorkspace || alike.filter(({ owner }) => owner === createdBy).length >= ofOwner;
  }

  get waiting(): number {
    return this.#waiting;
  }

  #isPutOff({ id }: Connector): boolean {
    const until = this.#notBefore.get(id);
    if (until === undefined) return false;
    if (this.#options.means.clock.elapsed() < until) return true;
    this.#notBefore.delete(id);
    return false;
  }

  #start(connector: Connector, pool: keyof SyncSlots, release: () => void): void {
    const { workspace, means, cacheFolder, limits = syncLimits } = this.#options;
    const cancel = new AbortController();
    const run = runConnector(connector, {
      workspace,
      means,
      limits,
      cacheFolder: join(cacheFolder, connector.id),
      timers: this.#timers,
      signal: cancel.signal,
    });
    const over = run
      .catch((error: unknown) => {
        this.#notBefore.set(connector.id, means.clock.elapsed() + pauseAfterFault);
        this.#fail('A run of a connector could not be noted, and will be repeated', error);
      })
      .finally(() => {
        this.#running.delete(connector.id);
        release();
        this.wake();
      });
    this.#running.set(connector.id, { owner: connector.createdBy, pool, cancel, over });
  }

  #sleep(milliseconds: number, work: () => void): void {
    this.#stopTimer();
    if (!this.#isClosed) this.#stopTimer = this.#timers.after(milliseconds, work);
  }

  #fail(what: string, error: unknown): void {
    const { workspace, means } = this.#options;
    if (!this.#isClosed) means.log.error({ workspace: workspace.name, err: error }, what);
  }

  async cancel(connectorId: string): Promise<void> {
    const running = this.#running.get(connectorId);
    running?.cancel.abort(new RunCancelled(false));
    await running?.over;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#stopTimer();
    const { usual, slow } = this.#options.slots;
    usual.forget(this.wake);
    slow.forget(this.wake);
    await this.#ready;
    const running = [...this.#running.values()];
    for (const { cancel } of running) cancel.abort(new RunCancelled(true));
    await Promise.all(running.map(({ over }) => over));
  }
}
