import { formatTime, formatTimeOrNull } from '../domain/clock.js';
import type { ConnectorRun, SkippedFile } from '../domain/connector.js';
import type { Disconnected } from '../operations/connectors/disconnect-source.js';
import type { ShownConnector } from '../operations/connectors/find-connector.js';
import type { ConnectorWithWebhook } from '../operations/connectors/set-webhook.js';
import type { ConnectionTest, DescribedKind } from '../workspace/connector-schedule.js';
import { toAuthorRecord } from './author-record.js';

/** The description's `ConnectorRun`. */
export function toRunRecord({ trigger, counts, startedAt, endedAt, versionId, sourceVersion, ...run }: ConnectorRun) {
  return {
    number: run.number,
    trigger,
    started_at: formatTime(startedAt),
    ended_at: formatTimeOrNull(endedAt),
    outcome: run.outcome,
    fault: run.fault,
    message: run.message,
    listed: counts.listed,
    created: counts.created,
    updated: counts.updated,
    moved: counts.moved,
    deleted: counts.deleted,
    skipped: counts.skipped,
    bytes: counts.bytes,
    version: versionId,
    source_version: sourceVersion,
  };
}

/** The description's `ConnectorRecord`. */
export function toConnectorRecord(connector: ShownConnector) {
  return {
    id: connector.id,
    name: connector.name,
    kind: connector.kind,
    location: connector.location,
    source: connector.described,
    settings: connector.settings,
    interval_seconds: connector.interval / 1000,
    state: connector.state,
    reason: connector.stateReason,
    held_change: connector.held,
    failures: connector.failures,
    next_run_at: formatTimeOrNull(connector.nextRunAt),
    last_run: connector.lastRun === null ? null : toRunRecord(connector.lastRun),
    synced_at: formatTimeOrNull(connector.syncedAt),
    source_version: connector.sourceVersion,
    has_secret: connector.hasSecret,
    has_webhook: connector.hasWebhook,
    connected_at: formatTime(connector.createdAt),
    connected_by: toAuthorRecord(connector.createdBy),
  };
}

/** The description's `SkippedFile`. */
export const toSkippedRecord = ({ path, reason, detail }: SkippedFile) => ({ path, reason, detail });

/** The description's `DescribedConnectorKind`. */
export const toKindRecord = ({ kind, settingsSchema, secretMeans }: DescribedKind) => ({
  kind,
  settings_schema: settingsSchema,
  secret: secretMeans,
});

/** The description's `ConnectorTestResult`. */
export function toConnectionTestRecord(test: ConnectionTest) {
  return test.works
    ? { works: true, fault: null, message: test.found }
    : { works: false, fault: test.fault, message: test.message };
}

/** The description's `ConnectorHook`: where the source sends its webhooks, below the service's address. */
export function toConnectorWebhookRecord({ connector, secret }: ConnectorWithWebhook, workspace: string) {
  return { id: connector.id, path: `/v1/hooks/${workspace}/${connector.id}`, secret };
}

/** The description's `DisconnectedSource`. */
export function toDisconnectedRecord({ connector, deleted, versionId }: Disconnected) {
  const { id, location } = connector;
  return { disconnected: true, id, location, deleted, version: versionId };
}
