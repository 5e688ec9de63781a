import { countedAs } from '../access/counted-as.js';
import { readPolicy } from '../access/read-policy.js';
import { mayReadRefused } from '../limits/limit-rate.js';
import { parseKey } from '../access/secret.js';
import { overLimit } from '../audit/record-tallies.js';
import type { AccessToken, OAuthScope, RefusedToken } from '../domain/access-token.js';
import type { Caller } from '../domain/caller.js';
import type { Principal } from '../domain/principal.js';
import { Refusal } from '../domain/refusal.js';
import type { Exchange } from '../http/exchange.js';
import type { Asking } from '../http/serve-exchange.js';
import { refuseUndecided, sqliteCode } from '../sidecar/fault.js';
import { readBearer, recogniseKey, refuseAddress } from '../workspace/recognise-key.js';
import type { McpDependencies, McpOptions } from './mcp-dependencies.js';

/** The caller, by key or by token. */
export interface Recognised extends Asking {
  /** The owner of cursors: the key, or an application together with its person. */
  readonly owner: string;
  readonly scopes: readonly OAuthScope[];
  /** Whether a token still opens this face. A long answer asks for its key again by itself. */
  readonly isInForce: () => boolean;
}

/**
 * Recognises the caller by the bearer header. It holds a key for this interface, or the access token of a person's
 * application. Read again for each request.
 * @throws Refusal UNAUTHENTICATED, the same for every reason; RATE_LIMITED for an address; UNAVAILABLE
 */
export function recognise(
  dependencies: McpDependencies,
  options: McpOptions,
  { request, id: requestId }: Exchange,
): Recognised {
  const { later, readAccessToken, addressOf } = options;
  const address = addressOf(request);
  const text = readBearer(request.headers.authorization);
  // A token's first characters are random: only a whole key is a key.
  let refused: RefusedToken | undefined;
  const note = (told: RefusedToken): void => void (refused = told);
  const token = text === undefined || parseKey(text) !== undefined ? undefined : readAccessToken?.(text, note);
  if (token !== undefined) {
    return {
      ...recogniseToken(dependencies, options, token, address, requestId),
      isInForce: () => text !== undefined && readAccessToken?.(text) !== undefined,
    };
  }
  if (refused !== undefined) throw refuseToken(dependencies, options, refused, address);
  const { workspace, credential, principal, policy } = recogniseKey(dependencies, later, text, 'mcp', address);
  const { id, requestsPerMinute } = credential;
  return {
    workspace,
    caller: asCaller(principal, id, countedAs(credential) ?? id, requestId),
    policy,
    source: id,
    requestsPerMinute,
    noteUse: () => later.noteUse(workspace, credential),
    owner: id,
    scopes: ['org:read', 'org:write'],
    isInForce: () => true,
  };
}

/** @param countedBy the subject of the rate limit: the key, or the person with all their applications */
function asCaller({ id, kind }: Principal, credentialId: string, countedBy: string, requestId: string): Caller {
  return { principalId: id, kind, credentialId, countedAs: countedBy, interface: 'mcp', requestId };
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
  requestId: string,
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
    return {
      workspace,
      caller: asCaller(principal, credentialId, principalId, requestId),
      policy: readPolicy(tables),
      source: credentialId,
      requestsPerMinute: null,
      owner: `${clientId} ${principalId}`,
      scopes,
    };
  } catch (error) {
    if (error instanceof Refusal) throw error;
    throw sqliteCode(error) === undefined ? error : refuseUndecided(error, workspace.disk);
  }
}

/** @throws the refusal where the caller has had as many refused requests read as it may */
export function requireReadable({ limiter }: McpDependencies, asking: Asking, refusal: Refusal): void {
  const { workspace, caller, source, requestsPerMinute, policy } = asking;
  const rated = { workspace: workspace.name, source: caller.countedAs ?? source, requestsPerMinute, policy };
  if (!mayReadRefused(limiter, rated)) throw refusal;
}
