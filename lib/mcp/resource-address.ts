import { faultOfLocation, maxLocationLength, rootLocation, segmentsOf, type Location } from '../domain/location.js';

/** What the address of each document begins with. */
export const documentScheme = 'cartulary://doc/';

/** Where a document is as a resource; slashes stay, all else is percent-encoded. */
export function uriOf(location: Location): string {
  return `${documentScheme}${segmentsOf(location).map(encodeURIComponent).join('/')}`;
}

/** A document, or a part of its text of one version. */
export interface Addressed {
  readonly location: Location;
  readonly expected?: string;
  readonly startLine?: number;
  readonly startColumn?: number;
}

/** What an address of the rest of a text ends with. A question mark of a location is percent-encoded. */
const restOf = /^([^?]*)\?commit=([0-9a-f]{40})&start_line=(\d{1,9})&start_column=(\d{1,9})$/;

/** The place in a URI; undefined for a foreign URI, or an impossible location. */
export function placeIn(uri: string): Addressed | undefined {
  if (!uri.startsWith(documentScheme)) return undefined;
  const [, path = uri, expected, line, column] = restOf.exec(uri) ?? [];
  try {
    const location = decodeURIComponent(path.slice(documentScheme.length)) as Location;
    if (faultOfLocation(location) !== undefined) return undefined;
    if (expected === undefined) return { location };
    return { location, expected, startLine: Number(line), startColumn: Number(column) };
  } catch {
    return undefined;
  }
}

/** Characters of the longest address of a place: each byte percent-encoded, and a slash at the end. */
const maxUriLength = documentScheme.length + 3 * maxLocationLength + 1;

/**
 * The document or folder in a URI, without a part of a version. A folder's may end with a slash, and the root's has no
 * name.
 * @returns undefined for a foreign URI, an impossible location, or a part of one version
 */
export function watchedIn(uri: string): Location | undefined {
  if (uri === documentScheme) return rootLocation;
  if (uri.length > maxUriLength || uri.includes('?')) return undefined;
  return placeIn(uri.endsWith('/') ? uri.slice(0, -1) : uri)?.location;
}
