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
import { answerJson, type Answer } from '../answers/api-answer.js';
import { jsonOf } from '../requests/checked-request.js';
import type { RequestOf } from '../requests/described-request.js';
import { jsonPost, route, type Route } from '../route.js';
import { toDocumentRecord } from '../../records/document-record.js';
import { toFolderRecord } from '../../records/folder-record.js';
import { parsePrecondition } from '../requests/parse-precondition.js';

/**
 * The conditions of a relocation: its acknowledged change of access, the report of it, and the expected version.
 * @throws Refusal INVALID_REQUEST `bad_field`
 */
function readAcknowledgement(request: RequestOf<'moveItem' | 'renameItem'>) {
  const { acknowledge_access_change: acknowledged = false, access_report: report } = jsonOf(request);
  const ifMatch = request.header('if-match');
  const precondition = ifMatch === undefined ? undefined : parsePrecondition(ifMatch, 'If-Match');
  return { acknowledged, report, precondition };
}

/**
 * The body RenameRequest.
 * @throws Refusal INVALID_REQUEST `bad_location`, `bad_field`
 */
function readRename(request: RequestOf<'renameItem'>): RenameInput {
  const { location, name } = jsonOf(request);
  return { location: parseLocation(location), name: parseName(name), ...readAcknowledgement(request) };
}

/**
 * The body MoveRequest.
 * @throws Refusal INVALID_REQUEST `bad_location`, `bad_field`
 */
function readMove(request: RequestOf<'moveItem'>): MoveInput {
  const { location, to_folder: toFolder } = jsonOf(request);
  return {
    location: parseLocation(location),
    toFolder: parseFolderLocation(toFolder, 'to_folder'),
    ...readAcknowledgement(request),
  };
}

/** The description's `Relocated`: the record now, its old location, and the principals that lost access. */
function presentRelocation({ moved, from, to, losses }: RelocationResult): Answer {
  const change = { from, to, losses: losses.map(toAccessChangeRecord) };
  if (moved.type === 'folder') return answerJson(200, { ...toFolderRecord(moved.folder), ...change });
  const { document } = moved;
  return answerJson(200, { ...toDocumentRecord(document), ...change }, { ETag: formatEtag(document.current.id) });
}

/** Renames and moves of documents and folders. */
export const relocationRoutes: readonly Route[] = [
  route({ ...jsonPost, path: '/renames', operation: rename, read: readRename, present: presentRelocation }),
  route({ ...jsonPost, path: '/moves', operation: move, read: readMove, present: presentRelocation }),
];
