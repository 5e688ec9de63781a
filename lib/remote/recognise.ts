import { countedAs } from '../access/counted-as.js';
import { limitRate } from '../access/limit-rate.js';
import { overLimit } from '../audit/record-tallies.js';
import type { Caller } from '../domain/caller.js';
import { rateLimited, unauthenticated } from '../domain/refusal.js';
import { maxHeaderLength } from '../domain/short-header.js';
import { readBearer, recogniseKey } from '../workspace/recognise-key.js';
import type { Workspace } from '../workspace/workspace.js';
import type { RemoteDependencies, RemoteOptions } from './dependencies.js';

/** The caller, by its key. */
export interface Recognised {
  readonly workspace: Workspace;
  readonly caller: Caller;
}

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
 * Recognises the caller by its key, read again for each request, and holds it to its rate. git asks without a key
 * first, so a request without one counts as no attempt.
 * @throws Refusal UNAUTHENTICATED, the same for every reason; RATE_LIMITED; UNAVAILABLE
 */
export function recognise(
  dependencies: RemoteDependencies,
  { later }: Pick<RemoteOptions, 'later'>,
  authorization: string | undefined,
  address: string,
  requestId: string,
): Recognised {
  if (authorization === undefined) throw unauthenticated();
  const found = recogniseKey(dependencies, later, readKey(authorization), 'git', address);
  const { workspace, credential, principal, policy } = found;
  const { id, requestsPerMinute } = credential;
  const counted = countedAs(credential);
  const allowance = limitRate(dependencies.limiter, {
    workspace: workspace.name,
    source: counted ?? id,
    requestsPerMinute,
    policy,
  });
  if (!allowance.allowed) {
    later.countRefused(workspace, 'git', overLimit, id);
    throw rateLimited(allowance.retryAfter);
  }
  later.noteUse(workspace, credential);
  const caller: Caller = {
    principalId: principal.id,
    kind: principal.kind,
    credentialId: id,
    ...(counted !== undefined && { countedAs: counted }),
    interface: 'git',
    requestId,
  };
  return { workspace, caller };
}
