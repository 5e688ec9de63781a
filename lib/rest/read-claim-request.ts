import { parseFolderLocation, parseLocation } from '../domain/location.js';
import type { BreakClaimInput } from '../operations/claims/break-claim.js';
import type { TakeClaimInput } from '../operations/claims/take-claim.js';
import type { ListClaimsInput } from '../operations/claims/list-claims.js';
import { readPage } from './read-page.js';
import type { CheckedRequest } from './checked-request.js';

/**
 * The folder from the query, the root when it is left out, and the page.
 * @throws Refusal INVALID_REQUEST `bad_location`, `bad_cursor`
 */
export function readListClaimsRequest(request: CheckedRequest): ListClaimsInput {
  const { location = '' } = request.query as { readonly location?: string };
  return { location: parseFolderLocation(location), ...readPage(request) };
}

/** The body ClaimCreate. */
export function readTakeClaimRequest({ body }: CheckedRequest): TakeClaimInput {
  const { location, section, ttl_seconds, purpose } = (body.form === 'json' ? body.value : { location: '' }) as {
    readonly location: string;
    readonly section?: string;
    readonly ttl_seconds?: number;
    readonly purpose?: string;
  };
  return { location: parseLocation(location), section, seconds: ttl_seconds, purpose };
}

/** The claim that the query names. */
export function readReleaseClaimRequest({ query }: CheckedRequest): { readonly claimId: string } {
  return { claimId: (query as { readonly id: string }).id };
}

/** The body ClaimBreak. */
export function readBreakClaimRequest({ body }: CheckedRequest): BreakClaimInput {
  const { location, id } = (body.form === 'json' ? body.value : { location: '' }) as {
    readonly location: string;
    readonly id?: string;
  };
  return { location: parseLocation(location), claimId: id ?? '' };
}
