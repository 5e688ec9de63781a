import { countedAs } from '../access/counted-as.js';
import type { Caller } from '../domain/caller.js';
import { unauthenticated } from '../domain/refusal.js';
import { maxHeaderLength } from '../domain/short-header.js';
import type { Exchange } from '../http/exchange.js';
import type { Asking, CallerNotes } from '../http/serve-exchange.js';
import { readBearer, recogniseKey } from '../workspace/recognise-key.js';
import type { RemoteDependencies } from './remote-dependencies.js';

const basic = /^Basic +([A-Za-z0-9+/]+={0,2}) *$/i;

/** The key in an Authorization header: a bearer token, or the password of any user (RFC 7617 §2). */
export function readKey(authorization = ''): string | undefined {
  if (authorization.length > maxHeaderLength) return undefined;
  const encoded = basic.exec(authorization)?.[1];
  if (encoded === undefined) return readBearer(authorization);
  const pair = Buffer.from(encoded, 'base64').toString('utf8');
  const colon = pair.indexOf(':');
  return colon === -1 ? undefined : pair.slice(colon + 1);
}

/**
 * Recognises the caller by its key, read again for each request. git asks without a key first, so a request without
 * one counts as no attempt.
 * @throws Refusal UNAUTHENTICATED, the same for every reason; RATE_LIMITED; UNAVAILABLE
 */
export function recognise(
  dependencies: RemoteDependencies,
  { later, addressOf }: CallerNotes,
  { request, id: requestId }: Exchange,
): Asking {
  const { authorization } = request.headers;
  if (authorization === undefined) throw unauthenticated();
  const found = recogniseKey(dependencies, later, readKey(authorization), 'git', addressOf(request));
  const { workspace, credential, principal, policy } = found;
  const { id, requestsPerMinute } = credential;
  const counted = countedAs(credential);
  const caller: Caller = {
    principalId: principal.id,
    kind: principal.kind,
    credentialId: id,
    ...(counted !== undefined && { countedAs: counted }),
    interface: 'git',
    requestId,
  };
  return {
    workspace,
    caller,
    policy,
    source: id,
    requestsPerMinute,
    noteUse: () => later.noteUse(workspace, credential),
  };
}
