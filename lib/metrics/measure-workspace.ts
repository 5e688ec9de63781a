import { readPolicy } from '../access/read-policy.js';
import { findLastBackup } from '../backup/last-backup.js';
import type { Workspace } from '../workspace/workspace.js';

/** How several workspaces make one number. */
type Fold = 'sum' | 'greatest' | 'least';

/** One number about a workspace, or one for each value of a label. */
export interface WorkspaceMetric {
  readonly name: string;
  readonly help: string;
  readonly fold: Fold;
  /** A second label, beside the workspace. */
  readonly label?: string;
}

/** A number with the value of its second label; '' for none. */
export type Measures = Map<WorkspaceMetric, Map<string, number>>;

const define = (name: string, help: string, fold: Fold = 'sum', label?: string): WorkspaceMetric => ({
  name: `cartulary_${name}`,
  help,
  fold,
  ...(label === undefined ? {} : { label }),
});

const waitingWrites = define('journal_waiting_writes', 'Writes that wait for their commit');
const waitingAge = define(
  'journal_oldest_waiting_write_age_seconds',
  'Time for which the first waiting write has waited',
  'greatest',
);
const pendingObjects = define('repository_pending_objects', 'Committed objects that are not yet in the git repository');
const pendingBytes = define(
  'repository_pending_bytes',
  'Bytes of committed objects, since the last start, that are not yet in the git repository',
);
const pendingAge = define(
  'repository_pending_age_seconds',
  'Time for which the first committed object has waited for the git repository',
  'greatest',
);
const repositoryFailing = define(
  'repository_failing',
  'Whether the last attempt to write the git repository failed',
  'greatest',
);
const searchReady = define('search_ready', 'Whether searches are answered', 'least');
const searchBuilding = define('search_rebuilding', 'Whether the search index is being made or revised', 'greatest');
const searchRemaining = define(
  'search_remaining_documents',
  'Documents that the work on the search index has still to do',
);
const textsWaiting = define('texts_waiting', 'Files whose text is to be made, with those that are tried again later');
const storedBytes = define('storage_used_bytes', 'Bytes that count towards the quota');
const quotaBytes = define('storage_quota_bytes', 'Bytes that a workspace may store');
const auditHead = define('audit_head_sequence', 'Number of the last record of the audit log', 'greatest');
const auditSigned = define('audit_signed_sequence', 'Number of the last record that is signed', 'greatest');
const auditSignedAt = define(
  'audit_last_signature_timestamp_seconds',
  'When a head of the audit log was last signed, in seconds since 1970',
  'least',
);
const erasures = define('erasures_open', 'Erases that are accepted and not final');
const hindered = define('erasures_hindered', 'Erases that the history of the repository prevents');
const erasureAt = define(
  'erasure_oldest_request_timestamp_seconds',
  'When the first open erase was requested, in seconds since 1970',
  'least',
);
const connectors = define('connectors', 'Connectors by state', 'sum', 'state');
const connectorsFailing = define('connectors_failing', 'Active connectors whose last run failed');
const connectorsWaiting = define('connectors_waiting', 'Connectors that are due and wait for a slot');
const connectorFresh = define(
  'connector_oldest_success_timestamp_seconds',
  'The last whole sync of the active connector for which it is longest ago, in seconds since 1970',
  'least',
);
const webhooks = define('webhooks', 'Webhooks: enabled, disabled by hand, or stopped by themselves', 'sum', 'state');
const webhooksFailing = define('webhooks_failing', 'Enabled webhooks whose last attempt failed');
const webhooksWaiting = define('webhooks_waiting', 'Webhooks that are sending, or may have something to send');
const backup = define(
  'backup_last_success_timestamp_seconds',
  'When the last backup was made, in seconds since 1970',
  'least',
);

/** All of them, in the order of the page. */
export const workspaceMetrics: readonly WorkspaceMetric[] = [
  waitingWrites,
  waitingAge,
  pendingObjects,
  pendingBytes,
  pendingAge,
  repositoryFailing,
  searchReady,
  searchBuilding,
  searchRemaining,
  textsWaiting,
  storedBytes,
  quotaBytes,
  auditHead,
  auditSigned,
  auditSignedAt,
  erasures,
  hindered,
  erasureAt,
  connectors,
  connectorsFailing,
  connectorsWaiting,
  connectorFresh,
  webhooks,
  webhooksFailing,
  webhooksWaiting,
  backup,
];

/**
 * Reads the numbers of one workspace: what it has in memory, and rows found by an index or counted where there are few.
 * What its file cannot tell just now is left out.
 */
export function measureWorkspace(workspace: Workspace): Measures {
  const measures: Measures = new Map();
  const set = (metric: WorkspaceMetric, value: number | null | undefined, of = ''): void => {
    if (value === undefined || value === null) return;
    const values = measures.get(metric) ?? new Map<string, number>();
    measures.set(metric, values.set(of, value));
  };
  const { journal, checkpointer, search } = workspace;
  set(waitingWrites, journal.waiting.writes);
  set(waitingAge, journal.waiting.milliseconds / 1000);
  set(pendingBytes, checkpointer.pending.bytes);
  set(pendingAge, checkpointer.pending.milliseconds / 1000);
  set(repositoryFailing, Number(checkpointer.failing !== undefined));
  set(searchReady, Number(search.isReady));
  const { progress } = search;
  set(searchBuilding, Number(progress !== null));
  set(searchRemaining, progress === null ? 0 : Math.max(0, progress.documents - progress.done));
  set(textsWaiting, workspace.texts.files.waiting);
  set(auditHead, journal.state.chain.seq);
  set(connectorsWaiting, workspace.connectors.waiting);
  set(webhooksWaiting, workspace.webhooks.waiting);
  try {
    setStored(workspace, set);
  } catch {
    // The file cannot be read: `cartulary_ready` says so.
  }
  return measures;
}

function setStored(
  { journal }: Workspace,
  set: (metric: WorkspaceMetric, value: number | null | undefined, of?: string) => void,
): void {
  const { reader, state } = journal;
  const seconds = (time: number | null | undefined): number | undefined =>
    typeof time === 'number' ? time / 1000 : undefined;
  set(pendingObjects, reader.objects.span());
  set(storedBytes, state.storedBytes + reader.storedBytes.beside());
  set(quotaBytes, readPolicy(reader).storageQuota);
  const signed = reader.auditCheckpoints.last();
  set(auditSigned, signed?.seq ?? 0);
  set(auditSignedAt, seconds(signed?.at));
  const erasing = reader.erasures.tally();
  set(erasures, erasing.open);
  set(hindered, erasing.hindered);
  set(erasureAt, seconds(erasing.firstAt));
  const byState = new Map(reader.connectors.tally().map((each) => [each.state, each]));
  for (const each of ['active', 'paused', 'held', 'stopped'] as const) {
    set(connectors, byState.get(each)?.connectors ?? 0, each);
  }
  const active = byState.get('active');
  set(connectorsFailing, active?.failing ?? 0);
  set(connectorFresh, seconds(active?.freshUntil));
  const { enabled, disabled, stopped, failing } = reader.webhooks.tally();
  for (const [each, count] of Object.entries({ enabled, disabled, stopped })) set(webhooks, count, each);
  set(webhooksFailing, failing);
  set(backup, seconds(findLastBackup(reader)));
}

/** Adds the numbers of one workspace to those of others. */
export function addMeasures(all: Measures, more: Measures): void {
  for (const [metric, values] of more) {
    const present = all.get(metric) ?? new Map<string, number>();
    all.set(metric, present);
    for (const [of, value] of values) {
      const before = present.get(of);
      present.set(of, before === undefined ? value : folds[metric.fold](before, value));
    }
  }
}

const folds: Readonly<Record<Fold, (one: number, other: number) => number>> = {
  sum: (one, other) => one + other,
  greatest: Math.max,
  least: Math.min,
};
