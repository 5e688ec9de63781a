import { readPolicy } from '../access/policy.js';
import { limitRate } from '../access/limit-rate.js';
import { parseKey } from '../access/secret.js';
import { overLimit } from '../audit/record-tallies.js';
import type { AccessToken, OAuthScope } from '../domain/access-token.js';
import type { Policy } from '../domain/policy.js';
import type { Principal } from '../domain/principal.js';
import { rateLimited, Refusal, unavailable } from '../domain/refusal.js';
import { sqliteCode } from '../sidecar/fault.js';
import { readBearer, recogniseKey, refuseAddress } from '../workspace/recognise-key.js';
import type { Workspace } from '../workspace/workspace.js';
import type { McpHost, McpOptions } from './host.js';

/** Who calls, by key or by token. */
export interface Recognised {
  readonly workspace: Workspace;
  readonly principal: Principal;
  readonly policy: Policy;
  /** Names the key or token in records. */
  readonly credentialId: string;
  /** Who it is to the rate limit and to cursors: the key, or an application and the person whom it acts for. */
  readonly owner: string;
  readonly scopes: readonly OAuthScope[];
  readonly requestsPerMinute: number | null;
}

/**
 * Recognises the caller by what the bearer header carries: a key that was minted for this interface, or the access
 * token of an application that a person signed in. Read anew for each request.
 * @throws Refusal UNAUTHENTICATED, the same for every reason; RATE_LIMITED; UNAVAILABLE
 */
export function recognise(
  host: McpHost,
  options: McpOptions,
  authorization: string | undefined,
  address: string,
): Recognised {
  const { later, readAccessToken } = options;
  const text = readBearer(authorization);
  // What a token begins with is chance: only a whole key is a key.
  const token = text === undefined || parseKey(text) !== undefined ? undefined : readAccessToken?.(text);
  if (token !== undefined) return takeRate(host, options, recogniseToken(host, token, address));
  const { workspace, credential, principal, policy } = recogniseKey(host, later, text, 'mcp', address);
  const { id, requestsPerMinute } = credential;
  const scopes = ['org:read', 'org:write'] as const;
  const recognised = { workspace, principal, policy, credentialId: id, owner: id, scopes, requestsPerMinute };
  takeRate(host, options, recognised);
  later.noteUse(workspace, credential);
  return recognised;
}

function recogniseToken(host: McpHost, token: AccessToken, address: string): Recognised {
  const workspace = host.find(token.workspace);
  if (workspace === undefined) throw refuseAddress(host.limiter, address);
  try {
    const tables = workspace.journal.reader;
    const principal = tables.principals.find(token.principalId);
    if (principal === undefined || principal.disabledAt !== null) throw refuseAddress(host.limiter, address);
    const owner = `${token.clientId} ${token.principalId}`;
    const { id: credentialId, scopes } = token;
    return { workspace, principal, policy: readPolicy(tables), credentialId, owner, scopes, requestsPerMinute: null };
  } catch (error) {
    if (error instanceof Refusal) throw error;
    throw sqliteCode(error) === undefined ? error : unavailable(error);
  }
}

/** @throws Refusal RATE_LIMITED */
function takeRate(host: McpHost, { later }: McpOptions, recognised: Recognised): Recognised {
  const { workspace, owner, requestsPerMinute, policy, credentialId } = recognised;
  const allowance = limitRate(host.limiter, { workspace: workspace.name, source: owner, requestsPerMinute, policy });
  if (allowance.allowed) return recognised;
  later.countRefused(workspace, 'mcp', overLimit, credentialId);
  throw rateLimited(allowance.retryAfter);
}
