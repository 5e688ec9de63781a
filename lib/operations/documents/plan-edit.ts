import { createHash } from 'node:crypto';
import { readPolicy } from '../../access/read-policy.js';
import { stale } from '../../changes/document-guards.js';
import { stagedFrom } from '../../changes/prepare-content.js';
import type { DocumentEdit } from '../../text/document-edit.js';
import { isMarkdown, type Document, type Version } from '../../domain/document.js';
import type { Location } from '../../domain/location.js';
import type { Policy } from '../../domain/policy.js';
import { invalidRequest, notFound, Refusal } from '../../domain/refusal.js';
import { runCooperatively } from '../../scheduling/run-cooperatively.js';
import type { Tables } from '../../sidecar/tables.js';
import { applyEdits, type EditedText, type EditRules } from '../../text/apply-edits.js';
import { rebaseEdits, type EditBasis } from '../../text/rebase-edits.js';
import { encodeText } from '../../text/charset.js';
import { makeShortDiff } from '../../text/short-diff.js';
import type { ReadContext } from '../operation.js';
import { readVersionText, readWithCharset, requireBytes, type ReadVersion } from './read-text.js';

export interface EditDocumentInput {
  readonly location: Location;
  /** The version for which the edits were written. */
  readonly expected: string;
  readonly edits: readonly DocumentEdit[];
  readonly message: string | null;
  readonly claimId?: string | undefined;
  /** Whether the edits are made on a newer version too, where all that they rely on is as it was. */
  readonly followsNewer: boolean;
}

/** Edits made on one version of a document. */
export interface MadeEdit {
  /** The version for which they were written, and the one on which they are made. */
  readonly expected: Version;
  readonly parent: Version;
  /** The texts of these two, and the result. */
  readonly expectedText: string;
  readonly before: string;
  readonly after: string;
  /** The bytes of the result, in the charset of the text on which the edits are made. */
  readonly bytes: Buffer;
  /** Number of changed places. */
  readonly replacements: number;
}

/** What becomes of edits, by the state of one moment. */
export type PlannedEdit =
  /** They can be written. With a basis, they can be made on a still newer version too. */
  | { readonly type: 'fits'; readonly made: MadeEdit; readonly basis: EditBasis | undefined }
  /** The caller has written this version by them. */
  | { readonly type: 'done'; readonly made: MadeEdit; readonly version: Version }
  /** Another version is current. The refusal describes the moment. */
  | { readonly type: 'stale'; readonly refusal: Refusal };

/** The farthest that edits are moved. Versions. */
const maxNewer = 1000;
/** Maximum of the caller's own newer versions: each may be these very edits, sent before. */
const maxOwn = 8;
/** Maximum of bytes times edits to find that out, after the first version. */
const maxCompared = 16 * 1024 * 1024;

export function rulesFor({ largestText }: Policy, version: Version): EditRules {
  return {
    isMarkdown: isMarkdown(version),
    longest: Math.min(largestText, stagedFrom),
  };
}

/** Ids of the sections of a document that the principal has claimed, and that its text has. */
export function findHeldSections(tables: Tables, document: number, principalId: string, now: number): string[] {
  return tables.claims.on(document, now).flatMap(({ holder, section, sectionDigest }) => {
    return holder.id === principalId && section !== null && sectionDigest !== null ? [section] : [];
  });
}

/** @throws Refusal INVALID_REQUEST `not_text`, `content_too_large` */
async function requireText({ workspace }: ReadContext, version: Version): Promise<ReadVersion> {
  const read = await readWithCharset(workspace, version);
  if (read !== undefined) return read;
  if (version.kind !== 'text') throw invalidRequest('not_text', 'The document is not text; replace it as a whole.');
  throw invalidRequest('content_too_large', `A document of more than ${stagedFrom} bytes is replaced as a whole.`, {
    limit: stagedFrom,
    size: version.size,
  });
}

/** The bytes of the edited text. @throws Refusal INVALID_REQUEST `content_too_large`, `bad_field` */
function requireFits({ text }: EditedText, { longest }: EditRules, { charset }: ReadVersion, of: Version): Buffer {
  const bytes = requireBytes(text, charset, of);
  const size = Math.max(bytes.length, Buffer.byteLength(text));
  if (size <= longest) return bytes;
  throw invalidRequest('content_too_large', `The document would be longer than ${longest} bytes.`, {
    limit: longest,
    size,
  });
}

/** Runs work on edits. Undefined where it refuses. */
async function attempt<Result>(work: Generator<void, Result>): Promise<Result | undefined> {
  try {
    return await runCooperatively(work);
  } catch (error) {
    if (error instanceof Refusal) return undefined;
    throw error;
  }
}

/** A version by the caller, and the one before it. */
interface OwnVersion {
  readonly version: Version;
  readonly parent: Version;
}

/** All that is decided by one view, before anything waits. */
interface EditState {
  readonly document: Document;
  readonly policy: Policy;
  readonly expected: Version | undefined;
  readonly held: readonly string[];
  /** Newer versions by the caller that may be these very edits, the newest first. */
  readonly own: readonly OwnVersion[];
  /** Whether the edits may be made on the current version. */
  readonly mayFollow: boolean;
}

/** @throws Refusal NOT_FOUND */
function readEditState({ view, caller }: ReadContext, input: EditDocumentInput): EditState {
  const document = view.document(input.location);
  if (document === undefined) throw notFound();
  const { tables, now } = view;
  const { current, number } = document;
  const expected = view.version(document, input.expected);
  const held = findHeldSections(tables, number, caller.principalId, now);
  const state = { document, policy: readPolicy(tables), expected, held };
  const withParent = (version: Version): OwnVersion[] => {
    const parent = view.versionBefore(document, version);
    return parent === undefined ? [] : [{ version, parent }];
  };
  if (expected === undefined || expected.id === current.id) return { ...state, own: [], mayFollow: true };
  if (!input.followsNewer && held.length === 0) {
    const own = current.author.id === caller.principalId ? withParent(current) : [];
    return { ...state, own: own.filter(({ parent }) => parent.id === expected.id), mayFollow: false };
  }
  const isNear = current.sequence - expected.sequence <= maxNewer;
  const affordable = Math.floor(maxCompared / ((current.size + 1) * input.edits.length));
  const most = Math.max(1, Math.min(maxOwn, affordable));
  const own = isNear ? tables.versions.by(caller.principalId, number, expected.sequence, most + 1) : [];
  return { ...state, own: own.slice(0, most).flatMap(withParent), mayFollow: isNear && own.length <= most };
}

/**
 * Decides what becomes of edits, and makes them.
 * @throws Refusal NOT_FOUND, and INVALID_REQUEST as `applyEdits` does where the expected version is current
 */
export async function planEdit(context: ReadContext, input: EditDocumentInput): Promise<PlannedEdit> {
  const state = readEditState(context, input);
  const { expected, document } = state;
  if (expected?.id === document.current.id) return planOnExpected(context, input, state, expected);
  const { workspace } = context;
  const expectedText = expected === undefined ? undefined : await readVersionText(workspace, expected);
  if (expected !== undefined && expectedText !== undefined) {
    const done = await findDone(context, input, state, { expected, expectedText });
    if (done !== undefined) return done;
  }
  const read = await readWithCharset(workspace, document.current);
  if (read === undefined) return { type: 'stale', refusal: stale(document.current) };
  const { text } = read;
  if (expected !== undefined && expectedText !== undefined && state.mayFollow) {
    const moved = await planOnNewer(input, state, { expected, expectedText, read });
    if (moved !== undefined) return moved;
  }
  const still = await attempt(applyEdits(text, input.edits, rulesFor(state.policy, document.current)));
  const editsStillApply = still !== undefined;
  if (expected === undefined) {
    return { type: 'stale', refusal: stale(document.current, { isUnknown: true, editsStillApply }) };
  }
  const since = expectedText === undefined ? {} : { changes: makeShortDiff(expectedText, text) };
  const apply = input.followsNewer ? ({ isFollowed: true } as const) : { editsStillApply };
  return { type: 'stale', refusal: stale(document.current, { ...apply, ...since }) };
}

async function planOnExpected(
  context: ReadContext,
  { edits, followsNewer }: EditDocumentInput,
  { policy, held }: EditState,
  expected: Version,
): Promise<PlannedEdit> {
  const rules = rulesFor(policy, expected);
  const read = await requireText(context, expected);
  const { text: before } = read;
  const anchors: string[] | undefined = followsNewer ? [] : undefined;
  const edited = await runCooperatively(applyEdits(before, edits, rules, anchors));
  const bytes = requireFits(edited, rules, read, expected);
  const { text: after, replacements } = edited;
  const made = { expected, parent: expected, expectedText: before, before, after, bytes, replacements };
  return { type: 'fits', made, basis: followsNewer || held.length > 0 ? { text: before, anchors } : undefined };
}

interface ExpectedText {
  readonly expected: Version;
  readonly expectedText: string;
}

/** The caller's version that these very edits made of the version before it. */
async function findDone(
  { workspace }: ReadContext,
  { edits }: EditDocumentInput,
  { policy, own }: EditState,
  of: ExpectedText,
): Promise<PlannedEdit | undefined> {
  for (const { version, parent } of own) {
    const read = await readWithCharset(workspace, parent);
    if (read === undefined) continue;
    const before = read.text;
    const edited = await attempt(applyEdits(before, edits, rulesFor(policy, parent)));
    if (edited === undefined) continue;
    const { text: after, replacements } = edited;
    const bytes = encodeText(after, read.charset, parent.mediaType);
    if (!Buffer.isBuffer(bytes) || createHash('sha256').update(bytes).digest('hex') !== version.sha256) continue;
    return { type: 'done', version, made: { ...of, parent, before, after, bytes, replacements } };
  }
  return undefined;
}

/** @returns undefined where something that the edits rely on has changed */
async function planOnNewer(
  { edits, followsNewer }: EditDocumentInput,
  { policy, held, document }: EditState,
  { expected, expectedText, read }: ExpectedText & { readonly read: ReadVersion },
): Promise<PlannedEdit | undefined> {
  const found: string[] = [];
  const { text } = read;
  const isWritten =
    followsNewer && (await attempt(applyEdits(expectedText, edits, rulesFor(policy, expected), found))) !== undefined;
  const basis = { text: expectedText, anchors: isWritten ? found : undefined };
  const rules = rulesFor(policy, document.current);
  const edited = await attempt(rebaseEdits(basis, text, { edits, held, rules }));
  if (edited === undefined) return undefined;
  const bytes = requireFits(edited, rules, read, document.current);
  const { text: after, replacements } = edited;
  const made = { expected, expectedText, parent: document.current, before: text, after, bytes, replacements };
  return { type: 'fits', made, basis };
}
