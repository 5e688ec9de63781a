import { parseFolderLocation, parseLocation, type Location } from '../../domain/location.js';
import { jsonOf, type CheckedRequest } from '../requests/checked-request.js';

/**
 * The query's document; the description requires it.
 * @throws Refusal INVALID_REQUEST `bad_location`
 */
export function readLocation({ query }: CheckedRequest): Location {
  return parseLocation((query as { readonly location: string }).location);
}

/**
 * The query's folder; the root when it names none.
 * @throws Refusal INVALID_REQUEST `bad_location`
 */
export function readFolder({ query }: CheckedRequest): Location {
  return parseFolderLocation((query as { readonly location?: string }).location ?? '');
}

/**
 * A JSON body with a location alone.
 * @throws Refusal INVALID_REQUEST `bad_location`
 */
export function readSentLocation(request: CheckedRequest): { readonly location: Location } {
  return { location: parseLocation((jsonOf(request) as { readonly location: string }).location) };
}
