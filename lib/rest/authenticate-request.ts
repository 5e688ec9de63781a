import { authenticate } from '../access/authenticate.js';
import { readPolicy } from '../access/policy.js';
import { parseKey } from '../access/secret.js';
import { overLimit } from '../audit/record-tallies.js';
import type { Credential } from '../domain/credential.js';
import type { Policy } from '../domain/policy.js';
import type { Principal } from '../domain/principal.js';
import { rateLimited, Refusal, unauthenticated, unavailable } from '../domain/refusal.js';
import { sqliteCode } from '../sidecar/fault.js';
import type { NotedLater } from '../workspace/note-later.js';
import type { Workspace } from '../workspace/workspace.js';
import type { RestHost } from './host.js';

/** Who was recognised, and where. */
export interface Recognised {
  readonly workspace: Workspace;
  readonly credential: Credential;
  readonly principal: Principal;
  readonly policy: Policy;
}

/** What an address may get wrong: failures a minute, and at once. Good keys do not count. */
const failuresPerMinute = 300;

const bearer = /^Bearer +([\x21-\x7e]+) *$/i;

/**
 * Recognises the caller by the bearer key, read anew for each request (Authentication 1–6).
 * @param authorization the header as sent
 * @param address the client's, to limit guessing
 * @throws Refusal UNAUTHENTICATED, the same for every reason; RATE_LIMITED when an address fails too often;
 *   UNAVAILABLE when the workspace's file cannot be read
 */
export function authenticateRequest(
  host: RestHost,
  later: NotedLater,
  authorization: string | undefined,
  address: string,
): Recognised {
  const text = bearer.exec(authorization ?? '')?.[1];
  const key = text === undefined ? undefined : parseKey(text);
  const workspace = key === undefined ? undefined : host.find(key.workspace);
  if (key === undefined || workspace === undefined) throw refuse(host, address);
  try {
    const tables = workspace.journal.reader;
    const found = authenticate(tables, key, 'rest', host.clock.now());
    if (found.accepted) {
      const { credential, principal } = found;
      return { workspace, credential, principal, policy: readPolicy(tables) };
    }
    const refusal = refuse(host, address);
    const reason = refusal.code === 'RATE_LIMITED' ? overLimit : found.fault;
    later.countRefused(workspace, 'rest', reason, found.credentialId ?? address);
    throw refusal;
  } catch (error) {
    if (error instanceof Refusal) throw error;
    throw sqliteCode(error) === undefined ? error : unavailable(error);
  }
}

function refuse(host: RestHost, address: string): Refusal {
  const allowance = host.limiter.take(`address:${address}`, failuresPerMinute, failuresPerMinute);
  return allowance.allowed ? unauthenticated() : rateLimited(allowance.retryAfter);
}
