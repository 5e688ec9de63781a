import type { Location } from '../../domain/location.js';
import type { Connection, ConnectionTest } from '../../workspace/connectors.js';
import type { ReadOperation } from '../operation.js';
import { checkConnection } from './check-connection.js';
import { requireConnected } from './find-connector.js';
import { openSecret, SecretLost } from './seal-secret.js';

export interface TestConnectionInput extends Connection {
  /** The folder that it is meant for. */
  readonly location: Location;
}

/**
 * Tries a connection and stores nothing of it. A source that cannot be reached is an answer, not a refusal. Approver of
 * the folder.
 * @throws Refusal INVALID_REQUEST `bad_settings`; NOT_FOUND
 */
export const testConnection: ReadOperation<TestConnectionInput, ConnectionTest> = {
  kind: 'read',
  name: 'connector.test',
  isHeavy: true,
  needs: ({ location }) => [{ role: 'approver', location, folder: true }],
  note: ({ location, kind }) => ({ target: location, detail: { kind } }),
  async run({ workspace }, { location: _, ...connection }) {
    const { sources } = workspace.connectors;
    await checkConnection(sources, connection);
    return sources.test(connection);
  },
  noteResult: (result) => ({ detail: { works: result.works, ...(!result.works && { fault: result.fault }) } }),
};

/**
 * Tries the connection of a connector, with the stored settings and secret. Neither can be another one here, so that
 * the secret goes only where it was meant to go. Approver of its folder.
 * @throws Refusal NOT_FOUND; CONFLICT `connector_state`
 */
export const testConnector: ReadOperation<{ readonly connectorId: string }, ConnectionTest> = {
  kind: 'read',
  name: 'connector.test',
  isHeavy: true,
  needs: () => [],
  note: ({ connectorId }) => ({ target: connectorId }),
  run({ view, workspace }, { connectorId }) {
    const { id, kind, settings } = requireConnected(view, connectorId);
    let secret: string | null;
    try {
      secret = openSecret(workspace, id);
    } catch (error) {
      if (!(error instanceof SecretLost)) throw error;
      return { works: false, fault: 'auth', message: error.message };
    }
    return workspace.connectors.sources.test({ kind, settings, secret });
  },
  noteResult: (result) => testConnection.noteResult?.(result) ?? {},
};
