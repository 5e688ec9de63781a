import { formatTime } from '../../domain/clock.js';
import type { RepositoryFault } from '../../domain/readiness.js';
import { Refusal } from '../../domain/refusal.js';
import { findTroubledConnectors, type TroubledConnector } from '../../view/find-troubled-connectors.js';
import { describeStoppedWebhooks } from '../../view/find-stopped-webhooks.js';
import { describeOlderFile, readOlderFile } from '../../journal/find-recorded.js';
import type { Workspace } from '../../workspace/workspace.js';
import type { CommandDependencies } from '../command.js';

/** A running process's report on its health, for those who run the service. Names of members as in JSON. */
export interface HealthReport {
  readonly ready: boolean;
  readonly journal: string;
  readonly disk: string;
  readonly repository: string;
  readonly workspaces: string;
  /** A server of an earlier release has none. */
  readonly copy?: string;
  /** Commits that wait for a repository that cannot be written. */
  readonly waiting: readonly WaitingObjects[];
  /** What stands in the way of the maintenance of repositories. */
  readonly faults: readonly RepositoryFault[];
  /** Connectors that wait for people. */
  readonly mirrors: readonly TroubledMirror[];
  /** Webhooks that stopped by themselves, each in a sentence. */
  readonly webhooks: readonly string[];
  /** Workspaces beside which an older copy of the service's own file was found lately, each in a sentence. */
  readonly older_file: readonly string[];
  /** Erases that do not go on, and objects of the history that a sweep did not find. */
  readonly erases: readonly string[];
}

export interface TroubledMirror extends TroubledConnector {
  readonly workspace: string;
}

export interface WaitingObjects {
  readonly workspace: string;
  readonly objects: number;
  /** RFC 3339. */
  readonly since: string;
  readonly reason: string;
}

export async function reportHealth(host: CommandDependencies): Promise<HealthReport> {
  const { isReady, ...parts } = await host.readiness();
  const waiting = host.findLags().map((lag) => ({ ...lag, since: formatTime(lag.since) }));
  const opened = openedOf(host);
  const mirrors = opened.flatMap(({ name, journal }) =>
    findTroubledConnectors(journal.reader).map((each) => ({ workspace: name, ...each })),
  );
  const webhooks = opened.flatMap(({ name, journal }) =>
    describeStoppedWebhooks(journal.reader).map((each) => `${name}: ${each}`),
  );
  const erases = opened.flatMap((workspace) => describeErases(workspace).map((each) => `${workspace.name}: ${each}`));
  return {
    ready: isReady,
    ...parts,
    waiting,
    faults: host.findFaults(),
    mirrors,
    webhooks,
    older_file: findOlderFile(host),
    erases,
  };
}

/** Milliseconds for which it is worth a warning; the audit log has it for good. */
const warnedFor = 30 * 24 * 60 * 60_000;

function findOlderFile(host: CommandDependencies): string[] {
  return openedOf(host).flatMap(({ name, journal: { reader } }) => {
    const at = readOlderFile(reader.meta);
    if (at === null || at + warnedFor < host.clock.now()) return [];
    return describeOlderFile(reader).map((each) => `${name}: ${each}`);
  });
}

const mostNamed = 5;

function describeErases({ eraser, journal }: Workspace): string[] {
  const { missing } = eraser;
  const found = journal.reader.erasures.open().flatMap(({ id, hindrance }) => {
    const obstacle = hindrance ?? eraser.hindranceOf(id) ?? eraser.waitOf(id);
    return obstacle === undefined ? [] : [`The erase ${id} does not go on. ${obstacle}`];
  });
  if (missing.length === 0) return found;
  const named = missing.slice(0, mostNamed).join(', ') + (missing.length > mostNamed ? ', …' : '');
  return [
    ...found,
    `The history lacks ${missing.length} objects: ${named}. \`cartulary verify\` says what needs them.`,
  ];
}

/** `5 objects wait for the repository since 11:09: EACCES …`, with the day where it is another than today's. */
export function describeWaiting({ objects, since, reason }: WaitingObjects, now: number): string {
  const isToday = since.slice(0, 10) === formatTime(now).slice(0, 10);
  const time = isToday ? since.slice(11, 16) : `${since.slice(0, 10)} ${since.slice(11, 16)}`;
  const what = objects === 1 ? '1 object waits' : `${objects} objects wait`;
  return `${what} for the repository since ${time} UTC: ${reason}`;
}

/** Undefined where it could not be opened. */
export function findOpened(host: CommandDependencies, name: string): Workspace | undefined {
  try {
    return host.find(name);
  } catch (error) {
    if (error instanceof Refusal) return undefined;
    throw error;
  }
}

/** Those that are served. One that could not be opened keeps no report from the others. */
export function openedOf(host: CommandDependencies): Workspace[] {
  return host.names().flatMap((name) => findOpened(host, name) ?? []);
}
