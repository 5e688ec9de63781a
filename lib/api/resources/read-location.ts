import { parseFolderLocation, parseLocation, type Location } from '../../domain/location.js';
import { jsonOf, type CheckedRequest } from '../requests/checked-request.js';
import type { BodyOf, QueryOf } from '../requests/described-request.js';

/**
 * The query's document; the description requires it.
 * @throws Refusal INVALID_REQUEST `bad_location`
 */
export function readLocation({ query }: CheckedRequest<Pick<QueryOf<'listHistory'>, 'location'>>): Location {
  return parseLocation(query.location);
}

/**
 * The query's folder; the root when it names none.
 * @throws Refusal INVALID_REQUEST `bad_location`
 */
export function readFolder({ query }: CheckedRequest<Pick<QueryOf<'listFolders'>, 'location'>>): Location {
  return parseFolderLocation(query.location ?? '');
}

/**
 * A JSON body with a location alone.
 * @throws Refusal INVALID_REQUEST `bad_location`
 */
export function readSentLocation(request: CheckedRequest<object, BodyOf<'createFolder'>>): {
  readonly location: Location;
} {
  return { location: parseLocation(jsonOf(request).location) };
}
