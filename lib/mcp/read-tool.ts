import { explainNoText } from '../domain/extraction.js';
import { parseLocation } from '../domain/location.js';
import { readRemarked, type RemarkedRead } from '../operations/comments/read-remarked.js';
import type { ShownText } from '../operations/documents/read-part.js';
import { textRoom } from './answer-room.js';
import { presentRemarks } from './comment-tool.js';
import { presentClaim, presentNote, presentRecord } from './present-document.js';
import { presentOutline } from './present-outline.js';
import { uriOf } from './resource-address.js';
import { toolEntry, type ToolEntry, type ToolCall } from './tool.js';

export interface ReadArguments {
  readonly location: string;
  readonly section?: string;
  readonly outline_only?: boolean;
  readonly start_line?: number;
  readonly start_column?: number;
  readonly max_chars?: number;
  readonly expected_commit?: string;
}

const noText = 'This is not text.';

/** Why no text is shown. */
export function explainLack({ extracted }: Pick<RemarkedRead, 'extracted'>): string {
  if (extracted === undefined || 'text' in extracted || extracted.reason === undefined) return noText;
  return `No text could be read from this file. ${explainNoText(extracted.reason)}`;
}

/** That the text was made of a file, and whether the file holds more. */
export function presentExtracted({ extracted }: Pick<RemarkedRead, 'extracted'>): object {
  if (extracted === undefined || !('text' in extracted)) return {};
  return { extracted: true, ...(extracted.isCut ? { is_cut: true } : {}) };
}

/** The requested part of the text, and the way to go on. Of a whole text, nothing needs to be said beside it. */
export function presentText({ totalLines, within, part, hiddenCharacters, outline }: ShownText): object {
  const next = part === undefined ? { nextLine: outline?.nextLine ?? null, nextColumn: null } : part;
  const isWhole = part?.startLine === 1 && part.startColumn === 1 && part.nextLine === null && within === undefined;
  return {
    ...(part === undefined ? {} : { text: part.text }),
    ...(hiddenCharacters === 0 ? {} : { hidden_characters: hiddenCharacters }),
    ...(within === undefined ? {} : { section: within.id }),
    ...(part === undefined || isWhole ? {} : { start_line: part.startLine, end_line: part.endLine }),
    ...(isWhole ? {} : { total_lines: totalLines }),
    ...(next.nextLine === null ? {} : { next_start_line: next.nextLine }),
    ...(next.nextColumn === null ? {} : { next_start_column: next.nextColumn }),
    ...(outline === undefined ? {} : presentOutline(outline)),
  };
}

function presentRead(read: RemarkedRead, { caller }: ToolCall<ReadArguments>): object {
  const { document, role, shown, remarks } = read;
  const claims = document.claims.map((claim) => presentClaim(claim, document.location, caller.principalId));
  return {
    ...presentRecord(document, role),
    ...presentNote(document.current),
    ...(shown === null || shown.part === undefined ? { bytes: document.current.size } : {}),
    ...(shown === null
      ? { no_text: `${explainLack(read)} A client can show it from resource.`, resource: uriOf(document.location) }
      : presentText(shown)),
    ...presentExtracted(read),
    ...(claims.length === 0 ? {} : { claims }),
    ...presentRemarks(remarks),
  };
}

export const readInput = ({ args }: ToolCall<ReadArguments>) => ({
  location: parseLocation(args.location),
  expected: args.expected_commit,
  section: args.section,
  outline: args.outline_only === true ? ('only' as const) : undefined,
  startLine: args.start_line,
  startColumn: args.start_column,
  maxChars: args.max_chars ?? textRoom,
  mayExtract: true,
});

export const readEntries: readonly ToolEntry[] = [
  toolEntry({
    tool: 'read_org_doc',
    scope: 'org:read',
    when: ({ outline_only }: ReadArguments) => outline_only === true,
    takes: ['location', 'section', 'outline_only', 'start_line', 'max_chars', 'expected_commit'],
    operation: readRemarked,
    read: readInput,
    present: presentRead,
  }),
  toolEntry({
    tool: 'read_org_doc',
    scope: 'org:read',
    operation: readRemarked,
    read: readInput,
    present: presentRead,
  }),
];
