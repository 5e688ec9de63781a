import { parseFolderLocation, parseLocation, parseName, type Location } from '../domain/location.js';
import type { MoveInput, RenameInput } from '../operations/folders/relocate.js';
import type { CheckedRequest } from './checked-request.js';
import { parsePrecondition } from './parse-precondition.js';

/** Fields of the bodies FolderCreate, RenameRequest, MoveRequest and UndeleteRequest; the description requires them. */
interface SentItem {
  readonly location: string;
  readonly name?: string;
  readonly to_folder?: string;
  readonly acknowledge_access_change?: boolean;
  readonly access_report?: string;
}

function fieldsOf({ body }: CheckedRequest): SentItem {
  return (body.form === 'json' ? body.value : { location: '' }) as SentItem;
}

/** A body that names a location and nothing else. */
export function readLocationRequest(request: CheckedRequest): { readonly location: Location } {
  return { location: parseLocation(fieldsOf(request).location) };
}

/**
 * The folder from the query; the root when it is left out.
 * @throws Refusal INVALID_REQUEST `bad_location`
 */
export function readExportRequest(request: CheckedRequest): { readonly location: Location } {
  const { location = '' } = request.query as { readonly location?: string };
  return { location: parseFolderLocation(location) };
}

/**
 * What a change of place is held to: whether its change of access was seen, in which report, and at which version.
 * @throws Refusal INVALID_REQUEST `bad_field`
 */
function readAcknowledgement(request: CheckedRequest) {
  const { acknowledge_access_change: acknowledged = false, access_report: report } = fieldsOf(request);
  const ifMatch = request.header('if-match');
  const precondition = ifMatch === undefined ? undefined : parsePrecondition(ifMatch, 'If-Match');
  return { acknowledged, report, precondition };
}

/**
 * The body RenameRequest.
 * @throws Refusal INVALID_REQUEST `bad_location`, `bad_field`
 */
export function readRenameRequest(request: CheckedRequest): RenameInput {
  const { location, name = '' } = fieldsOf(request);
  return { location: parseLocation(location), name: parseName(name), ...readAcknowledgement(request) };
}

/**
 * The body MoveRequest; without to_folder the root is meant.
 * @throws Refusal INVALID_REQUEST `bad_location`, `bad_field`
 */
export function readMoveRequest(request: CheckedRequest): MoveInput {
  const { location, to_folder: toFolder = '' } = fieldsOf(request);
  return {
    location: parseLocation(location),
    toFolder: parseFolderLocation(toFolder, 'to_folder'),
    ...readAcknowledgement(request),
  };
}
