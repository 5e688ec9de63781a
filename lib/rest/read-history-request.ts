import { parseLocation, type Location } from '../domain/location.js';
import type { CompareVersionsInput } from '../operations/history/compare-versions.js';
import type { ListHistoryInput } from '../operations/history/list-history.js';
import type { RestoreVersionInput } from '../operations/documents/restore-version.js';
import { parseMessage } from '../operations/documents/content.js';
import { readPage } from './read-page.js';
import type { CheckedRequest } from './checked-request.js';
import { parsePrecondition } from './parse-precondition.js';

/** The query parameter of routes about one document; the description requires it. */
export function readPlace({ query }: CheckedRequest): Location {
  return parseLocation((query as { readonly location: string }).location);
}

/**
 * The document from the query, and the page.
 * @throws Refusal INVALID_REQUEST `bad_location`, `bad_cursor`
 */
export function readHistoryRequest(request: CheckedRequest): ListHistoryInput {
  return { location: readPlace(request), ...readPage(request) };
}

/**
 * The document and the two versions from the query, which may be left out.
 * @throws Refusal INVALID_REQUEST `bad_location`
 */
export function readDiffRequest(request: CheckedRequest): CompareVersionsInput {
  const { from, to } = request.query as { readonly from?: string; readonly to?: string };
  return { location: readPlace(request), fromVersionId: from, toVersionId: to };
}

/** The body RestoreRequest. */
export function readRestoreRequest(request: CheckedRequest): RestoreVersionInput {
  const { body } = request;
  const { location, version, message } = (body.form === 'json' ? body.value : { location: '' }) as {
    readonly location: string;
    readonly version?: string;
    readonly message?: string;
  };
  const ifMatch = request.header('if-match');
  return {
    location: parseLocation(location),
    versionId: version ?? '',
    precondition: ifMatch === undefined ? undefined : parsePrecondition(ifMatch, 'If-Match'),
    message: parseMessage(message),
  };
}
