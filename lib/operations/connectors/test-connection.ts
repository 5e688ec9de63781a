import { sourceOf } from '../../limits/work-limits.js';
import type { Location } from '../../domain/location.js';
import type { Connection, ConnectionTest } from '../../workspace/connector-schedule.js';
import type { ReadContext, ReadOperation } from '../operation.js';
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
  needs: ({ location }) => [{ role: 'approver', location, folder: true }],
  note: ({ location, kind }) => ({ target: location, detail: { kind } }),
  async run(context, { location: _, ...connection }) {
    await checkConnection(context.workspace.connectors.sources, connection);
    return tryWithinLimits(context, connection);
  },
  noteResult: (result) => ({ detail: { works: result.works, ...(!result.works && { fault: result.fault }) } }),
};

/** A slow source holds up no other work of the caller, and no other caller. @throws Refusal RATE_LIMITED, UNAVAILABLE */
async function tryWithinLimits({ workspace, caller }: ReadContext, connection: Connection): Promise<ConnectionTest> {
  const release = await workspace.workLimits.probes.take(sourceOf(workspace.name, caller));
  try {
    return await workspace.connectors.sources.test(connection);
  } finally {
    release();
  }
}

/**
 * Tries the connection of a connector, with the stored settings and secret. Neither can be another one here, so that
 * the secret goes only where it was meant to go. Approver of its folder.
 * @throws Refusal NOT_FOUND; CONFLICT `connector_state`
 */
export const testConnector: ReadOperation<{ readonly connectorId: string }, ConnectionTest> = {
  kind: 'read',
  name: 'connector.test',
  needs: () => [],
  note: ({ connectorId }) => ({ target: connectorId }),
  run(context, { connectorId }) {
    const { workspace } = context;
    const { id, kind, settings } = requireConnected(context.view, connectorId);
    let secret: string | null;
    try {
      secret = openSecret(workspace, id);
    } catch (error) {
      if (!(error instanceof SecretLost)) throw error;
      return { works: false, fault: 'auth', message: error.message };
    }
    return tryWithinLimits(context, { kind, settings, secret });
  },
  noteResult: (result) => testConnection.noteResult?.(result) ?? {},
};
