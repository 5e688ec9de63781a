/**
 * Mirrors a source in a process of its own, as a service does, while somebody else writes. Prints its figures as one
 * line of JSON.
 * Arguments: a data folder, the connection as JSON, the allowance as JSON.
 */
import { readFileSync } from 'node:fs';
import { makeSystemRandomness, systemClock } from '../../lib/app/real-world.js';
import { Service } from '../../lib/app/service.js';
import type { Allowance } from '../../lib/connectors/source.js';
import type { ConnectorKind, ConnectorRun } from '../../lib/domain/connector.js';
import { parseLocation } from '../../lib/domain/location.js';
import { connectSource } from '../../lib/operations/connectors/connect-source.js';
import { syncNow } from '../../lib/operations/connectors/steer-connector.js';
import { createDocument } from '../../lib/operations/documents/create-document.js';
import { perform } from '../../lib/operations/perform.js';
import type { Workspace } from '../../lib/workspace/workspace.js';
import { operator } from '../support/store/service.js';
import { until } from '../support/until.js';

/** What a run took. */
export interface MirrorFigures {
  readonly seconds: number;
  /** Longest hold of the event loop, in milliseconds, without the time in which other programs had the processor. */
  readonly held: number;
  /** Longest wait of somebody else's write, in the same way. */
  readonly waited: number;
  readonly writes: number;
  readonly run: Pick<ConnectorRun, 'outcome' | 'message' | 'counts'>;
  /** Megabytes. */
  readonly resident: number;
}

const [dataFolder = '', connection = '', allowance = ''] = process.argv.slice(2);

/** Milliseconds, without those in which this thread was ready and had no processor. */
function ownTime(): number {
  try {
    const [, delayed = '0'] = readFileSync('/proc/thread-self/schedstat', 'latin1').split(' ');
    return performance.now() - Number(delayed) / 1e6;
  } catch {
    return performance.now();
  }
}

/** Looks every millisecond, and so is late by each hold. @returns ends it, with the longest hold in milliseconds */
function watchHolds(): () => number {
  let [last, longest] = [ownTime(), 0];
  const timer = setInterval(() => {
    const now = ownTime();
    longest = Math.max(longest, now - last - 1);
    last = now;
  }, 1);
  return () => {
    clearInterval(timer);
    return longest;
  };
}

/** Writes small documents, one after the other, until it is told to end. */
async function writeOn(workspace: Workspace, mark: string, isOver: () => boolean): Promise<number[]> {
  const waits: number[] = [];
  for (let number = 0; !isOver(); number += 1) {
    const start = ownTime();
    await perform(workspace, operator, createDocument, {
      location: parseLocation(`others/${mark}-${number}.md`),
      content: { bytes: Buffer.from(`Note ${number}.\n`) },
      labels: [],
      message: null,
    });
    waits.push(ownTime() - start);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  return waits;
}

async function measure(workspace: Workspace, id: string, number: number, begin: () => unknown): Promise<MirrorFigures> {
  let isOver = false;
  const writing = writeOn(workspace, String(number), () => isOver);
  const endWatch = watchHolds();
  const start = performance.now();
  await begin();
  const run = await until(
    'the sync has ended',
    () => {
      const [last] = workspace.journal.reader.connectorRuns.list(id, Number.MAX_SAFE_INTEGER, 1);
      return last !== undefined && last.number >= number && last.outcome !== null ? last : undefined;
    },
    600_000,
  );
  const seconds = (performance.now() - start) / 1000;
  const held = endWatch();
  isOver = true;
  const waits = await writing;
  const { outcome, message, counts } = run;
  return {
    seconds,
    held,
    waited: Math.max(0, ...waits),
    writes: waits.length,
    run: { outcome, message, counts },
    resident: process.resourceUsage().maxRSS / 1024,
  };
}

const service = await Service.open({
  dataFolder,
  git: 'auto',
  clock: systemClock,
  randomness: makeSystemRandomness(),
  onFault: (what, cause) => process.stderr.write(`${what}: ${String(cause)}\n`),
  connectors: { allowance: JSON.parse(allowance) as Allowance },
});
const workspace = await service.addWorkspace('acme');
await service.startSchedules();
const { kind, settings } = JSON.parse(connection) as { kind: ConnectorKind; settings: Record<string, unknown> };
const base = process.memoryUsage().rss / 1024 ** 2;
const { result } = await perform(workspace, operator, connectSource, {
  kind,
  settings,
  secret: null,
  location: parseLocation('mirror'),
  name: 'Upstream',
});
const { id } = result;
const first = await measure(workspace, id, 1, () => undefined);
const again = await measure(workspace, id, 2, () => perform(workspace, operator, syncNow, { connectorId: id }));
process.stdout.write(`${JSON.stringify({ base, first, again })}\n`);
await service.stopSchedules();
await service.close();
