import { createMcpHandler, type McpHttpHandler } from '@modelcontextprotocol/server';
import type { Release } from '../access/work-limiter.js';
import { sourceOf } from '../access/work-limits.js';
import { overLimit } from '../audit/record-tallies.js';
import type { OAuthScope } from '../domain/access-token.js';
import { makeIdentifier } from '../domain/identifier.js';
import { findFaultOfShape } from '../domain/json-shape.js';
import { internal, invalidRequest, Refusal } from '../domain/refusal.js';
import { maxHeaderLength } from '../domain/short-header.js';
import type { TraceContext } from '../domain/trace-context.js';
import { findIllFormed } from '../domain/well-formed.js';
import { refuseUnread, unknownRequest } from '../operations/perform.js';
import { mediaTypeOf } from '../http/read-body.js';
import { isEncoded } from '../http/request-bounds.js';
import { statusOf } from '../http/status-of.js';
import { runCooperatively } from '../scheduling/run-cooperatively.js';
import { asJson, bothForms, wantsJsonAlone } from './accepted-form.js';
import { PlainAnswers } from './answer-plainly.js';
import { answerError, rpcCodes, type Answer } from './answer.js';
import { ToolBox } from './call-tool.js';
import { messageShape } from './normalize-arguments.js';
import type { McpDependencies, McpOptions } from './dependencies.js';
import { answerListening } from './listen.js';
import { describeServer, makeServer } from './make-server.js';
import { readPlainRequest } from './plain-request.js';
import { recognise, requireReadable, type Recognised } from './recognise.js';
import { carrierHeader, keepsSubscriptions as keeping, listenMethod } from './subscription-terms.js';
import { readTrace } from './read-trace.js';
import { readOrRecord } from './tool.js';
import { tools } from './tools.js';
import type { RequestContext } from './request-context.js';

/** A request for this face, from any carrier. Header names in small letters. */
export interface McpRequest {
  readonly method: string;
  readonly headers: Readonly<Record<string, string | undefined>>;
  /** The client's address, to limit guessing. */
  readonly address: string;
  /**
   * Reads the body, only once it is wanted; undefined when it has more bytes than `most`.
   * @throws Refusal INVALID_REQUEST `bad_field` where it ends too early
   */
  readonly readBody: (most: number) => Promise<Uint8Array | undefined>;
  /** The stated length of the body in bytes; undefined where none is stated. */
  readonly bodyLength: number | undefined;
  /** Keeps the request's room until its answer has left. */
  readonly hold: (release: Release) => void;
  /**
   * Gives that room back before, for an answer that goes on.
   * @returns aborted when the client has left
   */
  readonly standAside: () => AbortSignal;
}

export interface McpAnswer extends Answer {
  /** For the log. */
  readonly rpc?: string | undefined;
  readonly tool?: string | undefined;
  readonly credential?: string | undefined;
  readonly refusal?: Refusal | undefined;
  readonly trace?: TraceContext | undefined;
}

/** Six bytes of JSON can stand for one byte of text, and a text has up to a million. */
const maxBodyBytes = 8 * 1024 * 1024;
/** Bytes of a message too small to count as room. */
const smallBody = 64 * 1024;

/** The MCP face, for every carrier. It recognises the caller, then hands one message to the protocol. */
export class McpFace {
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

  makeRequestId(): string {
    return makeIdentifier('req', this.#dependencies.randomness);
  }

  /** Answers one request. Never throws. */
  async answer(request: McpRequest, requestId: string): Promise<McpAnswer> {
    try {
      if (request.method !== 'POST') {
        return answerError(405, rpcCodes.http, 'Method not allowed.', { headers: { Allow: 'POST' } });
      }
      const { authorization } = request.headers;
      const recognised = recognise(this.#dependencies, this.#options, authorization, request.address);
      const answer = await this.#answerCaller(request, requestId, recognised);
      return { ...answer, credential: recognised.credentialId };
    } catch (error) {
      const refusal = error instanceof Refusal ? error : internal(error);
      if (refusal.code === 'INTERNAL') this.#noteFault(requestId, refusal.cause ?? refusal);
      return { ...this.#presentRefusal(refusal, requestId), refusal };
    }
  }

  async #answerCaller(request: McpRequest, requestId: string, recognised: Recognised): Promise<McpAnswer> {
    const keepsSubscriptions = request.headers[carrierHeader] === keeping;
    const context = { ...this.#makeContext(requestId, recognised), keepsSubscriptions };
    const refusal = this.#enter(request, recognised, context) ?? recognised.refusal;
    if (refusal !== undefined) return this.#answerLimited(request, { ...context, refusal }, refusal);
    const long = [...passedOn].find((name) => (request.headers[name]?.length ?? 0) > maxHeaderLength);
    if (long !== undefined) {
      const message = `The header ${long} has more than ${maxHeaderLength} characters.`;
      return refuseMessage(context, 400, rpcCodes.http, 'bad_field', message);
    }
    if (mediaTypeOf(request.headers['content-type']) !== 'application/json') {
      return refuseMessage(
        context,
        415,
        rpcCodes.http,
        'unsupported_media_type',
        'Send the message as application/json.',
      );
    }
    if (isEncoded(request.headers)) {
      return refuseMessage(
        context,
        415,
        rpcCodes.http,
        'unsupported_media_type',
        'Send the message without a Content-Encoding.',
      );
    }
    const bytes = await readOrRecord(context.workspace, context.caller, unknownRequest, () =>
      this.#read(request, context),
    );
    if (bytes === undefined) {
      return refuseMessage(
        context,
        413,
        rpcCodes.http,
        'body_too_large',
        `A message has at most ${maxBodyBytes} bytes.`,
      );
    }
    const fault = await runCooperatively(findFaultOfShape(bytes, messageShape));
    if (fault !== undefined) return refuseMessage(context, 400, rpcCodes.invalid, 'bad_field', `The message ${fault}.`);
    const message = parseMessage(bytes);
    if (message === undefined) {
      return refuseMessage(context, 400, rpcCodes.parse, 'bad_json', 'Parse error: the body is not JSON in UTF-8.');
    }
    if (Array.isArray(message)) {
      return refuseMessage(
        context,
        400,
        rpcCodes.invalid,
        'bad_field',
        'Batches are not taken: send one message in a request.',
      );
    }
    const illFormed = findIllFormed(withoutArguments(message));
    if (illFormed !== undefined) {
      const field = illFormed === '' ? 'message' : illFormed;
      const problem = `The field ${field} holds half of a surrogate pair, which is no Unicode text.`;
      return refuseMessage(context, 400, rpcCodes.invalid, 'bad_field', problem);
    }
    const { method, id } = (message ?? {}) as { readonly method?: unknown; readonly id?: unknown };
    const named = typeof id === 'string' || typeof id === 'number' ? { id } : {};
    const isListening = method === listenMethod && named.id !== undefined;
    const answer = await (isListening
      ? this.#listen(request, message, context, named.id)
      : this.#serve(request, message, context));
    const rpc = typeof method === 'string' ? method.slice(0, 60) : undefined;
    const seen = { rpc, tool: context.tool, refusal: context.refused, trace: readTrace(message) };
    if (context.lacking === undefined) return { ...answer, ...seen };
    const { workspace, credentialId } = recognised;
    this.#options.later.countRefused(workspace, 'mcp', 'insufficient_scope', credentialId);
    return { ...this.#challengeScope(context.lacking, named), ...seen };
  }

  /**
   * Counts the request among those under way for its key.
   * @returns the refusal RATE_LIMITED or UNAVAILABLE where there are too many, and this one may still be read
   * @throws Refusal the same for a flood
   */
  #enter({ hold }: McpRequest, recognised: Recognised, { workspace, caller }: RequestContext): Refusal | undefined {
    try {
      hold(this.#dependencies.workLimits.requests.takeNow(sourceOf(workspace.name, caller)));
      return undefined;
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      this.#options.later.countRefused(workspace, 'mcp', overLimit, caller.credentialId ?? '');
      // A request above the rate has passed this already.
      if (recognised.refusal === undefined) requireReadable(this.#dependencies, recognised, error);
      return error;
    }
  }

  /**
   * Answers a request of a caller that has to wait. The call of a tool gets the refusal as the tool's answer, because
   * clients show their models no other (decision 0151).
   * @throws the refusal for anything else, and for a message too large to read before there is room
   */
  async #answerLimited(request: McpRequest, context: RequestContext, refusal: Refusal): Promise<McpAnswer> {
    const isReadable =
      mediaTypeOf(request.headers['content-type']) === 'application/json' && !isEncoded(request.headers);
    const bytes = isReadable ? await request.readBody(smallBody) : undefined;
    if (bytes === undefined) throw refusal;
    const fault = await runCooperatively(findFaultOfShape(bytes, messageShape));
    const message = fault === undefined ? parseMessage(bytes) : undefined;
    const { method, id } = (message ?? {}) as { readonly method?: unknown; readonly id?: unknown };
    if (method !== 'tools/call' || (typeof id !== 'string' && typeof id !== 'number')) throw refusal;
    return { ...(await this.#serve(request, message, context)), rpc: method, refusal, trace: readTrace(message) };
  }

  /** Answers a message: by ourselves in its plain form, else by the protocol's library. */
  async #serve(request: McpRequest, message: unknown, context: RequestContext): Promise<Answer> {
    const plain = this.#plain === undefined ? undefined : readPlainRequest(request.headers, message);
    const answer = plain === undefined ? undefined : await this.#plain?.answer(plain, context);
    if (answer !== undefined) return answer;
    const spoken = await this.#speak(request, message, context);
    return wantsJsonAlone(request.headers['accept']) ? asJson(spoken) : spoken;
  }

  /**
   * Reads the message, once there is room in memory for it.
   * @throws Refusal as `readBody` does; RATE_LIMITED, UNAVAILABLE
   */
  async #read({ readBody, bodyLength = maxBodyBytes, hold }: McpRequest, { workspace, caller }: RequestContext) {
    if (bodyLength > smallBody && bodyLength <= maxBodyBytes) {
      hold(await this.#dependencies.workLimits.bodies.take(sourceOf(workspace.name, caller), bodyLength));
    }
    return readBody(maxBodyBytes);
  }

  #makeContext(
    requestId: string,
    { workspace, principal, credentialId, owner, rated, scopes, isInForce }: Recognised,
  ): Omit<RequestContext, 'keepsSubscriptions'> {
    const { id: principalId, kind } = principal;
    return {
      workspace,
      caller: { principalId, kind, credentialId, countedAs: rated, interface: 'mcp', requestId },
      cursors: this.#dependencies.cursors,
      owner,
      scopes,
      isInForce,
      onFault: (cause) => this.#noteFault(requestId, cause),
    };
  }

  /** Lets the protocol's implementation judge a request to listen, and opens the stream in its place. */
  async #listen(request: McpRequest, message: unknown, context: RequestContext, id: string | number): Promise<Answer> {
    const opened = await this.#ask(request, message, context);
    if (opened.headers.get('content-type') !== eventStream) return readAnswer(opened);
    const server = describeServer(this.#options.version);
    return answerListening({ id, opened, server, standAside: request.standAside }, context);
  }

  /** Lets the protocol's implementation answer, and waits for all of it. */
  async #speak(request: McpRequest, message: unknown, context: RequestContext): Promise<Answer> {
    return readAnswer(await this.#ask(request, message, context));
  }

  #ask(request: McpRequest, message: unknown, context: RequestContext): Promise<Response> {
    const headers = new Headers();
    for (const [name, value] of Object.entries(request.headers)) {
      if (value !== undefined && passedOn.has(name)) headers.set(name, value);
    }
    if (wantsJsonAlone(request.headers['accept'])) headers.set('accept', bothForms);
    const extra = { context };
    return this.#handler.fetch(
      // The URL is for the implementation alone, and it reads nothing in it.
      new Request('http://localhost/mcp', { method: 'POST', headers, body: '' }),
      { parsedBody: message, authInfo: { token: '', clientId: '', scopes: [...context.scopes], extra } },
    );
  }

  #presentRefusal(refusal: Refusal, requestId: string): Answer {
    const { code, message, retryAfter } = refusal;
    const retry = retryAfter === undefined ? {} : { 'Retry-After': String(retryAfter) };
    const challenge = code === 'UNAUTHENTICATED' ? { 'WWW-Authenticate': this.#challenge() } : {};
    const waited = retryAfter === undefined ? {} : { retry_after_s: retryAfter };
    return answerError(statusOf(refusal), rpcCodes.http, message, {
      data: { code, request_id: requestId, ...waited },
      headers: { ...retry, ...challenge },
    });
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

  #noteFault(requestId: string, cause: unknown): void {
    this.#options.log.error({ id: requestId, err: cause }, 'A tool failed');
  }
}

/**
 * Answers an invalid message, once it is recorded.
 * @throws Refusal where it cannot be recorded
 */
async function refuseMessage(
  { workspace, caller }: RequestContext,
  status: number,
  rpcCode: number,
  reason: 'unsupported_media_type' | 'body_too_large' | 'bad_json' | 'bad_field',
  message: string,
): Promise<McpAnswer> {
  const refusal = invalidRequest(reason, message);
  const recorded = await refuseUnread(workspace, caller, unknownRequest, {}, refusal);
  if (recorded !== refusal) throw recorded;
  return { ...answerError(status, rpcCode, message), refusal };
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

const eventStream = 'text/event-stream';

/** Headers of the protocol, or read here. */
const passedOn = new Set(['accept', 'content-type', 'mcp-protocol-version', 'mcp-method', 'mcp-name']);

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
