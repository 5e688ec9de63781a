import type { CursorOwner } from '../../access/seal-cursor.js';
import type { CheckedRequest } from '../../api/requests/checked-request.js';
import type { QueryOf } from '../../api/requests/described-request.js';
import type { Location } from '../../domain/location.js';
import { Refusal } from '../../domain/refusal.js';

/** Milliseconds for which what belongs to a page counts as asked with it. */
const together = 60_000;

/** The session, and the place that the page shows. */
function ownerOf({ caller, workspace }: CheckedRequest, location: Location): CursorOwner {
  const session = caller.sessionId ?? caller.credentialId ?? caller.principalId;
  return { credential: `${workspace.name}/${session}`, route: 'an opened page', query: { location } };
}

/** What an answer gives to a page whose record says that the page follows its place. It opens for a minute. */
export function sealOpened(request: CheckedRequest, location: Location): string {
  return request.cursors.seal('', ownerOf(request, location), together);
}

/** Whether the request belongs to a page of this session at this place, and so to the record of that page. */
export function isOfOpened(
  request: CheckedRequest<Pick<QueryOf<'watchLocation'>, 'page'>>,
  location: Location,
): boolean {
  const { page } = request.query;
  if (page === undefined) return false;
  try {
    request.cursors.open(page, ownerOf(request, location));
    return true;
  } catch (error) {
    if (error instanceof Refusal) return false;
    throw error;
  }
}
