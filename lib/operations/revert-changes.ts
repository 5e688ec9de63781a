import type { Location } from '../domain/location.js';
import { toPreview, type RevertResult } from '../workspace/apply-revert.js';
import { applyChange } from '../workspace/commit.js';
import { planRevert, type RevertPreview } from '../workspace/plan-revert.js';
import type { AuditNote, ReadOperation, WriteOperation } from './operation.js';

export interface PreviewRevertInput {
  /** The folder in which it is done; the root for the whole workspace. */
  readonly location: Location;
  /** Whose doings are undone. */
  readonly principalId: string;
  /** Milliseconds since 1970: what was done then or later. */
  readonly since: number;
}

export interface RevertChangesInput extends PreviewRevertInput {
  /** The preview's digest: what was looked at is what is done. */
  readonly preview: string;
  readonly message: string | null;
}

const needs = ({ location }: PreviewRevertInput) => [{ role: 'editor', location }] as const;
const note = ({ location, principalId, since }: PreviewRevertInput): AuditNote => ({
  target: location,
  detail: { principal: principalId, since },
});

/**
 * What it would take to undo what one principal wrote in a folder since a time, and what would be left alone. A
 * principal that does not exist has done nothing. Editor of the folder.
 */
export const previewRevert: ReadOperation<PreviewRevertInput, RevertPreview> = {
  kind: 'read',
  name: 'folder.revert_preview',
  needs,
  note,
  run: ({ view, caller }, input) => toPreview(planRevert(view, { ...input, callerId: caller.principalId })),
};

/** Undoes it, as new versions by one commit. Editor of the folder. */
export const revertChanges: WriteOperation<RevertChangesInput, RevertResult> = {
  kind: 'write',
  name: 'folder.revert',
  needs,
  note,
  run: (pen, input) => applyChange(pen, { type: 'revert', ...input }),
  noteResult: ({ principalId, since, versionId, steps, leftAlone }) => ({
    ...(versionId === null ? {} : { version: versionId }),
    detail: { principal: principalId, since, documents: steps.length, left_alone: leftAlone.length },
  }),
};
