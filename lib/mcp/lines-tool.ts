import { parseFolderLocation } from '../domain/location.js';
import { parseLabels } from '../operations/documents/content.js';
import {
  searchLines,
  type LineItem,
  type LinePosition,
  type LineResults,
  type SearchLinesInput,
} from '../operations/documents/search-lines.js';
import { answerRoom } from './answer-room.js';
import { formatDay } from './present-document.js';
import { presentNext, readPage, toolEntry, type PageArguments, type ToolCall, type ToolEntry } from './tool.js';

interface LinesArguments extends PageArguments {
  readonly query: string;
  readonly match?: 'words' | 'exact' | 'pattern';
  readonly context?: number;
  readonly location?: string;
  readonly label?: string;
}

const usualLines = 10;
const usualContext = 1;

function readLines(call: ToolCall<LinesArguments>): SearchLinesInput {
  const { query, match, context = usualContext, location = '', label } = call.args;
  const { after, limit } = readPage(call, usualLines);
  return {
    query,
    match: match === 'pattern' ? 'pattern' : 'exact',
    location: parseFolderLocation(location),
    labels: label === undefined ? [] : parseLabels([label]),
    context,
    limit,
    position: readPosition(after),
    room: answerRoom,
    departure: () => call.departure(),
    charge: (requests) => call.charge(requests),
  };
}

/** A position without the names of its members. */
function writePosition(position: LinePosition | null): string | null {
  if (position === null) return null;
  const { location, inside } = position;
  return JSON.stringify(
    inside === null ? [location] : [location, inside.id, inside.version, inside.line, inside.window],
  );
}

function readPosition(text: string): LinePosition | null {
  if (text === '') return null;
  const [location, id, version, line, window] = JSON.parse(text) as [
    string,
    ...([] | [string, string, number, number]),
  ];
  const isInside = id !== undefined && version !== undefined && line !== undefined && window !== undefined;
  return { location, inside: isInside ? { id, version, line, window } : null };
}

function presentItem({ document, found }: LineItem): object[] {
  if (found === 'changed') return [];
  const { section, line, before, text, after } = found;
  return [
    {
      location: document.location,
      ...(section === null ? {} : { section }),
      start_line: line - before.length,
      snippet: [...before, text, ...after].join('\n'),
      modified_on: formatDay(document.current.at),
      match_line: line,
    },
  ];
}

function presentLines({ items, position }: LineResults, call: ToolCall<LinesArguments>): object {
  const changed = items.filter(({ found }) => found === 'changed').map(({ document }) => document.location);
  return {
    hits: items.flatMap(presentItem),
    ...(changed.length === 0 ? {} : { changed }),
    ...presentNext(writePosition(position), call),
  };
}

/** The use of the search tool for lines that hold a text, or fit a pattern. */
export const lineEntries: readonly ToolEntry[] = [
  toolEntry({
    tool: 'search_org_knowledge',
    scope: 'org:read',
    when: ({ match }: LinesArguments) => match === 'exact' || match === 'pattern',
    operation: searchLines,
    read: readLines,
    present: presentLines,
  }),
];
