import { formatTime, parseTime } from '../domain/clock.js';
import { parseFolderLocation } from '../domain/location.js';
import type { Page } from '../domain/page.js';
import { invalidRequest } from '../domain/refusal.js';
import { parseLabels } from '../operations/documents/content.js';
import {
  listReachedDocuments,
  listReachedFolders,
  type ReachedDocument,
  type ReachedFolder,
} from '../operations/documents/list-reached.js';
import { searchDocuments, type SearchInput, type SearchResults } from '../operations/documents/search-documents.js';
import { presentRecord } from './present-document.js';
import { presentNext, readPage, toolEntry, type PageArguments, type ToolEntry, type ToolCall } from './tool.js';

const usualList = 50;
const usualSearch = 10;

interface ListFoldersArguments extends PageArguments {
  readonly location?: string;
}

function presentFolders(page: Page<ReachedFolder>, call: ToolCall<ListFoldersArguments>): object {
  const folders = page.items.map(({ folder, role }) => ({
    location: folder.location,
    ...(role === undefined ? {} : { role }),
    read_only: folder.readOnly,
  }));
  return { folders, ...presentNext(page.next, call) };
}

interface ListDocumentsArguments extends PageArguments {
  readonly location?: string;
  readonly recursive?: boolean;
  readonly changed_since?: string;
}

function presentDocuments(page: Page<ReachedDocument>, call: ToolCall<ListDocumentsArguments>): object {
  const documents = page.items.map(({ document, role }) => presentRecord(document, role));
  return { documents, ...presentNext(page.next, call) };
}

/** @throws Refusal INVALID_REQUEST `bad_field` */
function readTime(text: string): number {
  const time = parseTime(text);
  if (time !== undefined) return time;
  const message = 'The argument changed_since must be a date and time such as 2026-11-21T14:00:00Z.';
  throw invalidRequest('bad_field', message, { field: 'changed_since' });
}

interface SearchArguments extends PageArguments {
  readonly query: string;
  readonly location?: string;
  readonly label?: string;
}

function readSearch(call: ToolCall<SearchArguments>): SearchInput {
  const { query, location, label } = call.args;
  const { after, limit } = readPage(call, usualSearch);
  return {
    query,
    folder: parseFolderLocation(location ?? ''),
    labels: label === undefined ? [] : parseLabels([label]),
    limit,
    position: after === '' ? null : (JSON.parse(after) as SearchInput['position']),
    withPlaces: true,
  };
}

function presentHits({ hits, leavesOut, position }: SearchResults, call: ToolCall<SearchArguments>): object {
  const shown = hits.map(({ document, snippet, place }) => ({
    location: document.location,
    ...(place?.section === undefined ? {} : { section: place.section }),
    start_line: place?.line ?? 1,
    snippet,
    commit: document.current.id,
    modified_at: formatTime(document.current.at),
  }));
  const left = leavesOut ? { words_left_out: true } : {};
  return { hits: shown, ...left, ...presentNext(position === null ? null : JSON.stringify(position), call) };
}

/** Tools for finding. */
export const findEntries: readonly ToolEntry[] = [
  toolEntry({
    tool: 'list_org_folders',
    scope: 'org:read',
    operation: listReachedFolders,
    read: (call: ToolCall<ListFoldersArguments>) => {
      const { location } = call.args;
      return { location: location === undefined ? null : parseFolderLocation(location), ...readPage(call, usualList) };
    },
    present: presentFolders,
  }),
  toolEntry({
    tool: 'list_org_docs',
    scope: 'org:read',
    operation: listReachedDocuments,
    read: (call: ToolCall<ListDocumentsArguments>) => {
      const { location = '', recursive = false, changed_since } = call.args;
      return {
        location: parseFolderLocation(location),
        isRecursive: recursive,
        changedSince: changed_since === undefined ? null : readTime(changed_since),
        ...readPage(call, usualList),
      };
    },
    present: presentDocuments,
  }),
  toolEntry({
    tool: 'search_org_knowledge',
    scope: 'org:read',
    operation: searchDocuments,
    read: readSearch,
    present: presentHits,
  }),
];
