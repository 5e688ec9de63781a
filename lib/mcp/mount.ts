import type { IncomingMessage, ServerResponse } from 'node:http';
import { logWhenDone } from '../http/log-when-done.js';
import { isStillSending, isWorthReading } from '../http/unread-body.js';
import { invalidRequest } from '../domain/refusal.js';
import { admitsHost, admitsOrigin } from './admit.js';
import { answerError, rpcCodes, type Answer } from './answer.js';
import { McpFace, type McpAnswer } from './face.js';
import type { McpDependencies, McpOptions } from './dependencies.js';

/** Where this face is, under the service's address. */
const paths = new Set(['/mcp', '/mcp/']);

/** Headers for every answer: nothing here is a page, and no answer is for anyone in between to keep. */
const protections: Readonly<Record<string, string>> = {
  'Cache-Control': 'private, no-store',
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
};

const preflight: Readonly<Record<string, string>> = {
  'Access-Control-Allow-Methods': 'POST',
  'Access-Control-Allow-Headers': 'Authorization, Content-Type, Mcp-Protocol-Version, Mcp-Method, Mcp-Name',
  'Access-Control-Max-Age': '600',
};

/** MCP over HTTP, for the server to mount. */
export interface McpMount {
  takes(path: string): boolean;
  handle(request: IncomingMessage, response: ServerResponse): void;
}

export interface MountOptions extends McpOptions {
  /** The client's address, to limit guessing. */
  readonly addressOf: (request: IncomingMessage) => string;
}

/** MCP on the service's port, at /mcp. */
export function mountMcp(dependencies: McpDependencies, options: MountOptions): McpMount {
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
  logWhenDone(options.log, request, response, () => {
    const { rpc, tool, credential } = done.answer ?? {};
    return { id, route: '/mcp', rpc, tool, credential };
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
    response.setHeader('Access-Control-Allow-Origin', origin);
    response.setHeader('Access-Control-Expose-Headers', 'WWW-Authenticate, Retry-After, X-Request-Id');
    response.setHeader('Vary', 'Origin');
    if (request.method === 'OPTIONS' && request.headers['access-control-request-method'] !== undefined) {
      return { status: 204, headers: preflight, body: '' };
    }
  }
  const headers = Object.fromEntries(
    Object.entries(request.headers).map(([name, value]) => [name, Array.isArray(value) ? value.join(', ') : value]),
  );
  const readBody = (most: number): Promise<Uint8Array | undefined> => readAll(request, response, most);
  const address = options.addressOf(request);
  const stated = request.headers['content-length'];
  return face.answer(
    {
      method: request.method ?? '',
      headers,
      address,
      readBody,
      bodyLength: stated === undefined ? undefined : Number(stated),
      hold(release) {
        if (response.closed) release();
        else response.once('close', release);
      },
    },
    id,
  );
}

/** The body; undefined when it is larger, as stated or as it comes. A client that asked first is told to go on. */
async function readAll(
  request: IncomingMessage,
  response: ServerResponse,
  most: number,
): Promise<Uint8Array | undefined> {
  if (Number(request.headers['content-length'] ?? '0') > most) return undefined;
  if (request.headers.expect?.toLowerCase() === '100-continue') response.writeContinue();
  const pieces: Uint8Array[] = [];
  let size = 0;
  try {
    for await (const piece of request.iterator({ destroyOnReturn: false })) {
      size += (piece as Uint8Array).length;
      if (size > most) return undefined;
      pieces.push(piece as Uint8Array);
    }
  } catch {
    // The client has gone; there is nobody to answer.
    throw invalidRequest('bad_field', 'The message ended before it was complete.');
  }
  return Buffer.concat(pieces);
}

function send(response: ServerResponse, request: IncomingMessage, { status, headers, body }: Answer, id: string): void {
  if (response.destroyed) return;
  for (const [name, value] of Object.entries({ ...protections, ...headers })) response.setHeader(name, value);
  response.setHeader('X-Request-Id', id);
  response.setHeader('Content-Length', Buffer.byteLength(body));
  if (isStillSending(request)) {
    if (!isWorthReading(request)) response.setHeader('Connection', 'close');
    request.resume();
  }
  response.writeHead(status);
  response.end(body);
}
