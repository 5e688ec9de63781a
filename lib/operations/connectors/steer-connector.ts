import type { Connector, RunTrigger } from '../../domain/connector.js';
import { conflict, notFound, type Refusal } from '../../domain/refusal.js';
import type { WriteContext } from '../../changes/write-context.js';
import type { Tables } from '../../sidecar/tables.js';
import type { WriteOperation } from '../operation.js';
import {
  afterAllRuns,
  requireConnected,
  showConnector,
  storedConnector,
  type ShownConnector,
} from './find-connector.js';
import type { ConnectorInput } from './list-connectors.js';

/** Makes a connector active, and its next run due. Earlier failures count no more. */
export function runNow({ connectors }: Tables, id: string, now: number, trigger: RunTrigger = 'manual'): void {
  connectors.setState(id, 'active', null);
  connectors.setHeld(id, null);
  connectors.setFailures(id, 0, 0);
  connectors.setNextRun(id, { at: now, trigger });
}

function wrongState({ state }: Connector, message: string): Refusal {
  return conflict('connector_state', message, { state });
}

function shown({ transaction: { tables } }: WriteContext, connector: Connector): ShownConnector {
  return showConnector(tables, tables.connectors.byId(connector.id) ?? connector);
}

const paused = 'The connector is paused. Resume it, and it runs at once.';
const held = 'A change of the source waits for an approval. Approve it, or pause the connector.';

/** Lets a connector run at once. One that stopped tries again. Approver of its folder. */
export const syncNow: WriteOperation<ConnectorInput, ShownConnector> = {
  kind: 'write',
  name: 'connector.sync_now',
  needs: () => [],
  note: ({ connectorId }) => ({ target: connectorId }),
  run(context, { connectorId }) {
    const connector = requireConnected(context.view, connectorId);
    if (connector.state === 'paused') throw wrongState(connector, paused);
    if (connector.state === 'held') throw wrongState(connector, held);
    runNow(context.transaction.tables, connector.id, context.transaction.now);
    return shown(context, connector);
  },
  stored: storedConnector,
  finish: ({ connectors }) => connectors.wake(),
};

/** Ends the run under way, and begins no other before it is resumed. Approver of its folder. */
export const pauseConnector: WriteOperation<ConnectorInput, ShownConnector> = {
  kind: 'write',
  name: 'connector.pause',
  worksWhenLow: true,
  needs: () => [],
  note: ({ connectorId }) => ({ target: connectorId }),
  run(context, { connectorId }) {
    const connector = requireConnected(context.view, connectorId);
    const { connectors } = context.transaction.tables;
    connectors.setState(connector.id, 'paused', null);
    connectors.setHeld(connector.id, null);
    connectors.setApproved(connector.id, null);
    connectors.setNextRun(connector.id, { at: null, trigger: 'schedule' });
    return shown(context, connector);
  },
  stored: storedConnector,
  finish: ({ connectors }, { connectorId }) => connectors.restart(connectorId),
};

/** Lets a paused or stopped connector run again, at once. Approver of its folder. */
export const resumeConnector: WriteOperation<ConnectorInput, ShownConnector> = {
  kind: 'write',
  name: 'connector.resume',
  needs: () => [],
  note: ({ connectorId }) => ({ target: connectorId }),
  run(context, { connectorId }) {
    const connector = requireConnected(context.view, connectorId);
    if (connector.state === 'held') throw wrongState(connector, held);
    if (connector.state !== 'active') runNow(context.transaction.tables, connector.id, context.transaction.now);
    return shown(context, connector);
  },
  stored: storedConnector,
  finish: ({ connectors }) => connectors.wake(),
};

export interface ApproveInput extends ConnectorInput {
  /** Of the change that was looked at. Another one is not approved. */
  readonly fingerprint: string;
}

/**
 * Approves the change that a connector holds. It runs at once, and goes through only if the change is still the same.
 * To reject a change, pause the connector. Approver of its folder.
 * @throws Refusal NOT_FOUND; CONFLICT `connector_state` when nothing is held, `held_change_differs`
 */
export const approveChange: WriteOperation<ApproveInput, ShownConnector> = {
  kind: 'write',
  name: 'connector.approve',
  needs: () => [],
  note: ({ connectorId }) => ({ target: connectorId }),
  run(context, { connectorId, fingerprint }) {
    const connector = requireConnected(context.view, connectorId);
    const { tables, now } = context.transaction;
    if (connector.state !== 'held') throw wrongState(connector, 'No change of this source waits for an approval.');
    if (connector.held !== fingerprint) {
      throw conflict('held_change_differs', 'Another change waits now. Look at it before you approve it.', {
        state: connector.state,
      });
    }
    runNow(tables, connector.id, now, 'approval');
    tables.connectors.setApproved(connector.id, fingerprint);
    return shown(context, connector);
  },
  stored: storedConnector,
  finish: ({ connectors }) => connectors.wake(),
};

/** Milliseconds between the beginnings of two runs that webhooks ask for. */
const minPause = 30_000;

/** Whether a webhook can ask for a run. A held or stopped connector waits for people. */
export function takesHooks({ state, hasWebhook }: Pick<Connector, 'state' | 'hasWebhook'>): boolean {
  return state === 'active' && hasWebhook;
}

/**
 * A webhook of the source says that it has changed: the next run is due soon, unless one is due before. So a webhook
 * that is sent again and again sets one run at most. After a failure it changes nothing: the next try has its pause,
 * which the source may have asked for. The caller is the connector itself, which the face has recognised
 * by the webhook's proof.
 * @throws Refusal NOT_FOUND when the connector takes no webhooks now
 */
export const notifyConnector: WriteOperation<ConnectorInput, { readonly dueAt: number }> = {
  kind: 'write',
  name: 'connector.notify',
  needs: () => [],
  note: ({ connectorId }) => ({ target: connectorId }),
  run({ transaction: { tables, now }, caller }, { connectorId }) {
    const connector = tables.connectors.byId(connectorId);
    if (connector === undefined || caller.principalId !== connectorId || !takesHooks(connector)) throw notFound();
    const [last] = tables.connectorRuns.list(connectorId, afterAllRuns, 1);
    // The clock may have been set back since that run.
    const dueAt = Math.min(Math.max(now, (last?.startedAt ?? 0) + minPause), now + minPause);
    const { nextRunAt, failures } = connector;
    const isBackingOff = failures > 0 && last?.outcome === 'failed';
    if (nextRunAt !== null && (nextRunAt <= dueAt || isBackingOff)) return { dueAt: nextRunAt };
    tables.connectors.setNextRun(connectorId, { at: dueAt, trigger: 'webhook' });
    return { dueAt };
  },
  finish: ({ connectors }) => connectors.wake(),
};
