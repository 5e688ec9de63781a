import type { StreamedBody } from '../http/send-reply.js';

/** An answer before it is written to the connection. The body is JSON, or empty. */
export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** What is sent in place of the body. */
  readonly stream?: StreamedBody;
}

const json = { 'Content-Type': 'application/json; charset=utf-8' };

/**
 * An error of the protocol (JSON-RPC 2.0 §5.1), outside of any tool.
 * @param id of the request, where it is known
 */
export function answerError(
  status: number,
  code: number,
  message: string,
  more: {
    readonly data?: object;
    readonly headers?: Readonly<Record<string, string>>;
    readonly id?: string | number | null;
  } = {},
): Answer {
  const { data, headers = {}, id = null } = more;
  const error = data === undefined ? { code, message } : { code, message, data };
  return { status, headers: { ...json, ...headers }, body: JSON.stringify({ jsonrpc: '2.0', id, error }) };
}

/** Codes of JSON-RPC. The protocol's implementations use `http` where the HTTP status already says it. */
export const rpcCodes = {
  parse: -32700,
  invalid: -32600,
  unknownMethod: -32601,
  params: -32602,
  http: -32000,
} as const;
