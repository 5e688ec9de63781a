import type { Page } from '../../domain/page.js';
import { invalidRequest } from '../../domain/refusal.js';
import type { CursorOwner } from '../../access/seal-cursor.js';
import { answerJson, type Answer } from '../answers/api-answer.js';
import type { CheckedRequest } from '../requests/checked-request.js';
import type { QueryOf } from '../requests/described-request.js';

/** The owner of this request's cursors: the key or the person, the route, and all parameters as sent but the cursor. */
function ownerOf({ caller, workspace, method, route, sent }: CheckedRequest): CursorOwner {
  const { cursor: _, ...query } = sent.parameters;
  const asked = method === 'HEAD' ? 'GET' : method;
  return {
    credential: `${workspace.name}/${caller.credentialId ?? caller.principalId}`,
    route: `${asked} ${route}`,
    query,
  };
}

/** The parameters of every list. */
type PageQuery = Pick<QueryOf<'listDocuments'>, 'cursor' | 'limit'>;

/**
 * The requested page.
 * @returns `after`: the last position of the page before, '' for the first
 * @throws Refusal INVALID_REQUEST `bad_cursor`; `bad_field` for a limit in another notation than plain digits
 */
export function readPage(request: CheckedRequest<PageQuery>): { readonly after: string; readonly limit: number } {
  const limit = readWhole(request, 'limit');
  const { cursor } = request.query;
  return { after: cursor === undefined ? '' : request.cursors.open(cursor, ownerOf(request)), limit };
}

/**
 * A whole number of the query, which the description bounds and has a default for.
 * @throws Refusal INVALID_REQUEST `bad_field` in another notation than plain digits
 */
export function readWhole<Field extends 'limit' | 'wait'>(
  { query, sent }: CheckedRequest<Pick<QueryOf<'listChanges'>, Field>>,
  field: Field,
): number {
  if (/^\d+$/.test(sent.parameters[field] ?? '0')) return query[field];
  throw invalidRequest('bad_field', `The query parameter ${field} must be a whole number.`, { field });
}

/** Seals a position for the next request of the same query and key. */
export function sealPosition(position: string, request: CheckedRequest): string {
  return request.cursors.seal(position, ownerOf(request));
}

/** The same for a request of another question, by the same key. @param asked its route and its parameters as they are sent */
export function sealPositionOf(
  position: string,
  request: CheckedRequest,
  asked: Pick<CursorOwner, 'route' | 'query'>,
): string {
  return request.cursors.seal(position, { ...ownerOf(request), ...asked });
}

const opening = Buffer.from('{"items":');

/**
 * Shows a page, its items one by one, with the sealed position of the next. A page remembered by the workspace comes
 * with the same items again, and is not written a second time.
 */
export function presentPage<Item>(
  presentItem: (item: Item) => object,
): (page: Page<Item>, request: CheckedRequest) => Answer {
  const seen = new WeakMap<readonly Item[], { readonly items: readonly object[]; text?: Buffer }>();
  return ({ items, next }, request) => {
    const cursor = next === null ? null : sealPosition(next, request);
    const before = seen.get(items);
    if (before === undefined) {
      const presented = items.map(presentItem);
      seen.set(items, { items: presented });
      return answerJson(200, { items: presented, next_cursor: cursor });
    }
    before.text ??= Buffer.from(JSON.stringify(before.items));
    const text = Buffer.concat([opening, before.text, Buffer.from(`,"next_cursor":${JSON.stringify(cursor)}}`)]);
    return {
      status: 200,
      headers: {},
      body: { form: 'json', value: { items: before.items, next_cursor: cursor }, text },
    };
  };
}
