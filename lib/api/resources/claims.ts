import { parseLocation } from '../../domain/location.js';
import { breakClaim, type BreakClaimInput } from '../../operations/claims/break-claim.js';
import type { ChangedClaim } from '../../operations/claims/find-own-claim.js';
import { listClaims } from '../../operations/claims/list-claims.js';
import { releaseClaim } from '../../operations/claims/release-claim.js';
import { takeClaim, type TakeClaimInput, type TakenClaim } from '../../operations/claims/take-claim.js';
import { toAuthorRecord } from '../../records/author-record.js';
import { toPlacedClaimRecord } from '../../records/claim-record.js';
import { answerJson, type Answer } from '../answers/api-answer.js';
import { jsonOf } from '../requests/checked-request.js';
import type { RequestOf } from '../requests/described-request.js';
import { jsonPost, route, type Route } from '../route.js';
import { presentPage, readPage } from './page-query.js';
import { readFolder } from './read-location.js';

/** The body ClaimCreate. */
function readTaking(request: RequestOf<'takeClaim'>): TakeClaimInput {
  const { location, section, ttl_seconds, purpose } = jsonOf(request);
  return { location: parseLocation(location), section, seconds: ttl_seconds, purpose };
}

/** The body ClaimBreak. */
function readBreaking(request: RequestOf<'breakClaim'>): BreakClaimInput {
  const { location, id } = jsonOf(request);
  return { location: parseLocation(location), claimId: id ?? '' };
}

/** 201 for a new claim, 200 for a prolonged one. */
function presentTakenClaim({ claim, renewed }: TakenClaim): Answer {
  if (renewed) return answerJson(200, toPlacedClaimRecord(claim));
  const query = new URLSearchParams({ location: claim.location });
  return answerJson(201, toPlacedClaimRecord(claim), { Location: `/claims?${query.toString()}` });
}

/** 200 with the id of the released claim. */
function presentReleasedClaim({ claim }: ChangedClaim): Answer {
  return answerJson(200, { released: true, id: claim.id });
}

/** 200 with the id of the ended claim, and its holder. */
function presentBrokenClaim({ claim }: ChangedClaim): Answer {
  return answerJson(200, { broken: true, id: claim.id, holder: toAuthorRecord(claim.holder) });
}

/** Claims: listed below a folder, taken, released by their holders, and broken by others. */
export const claimRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: '/claims',
    operation: listClaims,
    read: (request) => ({ location: readFolder(request), ...readPage(request) }),
    present: presentPage(toPlacedClaimRecord),
  }),
  route({ ...jsonPost, path: '/claims', operation: takeClaim, read: readTaking, present: presentTakenClaim }),
  route({
    method: 'DELETE',
    path: '/claims',
    operation: releaseClaim,
    read: ({ query }) => ({ claimId: query.id }),
    present: presentReleasedClaim,
  }),
  route({
    ...jsonPost,
    path: '/claim-breaks',
    operation: breakClaim,
    read: readBreaking,
    present: presentBrokenClaim,
  }),
];
