import { makeSecret } from '../../access/secret.js';
import type { WriteOperation } from '../operation.js';
import { requireConnected, showConnector, type ShownConnector } from './find-connector.js';
import type { ConnectorInput } from './list-connectors.js';
import { sealSecret } from './seal-secret.js';

export interface SetWebhookInput extends ConnectorInput {
  /** Whether there is one. A new secret replaces an old one. */
  readonly enabled: boolean;
}

/** A connector with the secret of its webhook. The text is shown this once. */
export interface ConnectorWithWebhook {
  readonly connector: ShownConnector;
  /** Null when it was removed. */
  readonly secret: string | null;
}

interface PreparedSecret {
  readonly text: string;
  readonly sealed: Uint8Array;
}

/** Makes the secret by which a source signs that it has changed, or takes it away. Approver of the folder. */
export const setWebhook: WriteOperation<SetWebhookInput, ConnectorWithWebhook, PreparedSecret | null> = {
  kind: 'write',
  name: 'connector.set_webhook',
  needs: () => [],
  note: ({ connectorId, enabled }) => ({ target: connectorId, detail: { enabled } }),
  async prepare({ workspace, view }, { connectorId, enabled }) {
    const { id } = requireConnected(view, connectorId);
    if (!enabled) return null;
    const text = makeSecret(workspace.randomness);
    return { text, sealed: sealSecret(workspace, id, text, 'webhook') };
  },
  run({ transaction: { tables }, view }, { connectorId }, prepared) {
    const connector = requireConnected(view, connectorId);
    tables.connectors.setWebhookSecret(connector.id, prepared?.sealed ?? null);
    const changed = tables.connectors.byId(connector.id) ?? connector;
    return { connector: showConnector(tables, changed), secret: prepared?.text ?? null };
  },
  stored: {
    keep: ({ connector }) => connector.id,
    recall: ({ transaction: { tables }, view }, id) => ({
      connector: showConnector(tables, requireConnected(view, String(id))),
      secret: null,
    }),
  },
};
