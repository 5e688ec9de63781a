import type { Page } from '../domain/page.js';
import { invalidRequest } from '../domain/refusal.js';
import type { CursorOwner } from '../access/seal-cursor.js';
import { answerJson, type Answer } from './answer.js';
import type { CheckedRequest } from './route.js';

/** What a cursor of this request belongs to: the key, the route, and all parameters as sent but the cursor. */
function ownerOf({ caller, workspace, method, route, sent }: CheckedRequest): CursorOwner {
  const { cursor: _, ...query } = sent.parameters;
  return { credential: `${workspace.name}/${caller.credentialId ?? ''}`, route: `${method} ${route}`, query };
}

/**
 * Which page is asked for.
 * @returns `after`: the position that the page before ended at, '' for the first
 * @throws Refusal INVALID_REQUEST `bad_cursor`; `bad_field` for a limit in another notation than plain digits
 */
export function readPage(request: CheckedRequest): { readonly after: string; readonly limit: number } {
  const { cursor, limit } = request.query as { readonly cursor?: string; readonly limit: number };
  if (!/^\d+$/.test(request.sent.parameters['limit'] ?? '0')) {
    throw invalidRequest('bad_field', 'The query parameter limit must be a whole number.', { field: 'limit' });
  }
  return { after: cursor === undefined ? '' : request.cursors.open(cursor, ownerOf(request)), limit };
}

/** Seals a position for the next request of the same query and key. */
export function sealPosition(position: string, request: CheckedRequest): string {
  return request.cursors.seal(position, ownerOf(request));
}

/** Shows a page, its items one by one, with the sealed position to go on from. */
export function presentPage<Item>(
  presentItem: (item: Item) => object,
): (page: Page<Item>, request: CheckedRequest) => Answer {
  return ({ items, next }, request) =>
    answerJson(200, {
      items: items.map(presentItem),
      next_cursor: next === null ? null : sealPosition(next, request),
    });
}
