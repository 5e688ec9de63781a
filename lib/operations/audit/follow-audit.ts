import { findRecords } from '../../audit/seek-records.js';
import type { AuditEntry } from '../../domain/audit-entry.js';
import { rootLocation } from '../../domain/location.js';
import { notFound } from '../../domain/refusal.js';
import type { Steps } from '../../scheduling/in-steps.js';
import { runCooperatively } from '../../scheduling/run-cooperatively.js';
import { adminNeeds } from '../needs.js';
import type { ReadContext, ReadOperation } from '../operation.js';
import type { ListAuditInput } from './list-audit.js';
import { askAboutPlace } from './place-question.js';
import { RecordPresenter } from './show-record.js';

/** Records looked at for one answer. */
const mostAtOnce = 1000;

type Following = Omit<ListAuditInput, 'after' | 'limit' | 'from' | 'to'>;

/** Records that are added from now on. */
export interface FollowedAudit {
  /**
   * Those that answer the question since the last call, the oldest first. None is left out: after many new ones it is
   * to be called again at once.
   * @throws Refusal NOT_FOUND once the caller is no admin any more
   */
  next(): Promise<readonly AuditEntry[]>;
}

/**
 * Begins to follow the log from its present end. It is recorded once, as a question, so that following makes no records
 * of its own. Admin.
 */
export const followAudit: ReadOperation<Following, FollowedAudit> = {
  kind: 'read',
  name: 'audit.list',
  needs: () => adminNeeds,
  note: ({ location, ...filter }) => ({
    ...(location === undefined ? {} : { target: location }),
    detail: { ...filter, isFollowing: true },
  }),
  run: (context, question) => follow(context, question),
};

function follow({ workspace, caller }: ReadContext, { location, ...filter }: Following): FollowedAudit {
  const findHead = (): number => workspace.view(caller).tables.audit.head()?.seq ?? 0;
  let above = findHead();
  async function readUpTo(upTo: number, from: number): Promise<AuditEntry[]> {
    const view = workspace.view(caller);
    if (!view.reach.holds('approver', rootLocation)) throw notFound();
    function* find(): Steps<AuditEntry[]> {
      const isAboutAll = location === undefined || location === rootLocation;
      const place = isAboutAll ? null : yield* askAboutPlace(view, location);
      const range = { above: from, upTo, limit: mostAtOnce };
      const { records } = yield* findRecords(view.tables, { filter, place }, range, null);
      const presenter = new RecordPresenter(workspace.view(caller), caller.principalId);
      const entries = records.flatMap((record) => presenter.show(record, place) ?? []);
      // The record of this question itself is left out.
      return entries.filter(({ requestId }) => requestId !== caller.requestId).toReversed();
    }
    return runCooperatively(find());
  }
  return {
    async next() {
      const head = findHead();
      let from = above;
      let entries: readonly AuditEntry[] = [];
      while (from < head && entries.length === 0) {
        const upTo = Math.min(head, from + mostAtOnce);
        entries = await readUpTo(upTo, from);
        from = upTo;
      }
      above = from;
      return entries;
    },
  };
}
