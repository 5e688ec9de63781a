import { Counter, Gauge, type Registry } from 'prom-client';
import type { WorkLimits } from '../limits/work-limits.js';
import type { DiskRoom } from '../disk/disk-room.js';
import type { FollowStatus } from '../domain/follow-status.js';
import type { Readiness } from '../domain/readiness.js';
import { yieldToLoop } from '../scheduling/yield-to-loop.js';
import type { Workspace } from '../workspace/workspace.js';
import { copyMeasuresOf } from './measure-copy.js';
import { addMeasures, measureWorkspace, workspaceMetrics, type Measures } from './measure-workspace.js';

/** The running service, as far as its numbers need it. */
export interface MeasuredService {
  readonly workLimits: WorkLimits;
  /** Null in memory. */
  readonly disk: DiskRoom | null;
  /** Keeps a copy elsewhere; undefined for nothing. */
  readonly copies?: { readonly status: FollowStatus | undefined } | undefined;
  readonly clock: { now(): number };
  opened(): Iterable<Workspace>;
  names(): readonly string[];
  readiness(): Promise<Readiness>;
}

/** Workspaces with numbers of their own. Those of the others are taken together, so the text has a bound. */
export const maxNamed = 100;
/** No workspace has such a name. */
const others = '_others';

/** Measures what has a state and no events: called for each scrape, and bounded in time. */
export function measuresOf(registry: Registry): (service: MeasuredService) => Promise<void> {
  const registers = [registry];
  const gauge = (name: string, help: string, ...labelNames: string[]): Gauge =>
    new Gauge({ name: `cartulary_${name}`, help, labelNames, registers });
  const ready = gauge('ready', 'Whether a part of the service is well, as /v1/ready says', 'part');
  const workspaces = gauge('workspaces', 'Workspaces: open, or such as could not be opened', 'state');
  const inProgress = gauge('work_in_progress', 'Work under way, by kind', 'kind');
  const waiting = gauge('work_waiting', 'Requests that wait for room, by kind of work', 'kind');
  const limit = gauge('work_limit', 'How much work may be under way for all together, by kind', 'kind');
  const bodies = gauge('request_body_bytes', 'Bytes of request bodies in memory, beyond the first of each');
  const bodiesLimit = gauge('request_body_limit_bytes', 'Bytes of request bodies that there may be in memory');
  const shed = new Counter({
    name: 'cartulary_work_refused_total',
    help: 'Requests without room, by kind of work and by the limit: that of one source, or that of all together',
    labelNames: ['kind', 'limit'],
    registers,
  });
  const free = gauge('disk_free_bytes', 'Bytes of the disk of the data folder that this account may still use');
  const size = gauge('disk_size_bytes', 'Bytes of the disk of the data folder in all');
  const setCopy = copyMeasuresOf(registry, { others, most: maxNamed });
  const byMetric = workspaceMetrics.map(({ name, help, label }) => {
    return new Gauge({ name, help, labelNames: ['workspace', ...(label === undefined ? [] : [label])], registers });
  });

  function setWork(limits: WorkLimits): void {
    shed.reset();
    for (const [kind, limiter] of Object.entries(limits)) {
      const { use } = limiter;
      waiting.set({ kind }, use.waiting);
      shed.inc({ kind, limit: 'source' }, use.refused.source);
      shed.inc({ kind, limit: 'all' }, use.refused.all);
      if (kind === 'bodies') {
        bodies.set(use.used);
        bodiesLimit.set(use.limit);
      } else {
        inProgress.set({ kind }, use.used);
        limit.set({ kind }, use.limit);
      }
    }
  }

  function setMeasures(workspace: string, measures: Measures): void {
    for (const [index, metric] of workspaceMetrics.entries()) {
      const { label } = metric;
      for (const [of, value] of measures.get(metric) ?? []) {
        byMetric[index]?.set({ workspace, ...(label === undefined ? {} : { [label]: of }) }, value);
      }
    }
  }

  async function setWorkspaces(service: MeasuredService): Promise<void> {
    const opened = [...service.opened()].toSorted((one, other) => (one.name < other.name ? -1 : 1));
    const measured: [string, Measures][] = [];
    const together: Measures = new Map();
    for (const workspace of opened) {
      const measures = measureWorkspace(workspace);
      if (measured.length < maxNamed) measured.push([workspace.name, measures]);
      else addMeasures(together, measures);
      await yieldToLoop();
    }
    // What is gone since the last scrape has no number any more.
    for (const each of byMetric) each.reset();
    for (const [name, measures] of measured) setMeasures(name, measures);
    if (together.size > 0) setMeasures(others, together);
    workspaces.set({ state: 'open' }, opened.length);
    workspaces.set({ state: 'faulty' }, service.names().length - opened.length);
  }

  return async (service) => {
    const { isReady: _, ...parts } = await service.readiness();
    for (const [part, word] of Object.entries(parts)) ready.set({ part }, Number(word === 'ok'));
    // One that is behind has a number of its own, and most services have none.
    ready.set({ part: 'copy' }, Number(parts.copy !== 'superseded'));
    const { disk } = service;
    await disk?.look();
    free.remove();
    size.remove();
    if (disk?.space !== undefined) {
      free.set(disk.space.free);
      size.set(disk.space.total);
    }
    setWork(service.workLimits);
    setCopy(service.copies?.status, service.clock.now());
    await setWorkspaces(service);
  };
}
