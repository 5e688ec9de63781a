import { authenticate, refuseUnknown, type Authentication } from '../access/authenticate.js';
import { cutAddress } from '../limits/cut-address.js';
import { readPolicy } from '../access/read-policy.js';
import type { RateLimiter } from '../limits/token-buckets.js';
import { parseKey, type KeyText } from '../access/secret.js';
import { overLimit } from '../audit/record-tallies.js';
import type { Clock } from '../domain/clock.js';
import type { Credential, Interface } from '../domain/credential.js';
import type { Policy } from '../domain/policy.js';
import type { Principal } from '../domain/principal.js';
import { rateLimited, Refusal, unauthenticated } from '../domain/refusal.js';
import { maxHeaderLength } from '../domain/short-header.js';
import { refuseUndecided, sqliteCode } from '../sidecar/fault.js';
import type { DeferredAudit } from '../journal/deferred-audit.js';
import type { Workspace } from './workspace.js';

/** The parts of the service needed here. */
export interface KeyDependencies {
  readonly clock: Clock;
  readonly limiter: RateLimiter;
  find(workspace: string): Workspace | undefined;
}

/** The caller's principal and key, with the workspace. */
export interface Recognised {
  readonly workspace: Workspace;
  readonly credential: Credential;
  readonly principal: Principal;
  readonly policy: Policy;
}

/** Failures allowed to an address a minute, and at once. Good keys do not count. */
const failuresPerMinute = 300;

const bearer = /^Bearer +([\x21-\x7e]+) *$/i;

/** The token of an Authorization header (RFC 6750 §2.1). Undefined for a header of another form, or longer than any. */
export function readBearer(authorization = ''): string | undefined {
  return authorization.length > maxHeaderLength ? undefined : bearer.exec(authorization)?.[1];
}

/**
 * Recognises the caller by a key, decided again for each request (Authentication 1–6).
 * @param text the bearer header's token
 * @param face the interface that the key must open
 * @param address the client's, to limit guessing
 * @throws Refusal UNAUTHENTICATED, the same for every reason; RATE_LIMITED when an address fails too often; UNAVAILABLE
 * when the workspace's file cannot be read
 */
export function recogniseKey(
  host: KeyDependencies,
  later: DeferredAudit,
  text: string | undefined,
  face: Interface,
  address: string,
): Recognised {
  const key = text === undefined ? undefined : parseKey(text);
  if (key === undefined) throw refuseAddress(host.limiter, address);
  const { workspace, found, policy } = decide(host, key, face, address);
  if (workspace !== undefined && policy !== undefined && found.accepted) {
    const { credential, principal } = found;
    return { workspace, credential, principal, policy };
  }
  const refusal = refuseAddress(host.limiter, address);
  if (workspace !== undefined && !found.accepted) {
    const reason = refusal.code === 'RATE_LIMITED' ? overLimit : found.fault;
    later.countRefused(workspace, face, reason, found.credentialId ?? cutAddress(address));
  }
  throw refusal;
}

interface Decision {
  readonly found: Authentication;
  readonly workspace?: Workspace;
  /** For an accepted key. */
  readonly policy?: Policy;
}

/** @throws Refusal UNAVAILABLE when it cannot be decided; RATE_LIMITED */
function decide(host: KeyDependencies, key: KeyText, face: Interface, address: string): Decision {
  try {
    const workspace = host.find(key.workspace);
    if (workspace === undefined) return { found: refuseUnknown(key) };
    const { reader: tables, keyStamp } = workspace.journal.sidecar;
    const found = authenticate(workspace.keys.at(tables, keyStamp), key, face, host.clock.now());
    return found.accepted ? { workspace, found, policy: readPolicy(tables) } : { workspace, found };
  } catch (error) {
    // A stranger may ask this as well, so an undecided request counts towards the same limit as a refused one.
    const refusal = refuseAddress(host.limiter, address);
    if (refusal.code === 'RATE_LIMITED') throw refusal;
    throw error instanceof Refusal || sqliteCode(error) === undefined
      ? error
      : refuseUndecided(error, host.find(key.workspace)?.disk);
  }
}

/** The refusal for an unrecognised caller: the same for every reason, until there are too many. */
export function refuseAddress(limiter: RateLimiter, address: string): Refusal {
  const allowance = limiter.take('address', cutAddress(address), failuresPerMinute, failuresPerMinute);
  return allowance.allowed ? unauthenticated() : rateLimited(allowance.retryAfter);
}
