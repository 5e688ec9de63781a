import { countedAs } from '../../access/counted-as.js';
import { ApiFace } from '../json-face.js';
import type { Arrival } from '../requests/checked-request.js';
import { readDescription, type Description } from '../requests/description.js';
import type { Caller } from '../../domain/caller.js';
import { formatTime } from '../../domain/clock.js';
import { readBearer, recogniseKey } from '../../workspace/recognise-key.js';
import type { Asking } from '../../http/serve-exchange.js';
import type { RestDependencies, RestOptions } from './rest-dependencies.js';
import { makeHookRoute } from './hooks.js';
import { makeOpenRoutes } from './open-routes.js';
import { prefix, routes } from './rest-routes.js';

/** Of an answer to a request without a valid key (RFC 6750 §3). */
export const challenge = 'Bearer';

/** The REST API: its rows stand below /v1, and its callers bring a key. */
export function makeRestFace(dependencies: RestDependencies, options: RestOptions): ApiFace {
  const { build, base = '', log, later, addressOf, observer, corsOrigins, validateResponses } = options;
  const description = readDescription('openapi.yaml');
  const openRoutes = makeOpenRoutes({
    build,
    base,
    description: describeBelow(base, description),
    startedAt: formatTime(dependencies.clock.now()),
    readiness: () => dependencies.readiness(),
    hooks: makeHookRoute(dependencies, { later, addressOf }),
  });
  const recognise = (arrival: Arrival): Asking => recogniseBearer(dependencies, options, arrival);
  return new ApiFace(dependencies, {
    face: 'rest',
    routes,
    openRoutes,
    description,
    enter: (path) => (path.startsWith(`${prefix}/`) ? { path, prefix: base + prefix, recognise } : undefined),
    challenge,
    cacheControl: 'private, no-cache',
    logPrefix: '',
    log,
    later,
    addressOf,
    observer,
    corsOrigins,
    validateResponses,
  });
}

/** Recognises the caller by the bearer key (Authentication 1–6). @throws Refusal as `recogniseKey` does */
function recogniseBearer(
  dependencies: RestDependencies,
  { later, addressOf }: RestOptions,
  { request, id: requestId }: Arrival,
): Asking {
  const bearer = readBearer(request.headers.authorization);
  const { workspace, credential, principal, policy } = recogniseKey(
    dependencies,
    later,
    bearer,
    'rest',
    addressOf(request),
  );
  const { id, requestsPerMinute } = credential;
  const counted = countedAs(credential);
  const caller: Caller = {
    principalId: principal.id,
    kind: principal.kind,
    credentialId: id,
    ...(counted !== undefined && { countedAs: counted }),
    interface: 'rest',
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

/**
 * The description's text for clients of a service below a path.
 * @param base the path, without a slash at its end; '' where there is none
 */
function describeBelow(base: string, { text }: Description): string {
  return base === '' ? text : text.replace(/^( {2}- url: )\/$/m, (_, start: string) => start + JSON.stringify(base));
}
