import type { Connector } from '../../domain/connector.js';
import { conflict, invalidRequest } from '../../domain/refusal.js';
import type { PrepareContext, WriteOperation } from '../operation.js';
import type { JudgedName } from '../principals/look-alikes.js';
import { parseDisplayName } from '../principals/parse-name.js';
import { checkConnection, requireInterval } from './check-connection.js';
import { requireConnected, showConnector, storedConnector, type ShownConnector } from './find-connector.js';
import { sealSecret } from './seal-secret.js';
import { runNow } from './steer-connector.js';

export interface ChangeConnectorInput {
  readonly connectorId: string;
  readonly name?: string | undefined;
  /** Milliseconds between two runs. */
  readonly interval?: number | undefined;
  readonly settings?: Connector['settings'] | undefined;
  /** Goes with new settings, and is needed where the connector has one: the old one was given for the old settings. */
  readonly secret?: string | null | undefined;
}

interface PreparedChange {
  readonly judged: JudgedName | undefined;
  readonly name: string | undefined;
  readonly connection: { readonly described: string; readonly secret: Uint8Array | null } | undefined;
}

/**
 * Changes a connector's name, interval, or settings with the secret. With other settings, the next run lists everything
 * and is due at once. Approver of its folder.
 * @throws Refusal NOT_FOUND; INVALID_REQUEST `bad_settings`, `bad_field`, `unknown_field`; CONFLICT `connector_state`
 */
export const changeConnector: WriteOperation<ChangeConnectorInput, ShownConnector, PreparedChange> = {
  kind: 'write',
  name: 'connector.change',
  needs: () => [],
  note: ({ connectorId, name, interval, settings }) => ({
    target: connectorId,
    detail: { name: name !== undefined, interval: interval !== undefined, settings: settings !== undefined },
  }),
  async prepare(context, { connectorId, name, interval, settings, secret }) {
    const connector = requireConnected(context.view, connectorId);
    const displayName = name === undefined ? undefined : parseDisplayName(name);
    if (interval !== undefined) requireInterval(interval);
    const connection =
      settings === undefined ? undefined : await prepareConnection(context, connector, settings, secret);
    if (settings === undefined && secret !== undefined) {
      const message = 'A secret is changed with the settings, or alone by setting it again.';
      throw invalidRequest('unknown_field', message, { field: 'secret' });
    }
    const { judgeName } = await import('../principals/look-alikes.js');
    const judged = displayName === undefined ? undefined : await judgeName(context, displayName, connectorId);
    return { name: displayName, judged, connection };
  },
  run(context, { connectorId, interval, settings }, { name, judged, connection }) {
    const { view } = context;
    const { tables, now } = context.transaction;
    if (judged !== undefined) judged.requireDistinct(context);
    const connector = requireConnected(view, connectorId);
    const { id } = connector;
    if (name !== undefined) tables.principals.rename(id, name);
    if (interval !== undefined) tables.connectors.setInterval(id, interval);
    if (settings !== undefined && connection !== undefined) {
      tables.connectors.setSettings(id, settings, connection.described);
      tables.connectors.setSecret(id, connection.secret);
      tables.connectors.setApproved(id, null);
      if (connector.state !== 'paused') runNow(tables, id, now);
    }
    return showConnector(tables, tables.connectors.byId(id) ?? connector);
  },
  stored: storedConnector,
  finish({ connectors }, { connectorId, settings }) {
    if (settings === undefined) connectors.wake();
    else connectors.restart(connectorId);
  },
};

async function prepareConnection(
  { workspace }: PrepareContext,
  { id, kind, hasSecret }: Connector,
  settings: Connector['settings'],
  secret: string | null | undefined,
): Promise<PreparedChange['connection']> {
  if (secret === undefined && hasSecret) {
    const message = 'Give the secret again with new settings, or null for none: it was given for the earlier ones.';
    throw invalidRequest('bad_settings', message, { field: 'secret' });
  }
  const given = secret ?? null;
  const described = await checkConnection(workspace.connectors.sources, { kind, settings, secret: given });
  return { described, secret: given === null ? null : sealSecret(workspace, id, given) };
}

export interface RotateSecretInput {
  readonly connectorId: string;
  /** null removes it. */
  readonly secret: string | null;
}

interface PreparedSecret {
  readonly sealed: Uint8Array | null;
  /** Of the settings that the secret was given for. */
  readonly generation: number;
}

/**
 * Replaces a connector's secret. One that stopped because of it runs again at once. Approver of its folder.
 * @throws Refusal NOT_FOUND; INVALID_REQUEST `bad_settings`, `bad_field`; CONFLICT `connector_state`, also when the
 * settings changed meanwhile: the secret was given for the earlier ones
 */
export const rotateConnectorSecret: WriteOperation<RotateSecretInput, ShownConnector, PreparedSecret> = {
  kind: 'write',
  name: 'connector.rotate_secret',
  needs: () => [],
  note: ({ connectorId, secret }) => ({ target: connectorId, detail: { removed: secret === null } }),
  async prepare({ workspace, view }, { connectorId, secret }) {
    const { id, kind, settings, generation } = requireConnected(view, connectorId);
    await checkConnection(workspace.connectors.sources, { kind, settings, secret });
    return { sealed: secret === null ? null : sealSecret(workspace, id, secret), generation };
  },
  run(context, { connectorId }, { sealed, generation }) {
    const { tables, now } = context.transaction;
    const { id, state, ...connector } = requireConnected(context.view, connectorId);
    if (connector.generation !== generation) {
      const message = 'The connector was changed meanwhile. Look where it connects to, and set the secret again.';
      throw conflict('connector_state', message, { state });
    }
    tables.connectors.setSecret(id, sealed);
    if (state === 'active' || state === 'stopped') runNow(tables, id, now);
    return showConnector(tables, requireConnected(context.view, id));
  },
  stored: storedConnector,
  finish: ({ connectors }, { connectorId }) => connectors.restart(connectorId),
};
