import { answerJson, type Answer } from '../../api/answers/answer.js';
import { jsonOf, type CheckedRequest } from '../../api/requests/checked-request.js';
import { presentAuthor } from '../../api/resources/document-record.js';
import { parseExpiry, stateOf } from '../../api/resources/keys.js';
import { presentPage, readPage } from '../../api/resources/page.js';
import { jsonPost, route, type Route } from '../../api/route.js';
import { formatTime, formatTimeOrNull } from '../../domain/clock.js';
import type { Interface } from '../../domain/credential.js';
import {
  mintCredential,
  revokeCredential,
  rotateCredential,
  type MintInput,
} from '../../operations/credentials/change-credential.js';
import type { MintedCredential } from '../../operations/credentials/make-key.js';
import { listTokens, type ShownCredential } from '../../operations/credentials/list-tokens.js';
import { parseDisplayName } from '../../operations/principals/parse-name.js';
import { readPrincipalId, repeatablePost } from './principals.js';

/** The body TokenCreate. @throws Refusal INVALID_REQUEST `bad_field` */
function readNew(request: CheckedRequest): MintInput {
  const { principal, name, interfaces, expires_at, requests_per_minute } = jsonOf(request) as {
    readonly principal: string;
    readonly name: string;
    readonly interfaces: readonly Interface[];
    readonly expires_at?: string | null;
    readonly requests_per_minute?: number | null;
  };
  return {
    principalId: principal,
    name: parseDisplayName(name),
    interfaces,
    expiresAt: typeof expires_at === 'string' ? parseExpiry(expires_at) : expires_at,
    requestsPerMinute: requests_per_minute ?? null,
  };
}

/** The body TokenChoice. */
function readChoice(request: CheckedRequest): { readonly credentialId: string } {
  return { credentialId: (jsonOf(request) as { readonly token: string }).token };
}

/** The description's `Token`. */
function presentToken(token: ShownCredential, now: number): object {
  return {
    id: token.id,
    principal: token.principalId,
    name: token.name,
    interfaces: token.interfaces,
    prefix: token.prefix,
    last_four: token.lastFour,
    state: stateOf(token, now),
    created_at: formatTime(token.createdAt),
    created_by: presentAuthor(token.mintedBy),
    expires_at: formatTimeOrNull(token.expiresAt),
    revoked_at: formatTimeOrNull(token.revokedAt),
    last_used_at: formatTimeOrNull(token.lastUsedAt),
    requests_per_minute: token.requestsPerMinute,
  };
}

const nowOf = ({ workspace }: CheckedRequest): number => workspace.clock.now();

const presentMinted =
  (status: 200 | 201) =>
  ({ credential, secret }: MintedCredential, request: CheckedRequest): Answer =>
    answerJson(status, { token: presentToken(credential, nowOf(request)), key: secret });

/** Tokens of principals, each with a key for programs. */
export const tokenRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: '/tokens',
    operation: listTokens,
    read: (request) => ({ ...readPrincipalId(request), ...readPage(request) }),
    present: (page, request) =>
      presentPage((token: ShownCredential) => presentToken(token, nowOf(request)))(page, request),
  }),
  route({ ...jsonPost, path: '/tokens', operation: mintCredential, read: readNew, present: presentMinted(201) }),
  route({
    ...repeatablePost,
    path: '/token-rotations',
    operation: rotateCredential,
    read: readChoice,
    present: presentMinted(200),
  }),
  route({
    ...repeatablePost,
    path: '/token-revocations',
    operation: revokeCredential,
    read: readChoice,
    present: (token, request) => answerJson(200, presentToken(token, nowOf(request))),
  }),
];
