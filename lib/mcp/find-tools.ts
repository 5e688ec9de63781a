import { parseTime } from '../domain/clock.js';
import { isWithin, parentOf, parseFolderLocation, rootLocation, type Location } from '../domain/location.js';
import type { Page } from '../domain/page.js';
import { invalidRequest } from '../domain/refusal.js';
import type { Role } from '../domain/role.js';
import { parseLabels } from '../operations/documents/content.js';
import {
  listReachedDocuments,
  listReachedFolders,
  type ReachedDocument,
  type ReachedDocuments,
  type ReachedFolder,
} from '../operations/documents/list-reached.js';
import {
  searchDocuments,
  type FoundText,
  type SearchInput,
  type SearchResults,
} from '../operations/documents/search-documents.js';
import { answerRoom, fitPage } from './answer-room.js';
import { formatDay, nameMediaType, usualMediaType } from './present-document.js';
import { presentNext, readPage, toolEntry, type PageArguments, type ToolEntry, type ToolCall } from './tool.js';

const usualList = 50;
const usualSearch = 10;

interface ListFoldersArguments extends PageArguments {
  readonly location?: string;
}

function presentFolders(page: Page<ReachedFolder>, call: ToolCall<ListFoldersArguments>): object {
  const present = ({ folder, role }: ReachedFolder): object => ({
    location: folder.location,
    ...(role === undefined ? {} : { role }),
    ...(folder.readOnly ? { read_only: true } : {}),
  });
  // The folders in a folder are in the order of their names, the topmost ones in that of their locations.
  const isInside = call.args.location !== undefined;
  const { shown, next } = fitPage(page, present, ({ folder }) => (isInside ? folder.name : folder.location));
  return { folders: shown, ...presentNext(next, call) };
}

interface ListDocumentsArguments extends PageArguments {
  readonly location?: string;
  readonly recursive?: boolean;
  readonly changed_since?: string;
}

/** A document's line in a list; what most of the listed documents share is said once, above them. */
interface ListedDocument {
  readonly name: string;
  readonly commit: string;
  readonly bytes: number;
  readonly modified_on: string;
  readonly modified_by: string;
  readonly role: Role;
  readonly media_type: string;
}

const sharedFields = ['role', 'modified_on', 'modified_by', 'media_type'] as const;

function presentDocuments(listed: ReachedDocuments, call: ToolCall<ListDocumentsArguments>): object {
  const { folders, isDocument } = listed;
  const root = parseFolderLocation(call.args.location ?? '');
  const folder = deepestAround(root, listed.items);
  const present = ({ document: { location, current }, role }: ReachedDocument): ListedDocument => ({
    name: folder === rootLocation ? location : location.slice(folder.length + 1),
    commit: current.id,
    bytes: current.size,
    modified_on: formatDay(current.at),
    modified_by: current.author.displayName,
    role,
    media_type: nameMediaType(current.mediaType),
  });
  const { shown, next } = fitPage(listed, present, ({ document }) => document.location);
  return {
    ...(listed.items.length === 0 ? {} : { location: folder }),
    ...shareFields(shown as readonly ListedDocument[]),
    ...(isDocument ? { is_document: true } : {}),
    ...(folders.length === 0 ? {} : { folders: folders.map((below) => below.location) }),
    ...presentNext(next, call),
  };
}

/** The deepest folder with all of the documents, for short names. */
function deepestAround(root: Location, items: readonly ReachedDocument[]): Location {
  const [first, ...others] = items.map(({ document }) => parentOf(document.location));
  let folder = first ?? root;
  for (const other of others) while (!isWithin(folder, other)) folder = parentOf(folder);
  return folder;
}

/** The documents, without the values that most of them have; these stand beside the list. */
function shareFields(documents: readonly ListedDocument[]): object {
  const shared: Partial<Record<(typeof sharedFields)[number], string>> = {};
  for (const field of sharedFields) {
    const value = field === 'media_type' ? usualMediaType : commonest(documents.map((document) => document[field]));
    if (value !== undefined) shared[field] = value;
  }
  const lines = documents.map((document) =>
    Object.fromEntries(
      Object.entries(document).filter(([name, value]) => (shared as Readonly<Record<string, unknown>>)[name] !== value),
    ),
  );
  // Markdown is what is not said.
  const { media_type: _, ...beside } = shared;
  return { ...beside, documents: lines };
}

function commonest(values: readonly string[]): string | undefined {
  const counts = new Map<string, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  let [most, count]: [string | undefined, number] = [undefined, 0];
  for (const [value, times] of counts) if (times > count) [most, count] = [value, times];
  return most;
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
    location: parseFolderLocation(location ?? ''),
    labels: label === undefined ? [] : parseLabels([label]),
    limit,
    position: readPosition(after),
    withPlaces: true,
    room: answerRoom,
  };
}

/** A search's position without the names of its members. */
function writePosition(position: SearchInput['position']): string | null {
  if (position === null) return null;
  const { statistics, score, location, manner } = position;
  const { entries, figures, frequencies, rarest } = statistics;
  const choice = rarest === undefined ? [] : [rarest.places, rarest.leavesOut];
  return JSON.stringify([entries, figures, frequencies, score, location, manner, ...choice]);
}

function readPosition(text: string): SearchInput['position'] {
  if (text === '') return null;
  type Position = NonNullable<SearchInput['position']>;
  type Statistics = Position['statistics'];
  const [entries, figures, frequencies, score, location, manner, places, leavesOut] = JSON.parse(text) as [
    Statistics['entries'],
    Statistics['figures'],
    Statistics['frequencies'],
    Position['score'],
    Position['location'],
    Position['manner'],
    NonNullable<Statistics['rarest']>['places'] | undefined,
    NonNullable<Statistics['rarest']>['leavesOut'] | undefined,
  ];
  const choice = places === undefined || leavesOut === undefined ? {} : { rarest: { places, leavesOut } };
  return { statistics: { entries, figures, frequencies, ...choice }, score, location, manner };
}

/** A document without text is found by its name, and has no line. */
function presentPlace(place: FoundText['place']): object {
  if (place === undefined) return {};
  return { ...(place.section === undefined ? {} : { section: place.section }), start_line: place.line };
}

function presentHits(
  { hits, folders, leavesOut, didYouMean, position }: SearchResults,
  call: ToolCall<SearchArguments>,
): object {
  const shown = hits.map(({ document, snippet, isMade, place }) => ({
    location: document.location,
    ...(isMade === true ? { extracted: true } : {}),
    ...presentPlace(place),
    snippet,
    modified_on: formatDay(document.current.at),
  }));
  const left = leavesOut ? { words_left_out: true } : {};
  const meant = didYouMean.length > 0 ? { did_you_mean: didYouMean.map(({ word }) => word) } : {};
  const named = folders.length > 0 ? { folders: folders.map(({ location }) => location) } : {};
  return { hits: shown, ...named, ...left, ...meant, ...presentNext(writePosition(position), call) };
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
