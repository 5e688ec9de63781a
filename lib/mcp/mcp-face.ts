import type { IncomingMessage, ServerResponse } from 'node:http';
import { createMcpHandler, type McpHttpHandler } from '@modelcontextprotocol/server';
import { sourceOf } from '../limits/work-limits.js';
import type { OAuthScope } from '../domain/access-token.js';
import { findFaultOfShape } from '../http/json-shape.js';
import { invalidRequest, Refusal } from '../domain/refusal.js';
import { maxHeaderLength } from '../domain/short-header.js';
import { findIllFormed } from '../domain/well-formed.js';
import { isPreflight, originHeaders, preflightHeaders } from '../http/cross-origin.js';
import type { Exchange } from '../http/exchange.js';
import { unkept } from '../http/protections.js';
import { mediaTypeOf, readBody, statedLength } from '../http/read-body.js';
import { BeyondBounds, isEncoded } from '../http/request-bounds.js';
import { sendReply } from '../http/send-reply.js';
import type { Admitted, CallerFace } from '../http/serve-exchange.js';
import { statusOf } from '../http/status-of.js';
import { runCooperatively } from '../scheduling/run-cooperatively.js';
import { admitsHost, admitsOrigin } from './admit.js';
import { PlainAnswers } from './answer-plainly.js';
import { answerError, rpcCodes, type Answer } from './rpc-answer.js';
import { ToolBox } from './call-tool.js';
import { messageShape } from './normalize-arguments.js';
import type { McpDependencies, McpOptions } from './mcp-dependencies.js';
import { answerListening } from './answer-listening.js';
import { describeServer, makeServer } from './make-server.js';
import { readPlainRequest, type RequestHeaders } from './plain-request.js';
import { recognise, requireReadable, type Recognised } from './recognise-agent.js';
import { carrierHeader, keepsSubscriptions as keeping, listenMethod } from './subscription-terms.js';
import { tools } from './tools.js';
import type { RequestContext } from './request-context.js';
import { parseTraceparent, type TraceContext } from '../http/trace-context.js';

const eventStream = 'text/event-stream';

/** What the protocol's library wants to read in Accept. Whoever takes JSON alone gets it by `asJson`. */
const bothForms = `application/json, ${eventStream}`;

const exposed = 'WWW-Authenticate, Retry-After, X-Request-Id';

const preflight = preflightHeaders({
  methods: 'POST',
  headers: 'Authorization, Content-Type, Mcp-Protocol-Version, Mcp-Method, Mcp-Name',
  maxAge: 600,
});

/** Six bytes of JSON can stand for one byte of text, and a text has up to a million. */
const maxBodyBytes = 8 * 1024 * 1024;
/** Bytes of a message too small to count as room. */
const smallBody = 64 * 1024;

/** A message, and what its answer depends on. */
interface Asked {
  readonly exchange: Exchange;
  readonly headers: RequestHeaders;
  readonly message: unknown;
  readonly context: RequestContext;
}

/** MCP over HTTP. Each message is one request, and no session is kept. */
export class McpFace implements CallerFace<RequestHeaders, Recognised, Answer> {
  readonly name = 'mcp';
  readonly headers = { ...unkept, 'Cache-Control': 'private, no-store' };
  readonly #dependencies: McpDependencies;
  readonly #options: McpOptions;
  readonly #box: ToolBox;
  readonly #handler: McpHttpHandler;
  /** Undefined where another server answers in the place of ours. */
  readonly #plain: PlainAnswers | undefined;

  constructor(dependencies: McpDependencies, options: McpOptions) {
    this.#dependencies = dependencies;
    this.#options = options;
    this.#box = new ToolBox(options.tools ?? tools);
    const { serve = (context, era) => makeServer(this.#box, context, options.version, era) } = options;
    this.#plain = options.serve === undefined ? new PlainAnswers(this.#box, options.version) : undefined;
    this.#handler = createMcpHandler(({ authInfo, era }) => serve(authInfo?.extra?.['context'] as RequestContext, era));
  }

  admit(exchange: Exchange): Admitted<RequestHeaders, Answer> {
    const { request, lines } = exchange;
    const { host, origin } = request.headers;
    exchange.route = '/mcp';
    const refuse = (status: number, message: string, headers = {}): Admitted<never, Answer> => ({
      answer: answerError(status, rpcCodes.http, message, { headers }),
    });
    if (!admitsHost(host, this.#options)) {
      return refuse(403, 'This host name is not configured. Set public_url to it.');
    }
    if (!admitsOrigin(origin, this.#options)) return refuse(403, 'This origin may not call.');
    if (origin !== undefined) {
      lines.setAll(originHeaders(origin, exposed));
      lines.vary('Origin');
      if (isPreflight(request)) return { answer: { status: 204, headers: preflight, body: '' } };
    }
    if (request.method !== 'POST') return refuse(405, 'Method not allowed.', { Allow: 'POST' });
    const joined = Object.entries(request.headers).map(([name, value]) => [
      name,
      Array.isArray(value) ? value.join(', ') : value,
    ]);
    return { found: Object.fromEntries(joined) as RequestHeaders };
  }

  recognise(exchange: Exchange): Recognised {
    return recognise(this.#dependencies, this.#options, exchange);
  }

  async read(exchange: Exchange, headers: RequestHeaders, known: Recognised): Promise<() => Promise<Answer>> {
    requireForm(headers);
    const { request, response } = exchange;
    const stated = request.headers['content-length'] === undefined ? maxBodyBytes : statedLength(request);
    if (stated > smallBody && stated <= maxBodyBytes) {
      const source = sourceOf(known.workspace.name, known.caller);
      exchange.hold(await this.#dependencies.workLimits.bodies.take(source, stated));
    }
    const message = await readMessage(await readBytes(request, response));
    const context = this.#makeContext(exchange, headers, known);
    return () => this.#answer({ exchange, headers, message, context });
  }

  /**
   * Answers a caller that has to wait. The call of a tool gets the refusal as the tool's answer, because clients show
   * their models no other (decision 0151).
   * @throws the refusal for anything else, for a flood, and for a message too large to read before there is room
   */
  async answerLimited(
    exchange: Exchange,
    headers: RequestHeaders,
    known: Recognised,
    refusal: Refusal,
  ): Promise<Answer> {
    requireReadable(this.#dependencies, known, refusal);
    if (!hasForm(headers)) throw refusal;
    const { request, response } = exchange;
    const bytes = await readBytes(request, response, smallBody).catch((error: unknown) => {
      throw error instanceof UnfitMessage ? refusal : error;
    });
    const fault = await runCooperatively(findFaultOfShape(bytes, messageShape));
    const message = fault === undefined ? parseMessage(bytes) : undefined;
    const { method, id } = (message ?? {}) as { readonly method?: unknown; readonly id?: unknown };
    if (method !== 'tools/call' || (typeof id !== 'string' && typeof id !== 'number')) throw refusal;
    const context = { ...this.#makeContext(exchange, headers, known), refusal };
    const answer = await this.#serve({ exchange, headers, message, context });
    exchange.rpc = method;
    exchange.refusal = refusal;
    exchange.trace = readTrace(message);
    return answer;
  }

  present({ id }: Exchange, refusal: Refusal): Answer {
    const { code, message, retryAfter } = refusal;
    if (refusal instanceof UnfitMessage) return answerError(refusal.status, refusal.rpcCode, message);
    const retry = retryAfter === undefined ? {} : { 'Retry-After': String(retryAfter) };
    const challenge = code === 'UNAUTHENTICATED' ? { 'WWW-Authenticate': this.#challenge() } : {};
    const waited = retryAfter === undefined ? {} : { retry_after_s: retryAfter };
    return answerError(statusOf(refusal), rpcCodes.http, message, {
      data: { code, request_id: id, ...waited },
      headers: { ...retry, ...challenge },
    });
  }

  send(exchange: Exchange, { stream, ...answer }: Answer): Promise<void> {
    return sendReply(exchange, stream === undefined ? answer : { ...answer, body: stream });
  }

  async #answer(asked: Asked): Promise<Answer> {
    const { exchange, message, context } = asked;
    const { method, id } = (message ?? {}) as { readonly method?: unknown; readonly id?: unknown };
    const named = typeof id === 'string' || typeof id === 'number' ? { id } : {};
    const isListening = method === listenMethod && named.id !== undefined;
    const answer = await (isListening ? this.#listen(asked, named.id) : this.#serve(asked));
    exchange.rpc = typeof method === 'string' ? method.slice(0, 60) : undefined;
    exchange.tool = context.tool;
    exchange.refusal = context.refused;
    exchange.trace = readTrace(message);
    if (context.lacking === undefined) return answer;
    const { workspace, caller } = context;
    this.#options.later.countRefused(workspace, 'mcp', 'insufficient_scope', caller.credentialId ?? '');
    return this.#challengeScope(context.lacking, named);
  }

  /** Answers a message: by ourselves in its plain form, else by the protocol's library. */
  async #serve(asked: Asked): Promise<Answer> {
    const { headers, message, context } = asked;
    const plain = this.#plain === undefined ? undefined : readPlainRequest(headers, message);
    const answer = plain === undefined ? undefined : await this.#plain?.answer(plain, context);
    if (answer !== undefined) return answer;
    const spoken = await readAnswer(await this.#ask(asked));
    return wantsJsonAlone(headers['accept']) ? asJson(spoken) : spoken;
  }

  #makeContext(exchange: Exchange, headers: RequestHeaders, known: Recognised): RequestContext {
    const { workspace, caller, owner, scopes, isInForce } = known;
    return {
      workspace,
      caller,
      cursors: this.#dependencies.cursors,
      owner,
      scopes,
      isInForce,
      keepsSubscriptions: headers[carrierHeader] === keeping,
      departure: () => exchange.departure(),
      charge: (requests) => exchange.charge(requests),
      onFault: (cause) => this.#options.log.error({ id: exchange.id, err: cause }, 'A tool failed'),
    };
  }

  /** Lets the protocol's implementation judge a request to listen, and opens the stream in its place. */
  async #listen(asked: Asked, id: string | number): Promise<Answer> {
    const { exchange, context } = asked;
    const opened = await this.#ask(asked);
    if (opened.headers.get('content-type') !== eventStream) return readAnswer(opened);
    const server = describeServer(this.#options.version);
    return answerListening({ id, opened, server, standAside: () => exchange.standAside() }, context);
  }

  #ask({ headers: sent, message, context }: Asked): Promise<Response> {
    const headers = new Headers();
    for (const [name, value] of Object.entries(sent)) {
      if (value !== undefined && passedOn.has(name)) headers.set(name, value);
    }
    if (wantsJsonAlone(sent['accept'])) headers.set('accept', bothForms);
    const extra = { context };
    return this.#handler.fetch(
      // The URL is for the implementation alone, and it reads nothing in it.
      new Request('http://localhost/mcp', { method: 'POST', headers, body: '' }),
      { parsedBody: message, authInfo: { token: '', clientId: '', scopes: [...context.scopes], extra } },
    );
  }

  /** The place and purpose of the sign-in (RFC 9728 §5.1, RFC 6750 §3). */
  #challenge(): string {
    const { origin, pathname } = new URL(`${this.#options.publicUrl}/mcp`);
    const metadata = `${origin}/.well-known/oauth-protected-resource${pathname}`;
    return `Bearer resource_metadata="${metadata}", scope="org:read org:write"`;
  }

  /** Asks for a token with more rights. It says nothing about any document, since none was read. */
  #challengeScope(scope: OAuthScope, named: { readonly id?: string | number }): Answer {
    const header = `${this.#challenge()}, error="insufficient_scope"`;
    const message = `This needs the scope ${scope}, which the token was not given.`;
    return answerError(403, rpcCodes.http, message, { ...named, headers: { 'WWW-Authenticate': header } });
  }
}

async function readAnswer(response: Response): Promise<Answer> {
  const type = response.headers.get('content-type');
  const allow = response.headers.get('allow');
  const body = await response.text();
  return {
    status: response.status,
    headers: { ...(type === null ? {} : { 'Content-Type': type }), ...(allow === null ? {} : { Allow: allow }) },
    body,
  };
}

/** Headers of the protocol, or read here. */
const passedOn = new Set(['accept', 'content-type', 'mcp-protocol-version', 'mcp-method', 'mcp-name']);

/** @throws UnfitMessage */
function requireForm(headers: RequestHeaders): void {
  const long = [...passedOn].find((name) => (headers[name]?.length ?? 0) > maxHeaderLength);
  if (long !== undefined) {
    const message = `The header ${long} has more than ${maxHeaderLength} characters.`;
    throw new UnfitMessage(400, rpcCodes.http, 'bad_field', message);
  }
  if (hasForm(headers)) return;
  const message = isJson(headers)
    ? 'Send the message without a Content-Encoding.'
    : 'Send the message as application/json.';
  throw new UnfitMessage(415, rpcCodes.http, 'unsupported_media_type', message);
}

const isJson = (headers: RequestHeaders): boolean => mediaTypeOf(headers['content-type']) === 'application/json';
const hasForm = (headers: RequestHeaders): boolean => isJson(headers) && !isEncoded(headers);

/** @throws UnfitMessage where the body has more bytes, as stated or as it comes, and where it ends too early */
async function readBytes(request: IncomingMessage, response: ServerResponse, most = maxBodyBytes): Promise<Uint8Array> {
  try {
    return await readBody(request, response, { maxBodyBytes: most });
  } catch (error) {
    if (error instanceof BeyondBounds) {
      throw new UnfitMessage(413, rpcCodes.http, 'body_too_large', `A message has at most ${maxBodyBytes} bytes.`);
    }
    // The client has gone: this answer is for the audit log.
    throw invalidRequest('bad_field', 'The message ended before it was complete.');
  }
}

/** @throws UnfitMessage */
async function readMessage(bytes: Uint8Array): Promise<unknown> {
  const fault = await runCooperatively(findFaultOfShape(bytes, messageShape));
  if (fault !== undefined) throw new UnfitMessage(400, rpcCodes.invalid, 'bad_field', `The message ${fault}.`);
  const message = parseMessage(bytes);
  if (message === undefined) {
    throw new UnfitMessage(400, rpcCodes.parse, 'bad_json', 'Parse error: the body is not JSON in UTF-8.');
  }
  if (Array.isArray(message)) {
    const problem = 'Batches are not taken: send one message in a request.';
    throw new UnfitMessage(400, rpcCodes.invalid, 'bad_field', problem);
  }
  const illFormed = findIllFormed(withoutArguments(message));
  if (illFormed !== undefined) {
    const field = illFormed === '' ? 'message' : illFormed;
    const problem = `The field ${field} holds half of a surrogate pair, which is no Unicode text.`;
    throw new UnfitMessage(400, rpcCodes.invalid, 'bad_field', problem);
  }
  return message;
}

function parseMessage(bytes: Uint8Array): unknown {
  try {
    return withoutNull(JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes)));
  } catch {
    return undefined;
  }
}

/** Some clients send `arguments: null` for a tool without arguments, and mean none. */
function withoutNull(message: unknown): unknown {
  const { params } = (message ?? {}) as { readonly params?: { readonly arguments?: unknown } };
  return params?.arguments === null ? withoutArguments(message) : message;
}

/** The message without a tool's arguments: they are checked where the tool's answer can name the fault. */
function withoutArguments(message: unknown): unknown {
  const { method, params } = (message ?? {}) as { readonly method?: unknown; readonly params?: unknown };
  if (method !== 'tools/call' || typeof params !== 'object' || params === null) return message;
  const { arguments: _, ...others } = params as { readonly arguments?: unknown };
  return { ...(message as object), params: others };
}

/**
 * Whether a client takes JSON, and does not ask for a stream by name. The revisions of 2025 want both types in Accept,
 * but many clients send only one, any type at all, or no header. Without the header everything is accepted (RFC 9110
 * §12.5.1).
 */
function wantsJsonAlone(accept: string | undefined): boolean {
  const ranges = (accept ?? '*/*').split(',').map((range) => range.split(';', 1)[0]?.trim().toLowerCase() ?? '');
  const takesJson = ranges.some((range) => ['application/json', 'application/*', '*/*', ''].includes(range));
  return takesJson && !ranges.includes(eventStream) && !ranges.includes('text/*');
}

/** The answer as JSON, where it is a stream of one message. */
function asJson(answer: Answer): Answer {
  if (answer.headers['Content-Type'] !== eventStream || answer.stream !== undefined) return answer;
  const message = /(?:^|\n)data: ([^\n]*)\n/.exec(answer.body)?.[1];
  if (message === undefined) return answer;
  return { ...answer, headers: { ...answer.headers, 'Content-Type': 'application/json' }, body: message };
}

/**
 * The trace that a message names in `params._meta`. It is nearer to the call than that of the HTTP header, which may be
 * the carrier's own.
 */
function readTrace(message: unknown): TraceContext | undefined {
  const { params } = (message ?? {}) as { readonly params?: unknown };
  const { _meta: meta } = (params ?? {}) as { readonly _meta?: unknown };
  if (typeof meta !== 'object' || meta === null || !Object.hasOwn(meta, 'traceparent')) return undefined;
  return parseTraceparent((meta as { readonly traceparent?: unknown }).traceparent);
}

type UnfitReason = 'unsupported_media_type' | 'body_too_large' | 'bad_json' | 'bad_field';

/** A request that holds no message to be answered, with the status and the code of its answer. */
class UnfitMessage extends Refusal {
  readonly status: number;
  /** Of JSON-RPC. */
  readonly rpcCode: number;

  constructor(status: number, rpcCode: number, reason: UnfitReason, message: string) {
    super('INVALID_REQUEST', message, { details: invalidRequest(reason, message).details });
    this.status = status;
    this.rpcCode = rpcCode;
  }
}
