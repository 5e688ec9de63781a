import { followSections } from '../../changes/follow-section.js';
import { FollowedTexts } from '../../changes/followed-texts.js';
import { noteSearch, noteWritten } from '../../changes/index-changes.js';
import { recordEvent, type Decision } from '../../changes/record-event.js';
import { fileOf, restoredBy } from '../../changes/undelete-plan.js';
import type { WriteContext } from '../../changes/write-context.js';
import type { AuditExtent } from '../../domain/audit-record.js';
import type { Location } from '../../domain/location.js';
import type { Page } from '../../domain/page.js';
import { conflict, invalidRequest } from '../../domain/refusal.js';
import type { Steps } from '../../scheduling/in-steps.js';
import { runCooperatively } from '../../scheduling/run-cooperatively.js';
import { View } from '../../view/view.js';
import { folderExtent } from '../note-extent.js';
import type { AuditNote, LongWriteOperation, ReadContext, ReadOperation } from '../operation.js';
import {
  planRevert,
  type LeftAlone,
  type LeftAloneReason,
  type PreviewRevertInput,
  type RevertPlan,
  type RevertPreview,
  type RevertStep,
} from './plan-revert.js';

export interface RevertChangesInput extends PreviewRevertInput {
  /** The preview's digest. If the outcome has changed since, the revert is refused. */
  readonly preview: string;
  readonly message: string | null;
}

const needs = ({ location }: PreviewRevertInput) => [{ role: 'editor', location, folder: true }] as const;
const note = ({ location, principalId, since }: PreviewRevertInput): AuditNote => ({
  target: location,
  detail: { principal: principalId, since },
});

/** Plans a revert on the state of one moment, while other requests get their turn. */
async function planPinned(
  { workspace, caller, view }: ReadContext,
  { location, principalId, since }: PreviewRevertInput,
): Promise<RevertPlan> {
  const snapshot = workspace.journal.sidecar.openSnapshot();
  try {
    const pinned = new View(snapshot.tables, view.reach, view.now);
    const request = { location, principalId, since, callerId: caller.principalId };
    return await runCooperatively(planRevert(pinned, request));
  } finally {
    snapshot.close();
  }
}

/** The part of a plan that callers see. */
function toPreview({ steps, leftAlone, digest }: RevertPlan): RevertPreview {
  return { steps, leftAlone, digest };
}

/**
 * The plan to revert one principal's writes in a folder since a time, with the things left alone. An unknown principal
 * has written nothing. Editor of the folder.
 */
export const previewRevert: ReadOperation<PreviewRevertInput, RevertPreview> = {
  kind: 'read',
  name: 'folder.revert_preview',
  isHeavy: true,
  needs,
  note,
  run: async (context, input) => toPreview(await planPinned(context, input)),
};

export interface ListRevertInput extends PreviewRevertInput {
  /** The end position of the page before; '' for the first page. */
  readonly after: string;
  readonly limit: number;
}

/** A page of a preview; every page has the digest of the whole. */
export interface RevertPage extends Page<RevertStep | LeftAlone> {
  readonly digest: string;
}

/** A page's position: its preview, and the number of items before it. */
const positionPattern = /^([0-9a-f]{64}) (\d{6})$/;

/**
 * The same preview by pages: the planned changes first, then the things left alone. All pages are of one preview.
 * @throws Refusal CONFLICT `preview_changed` when another one would be continued; INVALID_REQUEST `bad_cursor`
 */
export const listRevert: ReadOperation<ListRevertInput, RevertPage> = {
  kind: 'read',
  name: previewRevert.name,
  isHeavy: true,
  needs,
  note,
  async run(context, { after, limit, ...input }) {
    const [, digestBefore, place = '0'] = positionPattern.exec(after) ?? [];
    if (after !== '' && digestBefore === undefined) {
      throw invalidRequest('bad_cursor', 'The cursor is not one for this preview. Start again without it.', {
        field: 'cursor',
      });
    }
    const { steps, leftAlone, digest } = await planPinned(context, input);
    if (digestBefore !== undefined && digestBefore !== digest) {
      throw conflict('preview_changed', 'Things have changed since the preview. Look at the new one.');
    }
    const all = [...steps, ...leftAlone];
    const end = Number(place) + limit;
    const items = all.slice(Number(place), end);
    return { items, digest, next: end < all.length ? `${digest} ${String(end).padStart(6, '0')}` : null };
  },
};

/** The sections that the caller has claimed in texts which a revert puts back: its claims follow them. */
async function readClaimed(context: ReadContext, input: PreviewRevertInput): Promise<FollowedTexts> {
  const followed = new FollowedTexts();
  const { workspace, caller, view } = context;
  const { claims } = workspace.journal.reader;
  const held = claims.active(view.now).filter(({ section, holder }) => {
    return section !== null && holder.id === caller.principalId;
  });
  if (held.length === 0) return followed;
  const documents = new Set(held.map(({ document }) => document));
  const { restored, returning } = await planPinned(context, input);
  const texts = [
    ...restored.map(({ row, returning: { content } }) => ({ number: row.number, before: row.current, content })),
    ...returning.map(({ number, content }) => ({ number, before: undefined, content })),
  ];
  for (const { number, before, content } of texts) {
    if (!documents.has(number)) continue;
    await followed.add(workspace.objects, caller, claims.on(number, workspace.clock.now()), before, [content]);
  }
  return followed;
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

/** @throws Refusal CONFLICT `preview_changed`; INVALID_REQUEST `too_much_to_revert` */
function* decideRevert(
  context: WriteContext,
  change: RevertChangesInput,
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
function* applyRevert(context: WriteContext, change: RevertChangesInput, followed: FollowedTexts): Steps<RevertResult> {
  const { plan, decision } = yield* decideRevert(context, change);
  const { steps, leftAlone } = plan;
  const done = { principalId: change.principalId, since: change.since, steps, leftAlone, at: context.transaction.now };
  if (steps.length === 0) return { ...done, versionId: null };
  const { versionId, written, removed } = yield* recordEvent(context, decision);
  for (const { row, returning } of plan.restored) {
    const { location, content } = returning;
    const findAgain = followed.findAgainIn(row.current, content);
    followSections(context, { row, location }, followed.sectionsOf(content), findAgain);
    yield;
  }
  for (const returning of plan.returning) {
    const { location, content } = returning;
    followSections(context, { row: returning, location }, followed.sectionsOf(content));
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

/** Carries out the revert, as new versions by one commit. Editor of the folder. */
export const revertChanges: LongWriteOperation<RevertChangesInput, RevertResult, FollowedTexts> = {
  kind: 'write',
  name: 'folder.revert',
  isHeavy: true,
  isLong: true,
  needs,
  note,
  prepare: readClaimed,
  run: applyRevert,
  extentOf: extentOfRevert,
  noteResult: ({ principalId, since, versionId, steps, leftAlone }) =>
    noteRevert({ principalId, since, versionId, documents: steps.length, untouched: leftAlone.length }),
};

/** The result of a revert, without names of documents. */
export interface ShortRevert extends Omit<RevertResult, 'steps' | 'leftAlone'> {
  readonly location: Location;
  /** Number of changed documents. */
  readonly documents: number;
  /** Numbers of documents left alone, by reason. */
  readonly leftAlone: Readonly<Record<LeftAloneReason, number>>;
}

/** The same with a result that may be kept for a retry: the places of single documents must not outlive their erase. */
export const revertChangesInShort: LongWriteOperation<RevertChangesInput, ShortRevert, FollowedTexts> = {
  kind: 'write',
  name: revertChanges.name,
  isHeavy: true,
  isLong: true,
  needs,
  note,
  prepare: readClaimed,
  *run(context, input, followed) {
    const { principalId, since, steps, leftAlone, at, versionId } = yield* revertChanges.run(context, input, followed);
    const counts = { later_writes: 0, relocated: 0, location_occupied: 0, read_only_source: 0, claimed: 0 };
    for (const { reason } of leftAlone) counts[reason] += 1;
    return { location: input.location, principalId, since, documents: steps.length, leftAlone: counts, at, versionId };
  },
  extentOf: extentOfRevert,
  noteResult: ({ leftAlone, ...result }) =>
    noteRevert({ ...result, untouched: Object.values(leftAlone).reduce((sum, count) => sum + count, 0) }),
};

function extentOfRevert(
  _: WriteContext,
  { location }: RevertChangesInput,
  { versionId }: { readonly versionId: string | null },
): AuditExtent | undefined {
  return versionId === null ? undefined : folderExtent(location);
}

function noteRevert({
  principalId,
  since,
  versionId,
  documents,
  untouched,
}: Pick<ShortRevert, 'principalId' | 'since' | 'versionId' | 'documents'> & { readonly untouched: number }): AuditNote {
  return {
    ...(versionId === null ? {} : { version: versionId }),
    detail: { principal: principalId, since, documents, left_alone: untouched },
  };
}
