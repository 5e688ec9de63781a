import type { Caller } from '../../domain/caller.js';
import type { Connector, ConnectorRun, RunTrigger } from '../../domain/connector.js';
import type { Randomness } from '../../domain/clock.js';
import { makeIdentifier } from '../../domain/identifier.js';
import { notFound } from '../../domain/refusal.js';
import type { WriteTransaction } from '../../journal/write-transaction.js';
import type { Workspace } from '../../workspace/workspace.js';
import type { AuditNote, WriteOperation } from '../operation.js';
import { asDone } from '../perform.js';
import { decideNextRun, type AfterRun } from './decide-next-run.js';

/** How a run of a connector ended. */
export interface EndedRun {
  readonly connectorId: string;
  /** When the run began: the settings, and until when it was given time. */
  readonly begun: Pick<Connector, 'generation' | 'nextRunAt'>;
  readonly run: Omit<ConnectorRun, 'trigger' | 'startedAt' | 'endedAt'> & Pick<EndWithOutcome, 'outcome'>;
  /** Seconds that the source asked to wait. */
  readonly retryAfter?: number | undefined;
  /** The service ends, and the run stays due. */
  readonly isDue?: boolean | undefined;
  /** Where the next run goes on. Left out where the last word about it stays. */
  readonly reached?: { readonly cursor: string | null; readonly sourceVersion: string | null } | undefined;
  /** Fingerprint of the change that waits for approval; null for none. */
  readonly held: string | null;
}

interface EndWithOutcome {
  readonly outcome: NonNullable<ConnectorRun['outcome']>;
}

const name = 'connector.run';

/** A connector as the author of what it does itself. */
export function connectorCaller(connectorId: string, randomness: Randomness): Caller {
  return {
    principalId: connectorId,
    kind: 'connector',
    credentialId: null,
    interface: 'connector',
    requestId: makeIdentifier('req', randomness),
  };
}

/** Notes how a run ended, and when the next one is due. Every run ends so, also one that failed. */
export const endRun: WriteOperation<EndedRun, AfterRun | null> = {
  kind: 'write',
  name,
  worksWhenLow: true,
  needs: () => [],
  note: noteOf,
  run({ transaction, caller }, { connectorId, begun, run, retryAfter, isDue, reached, held }) {
    const { tables, now } = transaction;
    const connector = tables.connectors.byId(connectorId);
    const isOwn = caller.kind === 'connector' && caller.principalId === connectorId;
    if (connector === undefined || !isOwn) throw notFound();
    tables.connectorRuns.end(connectorId, { ...run, endedAt: now });
    // Another decision about it came meanwhile.
    if (connector.state !== 'active' || connector.generation !== begun.generation) return null;
    const isPartial = run.outcome === 'partial';
    if (reached !== undefined) tables.connectors.setSynced(connectorId, { ...reached, at: isPartial ? null : now });
    else if (run.outcome === 'unchanged') {
      const { sourceVersion } = connector;
      const cursor = tables.connectors.cursorOf(connectorId);
      tables.connectors.setSynced(connectorId, { cursor, sourceVersion, at: now });
    }
    const isApproved = tables.connectors.approvedOf(connectorId) !== null;
    if (reached !== undefined && isApproved) tables.connectors.setDeletedUntil(connectorId, run.number);
    // An approval is for one run that found out what the source holds.
    if (reached !== undefined || held !== null || run.outcome === 'unchanged')
      tables.connectors.setApproved(connectorId, null);
    const after = decideNextRun(connector, { ...run, retryAfter, isDue }, now);
    keep(transaction, connector, after, held);
    // Another run was requested during this one. After a failure it waits for its pause, like any other.
    if (connector.nextRunAt !== begun.nextRunAt && after.state === 'active') {
      const pause = run.outcome === 'failed' ? (after.nextRunAt ?? 0) : 0;
      const at = connector.nextRunAt === null ? null : Math.max(connector.nextRunAt, pause);
      tables.connectors.setNextRun(connectorId, { at, trigger: connector.nextTrigger });
    }
    return after;
  },
};

function noteOf({ connectorId, run }: Pick<EndedRun, 'connectorId' | 'run'>): AuditNote {
  const { outcome, fault, counts, versionId } = run;
  return {
    target: connectorId,
    ...(versionId === null ? {} : { version: versionId }),
    detail: { outcome, ...(fault === null ? {} : { fault }), listed: counts.listed, skipped: counts.skipped },
  };
}

function keep({ tables }: WriteTransaction, { id }: Connector, after: AfterRun, held: string | null): void {
  tables.connectors.setState(id, after.state, after.stateReason);
  tables.connectors.setHeld(id, after.state === 'held' ? held : null);
  tables.connectors.setFailures(id, after.failures, after.idleRuns);
  tables.connectors.setNextRun(id, { at: after.nextRunAt, trigger: 'schedule' });
}

/** A run that has begun. */
export interface BegunRun {
  readonly number: number;
  readonly trigger: RunTrigger;
  /** The next run is due then, if nobody can note how this one ended. Milliseconds since 1970. */
  readonly nextRunAt: number;
}

/** Notes that a run begins. @param duration milliseconds that it can take */
export function beginRun({ journal }: Workspace, { id, nextTrigger }: Connector, duration: number): Promise<BegunRun> {
  return journal.write({
    run({ tables, now }) {
      const nextRunAt = now + duration;
      tables.connectors.setNextRun(id, { at: nextRunAt, trigger: 'schedule' });
      return { number: tables.connectorRuns.begin(id, nextTrigger, now), trigger: nextTrigger, nextRunAt };
    },
  });
}

/** Ends the runs that an ended process left, and lets them run again. Called before any run begins. */
export async function endLeftRuns({ journal, randomness }: Workspace): Promise<void> {
  await journal.write({
    run(transaction) {
      const { tables, now } = transaction;
      for (const connectorId of tables.connectorRuns.interrupt(now)) {
        const note = { target: connectorId, detail: { outcome: 'interrupted' } };
        transaction.audit(asDone(connectorCaller(connectorId, randomness), name, note));
        const connector = tables.connectors.byId(connectorId);
        if (connector?.state !== 'active') continue;
        const end = { outcome: 'interrupted', fault: null, message: null } as const;
        keep(transaction, connector, decideNextRun(connector, end, now), null);
      }
    },
  });
}
