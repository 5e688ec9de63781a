import type { ConnectorSchedule } from '../workspace/connectors.js';
import type { Workspace } from '../workspace/workspace.js';
import type { ConnectorMeans } from './sources.js';

export interface ScheduleOptions {
  readonly workspace: Workspace;
  readonly means: ConnectorMeans;
  /** A folder for the caches of the workspace's connectors: each has a folder of its own in it. */
  readonly cacheFolder: string;
}

/** Runs the connectors of a workspace when they are due. */
export function openSchedule(_options: ScheduleOptions): ConnectorSchedule {
  return { wake: () => undefined, cancel: () => Promise.resolve(), close: () => Promise.resolve() };
}
