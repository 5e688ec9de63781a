import type { IncomingMessage, ServerResponse } from 'node:http';
import { pipeline } from 'node:stream';
import type { Release } from '../access/work-limiter.js';
import { invalidRequest } from '../domain/refusal.js';
import { isPreflight, originHeaders, preflightHeaders } from '../http/cross-origin.js';
import { logWhenDone } from '../http/log-when-done.js';
import type { MountedFace } from '../http/port.js';
import { nothingRuns, protections } from '../http/protections.js';
import { ExcessiveBody, readBody } from '../http/read-body.js';
import { leaveUnread } from '../http/unread-body.js';
import { admitsHost, admitsOrigin } from './admit.js';
import { answerError, rpcCodes, type Answer } from './answer.js';
import { McpFace, type McpAnswer } from './face.js';
import type { McpDependencies, McpOptions } from './dependencies.js';

/** Where this face is, under the service's address. */
const paths = new Set(['/mcp', '/mcp/']);

/** Headers of every answer: nothing here is a page, and no cache may keep an answer. */
const ownProtections: Readonly<Record<string, string>> = {
  'Cache-Control': 'private, no-store',
  'Content-Security-Policy': nothingRuns,
  ...protections,
};

const exposed = 'WWW-Authenticate, Retry-After, X-Request-Id';

const preflight = preflightHeaders({
  methods: 'POST',
  headers: 'Authorization, Content-Type, Mcp-Protocol-Version, Mcp-Method, Mcp-Name',
  maxAge: 600,
});

export interface MountOptions extends McpOptions {
  /** The client's address, to limit guessing. */
  readonly addressOf: (request: IncomingMessage) => string;
}

/** MCP on the service's port, at /mcp. */
export function mountMcp(dependencies: McpDependencies, options: MountOptions): MountedFace {
  const face = new McpFace(dependencies, options);
  return {
    takes: (path) => paths.has(path),
    handle(request, response) {
      serve(face, options, request, response).catch((cause: unknown) => {
        options.log.error({ err: cause }, 'An answer could not be sent');
        response.destroy();
      });
    },
  };
}

async function serve(
  face: McpFace,
  options: MountOptions,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const id = face.makeRequestId();
  const done: { answer?: McpAnswer } = {};
  logWhenDone(options, 'mcp', request, response, () => {
    const { rpc, tool, credential, refusal, trace } = done.answer ?? {};
    return { id, route: '/mcp', rpc, tool, credential, refusal, trace };
  });
  done.answer = await admit(face, options, request, response, id);
  send(response, request, done.answer, id);
}

async function admit(
  face: McpFace,
  options: MountOptions,
  request: IncomingMessage,
  response: ServerResponse,
  id: string,
): Promise<McpAnswer> {
  const { host, origin } = request.headers;
  if (!admitsHost(host, options)) {
    return answerError(403, rpcCodes.http, 'This host name is not configured. Set public_url to it.');
  }
  if (!admitsOrigin(origin, options)) return answerError(403, rpcCodes.http, 'This origin may not call.');
  if (origin !== undefined) {
    for (const [name, value] of Object.entries(originHeaders(origin, exposed))) response.setHeader(name, value);
    response.setHeader('Vary', 'Origin');
    if (isPreflight(request)) return { status: 204, headers: preflight, body: '' };
  }
  const headers = Object.fromEntries(
    Object.entries(request.headers).map(([name, value]) => [name, Array.isArray(value) ? value.join(', ') : value]),
  );
  const address = options.addressOf(request);
  const stated = request.headers['content-length'];
  const place = new Place(response);
  return face.answer(
    {
      method: request.method ?? '',
      headers,
      address,
      readBody: (most) => readMessage(request, response, most),
      bodyLength: stated === undefined ? undefined : Number(stated),
      hold: (release) => place.hold(release),
      standAside: () => place.standAside(),
    },
    id,
  );
}

/** A request's room among those under way, until its answer has left. */
class Place {
  readonly #held: Release[] = [];
  readonly #left = new AbortController();

  constructor(response: ServerResponse) {
    const leave = (): void => {
      this.standAside();
      this.#left.abort();
    };
    if (response.closed) leave();
    else response.once('close', leave);
  }

  hold(release: Release): void {
    if (this.#left.signal.aborted) release();
    else this.#held.push(release);
  }

  standAside(): AbortSignal {
    for (const release of this.#held.splice(0)) release();
    return this.#left.signal;
  }
}

/** The body; undefined when it is larger, as stated or as it comes. */
async function readMessage(
  request: IncomingMessage,
  response: ServerResponse,
  most: number,
): Promise<Uint8Array | undefined> {
  try {
    return await readBody(request, response, { maxBodyBytes: most });
  } catch (error) {
    if (error instanceof ExcessiveBody) return undefined;
    // The client has gone: this answer is for the audit log.
    throw invalidRequest('bad_field', 'The message ended before it was complete.');
  }
}

function send(response: ServerResponse, request: IncomingMessage, answer: Answer, id: string): void {
  const { status, headers, body, stream } = answer;
  if (response.destroyed) {
    stream?.leave();
    return;
  }
  for (const [name, value] of Object.entries({ ...ownProtections, ...headers })) response.setHeader(name, value);
  response.setHeader('X-Request-Id', id);
  if (stream !== undefined) {
    response.writeHead(status);
    // A broken connection ends the stream, and the answer has nobody left to hear of a fault.
    pipeline(stream.open(), response, () => undefined);
    return;
  }
  response.setHeader('Content-Length', Buffer.byteLength(body));
  leaveUnread(request, response);
  response.writeHead(status);
  response.end(body);
}
