import { answerJson, type Answer } from '../../api/answers/api-answer.js';
import { jsonOf, type CheckedRequest } from '../../api/requests/checked-request.js';
import type { RequestOf } from '../../api/requests/described-request.js';
import { parseExpiry } from '../../api/resources/keys.js';
import { presentPage, readPage } from '../../api/resources/page-query.js';
import { jsonPost, route, type Route } from '../../api/route.js';
import {
  mintCredential,
  revokeCredential,
  rotateCredential,
  type MintInput,
} from '../../operations/credentials/change-credential.js';
import type { MintedCredential } from '../../operations/credentials/make-key.js';
import { listCredentials, type ShownCredential } from '../../operations/credentials/list-credentials.js';
import { parseDisplayName } from '../../operations/principals/parse-name.js';
import { toKeyRecord } from '../../records/key-record.js';
import { readPrincipalId, repeatablePost } from './principals.js';

/** The body TokenCreate. @throws Refusal INVALID_REQUEST `bad_field` */
function readNew(request: RequestOf<'mintToken'>): MintInput {
  const { principal, name, interfaces, expires_at, requests_per_minute } = jsonOf(request);
  return {
    principalId: principal,
    name: parseDisplayName(name),
    interfaces,
    expiresAt: typeof expires_at === 'string' ? parseExpiry(expires_at) : expires_at,
    requestsPerMinute: requests_per_minute ?? null,
  };
}

/** The body TokenChoice. */
function readChoice(request: RequestOf<'revokeToken' | 'rotateToken'>): { readonly credentialId: string } {
  return { credentialId: jsonOf(request).token };
}

const nowOf = ({ workspace }: CheckedRequest): number => workspace.clock.now();

const presentMinted =
  (status: 200 | 201) =>
  ({ credential, secret }: MintedCredential, request: CheckedRequest): Answer =>
    answerJson(status, { token: toKeyRecord(credential, nowOf(request)), key: secret });

/** Tokens of principals, each with a key for programs. */
export const tokenRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: '/tokens',
    operation: listCredentials,
    read: (request) => ({ ...readPrincipalId(request), ...readPage(request) }),
    present: (page, request) =>
      presentPage((token: ShownCredential) => toKeyRecord(token, nowOf(request)))(page, request),
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
    present: (token, request) => answerJson(200, toKeyRecord(token, nowOf(request))),
  }),
];
