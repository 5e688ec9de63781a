import type { Location } from '../domain/location.js';
import { conflict } from '../domain/refusal.js';
import type { Steps } from '../scheduling/in-steps.js';
import { followSections } from './follow-section.js';
import type { FollowedTexts } from './followed-texts.js';
import { noteSearch, noteWritten } from './index-changes.js';
import { planRevert, type LeftAlone, type RevertPlan, type RevertPreview, type RevertStep } from './plan-revert.js';
import { recordEvent, type Decision } from './record-event.js';
import { fileOf, restoredBy } from './undelete-plan.js';
import type { WriteContext } from './write-context.js';

/** Reverts one principal's writes in a folder since a time, where no other principal has built on them. */
export interface Revert {
  readonly location: Location;
  readonly principalId: string;
  /** Milliseconds since 1970. */
  readonly since: number;
  /** Digest of the preview. If the outcome has changed since, the revert is refused. */
  readonly preview: string;
  readonly message: string | null;
}

export interface RevertResult {
  readonly principalId: string;
  /** Milliseconds since 1970. */
  readonly since: number;
  readonly steps: readonly RevertStep[];
  readonly leftAlone: readonly LeftAlone[];
  /** Milliseconds since 1970: a revert of the caller's changes since then takes this one back. */
  readonly at: number;
  /** Id of the commit and of each new version. Null when there was nothing to do. */
  readonly versionId: string | null;
}

/** The part of a plan that callers see. */
export function toPreview({ steps, leftAlone, digest }: RevertPlan): RevertPreview {
  return { steps, leftAlone, digest };
}

/** @throws Refusal CONFLICT `preview_changed`; INVALID_REQUEST `too_much_to_revert` */
function* decideRevert(
  context: WriteContext,
  change: Revert,
): Steps<{ readonly plan: RevertPlan; readonly decision: Decision }> {
  const plan = yield* planRevert(context.view, { ...change, callerId: context.caller.principalId });
  if (plan.digest !== change.preview) {
    throw conflict('preview_changed', 'Things have changed since the preview. Look at the new one.');
  }
  const { restored, deleted, returning } = plan;
  const { location, principalId, message } = change;
  const written = [...restored.map((each) => each.returning), ...returning];
  const live = [...restored.map((each) => ({ ...each, location: each.returning.location })), ...deleted];
  const decision: Decision = {
    event: {
      type: 'revert',
      location,
      principalId,
      restored: written.map(restoredBy),
      deleted: deleted.map(({ row, location: place }) => ({ documentId: row.id, location: place })),
    },
    files: written.map(fileOf),
    message,
    known: {
      live: new Map(
        live.map(({ row, location: place }) => [
          row.id,
          { number: row.number, sequence: row.current.sequence, location: place },
        ]),
      ),
      deleted: new Map(returning.map((each) => [each.id, each])),
    },
  };
  return { plan, decision };
}

/**
 * Carries out the preview: one commit, a new version of each document. Nothing is lost: the reverted versions stay in
 * the documents' histories, and a revert can be reverted.
 * @param followed the claimed sections of the texts
 * @throws Refusal as `decideRevert`, and INVALID_REQUEST `storage_quota`
 */
export function* applyRevert(
  context: WriteContext,
  change: Revert,
  followed: Pick<FollowedTexts, 'sectionsOf' | 'findAgainIn'>,
): Steps<RevertResult> {
  const { plan, decision } = yield* decideRevert(context, change);
  const { steps, leftAlone } = plan;
  const done = { principalId: change.principalId, since: change.since, steps, leftAlone, at: context.transaction.now };
  if (steps.length === 0) return { ...done, versionId: null };
  const { versionId, written, removed } = yield* recordEvent(context, decision);
  for (const { row, returning } of plan.restored) {
    const { location, content } = returning;
    const findAgain = followed.findAgainIn(row.current.blobOid, content.blobOid);
    followSections(context, { row, location }, followed.sectionsOf(content.blobOid), findAgain);
    yield;
  }
  for (const returning of plan.returning) {
    const { location, content } = returning;
    followSections(context, { row: returning, location }, followed.sectionsOf(content.blobOid));
    yield;
  }
  noteSearch(
    context,
    versionId,
    ...removed.map((location) => ({ type: 'remove', location }) as const),
    ...(yield* noteWritten(context, written)),
  );
  return { ...done, versionId };
}
