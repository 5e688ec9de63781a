import type { DocumentEdit } from '../text/document-edit.js';
import { formatTime } from '../domain/clock.js';
import type { Version } from '../domain/document.js';
import { parseLocation, type Location } from '../domain/location.js';
import { invalidRequest } from '../domain/refusal.js';
import { decodeContent, parseMessage } from '../operations/documents/content.js';
import {
  describeEdit,
  editDocument,
  previewEdit,
  type EditOutcome,
  type EditPreview,
} from '../operations/documents/edit-document.js';
import type { EditDocumentInput } from '../operations/documents/plan-edit.js';
import {
  createText,
  removeText,
  replaceText,
  type RemovedText,
  type WrittenText,
} from '../operations/documents/write-document.js';
import { undoRemoval } from '../operations/documents/undo-removal.js';
import { countLines } from '../text/cut-text.js';
import { stagedFrom } from '../changes/prepare-content.js';
import { presentWho } from './present-document.js';
import { toolEntry, type ToolEntry, type ToolCall } from './tool.js';

interface WriteArguments {
  readonly location: string;
  readonly content: string;
  readonly expected_commit?: string;
  readonly allow_shrink?: boolean;
  readonly claim_id?: string;
  readonly note?: string;
}

/** Endings of files that hold no text. SVG is text. */
const neverText =
  /\.(?:png|jpe?g|gif|webp|avif|heic|bmp|tiff?|ico|mp[34]|m4a|wav|ogg|flac|mov|webm|mkv|avi|pdf|zip|g?z|tgz|7z|docx?|xlsx?|pptx?|od[tsp]|woff2?|[to]tf|exe)$/i;

/** A new text is not called like a picture. @throws Refusal INVALID_REQUEST `bad_location` */
function requireTextName(location: Location): Location {
  const ending = neverText.exec(location)?.[0];
  if (ending === undefined) return location;
  const message = `This tool writes text, and ${ending} is the ending of another kind of file. Choose one such as .md.`;
  throw invalidRequest('bad_location', message, { field: 'location' });
}

/**
 * These tools write text. A document with U+0000 in it is binary, and no agent could read or edit it again.
 * @throws Refusal INVALID_REQUEST `bad_field`
 */
function requireText(text: string, field: string): string {
  if (!text.includes('\0') && !/\p{Surrogate}/u.test(text)) return text;
  throw invalidRequest('bad_field', `${field} holds U+0000 or half a surrogate pair, which no text does.`, { field });
}

function presentWritten({ document, isRepeat }: WrittenText, { args }: ToolCall<WriteArguments>): object {
  const { expected_commit, content } = args;
  return {
    location: document.location,
    commit: document.current.id,
    ...(expected_commit === undefined ? {} : { parent_commit: expected_commit }),
    bytes: document.current.size,
    lines: countLines(content),
    created: expected_commit === undefined,
    replayed: isRepeat,
  };
}

interface SentEdit {
  readonly op?: DocumentEdit['op'];
  readonly old_text?: string;
  readonly new_text: string;
  readonly section?: string;
  readonly count?: number;
}

interface EditArguments {
  readonly location: string;
  readonly expected_commit: string;
  readonly edits: readonly SentEdit[];
  readonly on_stale?: 'refuse' | 'apply';
  readonly dry_run?: boolean;
  readonly claim_id?: string;
  readonly note?: string;
}

/** The required and the optional fields of each kind of edit, beside op and new_text. */
const partsOfEdits: Readonly<
  Record<DocumentEdit['op'], { readonly needs?: 'old_text' | 'section'; readonly may?: 'count' }>
> = {
  replace_text: { needs: 'old_text', may: 'count' },
  replace_section: { needs: 'section' },
  append_to_section: { needs: 'section' },
  insert_before_section: { needs: 'section' },
  insert_after_section: { needs: 'section' },
  append: {},
};

/** @throws Refusal INVALID_REQUEST `missing_field`, `unknown_field` */
function readEdit(edit: SentEdit, index: number): DocumentEdit {
  const { op = 'replace_text', new_text: newText, old_text: oldText = '', section = '', count = 1 } = edit;
  const { needs, may } = partsOfEdits[op];
  if (needs !== undefined && edit[needs] === undefined) {
    const field = `edits.${index}.${needs}`;
    throw invalidRequest('missing_field', `An edit by ${op} needs ${needs}.`, { field, editIndex: index });
  }
  for (const name of ['old_text', 'section', 'count'] as const) {
    const isSaid = edit[name] !== undefined && !(name === 'count' && count === 1);
    if (!isSaid || name === needs || name === may) continue;
    const field = `edits.${index}.${name}`;
    throw invalidRequest('unknown_field', `${name} has no meaning for ${op}.`, { field, editIndex: index });
  }
  requireText(newText, `edits.${index}.new_text`);
  for (const [name, text] of [
    ['old_text', oldText],
    ['new_text', newText],
  ] as const) {
    if (text.length <= stagedFrom) continue;
    const field = `edits.${index}.${name}`;
    throw invalidRequest('content_too_large', `${name} is longer than any text that is edited.`, {
      field,
      limit: stagedFrom,
    });
  }
  if (op === 'replace_text') return { op, oldText, newText, count };
  return op === 'append' ? { op, newText } : { op, section, newText };
}

function readEdits({ args }: ToolCall<EditArguments>): EditDocumentInput {
  const { location, expected_commit, edits, on_stale, claim_id, note } = args;
  return {
    location: parseLocation(location),
    expected: expected_commit,
    edits: edits.map(readEdit),
    claimId: claim_id,
    message: parseMessage(note),
    followsNewer: on_stale === 'apply',
  };
}

async function presentEdited(
  edited: EditPreview & { readonly version?: Version },
  call: ToolCall<EditArguments>,
): Promise<object> {
  const { version, parent, replacements, isRepeat } = edited;
  const { bytes, lines, diff, isTruncated, meanwhile } = await describeEdit(edited);
  return {
    location: call.args.location,
    ...(version === undefined ? {} : { commit: version.id }),
    parent_commit: parent.id,
    bytes,
    lines,
    replacements,
    diff,
    diff_truncated: isTruncated,
    ...(meanwhile === undefined ? {} : { meanwhile: presentMeanwhile(meanwhile) }),
    dry_run: version === undefined,
    replayed: isRepeat,
  };
}

function presentMeanwhile({ newest, versions, diff, isTruncated }: NonNullable<EditOutcome['meanwhile']>): object {
  return {
    versions,
    commit: newest.id,
    modified_at: formatTime(newest.at),
    modified_by: presentWho(newest.author),
    diff,
    diff_truncated: isTruncated,
  };
}

interface DeleteArguments {
  readonly location: string;
  readonly expected_commit: string;
  readonly claim_id?: string;
  readonly undo?: boolean;
  readonly note?: string;
}

/** Tools for writing. */
export const writeEntries: readonly ToolEntry[] = [
  toolEntry({
    tool: 'write_org_doc',
    scope: 'org:write',
    when: ({ expected_commit }: WriteArguments) => expected_commit === undefined,
    takes: ['location', 'content', 'note'],
    operation: createText,
    read: ({ args }) => ({
      location: requireTextName(parseLocation(args.location)),
      content: { bytes: decodeContent(requireText(args.content, 'content')) },
      labels: [],
      message: parseMessage(args.note),
    }),
    present: presentWritten,
  }),
  toolEntry({
    tool: 'write_org_doc',
    scope: 'org:write',
    operation: replaceText,
    read: ({ args }: ToolCall<WriteArguments>) => ({
      location: parseLocation(args.location),
      expected: args.expected_commit ?? '',
      content: { bytes: decodeContent(requireText(args.content, 'content')) },
      allowShrink: args.allow_shrink ?? false,
      claimId: args.claim_id,
      message: parseMessage(args.note),
    }),
    present: presentWritten,
  }),
  toolEntry({
    tool: 'edit_org_doc',
    scope: 'org:write',
    when: ({ dry_run }: EditArguments) => dry_run === true,
    operation: previewEdit,
    read: readEdits,
    present: presentEdited,
  }),
  toolEntry({
    tool: 'edit_org_doc',
    scope: 'org:write',
    operation: editDocument,
    read: readEdits,
    present: presentEdited,
  }),
  toolEntry({
    tool: 'delete_org_doc',
    scope: 'org:write',
    when: ({ undo }: DeleteArguments) => undo === true,
    takes: ['location', 'expected_commit', 'undo'],
    operation: undoRemoval,
    read: ({ args }: ToolCall<DeleteArguments>) => ({
      location: parseLocation(args.location),
      expected: args.expected_commit,
    }),
    present: ({ document, isRepeat }) => ({
      location: document.location,
      commit: document.current.id,
      undone: true,
      replayed: isRepeat,
    }),
  }),
  toolEntry({
    tool: 'delete_org_doc',
    scope: 'org:write',
    operation: removeText,
    read: ({ args }: ToolCall<DeleteArguments>) => ({
      location: parseLocation(args.location),
      expected: args.expected_commit,
      claimId: args.claim_id,
      message: parseMessage(args.note),
    }),
    present: ({ deletion, isRepeat }: RemovedText) => ({
      location: deletion.location,
      commit: deletion.versionId,
      replayed: isRepeat,
    }),
  }),
];
