import { countedAs } from '../access/counted-as.js';
import { readPolicy } from '../access/policy.js';
import { limitRate, mayReadRefused, type RatedSource } from '../access/limit-rate.js';
import { parseKey } from '../access/secret.js';
import { overLimit } from '../audit/record-tallies.js';
import type { AccessToken, OAuthScope, RefusedToken } from '../domain/access-token.js';
import type { Policy } from '../domain/policy.js';
import type { Principal } from '../domain/principal.js';
import { rateLimited, Refusal } from '../domain/refusal.js';
import { refuseUndecided, sqliteCode } from '../sidecar/fault.js';
import { readBearer, recogniseKey, refuseAddress } from '../workspace/recognise-key.js';
import type { Workspace } from '../workspace/workspace.js';
import type { McpDependencies, McpOptions } from './dependencies.js';

/** The caller, by key or by token. */
export interface Recognised {
  readonly workspace: Workspace;
  readonly principal: Principal;
  readonly policy: Policy;
  /** Names the key or token in records. */
  readonly credentialId: string;
  /** The owner of cursors: the key, or an application together with its person. */
  readonly owner: string;
  /** The subject of the rate limit: the key, or the person with all their applications. */
  readonly rated: string;
  readonly scopes: readonly OAuthScope[];
  readonly requestsPerMinute: number | null;
  /** Whether a token still opens this face. A long answer asks for its key again by itself. */
  readonly isInForce: () => boolean;
  /** RATE_LIMITED, where the request is above the caller's rate and may still be read. */
  readonly refusal?: Refusal;
}

/**
 * Recognises the caller by the bearer header. It holds a key for this interface, or the access token of a person's
 * application. Read again for each request.
 * @throws Refusal UNAUTHENTICATED, the same for every reason; RATE_LIMITED for a flood; UNAVAILABLE
 */
export function recognise(
  dependencies: McpDependencies,
  options: McpOptions,
  authorization: string | undefined,
  address: string,
): Recognised {
  const { later, readAccessToken } = options;
  const text = readBearer(authorization);
  // A token's first characters are random: only a whole key is a key.
  let refused: RefusedToken | undefined;
  const note = (told: RefusedToken): void => void (refused = told);
  const token = text === undefined || parseKey(text) !== undefined ? undefined : readAccessToken?.(text, note);
  if (token !== undefined) {
    return takeRate(dependencies, options, {
      ...recogniseToken(dependencies, options, token, address),
      isInForce: () => text !== undefined && readAccessToken?.(text) !== undefined,
    });
  }
  if (refused !== undefined) throw refuseToken(dependencies, options, refused, address);
  const { workspace, credential, principal, policy } = recogniseKey(dependencies, later, text, 'mcp', address);
  const { id, requestsPerMinute } = credential;
  const scopes = ['org:read', 'org:write'] as const;
  const recognised = {
    workspace,
    principal,
    policy,
    credentialId: id,
    owner: id,
    rated: countedAs(credential) ?? id,
    scopes,
    requestsPerMinute,
    isInForce: () => true,
  };
  const taken = takeRate(dependencies, options, recognised);
  if (taken.refusal === undefined) later.noteUse(workspace, credential);
  return taken;
}

/** As a refused key: counted in its workspace, and answered like any other. */
function refuseToken(
  dependencies: McpDependencies,
  { later }: McpOptions,
  refused: RefusedToken,
  address: string,
): Refusal {
  const refusal = refuseAddress(dependencies.limiter, address);
  const reason = refusal.code === 'RATE_LIMITED' ? overLimit : refused.fault;
  try {
    const workspace = dependencies.find(refused.workspace);
    if (workspace !== undefined) later.countRefused(workspace, 'mcp', reason, refused.id);
  } catch {
    // A workspace that fails to open has no place for the count, and the answer does not depend on it.
  }
  return refusal;
}

function recogniseToken(
  dependencies: McpDependencies,
  options: McpOptions,
  token: AccessToken,
  address: string,
): Omit<Recognised, 'isInForce'> {
  const workspace = dependencies.find(token.workspace);
  if (workspace === undefined) throw refuseAddress(dependencies.limiter, address);
  try {
    const tables = workspace.journal.reader;
    const principal = tables.principals.find(token.principalId);
    if (principal === undefined || principal.disabledAt !== null) {
      const fault = 'principal_disabled';
      throw refuseToken(dependencies, options, { workspace: token.workspace, id: token.id, fault }, address);
    }
    const { id: credentialId, scopes, clientId, principalId } = token;
    const owner = `${clientId} ${principalId}`;
    const policy = readPolicy(tables);
    return {
      workspace,
      principal,
      policy,
      credentialId,
      owner,
      rated: principalId,
      scopes,
      requestsPerMinute: null,
    };
  } catch (error) {
    if (error instanceof Refusal) throw error;
    throw sqliteCode(error) === undefined ? error : refuseUndecided(error, workspace.disk);
  }
}

/** @throws Refusal RATE_LIMITED where a caller above its rate has also used up its allowance of read refusals */
function takeRate(dependencies: McpDependencies, { later }: McpOptions, recognised: Recognised): Recognised {
  const allowance = limitRate(dependencies.limiter, ratedAs(recognised));
  if (allowance.allowed) return recognised;
  later.countRefused(recognised.workspace, 'mcp', overLimit, recognised.credentialId);
  const refusal = rateLimited(allowance.retryAfter);
  requireReadable(dependencies, recognised, refusal);
  return { ...recognised, refusal };
}

/** @throws the refusal where the caller has had as many refused requests read as it may */
export function requireReadable({ limiter }: McpDependencies, recognised: Recognised, refusal: Refusal): void {
  if (!mayReadRefused(limiter, ratedAs(recognised))) throw refusal;
}

function ratedAs({ workspace, rated, requestsPerMinute, policy }: Recognised): RatedSource {
  return { workspace: workspace.name, source: rated, requestsPerMinute, policy };
}
