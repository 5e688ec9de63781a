import type { Erasure } from '../../domain/erasure.js';
import { rootLocation } from '../../domain/location.js';
import { makePage, type Page } from '../../domain/page.js';
import type { Author } from '../../domain/principal.js';
import { notFound } from '../../domain/refusal.js';
import type { EraseStep } from '../../erase/erase-step.js';
import type { ReadContext, ReadOperation } from '../operation.js';

/** A receipt, with what this process knows of an erase under way. Its `hindrance` can be a failed last attempt. */
interface KnownErasure extends Erasure {
  /** What it waits for, which ends by itself. */
  readonly waitsFor: string | null;
}

/** The rows hold lasting obstacles alone. */
function withObstacle<Of extends Erasure>({ eraser }: ReadContext['workspace'], erasure: Of): Of & KnownErasure {
  const { id } = erasure;
  const hindrance = erasure.hindrance ?? eraser.hindranceOf(id) ?? null;
  return { ...erasure, hindrance, waitsFor: eraser.waitOf(id) ?? null };
}

/** A receipt, with how far the erase is. */
export interface FollowedErasure extends KnownErasure {
  readonly by: Author;
  /** Its last step in this process; undefined where it waits or is over. */
  readonly step: EraseStep | undefined;
}

function follow({ workspace, view }: ReadContext, erasure: Erasure): FollowedErasure {
  const { id, requestedBy } = erasure;
  const principal = view.tables.principals.find(requestedBy);
  if (principal === undefined) throw new Error(`The erase ${id} has no requester.`);
  const by = { id: principal.id, kind: principal.kind, displayName: principal.displayName };
  return { ...withObstacle(workspace, erasure), by, step: workspace.eraser.stepOf(id) };
}

const isAdmin = ({ view }: ReadContext): boolean => view.reach.holds('approver', rootLocation);

/** Positions have one length, whatever number they hold. */
const digits = 16;

export interface ListErasuresInput {
  /** The position after the last one read; '' for the first page. */
  readonly after: string;
  readonly limit: number;
}

/**
 * The receipts of the erases that the caller asked for, the newest first. For an admin: of all. They name principals and
 * amounts, but never the erased content.
 */
export const listErasures: ReadOperation<ListErasuresInput, Page<FollowedErasure>> = {
  kind: 'read',
  name: 'erasure.list',
  needs: () => [],
  note: () => ({}),
  run(context, { after, limit }) {
    const { erasures } = context.view.tables;
    const before = after === '' ? Number.MAX_SAFE_INTEGER : Number(after);
    const { principalId } = context.caller;
    const found = isAdmin(context) ? erasures.list(before, limit + 1) : erasures.listOf(principalId, before, limit + 1);
    const page = makePage(found, limit, ({ number }) => String(number).padStart(digits, '0'));
    return { ...page, items: page.items.map((erasure) => follow(context, erasure)) };
  },
};

/** One receipt, for the principal who asked for the erase, and for admins. @throws Refusal NOT_FOUND for others */
export const readErasure: ReadOperation<{ readonly erasureId: string }, FollowedErasure> = {
  kind: 'read',
  name: 'erasure.read',
  needs: () => [],
  note: ({ erasureId }) => ({ target: erasureId }),
  run(context, { erasureId }) {
    const erasure = context.view.tables.erasures.find(erasureId);
    if (erasure === undefined) throw notFound();
    if (erasure.requestedBy !== context.caller.principalId && !isAdmin(context)) throw notFound();
    return follow(context, erasure);
  },
};
