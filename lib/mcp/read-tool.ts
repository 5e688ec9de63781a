import { parseLocation } from '../domain/location.js';
import { readPart, type PartRead, type ShownText } from '../operations/documents/read-part.js';
import { presentClaim, presentNote, presentRecord } from './present-document.js';
import { presentOutline } from './present-outline.js';
import { toolEntry, type ToolEntry, type ToolCall } from './tool.js';

interface ReadArguments {
  readonly location: string;
  readonly section?: string;
  readonly outline_only?: boolean;
  readonly start_line?: number;
  readonly start_column?: number;
  readonly max_chars?: number;
  readonly expected_commit?: string;
}

const usualChars = 20_000;

/** The requested part of the text, and the way to go on. */
function presentText({ text, totalLines, within, part, hiddenCharacters, headings }: ShownText): object {
  return {
    ...(part === undefined ? {} : { text: part.text }),
    ...(hiddenCharacters === 0 ? {} : { hidden_characters: hiddenCharacters }),
    ...(within === undefined ? {} : { section: within.id }),
    ...(part === undefined ? {} : { start_line: part.startLine, end_line: part.endLine }),
    total_lines: totalLines,
    ...(part === undefined || part.nextLine === null ? {} : { next_start_line: part.nextLine }),
    ...(part === undefined || part.nextColumn === null ? {} : { next_start_column: part.nextColumn }),
    ...(headings === undefined ? {} : presentOutline(text, headings)),
  };
}

function presentRead({ document, role, shown }: PartRead, { caller }: ToolCall<ReadArguments>): object {
  return {
    ...presentRecord(document, role),
    ...presentNote(document.current.message),
    read_only: document.readOnly,
    labels: document.labels,
    ...(shown === null ? {} : presentText(shown)),
    claims: document.claims.map((claim) => presentClaim(claim, document.location, caller.principalId)),
  };
}

const readInput = ({ args }: ToolCall<ReadArguments>) => ({
  location: parseLocation(args.location),
  expected: args.expected_commit,
  section: args.section,
  isOutlineOnly: args.outline_only ?? false,
  startLine: args.start_line,
  startColumn: args.start_column,
  maxChars: args.max_chars ?? usualChars,
});

export const readEntries: readonly ToolEntry[] = [
  toolEntry({
    tool: 'read_org_doc',
    scope: 'org:read',
    when: ({ outline_only }: ReadArguments) => outline_only === true,
    takes: ['location', 'section', 'outline_only', 'expected_commit'],
    operation: readPart,
    read: readInput,
    present: presentRead,
  }),
  toolEntry({ tool: 'read_org_doc', scope: 'org:read', operation: readPart, read: readInput, present: presentRead }),
];
