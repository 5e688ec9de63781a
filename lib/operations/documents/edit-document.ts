import { isAscii } from 'node:buffer';
import { stale } from '../../changes/document-guards.js';
import { findByHeadings } from '../../changes/find-section-again.js';
import { requireWritable } from '../../changes/location-guards.js';
import { prepareAtOnce, prepareContent, type PreparedContent } from '../../changes/prepare-content.js';
import { readOnce } from '../../changes/read-sections.js';
import { requireHeld, requireUnclaimed } from '../../changes/require-unclaimed.js';
import type { WriteContext } from '../../changes/write-context.js';
import type { Version } from '../../domain/document.js';
import type { Location } from '../../domain/location.js';
import { notFound, Refusal } from '../../domain/refusal.js';
import { runAtOnce } from '../../scheduling/in-steps.js';
import { yieldToLoop } from '../../scheduling/yield-to-loop.js';
import type { EditedText } from '../../text/apply-edits.js';
import { charsetOf, declaredCharset, decodeAs, encodeText } from '../../text/charset.js';
import { countLines } from '../../text/cut-text.js';
import { rebaseEdits, type EditBasis } from '../../text/rebase-edits.js';
import { makeShortDiff, type ShortDiff } from '../../text/short-diff.js';
import { findDocument, type FoundDocument } from '../../view/locate.js';
import type { PrepareContext, ReadOperation, WriteOperation } from '../operation.js';
import { findHeldSections, planEdit, rulesFor, type EditDocumentInput, type MadeEdit } from './plan-edit.js';
import { applyUpdate } from './update-document.js';

/** The result of an edit without writing it. */
export interface EditPreview extends MadeEdit {
  /** Nothing is written: this very edit was already done. */
  readonly isRepeat: boolean;
}

export interface EditedDocument extends EditPreview {
  readonly location: Location;
  readonly documentId: string;
  /** The version that the edit made. */
  readonly version: Version;
}

/** The work before the transaction. */
type PreparedEdit =
  | {
      readonly type: 'fits';
      readonly made: MadeEdit;
      readonly basis: EditBasis | undefined;
      readonly content: PreparedContent;
      /** What the transaction with this context found. */
      met?: Met | undefined;
    }
  | { readonly type: 'done'; readonly made: MadeEdit; readonly version: Version }
  | { readonly type: 'stale'; readonly refusal: Refusal };

interface Met {
  readonly context: WriteContext;
  readonly found: FoundDocument;
  /** The edits on the version that is current there, where it is newer than the prepared one. */
  readonly tried: FollowedEdit | undefined;
}

/** Edits made in the transaction, on a version that no work before it has seen. */
interface FollowedEdit {
  readonly made: MadeEdit;
  readonly content: PreparedContent;
}

async function prepare(context: PrepareContext, input: EditDocumentInput): Promise<PreparedEdit> {
  const planned = await planEdit(context, input);
  if (planned.type !== 'fits') return planned;
  const { bytes, parent } = planned.made;
  const declared = declaredCharset(parent.mediaType);
  const content = await prepareContent(context.workspace.staging, bytes, context.staged, declared);
  return { ...planned, content };
}

/** Maximum of bytes and lines read in a transaction, counted for each edit and twice more: all other writers wait. */
export const maxFollowed = { bytes: 192 * 1024, lines: 6000 } as const;

/**
 * Makes prepared edits on the version that the transaction found, as `rebaseEdits` allows. Only short texts that other
 * writers have just written: the rest is prepared again.
 */
function follow(
  context: WriteContext,
  { row }: FoundDocument,
  { edits }: EditDocumentInput,
  { made, basis }: Pick<PreparedEdit & { readonly type: 'fits' }, 'made' | 'basis'>,
): FollowedEdit | undefined {
  const { tables, now } = context.transaction;
  if (basis === undefined) return undefined;
  const { number, current: parent } = row;
  if (tables.versions.byId(number, made.parent.id) === undefined) return undefined;
  const readings = edits.length + 2;
  if (parent.kind !== 'text' || parent.size * readings > maxFollowed.bytes) return undefined;
  // The caller's own newer version may be these very edits. That takes more to find out.
  if (tables.versions.by(context.author.id, number, made.parent.sequence, 1).length > 0) return undefined;
  const bytesBefore = context.transaction.findContent(parent);
  if (bytesBefore === undefined) return undefined;
  const charset = charsetOf(bytesBefore, parent.mediaType);
  const before = decodeAs(bytesBefore, charset);
  if (countLines(before) * readings > maxFollowed.lines) return undefined;
  const rules = rulesFor(context.policy, parent);
  const held = findHeldSections(tables, number, context.author.id, now);
  const edited = attempt(rebaseEdits(basis, before, { edits, held, rules }));
  if (edited === undefined) return undefined;
  const bytes = encodeText(edited.text, charset, parent.mediaType);
  // What cannot be written is prepared again, and refused there.
  if (!Buffer.isBuffer(bytes) || Math.max(bytes.length, Buffer.byteLength(edited.text)) > rules.longest) {
    return undefined;
  }
  const { text: after, replacements } = edited;
  const content = prepareAtOnce(bytes, declaredCharset(parent.mediaType));
  return { made: { ...made, parent, before, after, bytes, replacements }, content };
}

function attempt(work: Generator<void, EditedText | undefined>): EditedText | undefined {
  try {
    return runAtOnce(work);
  } catch (error) {
    if (error instanceof Refusal) return undefined;
    throw error;
  }
}

/**
 * Changes parts of a text, all of them or none, as one version. The document must have the version for which the edits
 * were written, or a newer one on which `rebaseEdits` makes them. The transaction decides that, so nothing is ever
 * merged or overwritten unseen. The same edits again find themselves done. Editor.
 * @throws Refusal as an update and as `applyEdits` do; CONFLICT `stale_if_match` also says what changed since and
 * whether the edits would still apply
 */
export const editDocument: WriteOperation<EditDocumentInput, EditedDocument, PreparedEdit> = {
  kind: 'write',
  name: 'document.edit',
  needs: ({ location }) => [{ role: 'editor', location }],
  note: ({ location, edits }) => ({ target: location, detail: { edits: edits.length } }),
  prepare,
  // A stale edit gets the same answer as a later one.
  isOvertaken(context, input, prepared) {
    if (prepared.type !== 'fits') return false;
    const found = findDocument(context.transaction.tables, input.location);
    if (found === undefined) return false;
    const isNewer = found.row.current.id !== prepared.made.parent.id;
    const tried = isNewer ? follow(context, found, input, prepared) : undefined;
    prepared.met = { context, found, tried };
    return isNewer && tried === undefined;
  },
  run(context, input, prepared) {
    const { location, message, claimId } = input;
    const { tables } = context.transaction;
    const met = prepared.type === 'fits' && prepared.met?.context === context ? prepared.met : undefined;
    const found = met?.found ?? findDocument(tables, location);
    if (found === undefined) throw notFound();
    if (prepared.type === 'stale') throw prepared.refusal;
    const { current, number, id: documentId } = found.row;
    if (prepared.type === 'done') {
      const { made } = prepared;
      const version = tables.versions.byId(number, prepared.version.id);
      if (version === undefined) throw stale(current);
      return { ...made, location, documentId, version, isRepeat: true };
    }
    const isPrepared = prepared.made.parent.id === current.id;
    const fitting = isPrepared ? prepared : (met?.tried ?? follow(context, found, input, prepared));
    if (fitting === undefined) throw stale(current);
    const { made, content: edited } = fitting;
    const content = { ...edited, before: { versionId: made.parent.id, text: made.before } };
    const precondition = { any: false, versionIds: [made.parent.id] } as const;
    // Characters beyond ASCII that were written as UTF-8 are not what another declaration says.
    const isUtf8 = content.charset === undefined && !isAscii(made.bytes);
    const change = { location, precondition, isUtf8, message, claimId };
    const { current: version } = applyUpdate(context, change, content, found);
    return { ...made, location, documentId, version, isRepeat: false };
  },
  noteResult: ({ version, documentId, isRepeat, parent, expected }) => {
    const note = { version: version.id, documentId };
    if (isRepeat) return { ...note, detail: { replayed: true } };
    return parent.id === expected.id ? note : { ...note, detail: { expected: expected.id } };
  },
};

/**
 * The result of an edit without writing it, with the same refusals. An edit already made gets the same answer as well.
 * Editor.
 */
export const previewEdit: ReadOperation<EditDocumentInput, EditPreview> = {
  kind: 'read',
  name: 'document.preview_edit',
  needs: (input) => editDocument.needs(input),
  note: (input) => editDocument.note(input),
  async run(context, input) {
    const { view, caller, workspace } = context;
    const found = findDocument(view.tables, input.location);
    if (found === undefined) throw notFound();
    const planned = await planEdit(context, input);
    if (planned.type === 'stale') throw planned.refusal;
    const { made } = planned;
    if (planned.type === 'done') return { ...made, isRepeat: true };
    const { tables, now } = workspace.view(caller);
    const asked = { transaction: { tables, now }, caller };
    requireHeld(asked, found, input.claimId);
    const readNext = readOnce(() => made.after);
    const replaced = { version: made.parent, read: { versionId: made.parent.id, text: made.before } };
    requireUnclaimed(asked, found, readNext, findByHeadings({}, replaced, readNext));
    requireWritable(tables, found.mirror);
    return { ...made, isRepeat: false };
  },
};

/** What an edit did, for its writer. */
export interface EditOutcome extends ShortDiff {
  /** Bytes and lines of the document afterwards. */
  readonly bytes: number;
  readonly lines: number;
  /** What had changed between the expected version and the one that was edited. */
  readonly meanwhile: (ShortDiff & { readonly newest: Version; readonly versions: number }) | undefined;
}

/** Compares the texts. Others get their turn between two comparisons. */
export async function describeEdit(edit: MadeEdit): Promise<EditOutcome> {
  const { expected, parent, expectedText, before, after } = edit;
  const outcome = { bytes: edit.bytes.length, lines: countLines(after), ...makeShortDiff(before, after) };
  if (parent.id === expected.id) return { ...outcome, meanwhile: undefined };
  await yieldToLoop();
  const versions = parent.sequence - expected.sequence;
  return { ...outcome, meanwhile: { newest: parent, versions, ...makeShortDiff(expectedText, before) } };
}
