import { setTimeout as pause } from 'node:timers/promises';
import type { ConnectorRun } from '../domain/connector.js';
import { conflict } from '../domain/refusal.js';
import { badField } from './fields.js';
import type { WorkspaceContext } from './command.js';

/** Milliseconds between two looks at a run. */
const interval = 200;
const all = Number.MAX_SAFE_INTEGER;

/** The number of a connector's newest run; 0 before the first one. */
export function findNewestRun({ workspace }: Pick<WorkspaceContext, 'workspace'>, connectorId: string): number {
  return workspace.journal.reader.connectorRuns.list(connectorId, all, 1)[0]?.number ?? 0;
}

/** @throws Refusal INVALID_REQUEST `bad_field` where no server runs: nothing would ever be over */
export function requireServer({ server }: Pick<WorkspaceContext, 'server'>, field: string): void {
  if (server !== null) return;
  throw badField(
    field,
    'needs a running server, which alone syncs. Start it with `cartulary serve`, or leave this out',
  );
}

/**
 * Waits until the next run is over, and reports how far it is. The operator reaches every connector, so nothing is
 * asked of rights here.
 * @param after number of the newest run before
 * @throws Refusal CONFLICT `connector_state` when the connector waits for people instead; the signal's reason
 */
export async function followRun(
  { workspace, onProgress, signal }: Pick<WorkspaceContext, 'workspace' | 'onProgress' | 'signal'>,
  connectorId: string,
  after: number,
): Promise<ConnectorRun> {
  for (let shown = ''; ; await pause(interval, undefined, { signal })) {
    const { connectorRuns, connectors } = workspace.journal.reader;
    const [run] = connectorRuns.list(connectorId, all, 1);
    if (run !== undefined && run.number > after) {
      if (run.outcome !== null) return run;
      const { listed, bytes } = run.counts;
      const progress = `${listed} ${bytes}`;
      if (progress !== shown) await onProgress({ listed, bytes });
      shown = progress;
    } else {
      const state = connectors.byId(connectorId)?.state ?? 'disconnected';
      if (state !== 'active') throw conflict('connector_state', `The connector is ${state} now.`, { state });
    }
  }
}
