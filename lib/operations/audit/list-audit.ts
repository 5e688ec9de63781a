import { findArchived } from '../../audit/find-archived.js';
import { ArchiveUnreadable } from '../../audit/read-archive.js';
import { findRecords, type FoundRecords, type PlaceQuestion, type Question } from '../../audit/seek-records.js';
import type { AuditEntry, AuditFilter } from '../../domain/audit-entry.js';
import type { Caller } from '../../domain/caller.js';
import { formatTime } from '../../domain/clock.js';
import { isWithin, rootLocation, type Location } from '../../domain/location.js';
import type { Page } from '../../domain/page.js';
import { notFound, unavailable } from '../../domain/refusal.js';
import type { Steps } from '../../scheduling/in-steps.js';
import { runCooperatively } from '../../scheduling/run-cooperatively.js';
import { yieldToLoop } from '../../scheduling/yield-to-loop.js';
import type { View } from '../../view/view.js';
import type { ReadContext, ReadOperation } from '../operation.js';
import { askAboutPlace, isApproverAt } from './place-question.js';
import { RecordPresenter } from './show-record.js';

export interface ListAuditInput extends AuditFilter {
  /** Only what lies at or below it now. Left out: everything for an admin, the caller's own doings for others. */
  readonly location?: Location | undefined;
  /** The position after the last record read; '' for the first page. */
  readonly after: string;
  readonly limit: number;
}

/** Who asks: an admin about everything or a place, an approver about a place, or anyone about their own doings. */
type Asker = 'admin' | 'approver' | 'self';

/**
 * Records of the audit log, the newest first. An admin sees all of them, an approver those of a place, and everyone
 * their own doings. For anybody else there is nothing, as at an absent place. An admin's page may hold fewer records
 * than requested and still not be the last. Every other page is full or the last: a short one would tell how much is
 * hidden. Archived records are for admins alone.
 * @throws Refusal NOT_FOUND; UNAVAILABLE when an archive cannot be read
 */
export const listAudit: ReadOperation<ListAuditInput, Page<AuditEntry>> = {
  kind: 'read',
  name: 'audit.list',
  isHeavy: true,
  needs: () => [],
  note: ({ location, after, limit: _, from, to, ...filter }) => ({
    ...(location === undefined ? {} : { target: location }),
    detail: {
      ...filter,
      ...(from === undefined ? {} : { from: formatTime(from) }),
      ...(to === undefined ? {} : { to: formatTime(to) }),
      isFirstPage: after === '',
    },
  }),
  async run(context, input) {
    const { workspace, caller, view } = context;
    const asker = decideAsker(view, caller, input);
    const items: AuditEntry[] = [];
    for (let [after, now] = [input.after, view]; ;) {
      const limit = input.limit - items.length;
      const { question, found } = await findPage({ workspace, caller, view: now }, { ...input, after, limit }, asker);
      // Rights may have changed meanwhile.
      now = workspace.view(caller);
      if (decideAsker(now, caller, input) !== asker) throw notFound();
      const presenter = new RecordPresenter(now, caller.principalId);
      const shown = found.records.flatMap((record) => presenter.show(record, question.place) ?? []);
      items.push(...(asker === 'self' ? shown.filter((entry) => liesWithin(entry, input.location)) : shown));
      const next = found.next === 0 ? null : String(found.next).padStart(16, '0');
      if (next === null || items.length === input.limit || asker === 'admin') return { items, next };
      after = next;
      await yieldToLoop();
      now = workspace.view(caller);
    }
  },
};

/** @throws Refusal NOT_FOUND for a question that the caller may not ask */
function decideAsker(view: View, caller: Caller, { location, principal }: ListAuditInput): Asker {
  if (view.reach.holds('approver', rootLocation)) return 'admin';
  if (location !== undefined && isApproverAt(view, location)) return 'approver';
  const isOwn = principal === caller.principalId || (principal === undefined && location === undefined);
  if (!isOwn) throw notFound();
  return 'self';
}

async function findPage(
  { workspace, caller, view }: ReadContext,
  { location, after, limit, ...filter }: ListAuditInput,
  asker: Asker,
): Promise<{ readonly question: Question; readonly found: FoundRecords }> {
  const { tables } = view;
  const isAboutAll = asker === 'self' || location === undefined || location === rootLocation;
  const blocks = asker === 'admin' ? workspace.auditBlocks : null;
  const upTo = after === '' ? Number.MAX_SAFE_INTEGER : Number(after);
  let question: Question = {
    filter: asker === 'self' ? { ...filter, principal: caller.principalId } : filter,
    place: null,
    naming: asker === 'self' ? location : undefined,
  };
  function* find(): Steps<FoundRecords> {
    let place: PlaceQuestion | null = null;
    if (!isAboutAll && location !== undefined) place = yield* askAboutPlace(view, location);
    question = { ...question, place };
    const above = tables.auditArchives.last()?.lastSeq ?? 0;
    return yield* findRecords(tables, question, { upTo, above, limit }, blocks);
  }
  const live = await runCooperatively(find());
  if (live.next > 0 || asker !== 'admin') return { question, found: live };
  const archived = tables.auditArchives.last()?.lastSeq ?? 0;
  if (archived === 0) return { question, found: live };
  const rest = { upTo: Math.min(upTo, archived), limit: limit - live.records.length };
  const source = { workspace: workspace.name, tables, archives: workspace.archives };
  try {
    const { records, next } = await findArchived(source, question, rest);
    return { question, found: { records: [...live.records, ...records], next } };
  } catch (error) {
    throw error instanceof ArchiveUnreadable ? unavailable(error) : error;
  }
}

/** Own doings at a place: those whose place can be shown. */
function liesWithin({ target }: AuditEntry, location: Location | undefined): boolean {
  return location === undefined || (target !== null && isWithin(location, target as Location));
}
