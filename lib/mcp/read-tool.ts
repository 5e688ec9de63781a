import { findHeading } from '../domain/find-heading.js';
import { parseLocation } from '../domain/location.js';
import { readOutlineInSteps, type Heading } from '../domain/outline.js';
import { invalidRequest } from '../domain/refusal.js';
import { readDocument, type DocumentRead } from '../operations/read-document.js';
import { runResting } from '../domain/run-resting.js';
import { countLines, cutText } from './cut-text.js';
import { presentClaim, presentRecord } from './present-document.js';
import { presentOutline } from './present-outline.js';
import { row, type Row, type ToolCall } from './tool.js';

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
/** Bytes of a text that is read in parts, and of one whose headings are looked for. */
const longestRead = 16 * 1024 * 1024;
const longestOutlined = 1024 * 1024;

/** The text; undefined for what is none. @throws Refusal INVALID_REQUEST `content_too_large` */
async function readText({ version, bytes, openStream }: DocumentRead): Promise<string | undefined> {
  if (version.kind !== 'text') return undefined;
  if (bytes !== null || openStream === null) return bytes?.toString('utf8');
  if (version.size > longestRead) {
    throw invalidRequest('content_too_large', `Texts of up to ${longestRead} bytes are read here.`, {
      limit: longestRead,
      size: version.size,
    });
  }
  const pieces: Buffer[] = [];
  for await (const piece of await openStream()) pieces.push(piece as Buffer);
  return Buffer.concat(pieces).toString('utf8');
}

async function readHeadings(text: string, { version }: DocumentRead): Promise<readonly Heading[]> {
  return version.size > longestOutlined ? [] : runResting(readOutlineInSteps(text));
}

function isWithin(heading: Heading, { line, lastLine }: Heading): boolean {
  return heading.line >= line && heading.line <= lastLine;
}

/** The part of the text that was asked for, with how to go on. */
async function presentText(text: string, read: DocumentRead, { args }: ToolCall<ReadArguments>): Promise<object> {
  const { section, outline_only = false, start_line, start_column = 1, max_chars = usualChars } = args;
  const total_lines = countLines(text);
  const needsHeadings = section !== undefined || outline_only;
  const headings = needsHeadings ? await readHeadings(text, read) : [];
  const within = section === undefined ? undefined : findHeading(headings, section);
  const named = within === undefined ? {} : { section: within.id };
  if (outline_only) {
    const shown = within === undefined ? headings : headings.filter((heading) => isWithin(heading, within));
    return { ...named, total_lines, ...presentOutline(text, shown) };
  }
  const startLine = start_line ?? within?.line ?? 1;
  if (within !== undefined && (startLine < within.line || startLine > within.lastLine)) {
    throw invalidRequest('bad_field', 'The argument start_line lies outside the section.', { field: 'start_line' });
  }
  const part = cutText(text, {
    startLine,
    startColumn: start_column,
    lastLine: within?.lastLine,
    maxChars: max_chars,
  });
  const isCut = part.nextLine !== null;
  const isFirst = startLine === 1 && start_column === 1;
  const isMarkdown = read.version.mediaType.startsWith('text/markdown');
  const outline =
    isCut && isFirst && within === undefined && isMarkdown ? presentOutline(text, await readHeadings(text, read)) : {};
  return {
    text: part.text,
    ...named,
    start_line: part.startLine,
    end_line: part.endLine,
    total_lines,
    ...(part.nextLine === null ? {} : { next_start_line: part.nextLine }),
    ...(part.nextColumn === null ? {} : { next_start_column: part.nextColumn }),
    ...outline,
  };
}

async function presentRead(read: DocumentRead, call: ToolCall<ReadArguments>): Promise<object> {
  const { document, role } = read;
  const { section, start_line } = call.args;
  const text = await readText(read);
  if (text === undefined && (section !== undefined || start_line !== undefined)) {
    throw invalidRequest('not_text', 'The document is not text.');
  }
  return {
    ...presentRecord(document, role),
    read_only: document.readOnly,
    labels: document.labels,
    ...(text === undefined ? {} : await presentText(text, read, call)),
    claims: document.claims.map((claim) => presentClaim(claim, document.location, call.caller.principalId)),
  };
}

const readInput = ({ args }: ToolCall<ReadArguments>) => ({
  location: parseLocation(args.location),
  expected: args.expected_commit,
  withContent: true,
});

export const readRows: readonly Row[] = [
  row({
    tool: 'read_org_doc',
    scope: 'org:read',
    when: ({ outline_only }: ReadArguments) => outline_only === true,
    takes: ['location', 'section', 'outline_only', 'expected_commit'],
    operation: readDocument,
    read: readInput,
    present: presentRead,
  }),
  row({ tool: 'read_org_doc', scope: 'org:read', operation: readDocument, read: readInput, present: presentRead }),
];
