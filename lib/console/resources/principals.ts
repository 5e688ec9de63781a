import { answerJson } from '../../api/answers/api-answer.js';
import { jsonOf, type CheckedRequest } from '../../api/requests/checked-request.js';
import type { QueryOf, RequestOf } from '../../api/requests/described-request.js';
import { presentPage, readPage } from '../../api/resources/page-query.js';
import { jsonPost, route, type Route } from '../../api/route.js';
import { addPrincipal, type AddPrincipalInput } from '../../operations/principals/add-principal.js';
import { listPrincipals, type ListPrincipalsInput } from '../../operations/principals/list-principals.js';
import {
  endSessions,
  issueLink,
  listSessions,
  type IssueLinkInput,
} from '../../operations/principals/manage-sign-in.js';
import { parseDisplayName } from '../../operations/principals/parse-name.js';
import { setPrincipalState, type SetPrincipalStateInput } from '../../operations/principals/set-principal-state.js';
import { showPrincipal } from '../../operations/principals/show-subject.js';
import {
  toListedPrincipalRecord,
  toPrincipalRecord,
  toShownPrincipalRecord,
  toStateRecord,
} from '../../records/principal-record.js';
import { toSessionRecord } from '../../records/session-record.js';
import { toSignInLinkRecord } from '../../records/sign-in-link-record.js';

/** A POST that may be sent twice without harm, so it needs no Idempotency-Key. */
export const repeatablePost = { method: 'POST', takes: ['json'] } as const;

/** The principal of the query. */
export function readPrincipalId({ query }: CheckedRequest<Pick<QueryOf<'showPrincipal'>, 'principal'>>): {
  readonly principalId: string;
} {
  return { principalId: query.principal };
}

function readListing(request: RequestOf<'listPrincipals'>): ListPrincipalsInput {
  const { kind, text } = request.query;
  return { kind, text, ...readPage(request) };
}

/** The body PrincipalCreate. @throws Refusal INVALID_REQUEST `bad_field` */
function readNew(request: RequestOf<'addPrincipal'>): AddPrincipalInput {
  const { kind, display_name } = jsonOf(request);
  return { kind, displayName: parseDisplayName(display_name) };
}

/** The body PrincipalStateChange. */
function readState(request: RequestOf<'setPrincipalState'>): SetPrincipalStateInput {
  const { principal, disabled } = jsonOf(request);
  return { principalId: principal, disabled };
}

/** The body SignInLinkCreate. */
function readLink(request: RequestOf<'issueSignInLink'>): IssueLinkInput {
  const { principal, sign_in_name } = jsonOf(request);
  return { principalId: principal, signInName: sign_in_name };
}

/** People, agents and connectors, and how people sign in. */
export const principalRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: '/principals',
    operation: listPrincipals,
    read: readListing,
    present: presentPage(toListedPrincipalRecord),
  }),
  route({
    ...jsonPost,
    path: '/principals',
    operation: addPrincipal,
    read: readNew,
    present: (principal) => answerJson(201, toPrincipalRecord(principal)),
  }),
  route({
    method: 'GET',
    path: '/principal',
    operation: showPrincipal,
    read: readPrincipalId,
    present: (principal) => answerJson(200, toShownPrincipalRecord(principal)),
  }),
  route({
    ...repeatablePost,
    path: '/principal-states',
    operation: setPrincipalState,
    read: readState,
    present: (state) => answerJson(200, toStateRecord(state)),
  }),
  route({
    ...repeatablePost,
    path: '/sign-in-links',
    operation: issueLink,
    read: readLink,
    present: (link) => answerJson(201, toSignInLinkRecord(link)),
  }),
  route({
    method: 'GET',
    path: '/person-sessions',
    operation: listSessions,
    read: readPrincipalId,
    present: (sessions) => answerJson(200, { items: sessions.map(toSessionRecord) }),
  }),
  route({
    method: 'DELETE',
    path: '/person-sessions',
    operation: endSessions,
    read: readPrincipalId,
    present: (ended) => answerJson(200, { ended }),
  }),
];
