import type { WriteContext } from '../../changes/write-context.js';
import type { Connector, ConnectorRun } from '../../domain/connector.js';
import { rootLocation } from '../../domain/location.js';
import type { Author } from '../../domain/principal.js';
import { conflict, notFound } from '../../domain/refusal.js';
import { roleContains } from '../../domain/role.js';
import type { Tables } from '../../sidecar/tables.js';
import type { View } from '../../view/view.js';

/** A connector as those see it who manage it. No secret is in it. */
export interface ShownConnector extends Omit<Connector, 'createdBy'> {
  /** The name of its principal, the author of the mirrored versions. */
  readonly name: string;
  readonly createdBy: Author;
  /** The run under way, or the last one. */
  readonly lastRun: ConnectorRun | null;
}

/** The connectors that one workspace may have. */
export const maxConnectors = 100;

/** Newer than all runs. */
export const afterAllRuns = Number.MAX_SAFE_INTEGER;

/** A connector with names in place of ids. */
export function showConnector(tables: Tables, connector: Connector): ShownConnector {
  const { id, createdBy } = connector;
  const { kind = 'person', displayName = createdBy } = tables.principals.find(createdBy) ?? {};
  return {
    ...connector,
    name: tables.principals.find(id)?.displayName ?? id,
    createdBy: { id: createdBy, kind, displayName },
    lastRun: tables.connectorRuns.list(id, afterAllRuns, 1)[0] ?? null,
  };
}

/** Whether the caller manages the connector: an approver of its folder does. */
export function mayManage({ reach }: Pick<View, 'reach'>, connector: Pick<Connector, 'location'> | undefined): boolean {
  return roleContains(reach.roleIn(connector?.location ?? rootLocation), 'approver');
}

/**
 * The connector that the caller manages. An unknown one takes the same steps as one out of reach.
 * @throws Refusal NOT_FOUND
 */
export function requireConnector(view: Pick<View, 'tables' | 'reach'>, connectorId: string): Connector {
  const connector = view.tables.connectors.byId(connectorId);
  const isManaged = mayManage(view, connector);
  if (connector === undefined || !isManaged) throw notFound();
  return connector;
}

/**
 * The same, and it is not disconnected.
 * @throws Refusal NOT_FOUND; CONFLICT `connector_state`
 */
export function requireConnected(view: Pick<View, 'tables' | 'reach'>, connectorId: string): Connector {
  const connector = requireConnector(view, connectorId);
  if (connector.state === 'disconnected') {
    throw conflict('connector_state', 'The connector is disconnected for good. Connect the source again.', {
      state: connector.state,
    });
  }
  return connector;
}

/** What a write of one connector keeps for a retry. Its answer is for those who manage the connector then. */
export const storedConnector = {
  keep: ({ id }: ShownConnector): unknown => id,
  /** @throws Refusal NOT_FOUND */
  recall: ({ view, transaction: { tables } }: WriteContext, id: unknown): ShownConnector =>
    showConnector(tables, requireConnector(view, String(id))),
};
