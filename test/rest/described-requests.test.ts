import assert from 'node:assert/strict';
import { readPage } from '../../lib/api/resources/page-query.js';
import { noContent } from '../../lib/api/answers/api-answer.js';
import { jsonOf } from '../../lib/api/requests/checked-request.js';
import type { QueryOf, RequestOf } from '../../lib/api/requests/described-request.js';
import { route } from '../../lib/api/route.js';
import { parseLocation } from '../../lib/domain/location.js';
import { takeClaim, type TakeClaimInput } from '../../lib/operations/claims/take-claim.js';

/** The compiler is the test: each error below has to be one. */
describe('A request on the server', () => {
  it('has the types of its description', () => {
    const readBody = (request: RequestOf<'takeClaim'>): unknown => {
      const { location, ttl_seconds } = jsonOf(request);
      // @ts-expect-error The field is ttl_seconds.
      const { seconds } = jsonOf(request);
      // @ts-expect-error The field may be missing.
      const given: number = ttl_seconds;
      return [location satisfies string, given, seconds];
    };
    const readQuery = ({ query }: RequestOf<'search'>): unknown => {
      // @ts-expect-error The parameter is q.
      return [query.q satisfies string, query.text];
    };
    // @ts-expect-error It has no pages.
    const readFirst = (request: RequestOf<'takeClaim'>): unknown => readPage(request);
    assert.ok([readBody, readQuery, readFirst]);
  });

  it('has the parameters that the check fills in', () => {
    const read = (query: QueryOf<'listComments'>): readonly [string, number] => [query.which, query.limit];
    assert.deepEqual(read({ location: 'a.md', which: 'all', limit: 50 }), ['all', 50]);
  });

  it('has them from the method and the path of its row', () => {
    const row = { operation: takeClaim, present: () => noContent } as const;
    const rows = [
      route({ ...row, method: 'POST', path: '/claims', read: (request) => readTaking(request) }),
      // @ts-expect-error It has no body.
      route({ ...row, method: 'DELETE', path: '/claims', read: (request) => readTaking(request) }),
      // @ts-expect-error It is not described.
      route({ ...row, method: 'POST', path: '/nowhere', read: (request) => readTaking(request) }),
    ];
    assert.equal(rows.length, 3);
  });
});

function readTaking(request: RequestOf<'takeClaim'>): TakeClaimInput {
  return { location: parseLocation(jsonOf(request).location), section: undefined, seconds: undefined };
}
