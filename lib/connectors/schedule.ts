import type { Clock } from '../domain/clock.js';
import type { ConnectorKind } from '../domain/connector.js';
import type { Log } from '../domain/log.js';
import type { Workspace } from '../workspace/workspace.js';
import type { Allowance, SourceKind } from './source.js';
import type { Timers } from './sync/timers.js';

/** What the schedule needs of the service. */
export interface ScheduleOptions {
  /** The workspaces that are open now. */
  workspaces(): Iterable<Workspace>;
  readonly kinds: Readonly<Record<ConnectorKind, SourceKind>>;
  readonly allowance: Allowance;
  /** A connector's secret in the clear; null where it has none. @throws when it cannot be opened */
  openSecret(workspace: Workspace, connectorId: string): string | null;
  /** A folder for what a connector's source keeps between runs. It need not exist. */
  cacheFolder(workspace: Workspace, connectorId: string): string;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly log: Log;
  /** Syncs at once over the whole service. Left out: the usual number. */
  readonly runsAtOnce?: number;
}

/** Runs the syncs of all connectors when they are due. */
export interface Schedule {
  /** Marks the runs that an ended process left, and begins. Called once for the service, and for each added workspace. */
  start(): Promise<void>;
  /** Looks again what is due: a connector is new, or its next run was set. */
  wake(): void;
  /** Whether a run of the connector is under way. */
  isRunning(workspace: string, connectorId: string): boolean;
  /** Ends a run under way; resolves when it is over. Nothing of it is written, unless it was being committed. */
  cancel(workspace: string, connectorId: string): Promise<void>;
  /** Ends all runs, and starts no other. */
  close(): Promise<void>;
}
