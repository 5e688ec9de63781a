import { makeIdentifier } from '../../domain/identifier.js';
import { invalidRequest, type Refusal } from '../../domain/refusal.js';
import { requestIdOf } from '../../http/exchange.js';
import { headerTwice, maxHeaderSize, openPort, otherVersion, type Port } from '../../http/port.js';
import { DeferredAudit } from '../../journal/deferred-audit.js';
import { makeAddressReader } from '../../http/client-address.js';
import { challenge, makeRestFace } from './rest-face.js';
import type { RestDependencies, RestOptions } from './rest-dependencies.js';
import { presentProblem } from '../answers/api-problem.js';

export interface ServerOptions extends Omit<RestOptions, 'later' | 'addressOf'> {
  readonly host: string;
  /** Proxies in front with the right to name the client: their number, or their addresses. */
  readonly trustProxy: number | readonly string[];
  /** 0 takes any free port. */
  readonly port: number;
  /** The address of the service for clients, as configured; null where none is configured. */
  readonly publicUrl?: string | null;
}

/** The service's port. This face owns it, and the others are mounted on it. None of their paths lies below /v1/. */
export interface RestServer extends Omit<Port, 'close'> {
  /** Takes the records that the faces on this port make after the answer. */
  readonly later: DeferredAudit;
  /** The client's address, according to the trusted proxies. */
  readonly addressOf: RestOptions['addressOf'];
  /**
   * Closes the port, and writes the counts.
   * @param within milliseconds for requests under way to finish
   */
  close(within?: number): Promise<void>;
}

const ignoredForwarded =
  'X-Forwarded-For came and was ignored, because trust_proxy is 0. Behind a proxy, set trust_proxy: otherwise all clients have its address';
const defaultTimeout = 10_000;
/** The paths of this face alone. */
const ownPaths = '/v1/';

/**
 * Starts serving.
 * @throws Error with the system's code (`EADDRINUSE`, `EACCES`) when the address cannot be listened on
 */
export async function startServer(dependencies: RestDependencies, options: ServerOptions): Promise<RestServer> {
  const { log } = options;
  const later = new DeferredAudit({
    clock: dependencies.clock,
    find: (name) => dependencies.find(name),
    names: () => dependencies.names(),
    onFault: (what, cause) => log.error({ err: cause }, what),
  });
  const addressOf = makeAddressReader(options.trustProxy, () => log.warn({}, ignoredForwarded));
  const rest = makeRestFace(dependencies, { ...options, later, addressOf });
  const port = await openPort({
    ...options,
    ownPaths,
    serve: rest.handle,
    explainMalformed(code, response) {
      const id = response === undefined ? undefined : requestIdOf(response);
      const refusal = response === undefined ? explainMalformed(code) : explainMalformedBody(code);
      return presentMalformed(refusal, id ?? makeIdentifier('req', dependencies.randomness));
    },
  });
  await later.start();
  return {
    ...port,
    later,
    addressOf,
    async close(within = defaultTimeout) {
      await port.close(within);
      await later.close();
    },
  };
}

/** Bytes that are not HTTP are answered in the shape of every other error. */
function presentMalformed(refusal: Refusal, id: string) {
  const { body, headers } = presentProblem(refusal, id, challenge);
  return {
    headers: { ...headers, 'X-Request-Id': id, 'Content-Type': 'application/json; charset=utf-8' },
    text: body.form === 'json' ? JSON.stringify(body.value) : '',
  };
}

/** The face meets the end of such a body as well, and records its request. */
function explainMalformedBody(code: string | undefined): Refusal {
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return explainMalformed(code);
  return invalidRequest('bad_field', 'The body is not in well-formed chunks.', { field: 'body' });
}

function explainMalformed(code: string | undefined): Refusal {
  if (code === 'HPE_HEADER_OVERFLOW') {
    return invalidRequest('bad_field', `The request line and headers are over ${maxHeaderSize} bytes.`, {
      field: 'headers',
    });
  }
  if (code === headerTwice) {
    const message = 'A request has each of the headers Host, Authorization, Content-Type and If-Match once.';
    return invalidRequest('bad_field', message, { field: 'headers' });
  }
  if (code === otherVersion) {
    return invalidRequest('bad_field', 'The service speaks HTTP/1.1 and HTTP/1.0.', { field: 'request' });
  }
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') {
    return invalidRequest('bad_field', 'The request did not arrive in time.', { field: 'request' });
  }
  return invalidRequest(
    'bad_field',
    'This is not a well-formed HTTP request. In an address, anything beyond ASCII has to be percent-encoded: curl does it with -G --data-urlencode.',
    { field: 'request' },
  );
}
