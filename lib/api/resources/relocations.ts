import { toAccessChangeRecord } from '../../records/access-change-record.js';
import { formatEtag } from '../../domain/etag.js';
import { parseFolderLocation, parseLocation, parseName } from '../../domain/location.js';
import {
  move,
  rename,
  type MoveInput,
  type RelocationResult,
  type RenameInput,
} from '../../operations/folders/relocate.js';
import { answerJson, type Answer } from '../answers/answer.js';
import { jsonOf, type CheckedRequest } from '../requests/checked-request.js';
import { jsonPost, route, type Route } from '../route.js';
import { toDocumentRecord } from '../../records/document-record.js';
import { presentFolder } from './folders.js';
import { parsePrecondition } from '../requests/parse-precondition.js';

/** The common fields of RenameRequest and MoveRequest. */
interface SentRelocation {
  readonly location: string;
  readonly acknowledge_access_change?: boolean;
  readonly access_report?: string;
}

/**
 * The conditions of a relocation: its acknowledged change of access, the report of it, and the expected version.
 * @throws Refusal INVALID_REQUEST `bad_field`
 */
function readAcknowledgement(request: CheckedRequest) {
  const { acknowledge_access_change: acknowledged = false, access_report: report } = jsonOf(request) as SentRelocation;
  const ifMatch = request.header('if-match');
  const precondition = ifMatch === undefined ? undefined : parsePrecondition(ifMatch, 'If-Match');
  return { acknowledged, report, precondition };
}

/**
 * The body RenameRequest.
 * @throws Refusal INVALID_REQUEST `bad_location`, `bad_field`
 */
function readRename(request: CheckedRequest): RenameInput {
  const { location, name } = jsonOf(request) as SentRelocation & { readonly name: string };
  return { location: parseLocation(location), name: parseName(name), ...readAcknowledgement(request) };
}

/**
 * The body MoveRequest; without to_folder the root is meant.
 * @throws Refusal INVALID_REQUEST `bad_location`, `bad_field`
 */
function readMove(request: CheckedRequest): MoveInput {
  const { location, to_folder: toFolder = '' } = jsonOf(request) as SentRelocation & { readonly to_folder?: string };
  return {
    location: parseLocation(location),
    toFolder: parseFolderLocation(toFolder, 'to_folder'),
    ...readAcknowledgement(request),
  };
}

/** The description's `Relocated`: the record now, its old location, and the principals that lost access. */
function presentRelocation({ moved, from, to, losses }: RelocationResult): Answer {
  const change = { from, to, losses: losses.map(toAccessChangeRecord) };
  if (moved.type === 'folder') return answerJson(200, { ...presentFolder(moved.folder), ...change });
  const { document } = moved;
  return answerJson(200, { ...toDocumentRecord(document), ...change }, { ETag: formatEtag(document.current.id) });
}

/** Renames and moves of documents and folders. */
export const relocationRoutes: readonly Route[] = [
  route({ ...jsonPost, path: '/renames', operation: rename, read: readRename, present: presentRelocation }),
  route({ ...jsonPost, path: '/moves', operation: move, read: readMove, present: presentRelocation }),
];
