import { invalidRequest } from '../../domain/refusal.js';
import type { ShownCredential } from '../../operations/credentials/list-credentials.js';
import type { MintedCredential } from '../../operations/credentials/make-key.js';
import {
  listOwnKeys,
  mintOwnKey,
  revokeOwnKey,
  rotateOwnKey,
  type MintOwnInput,
  type OwnKeyInput,
} from '../../operations/credentials/own-keys.js';
import { parseDisplayName } from '../../operations/principals/parse-name.js';
import { toOwnKeyRecord } from '../../records/key-record.js';
import { answerJson, noContent, type Answer } from '../answers/api-answer.js';
import { jsonOf, type CheckedRequest } from '../requests/checked-request.js';
import type { RequestOf } from '../requests/described-request.js';
import { jsonPost, route, type Route } from '../route.js';
import { presentPage, readPage } from './page-query.js';

/** A retry may come after the expiry that it asked for, so a past one is refused where the key is minted. */
export function parseExpiry(text: string): number {
  const at = Date.parse(text);
  if (Number.isFinite(at)) return at;
  throw invalidRequest('bad_field', 'The expiry must be a time such as 2027-01-31T12:00:00Z.', { field: 'expires_at' });
}

/** The body KeyCreate. @throws Refusal INVALID_REQUEST `bad_field` */
function readNew(request: RequestOf<'mintKey'>): MintOwnInput {
  const { name, interfaces, expires_at } = jsonOf(request);
  const expiresAt = typeof expires_at === 'string' ? parseExpiry(expires_at) : expires_at;
  return { name: parseDisplayName(name), interfaces, expiresAt };
}

const readKey = ({ pathId }: CheckedRequest): OwnKeyInput => ({ credentialId: pathId });

/** The description's `Key`. */
export const presentKey = (key: ShownCredential, { workspace, caller }: CheckedRequest): object =>
  toOwnKeyRecord(key, workspace.clock.now(), caller.credentialId);

const presentMinted =
  (status: 200 | 201) =>
  ({ credential, secret }: MintedCredential, request: CheckedRequest): Answer =>
    answerJson(status, { key: presentKey(credential, request), secret });

/** The keys of the caller. */
export const keyRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: '/keys',
    operation: listOwnKeys,
    read: readPage,
    present: (page, request) => presentPage((key: ShownCredential) => presentKey(key, request))(page, request),
  }),
  route({ ...jsonPost, path: '/keys', operation: mintOwnKey, read: readNew, present: presentMinted(201) }),
  route({
    method: 'POST',
    path: '/keys/{id}/rotations',
    requires: 'Idempotency-Key',
    operation: rotateOwnKey,
    read: readKey,
    present: presentMinted(200),
  }),
  route({
    method: 'DELETE',
    path: '/keys/{id}',
    operation: revokeOwnKey,
    read: readKey,
    present: () => noContent,
  }),
];
