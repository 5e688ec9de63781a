import { knownRow, requireCurrent } from '../../changes/document-guards.js';
import { findByHeadings } from '../../changes/find-section-again.js';
import { requireWritable } from '../../changes/location-guards.js';
import { readOnce, type ReadText } from '../../changes/read-sections.js';
import { requireHeld, requireUnclaimed } from '../../changes/require-unclaimed.js';
import type { WriteContext } from '../../changes/write-context.js';
import type { Document } from '../../domain/document.js';
import type { Precondition } from '../../domain/etag.js';
import type { Location } from '../../domain/location.js';
import { notFound } from '../../domain/refusal.js';
import type { WriteOperation } from '../operation.js';
import { readClaimedText, readVersionText } from './read-text.js';
import { recordVersion, type DecidedVersion } from './update-document.js';

export interface RestoreVersionInput {
  readonly location: Location;
  /** The version to restore. */
  readonly versionId: string;
  /** Left out: the current version. */
  readonly precondition?: Precondition | undefined;
  readonly message: string | null;
  readonly claimId?: string | undefined;
}

/** What a claim on a section makes the transaction read. */
interface ReadTexts {
  /** The content as text. Undefined for binary content, and for content not read. */
  readonly text: string | undefined;
  /** The text that it replaces, where sections of it are claimed. */
  readonly before: ReadText | undefined;
}

/**
 * @throws Refusal NOT_FOUND, also when the document has no such version; CONFLICT `stale_if_match`, `claimed`,
 * `claim_lost`; INVALID_REQUEST `read_only_source`
 */
function decideRestore(context: WriteContext, change: RestoreVersionInput, texts: ReadTexts): DecidedVersion {
  const { location, precondition = { any: true }, message } = change;
  const found = requireCurrent(context, location, precondition);
  const old = context.transaction.tables.versions.byId(found.row.number, change.versionId);
  if (old === undefined) throw notFound();
  const readNext = readOnce(() => texts.text);
  requireHeld(context, found, change.claimId);
  const replaced = { version: found.row.current, read: texts.before };
  const findAgain = findByHeadings(context.transaction, replaced, readNext);
  requireUnclaimed(context, found, readNext, findAgain);
  requireWritable(context.transaction.tables, found.mirror);
  const { mediaType } = old;
  const decision = {
    event: { type: 'restore', documentId: found.row.id, location, mediaType, restoredVersion: old.id } as const,
    files: [{ location, mediaType, content: old }],
    message,
    known: knownRow(found),
  };
  return { decision, found, readNext, findAgain };
}

/**
 * Adds an older version's content as the newest version. All versions stay. Editor.
 * @throws Refusal as `decideRestore`, and INVALID_REQUEST `storage_quota`
 */
export const restoreVersion: WriteOperation<RestoreVersionInput, Document, ReadTexts> = {
  kind: 'write',
  name: 'document.restore',
  needs: ({ location }) => [{ role: 'editor', location }],
  note: ({ location, versionId }) => ({ target: location, detail: { restored: versionId } }),
  async prepare(context, { location, versionId }) {
    const { view, workspace } = context;
    const document = view.document(location);
    const version = document === undefined ? undefined : view.version(document, versionId);
    const text = version === undefined ? undefined : await readVersionText(workspace, version);
    return { text, before: await readClaimedText(context, location) };
  },
  run: (context, input, texts) => recordVersion(context, decideRestore(context, input, texts)),
  noteResult: (document) => ({ version: document.current.id, documentId: document.id }),
  documentNumber: (document) => document.number,
};
