import { mkdir } from 'node:fs/promises';
import type { Connector, RunCounts, SourceFaultClass } from '../../domain/connector.js';
import { describeError } from '../../domain/describe-error.js';
import { Refusal } from '../../domain/refusal.js';
import { EgressFault } from '../../egress/egress-fault.js';
import { beginRun, connectorCaller, endRun, type EndedRun } from '../../operations/connectors/end-run.js';
import { openSecret, SecretLost } from '../../operations/connectors/seal-secret.js';
import { perform } from '../../operations/perform.js';
import type { Workspace } from '../../workspace/workspace.js';
import { asSourceFault } from '../as-source-fault.js';
import { sourceKinds } from '../kinds.js';
import { scrubberOf } from '../scrub.js';
import { SourceFault, type Source, type SourceKind, type SourceMemory } from '../source.js';
import type { ConnectorMeans } from '../sources.js';
import type { SyncLimits } from './limits.js';
import { syncSource, type RunProgress } from './sync-source.js';
import type { Timers } from '../../scheduling/timers.js';
import { untilAborted } from './until-aborted.js';

export interface RunOptions {
  readonly workspace: Workspace;
  readonly means: ConnectorMeans;
  /** A folder for what the source keeps between runs. It need not exist. */
  readonly cacheFolder: string;
  readonly limits: SyncLimits;
  readonly timers: Timers;
  /** Ends the run, by a RunCancelled. */
  readonly signal: AbortSignal;
}

/** The reason of a run that was ended by a request. */
export class RunCancelled extends Error {
  override readonly name = 'RunCancelled';
  /** Whether the service ends: the run is repeated at its next start. */
  readonly isClosing: boolean;

  constructor(isClosing: boolean) {
    super('The run was cancelled.');
    this.isClosing = isClosing;
  }
}

/** Milliseconds between two looks at how far a run is. */
const progressPause = 2000;
/** Milliseconds for a commit, which nothing cuts short. */
const timeToCommit = 10 * 60_000;
/** Milliseconds from the beginning of a run to its end, at the most. */
export const longestRun = ({ duration }: SyncLimits): number => duration + timeToCommit;
/** Milliseconds for a source to close. */
const closeWithin = 1000;

type Ended = Pick<EndedRun, 'run' | 'reached' | 'held' | 'retryAfter' | 'isDue'>;

/**
 * Runs one connector once, and notes its run from its beginning to its end.
 * @throws errors of the journal, when the run could not be noted
 */
export async function runConnector(connector: Connector, options: RunOptions): Promise<void> {
  const { workspace, means } = options;
  const { id: connectorId, generation } = connector;
  const { number, nextRunAt } = await beginRun(workspace, connector, longestRun(options.limits));
  const ended = await runWithin(connector, number, options);
  const begun = { generation, nextRunAt };
  const caller = connectorCaller(connectorId, workspace.randomness);
  const { result } = await perform(workspace, caller, endRun, { connectorId, begun, ...ended });
  const { outcome, fault, message } = ended.run;
  means.onRun?.(connector.kind, outcome);
  const facts = { workspace: workspace.name, connector: connectorId, kind: connector.kind, outcome, fault };
  if (result?.state === 'stopped') means.log.warn({ ...facts, reason: message }, 'A connector has stopped');
  else if (result?.state === 'held') means.log.warn({ ...facts, reason: message }, 'A connector waits for an approval');
  else if (outcome === 'failed') means.log.warn({ ...facts, reason: message }, 'A sync failed and will be tried again');
  else means.log.info(facts, 'A sync has ended');
}

/** The run itself, in its time. Never throws. */
async function runWithin(connector: Connector, number: number, options: RunOptions): Promise<Ended> {
  const { workspace, means, limits, timers, signal } = options;
  const tooLong = new AbortController();
  const stopTimer = timers.after(limits.duration, () => tooLong.abort(ranTooLong(limits)));
  const progress = followProgress(connector, number, options);
  let secret: string | null = null;
  try {
    requireFolder(workspace, connector);
    secret = openSecret(workspace, connector.id);
    // A secret belongs to the settings with which it was given.
    if (isOvertaken(connector, options)) throw new RunCancelled(false);
    const kind = await loadKind(connector, means);
    const within = AbortSignal.any([signal, tooLong.signal]);
    const source = await openSource(connector, kind, secret, within, options);
    try {
      const { counts, outcome, message, versionId, reached, held } = await syncSource({
        workspace,
        connector,
        caller: connectorCaller(connector.id, workspace.randomness),
        source,
        readsAtOnce: kind.readsAtOnce,
        limits,
        signal: within,
        scrub: scrubberOf(secret),
        onProgress: (now) => progress.note(now),
      });
      const sourceVersion = reached?.sourceVersion ?? connector.sourceVersion;
      const run = { number, outcome, fault: null, message, counts, versionId, sourceVersion };
      return { run, reached, held: held?.fingerprint ?? null };
    } finally {
      await closeSource(source, options);
    }
  } catch (error) {
    return endOf(error, secret, { number, counts: progress.counts(), connector, options });
  } finally {
    stopTimer();
    await progress.settled();
  }
}

function ranTooLong({ duration }: SyncLimits): SourceFault {
  const hours = Math.round(duration / 3_600_000);
  return new SourceFault('limit', `The sync took more than ${hours} hours. Choose a smaller part of the source.`);
}

/** @throws SourceFault when the mirror's folder is not there any more */
function requireFolder({ journal }: Workspace, { id }: Connector): void {
  if (journal.reader.folders.mirrored().some(({ mirror }) => mirror === id)) return;
  throw new SourceFault('not_found', 'The folder of this mirror is gone. Disconnect the connector.');
}

async function loadKind({ kind }: Connector, { kinds = sourceKinds }: ConnectorMeans): Promise<SourceKind> {
  const load = kinds[kind];
  if (load === undefined) {
    throw new SourceFault('not_found', `This service cannot mirror sources of the kind ${kind} any more.`);
  }
  return load();
}

async function openSource(
  connector: Connector,
  kind: SourceKind,
  secret: string | null,
  signal: AbortSignal,
  { workspace, means, cacheFolder, limits }: RunOptions,
): Promise<Source> {
  const { allowance, clock, randomness, log, dataFolder } = means;
  signal.throwIfAborted();
  await mkdir(cacheFolder, { recursive: true, mode: 0o700 });
  const opening = kind.open(connector.settings, secret, {
    allowance,
    clock,
    randomness,
    log,
    dataFolder,
    cacheFolder,
    memory: memoryOf(connector, workspace),
    maxEntries: limits.entries,
  });
  try {
    return await untilAborted(signal, opening);
  } catch (error) {
    if (signal.aborted) void opening.then((source) => source.close()).catch(() => undefined);
    throw error;
  }
}

/** A run under earlier settings remembers nothing for later ones. */
function memoryOf({ id, generation }: Connector, { journal }: Workspace): SourceMemory {
  return {
    read: () => journal.reader.connectors.memoryOf(id),
    write: (text) => journal.write({ run: ({ tables }) => tables.connectors.setMemory(id, generation, text) }),
  };
}

/** A source that does not close in time is left behind. */
async function closeSource(source: Source, { timers, means }: RunOptions): Promise<void> {
  const late = new AbortController();
  const stopTimer = timers.after(closeWithin, () => late.abort(new Error('The source did not close in time.')));
  try {
    await untilAborted(late.signal, source.close());
  } catch {
    // The error can quote anything, and the run is over.
    means.log.debug({}, 'A source could not be closed');
  } finally {
    stopTimer();
  }
}

interface Progress {
  note(progress: RunProgress): void;
  counts(): RunCounts;
  /** Resolves when nothing more is written. */
  settled(): Promise<void>;
}

/** Writes how far a run is, now and then. */
function followProgress({ id }: Connector, number: number, { workspace, means }: RunOptions): Progress {
  let last = { listed: 0, created: 0, bytes: 0 };
  let writtenAt = means.clock.elapsed();
  let writing: Promise<void> | undefined;
  return {
    note({ listed, bytes, created = 0 }) {
      last = { listed, created, bytes };
      if (writing !== undefined || means.clock.elapsed() - writtenAt < progressPause) return;
      writtenAt = means.clock.elapsed();
      const run = last;
      writing = workspace.journal
        .write({ run: ({ tables }) => tables.connectorRuns.progress(id, number, run) })
        .catch((error: unknown) => means.log.debug({ err: error }, 'The progress of a sync was not stored'))
        .finally(() => {
          writing = undefined;
        });
    },
    counts: () => ({ ...last, updated: 0, moved: 0, deleted: 0, skipped: 0 }),
    settled: () => writing ?? Promise.resolve(),
  };
}

interface FailedRun {
  readonly number: number;
  readonly counts: RunCounts;
  readonly connector: Connector;
  readonly options: RunOptions;
}

/** The end of a run by an error. */
function endOf(error: unknown, secret: string | null, { number, counts, connector, options }: FailedRun): Ended {
  const run = { number, counts, versionId: null, sourceVersion: connector.sourceVersion };
  if (error instanceof RunCancelled || isOvertaken(connector, options)) {
    const ended = { ...run, outcome: 'cancelled', fault: null, message: null } as const;
    return { run: ended, held: null, isDue: error instanceof RunCancelled && error.isClosing };
  }
  const { fault, message, retryAfter } = faultOf(error, secret, options);
  return { run: { ...run, outcome: 'failed', fault, message }, held: null, retryAfter };
}

/** Whether it was paused, changed or disconnected meanwhile. The source's fault is then none of theirs. */
function isOvertaken({ id, generation }: Connector, { workspace }: RunOptions): boolean {
  const now = workspace.journal.reader.connectors.byId(id);
  return now?.state !== 'active' || now.generation !== generation;
}

interface Fault {
  /** Null where the source is well, and this service has no room. */
  readonly fault: SourceFaultClass | null;
  readonly message: string;
  readonly retryAfter?: number | undefined;
}

function faultOf(error: unknown, secret: string | null, { workspace, means }: RunOptions): Fault {
  if (error instanceof SecretLost) return { fault: 'auth', message: error.message };
  if (error instanceof Refusal) {
    const { code, details, message } = error;
    if (details?.reason === 'storage_quota') return { fault: null, message };
    if (details?.reason === 'storage_full') {
      return { fault: null, message: 'The disk of the service has no room left. The sync is tried again later.' };
    }
    if (code === 'UNAVAILABLE') return { fault: null, message: 'The sync was broken off. It is tried again.' };
    if (code === 'NOT_FOUND') {
      return { fault: 'not_found', message: 'The folder of this mirror is gone. Disconnect the connector.' };
    }
  }
  if (!(error instanceof EgressFault)) {
    const cause = scrubberOf(secret)(describeError(error));
    means.log.error({ workspace: workspace.name, cause }, 'A sync failed by itself');
  }
  const { fault, message, retryAfter } = asSourceFault(error, secret);
  return { fault, message, retryAfter };
}
