import type { Version } from '../domain/document.js';
import { parseLocation } from '../domain/location.js';
import { readPart, type PartRead } from '../operations/documents/read-part.js';
import { readChanges, type ReadChanges } from '../operations/history/read-changes.js';
import { toVersionRecord } from '../records/document-record.js';
import { textRoom } from './answer-room.js';
import { presentNote, presentVersion, presentWho } from './present-document.js';
import { explainLack, presentExtracted, presentText, readInput, type ReadArguments } from './read-tool.js';
import { toolEntry, type ToolEntry, type ToolCall } from './tool.js';

interface PastArguments extends ReadArguments {
  readonly commit?: string;
  readonly since_commit?: string;
}

const tool = 'read_org_doc';

/** An older version. Its place of that time is not named, and claims and comments are about the text of now. */
function presentOlder(read: PartRead): object {
  const { document, role, version, shown } = read;
  return {
    location: document.location,
    commit: version.id,
    ...(version.id === document.current.id ? {} : { current_commit: document.current.id }),
    ...presentVersion(version),
    ...presentNote(version),
    role,
    ...(shown === null || shown.part === undefined ? { bytes: version.size } : {}),
    ...(shown === null ? { no_text: explainLack(read) } : presentText(shown)),
    ...presentExtracted(read),
  };
}

function presentListed(version: Version): object {
  const { id, created_at } = toVersionRecord(version);
  return { commit: id, at: created_at, by: presentWho(version.author), ...presentNote(version) };
}

function presentDiff({ diff, why, isExtracted }: ReadChanges): object {
  if (diff === null) return { no_diff: why };
  const { text, isCut, nextLine } = diff;
  return {
    diff: text,
    ...(isCut ? { diff_truncated: true } : {}),
    ...(nextLine === null ? {} : { next_start_line: nextLine }),
    ...(isExtracted ? { extracted: true } : {}),
  };
}

function presentChanges(changes: ReadChanges): object {
  const { document, role, since, versions, leftOut } = changes;
  return {
    location: document.location,
    commit: document.current.id,
    role,
    since_commit: since.id,
    versions: versions.map(presentListed),
    ...(leftOut === 0 ? {} : { older_versions: leftOut }),
    ...presentDiff(changes),
  };
}

/** Uses of the tool for reading on what a document was. */
export const pastEntries: readonly ToolEntry[] = [
  toolEntry({
    tool,
    scope: 'org:read',
    when: ({ since_commit }: PastArguments) => since_commit !== undefined,
    takes: ['location', 'since_commit', 'start_line', 'max_chars', 'expected_commit'],
    operation: readChanges,
    read: ({ args }: ToolCall<PastArguments>) => ({
      location: parseLocation(args.location),
      since: args.since_commit ?? '',
      expected: args.expected_commit,
      fromLine: args.start_line === 1 ? undefined : args.start_line,
      maxChars: args.max_chars ?? textRoom,
    }),
    present: presentChanges,
  }),
  toolEntry({
    tool,
    scope: 'org:read',
    when: ({ commit }: PastArguments) => commit !== undefined,
    takes: ['location', 'commit', 'section', 'outline_only', 'start_line', 'start_column', 'max_chars'],
    operation: readPart,
    read: (call: ToolCall<PastArguments>) => ({ ...readInput(call), versionId: call.args.commit }),
    present: presentOlder,
  }),
];
