import type { Policy } from '../../domain/policy.js';
import type { PreparedContent } from '../../changes/prepare-content.js';
import type { DocumentEdit } from '../../domain/document-edit.js';
import { isMarkdown, type Document, type Version } from '../../domain/document.js';
import type { Location } from '../../domain/location.js';
import { invalidRequest, notFound, Refusal } from '../../domain/refusal.js';
import { readPolicy } from '../../access/policy.js';
import { applyUpdate } from '../../changes/apply-update.js';
import { stale } from '../../changes/apply-update.js';
import { findDocument, toDocument, type FoundDocument } from '../../view/locate.js';
import { prepareContent, stagedFrom } from '../../changes/prepare-content.js';
import { requireHeld, requireUnclaimed } from '../../changes/require-unclaimed.js';
import { readSections } from '../../changes/follow-section.js';
import { requireWritable } from '../../changes/location-guards.js';
import { applyEdits, type EditedText, type EditRules } from '../../text/apply-edits.js';
import { decodeContent } from './content.js';
import type { PrepareContext, ReadContext, ReadOperation, WriteOperation } from '../operation.js';
import { isOwnRepeat } from '../own-repeat.js';
import { readVersionText } from './read-text.js';
import { runCooperatively } from '../../scheduling/run-cooperatively.js';
import { makeShortDiff, type ShortDiff } from '../../text/short-diff.js';
import type { Tables } from '../../sidecar/tables.js';
import { countLines } from '../../text/cut-text.js';

export interface EditDocumentInput {
  readonly location: Location;
  /** The version for which the edits were written. */
  readonly expected: string;
  readonly edits: readonly DocumentEdit[];
  readonly message: string | null;
  readonly claimId?: string | undefined;
}

/** The result of an edit. */
export interface EditOutcome extends ShortDiff {
  /** Bytes and lines of the document afterwards. */
  readonly bytes: number;
  readonly lines: number;
  /** Number of changed places. */
  readonly replacements: number;
}

export interface EditPreview extends EditOutcome {
  /** Nothing is written: this very edit was already done. */
  readonly isRepeat: boolean;
}

export interface EditedDocument extends EditPreview {
  readonly document: Document;
}

/** The outcome of work before the transaction, on the version that was current then. */
type PreparedEdit = { readonly current: string } & (
  | { readonly type: 'fits'; readonly content: PreparedContent; readonly outcome: EditOutcome }
  /** Another version is current, and these edits of the expected one would have made it. */
  | { readonly type: 'made'; readonly sha256: string; readonly outcome: EditOutcome }
  /** Another version is current. The refusal describes the moment of the check. */
  | { readonly type: 'stale'; readonly refusal: Refusal }
);

function describe(before: string, { text, replacements }: EditedText): EditOutcome {
  const bytes = Buffer.byteLength(text);
  return { bytes, lines: countLines(text), replacements, ...makeShortDiff(before, text) };
}

/** @throws Refusal INVALID_REQUEST `not_text`, `content_too_large` */
async function requireText({ workspace }: ReadContext, version: Version): Promise<string> {
  const text = await readVersionText(workspace, version);
  if (text !== undefined) return text;
  if (version.kind !== 'text') throw invalidRequest('not_text', 'The document is not text; replace it as a whole.');
  throw invalidRequest('content_too_large', `A document of more than ${stagedFrom} bytes is replaced as a whole.`, {
    limit: stagedFrom,
    size: version.size,
  });
}

function rulesFor({ largestText }: Policy, version: Version): EditRules {
  return {
    isMarkdown: isMarkdown(version),
    longest: Math.min(largestText, stagedFrom),
  };
}

/** Describes the changes since, for a writer whose edits are for an older version. */
async function tellStale(
  context: ReadContext,
  document: Document,
  { expected, edits }: EditDocumentInput,
): Promise<PreparedEdit> {
  const { current } = document;
  const older = context.view.version(document, expected);
  const policy = readPolicy(context.view.tables);
  const [text, before] = await Promise.all([
    readVersionText(context.workspace, current),
    older === undefined ? undefined : readVersionText(context.workspace, older),
  ]);
  if (text === undefined) return { current: current.id, type: 'stale', refusal: stale(current) };
  const tryOn = async (base: string, version: Version): Promise<EditedText | undefined> => {
    try {
      return await runCooperatively(applyEdits(base, edits, rulesFor(policy, version)));
    } catch (error) {
      if (error instanceof Refusal) return undefined;
      throw error;
    }
  };
  if (before !== undefined && older !== undefined && current.author.id === context.caller.principalId) {
    const made = await tryOn(before, older);
    if (made?.text === text) {
      return { current: current.id, type: 'made', sha256: current.sha256, outcome: describe(before, made) };
    }
  }
  const editsStillApply = (await tryOn(text, current)) !== undefined;
  const since = before === undefined ? {} : { changes: makeShortDiff(before, text) };
  return { current: current.id, type: 'stale', refusal: stale(current, { editsStillApply, ...since }) };
}

async function applyToCurrent(
  context: ReadContext,
  document: Document,
  { edits }: EditDocumentInput,
): Promise<{ readonly edited: EditedText; readonly outcome: EditOutcome }> {
  const rules = rulesFor(readPolicy(context.view.tables), document.current);
  const before = await requireText(context, document.current);
  const edited = await runCooperatively(applyEdits(before, edits, rules));
  const outcome = describe(before, edited);
  if (outcome.bytes <= rules.longest) return { edited, outcome };
  throw invalidRequest('content_too_large', `The document would be longer than ${rules.longest} bytes.`, {
    limit: rules.longest,
    size: outcome.bytes,
  });
}

async function prepare(context: PrepareContext, input: EditDocumentInput): Promise<PreparedEdit> {
  const document = context.view.document(input.location);
  if (document === undefined) throw notFound();
  if (document.current.id !== input.expected) return tellStale(context, document, input);
  const { edited, outcome } = await applyToCurrent(context, document, input);
  const content = await prepareContent(context.workspace.staging, decodeContent(edited.text), context.staged);
  return { current: document.current.id, type: 'fits', content, outcome };
}

/**
 * Changes parts of a text, all of them or none, as one version. The document must still have the version for which the
 * edits were written. The work is done before the transaction. The transaction only checks the version, so nothing is
 * ever merged or overwritten unseen. The same edits again find themselves done. Editor.
 * @throws Refusal as an update and as `applyEdits` do; CONFLICT `stale_if_match` also says what changed since and
 * whether the edits would still apply
 */
export const editDocument: WriteOperation<EditDocumentInput, EditedDocument, PreparedEdit> = {
  kind: 'write',
  name: 'document.edit',
  needs: ({ location }) => [{ role: 'editor', location }],
  note: ({ location, edits }) => ({ target: location, detail: { edits: edits.length } }),
  prepare,
  // Then it is stale, and gets the same answer as a later one.
  isOvertaken({ transaction }, { location }, prepared) {
    const current = findDocument(transaction.tables, location)?.row.current.id;
    return prepared.type !== 'stale' && current !== undefined && current !== prepared.current;
  },
  run(context, { location, expected, message, claimId }, prepared) {
    const { tables, now } = context.transaction;
    const found = findDocument(tables, location);
    if (found === undefined) throw notFound();
    const { current } = found.row;
    if (prepared.type === 'stale') throw prepared.refusal;
    if (prepared.type === 'made' && isMade(tables, found.row, context.author.id, expected, prepared)) {
      return { ...prepared.outcome, document: toDocument(tables, found, now), isRepeat: true };
    }
    if (prepared.type !== 'fits' || prepared.current !== current.id) throw stale(current);
    const precondition = { any: false, versionIds: [expected] } as const;
    const { content } = prepared;
    const document = applyUpdate(context, { location, precondition, content, message, claimId });
    return { ...prepared.outcome, document, isRepeat: false };
  },
  noteResult: ({ document, isRepeat }) => {
    const note = { version: document.current.id, documentId: document.id };
    return isRepeat ? { ...note, detail: { replayed: true } } : note;
  },
};

/** Whether these very edits were made, by the same principal and on the same version, and no write followed. */
function isMade(
  tables: Pick<Tables, 'versions'>,
  { number, current }: FoundDocument['row'],
  principalId: string,
  parent: string,
  prepared: Extract<PreparedEdit, { readonly type: 'made' }>,
): boolean {
  const intended = { parent, sha256: prepared.sha256 };
  return prepared.current === current.id && isOwnRepeat(tables, { number, current }, principalId, intended);
}

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
    const document = view.document(input.location);
    if (found === undefined || document === undefined) throw notFound();
    const checkClaims = (text: string): void => {
      const { tables, now } = workspace.view(caller);
      const asked = { transaction: { tables, now }, caller };
      requireHeld(asked, found, input.claimId);
      requireUnclaimed(asked, found, () => readSections(text));
      requireWritable(found.mirror);
    };
    if (document.current.id !== input.expected) {
      const prepared = await tellStale(context, document, input);
      const { tables } = workspace.view(caller);
      if (prepared.type === 'made' && isMade(tables, found.row, caller.principalId, input.expected, prepared)) {
        return { ...prepared.outcome, isRepeat: true };
      }
      throw prepared.type === 'stale' ? prepared.refusal : stale(document.current);
    }
    const { edited, outcome } = await applyToCurrent(context, document, input);
    checkClaims(edited.text);
    return { ...outcome, isRepeat: false };
  },
};
