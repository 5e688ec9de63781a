import { Rests } from '../../scheduling/rests.js';
import type { View } from '../../view/view.js';

/** What happened within one span of time. */
export interface Activity {
  /** Milliseconds since 1970. */
  readonly from: number;
  /** Everything that was done, but changes: mostly reads. */
  readonly reads: number;
  /** Changes of documents and folders. */
  readonly changes: number;
  /** Requests that were refused; `maxCounted` for that many or more. */
  readonly refused: number;
}

/** Refusals that are counted within one span, so that a flood of them costs no more. */
export const maxCounted = 10_000;

/**
 * Counts spans of one length up to now, the oldest first. Numbers of records and of commits go up with time, so a span
 * costs some look-ups, however much happened in it. What lies in an archive of the audit log counts as nothing.
 * @param length milliseconds
 */
export async function countActivity(look: () => View, length: number, spans: number): Promise<Activity[]> {
  const found: Activity[] = [];
  const { now } = look();
  const end = now - (now % length) + length;
  const rests = new Rests();
  for (let index = 0; index < spans; index += 1) {
    if (rests.isDue) await rests.take();
    const { tables } = look();
    const from = end - (spans - index) * length;
    const [first, next] = [findRecord(tables, from), findRecord(tables, from + length)];
    const changes = tables.briefs.lastMomentBefore(from + length) - tables.briefs.lastMomentBefore(from);
    const refused = tables.auditQueries.countRefused(first, next - 1, maxCounted);
    found.push({ from, changes, refused, reads: Math.max(0, next - first - changes - refused) });
  }
  return found;
}

/** Number of the first record at that time or later, by binary search; one more than the last where there is none. */
function findRecord({ audit, auditQueries }: View['tables'], at: number): number {
  let low = auditQueries.first();
  let high = (audit.head()?.seq ?? 0) + 1;
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    const record = audit.find(middle);
    if (record === undefined || record.at < at) low = middle + 1;
    else high = middle;
  }
  return low;
}
