import { classifyInboundRequest, SUPPORTED_PROTOCOL_VERSIONS } from '@modelcontextprotocol/server';
import { presentRevision as present, versionKey } from './subscription-terms.js';

const before = new Set(SUPPORTED_PROTOCOL_VERSIONS.filter((version) => version < present));

const infoKey = 'io.modelcontextprotocol/clientInfo';
const capabilitiesKey = 'io.modelcontextprotocol/clientCapabilities';
const envelopeKeys = new Set([versionKey, infoKey, capabilitiesKey]);
const progressKey = 'progressToken';
/** The client's trace, which the log names: nothing in the answer depends on it. */
const traceKeys = new Set(['traceparent', 'tracestate', 'baggage']);

export type RequestHeaders = Readonly<Record<string, string | undefined>>;

/** A frequent request in its plain form, which the protocol's library would serve without a remark. */
export type PlainRequest = PlainCall | PlainList | PlainPing;

interface Plain {
  readonly id: string | number;
  /** Whether it is of the present revision, else of one before it. */
  readonly isPresent: boolean;
}

interface PlainCall extends Plain {
  readonly method: 'tools/call';
  readonly name: string;
  readonly args: unknown;
}

interface PlainList extends Plain {
  readonly method: 'tools/list';
}

interface PlainPing extends Plain {
  readonly method: 'ping';
}

type Members = Readonly<Record<string, unknown>>;

/**
 * Recognises the frequent requests that need no library: each header and member is known and has its usual form.
 * Everything else is left to the library, which also words all refusals (decision 0151).
 * @returns undefined for a message to be left to the library
 */
export function readPlainRequest(headers: RequestHeaders, message: unknown): PlainRequest | undefined {
  if (!isObject(message) || !hasOnly(message, ['jsonrpc', 'id', 'method', 'params'])) return undefined;
  const { jsonrpc, id, method, params } = message;
  if (jsonrpc !== '2.0' || !isId(id) || typeof method !== 'string') return undefined;
  if (!isJson(headers['content-type'])) return undefined;
  if (params !== undefined && !isObject(params)) return undefined;
  const named = method === 'tools/call' ? ['name', 'arguments', '_meta'] : ['_meta'];
  if (params !== undefined && !hasOnly(params, named)) return undefined;
  const meta = params?.['_meta'];
  if (meta !== undefined && !isObject(meta)) return undefined;
  const isPresent = meta !== undefined && Object.hasOwn(meta, versionKey);
  const isTaken = isPresent ? isOfPresent(headers, message, meta) : isOfBefore(headers, meta);
  if (!isTaken) return undefined;
  if (method === 'tools/list') return { id, isPresent, method };
  // The present revision has no ping.
  if (method === 'ping') return isPresent ? undefined : { id, isPresent, method };
  if (method !== 'tools/call') return undefined;
  const { name, arguments: args } = params ?? {};
  if (typeof name !== 'string' || (isPresent && headers['mcp-name'] !== name)) return undefined;
  if (args !== undefined && (!isObject(args) || Object.hasOwn(args, '__proto__'))) return undefined;
  return { id, isPresent, method, name, args };
}

/** The library judges any unusual envelope. */
function isOfPresent(headers: RequestHeaders, message: Members, meta: Members): boolean {
  const { 'mcp-protocol-version': version, 'mcp-method': method } = headers;
  if (version !== present || meta[versionKey] !== present) return false;
  if (method === undefined || method !== message['method']) return false;
  if (!Object.keys(meta).every((key) => envelopeKeys.has(key) || isBeside(key, meta[key]))) return false;
  if (isUsualEnvelope(meta)) return true;
  const outcome = classifyInboundRequest({
    httpMethod: 'POST',
    protocolVersionHeader: version,
    mcpMethodHeader: method,
    body: message,
  });
  return outcome.kind === 'modern' && outcome.messageKind === 'request';
}

/** Whether it has the form that nearly all clients send. The library's own judgement takes longer than a small read. */
function isUsualEnvelope(meta: Members): boolean {
  const { [infoKey]: info, [capabilitiesKey]: capabilities } = meta;
  if (!isObject(info) || !hasOnly(info, ['name', 'version', 'title'])) return false;
  const { name, version, title = '' } = info;
  if (typeof name !== 'string' || typeof version !== 'string' || typeof title !== 'string') return false;
  return (
    isObject(capabilities) &&
    hasOnly(capabilities, ['elicitation', 'sampling', 'roots']) &&
    Object.values(capabilities).every((value) => isObject(value) && hasOnly(value, []))
  );
}

function isOfBefore(headers: RequestHeaders, meta: Members | undefined): boolean {
  const { accept, 'mcp-protocol-version': version } = headers;
  if (accept?.includes('application/json') !== true || !accept.includes('text/event-stream')) return false;
  if (version !== undefined && !before.has(version)) return false;
  return Object.entries(meta ?? {}).every(([key, value]) => isBeside(key, value));
}

const isObject = (value: unknown): value is Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const isId = (value: unknown): value is string | number => typeof value === 'string' || Number.isSafeInteger(value);

/** Members of `_meta` beside those of the protocol itself. */
const isBeside = (key: string, value: unknown): boolean =>
  (key === progressKey && isId(value)) || (traceKeys.has(key) && typeof value === 'string');

/** `__proto__` can be the name of a member of its own, and is never among these. */
const hasOnly = (members: Members, names: readonly string[]): boolean =>
  Object.keys(members).every((name) => names.includes(name));

const isJson = (type: string | undefined): boolean =>
  type === 'application/json' ||
  type === 'application/json; charset=utf-8' ||
  type === 'application/json;charset=utf-8';
