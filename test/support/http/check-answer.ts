import assert from 'node:assert/strict';
import type { IncomingHttpHeaders } from 'node:http';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { findOperation, readDescription } from '../../../lib/rest/requests/description.js';

/** An answer as far as the description can judge it. */
export interface JudgedAnswer {
  readonly method: string;
  /** Path and query as sent. */
  readonly target: string;
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly bytes: Buffer;
}

interface Header {
  readonly required?: boolean;
  readonly schema: object;
}

interface Response {
  readonly headers?: Readonly<Record<string, Header>>;
  readonly content?: Readonly<Record<string, { readonly schema?: object }>>;
}

const description = readDescription().document;
const ajv = new Ajv2020({ strict: false, allErrors: true });
addFormats.default(ajv);
// Only so that references into the description resolve; it is no schema itself.
ajv.addSchema({ $id: 'openapi', components: description.components });

const compiled = new Map<object, ValidateFunction>();

function validate(schema: object, value: unknown, what: string): void {
  let check = compiled.get(schema);
  if (check === undefined) {
    check = ajv.compile(rebase(schema) as object);
    compiled.set(schema, check);
  }
  assert.ok(check(value), `${what} is not as described: ${ajv.errorsText(check.errors)}\n${JSON.stringify(value)}`);
}

/** References as the one schema that holds the components sees them. */
function rebase(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(rebase);
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [
      name,
      name === '$ref' && typeof inner === 'string' ? `openapi${inner}` : rebase(inner),
    ]),
  );
}

function resolve<Value>(value: Value): Value {
  const reference = (value as { $ref?: string }).$ref;
  if (reference === undefined) return value;
  const found = reference
    .split('/')
    .slice(1)
    .reduce<unknown>((at, name) => (at as Record<string, unknown>)[name], description);
  return resolve(found as Value);
}

function describedResponses(method: string, target: string): Record<string, Response> | undefined {
  const path = target.split('?')[0] ?? '';
  const [base] = /^\/v1\/(?:documents|files)\//.exec(path) ?? [];
  const template = base === undefined ? path : `${base}{location}`;
  const operation = findOperation(description.paths[template === '/v1/' ? '/v1' : template] ?? {}, method) as
    { responses: Record<string, Response> } | undefined;
  return operation?.responses;
}

const errorSchemas: Readonly<Record<number, string>> = {
  400: 'InvalidRequestError',
  401: 'UnauthenticatedError',
  404: 'NotFoundError',
  409: 'ConflictError',
  429: 'RateLimitedError',
  500: 'InternalError',
  503: 'UnavailableError',
};

/**
 * Checks an answer against schema/openapi.yaml: its status, its headers and its body. Undescribed answers must have the
 * one shape of errors.
 */
export function checkAnswer(answer: JudgedAnswer): void {
  const { method, target, status, headers, bytes } = answer;
  const what = `${method} ${target.slice(0, 100)} → ${status}`;
  const requestId = headers['x-request-id'];
  assert.match(String(requestId), /^req_[0-9a-z]{20}$/, what);
  const isJson = String(headers['content-type']).startsWith('application/json');
  const body: unknown = isJson && bytes.length > 0 ? JSON.parse(bytes.toString()) : undefined;
  // It refuses nothing: its answer is the state of the service.
  const isState = target === '/v1/ready' && status === 503;
  if (status >= 400 && !isState) {
    assert.ok(isJson, `${what}: an error is always JSON`);
    if (method !== 'HEAD') {
      assert.equal((body as { error: { request_id: string } }).error.request_id, requestId, what);
      const name = errorSchemas[status];
      assert.ok(name, `${what}: there is no code with this status`);
      validate({ $ref: `#/components/schemas/${name}` }, body, what);
    }
  }
  // The raw form at a document's address is the file at the other.
  const isRaw = headers['content-disposition'] !== undefined;
  const responses = describedResponses(method, isRaw ? target.replace('/v1/documents/', '/v1/files/') : target);
  if (responses === undefined) {
    assert.ok(status >= 400 || status === 204, `${what}: what is not described was answered`);
    return;
  }
  // An unknown or malformed path below a described one is a bad location, which is described.
  const response = resolve(responses[String(status)]);
  assert.ok(response, `${what}: the description knows no such status here`);
  for (const [name, reference] of Object.entries(response.headers ?? {})) {
    const header = resolve(reference);
    const sent = headers[name.toLowerCase()];
    if (sent === undefined) assert.notEqual(header.required, true, `${what}: the header ${name} is missing`);
    else validate(header.schema, readHeader(header.schema, String(sent)), `${what}: the header ${name}`);
  }
  const schema = isJson ? response.content?.['application/json']?.schema : undefined;
  if (schema !== undefined && method !== 'HEAD') validate(schema, body, what);
  if (response.content === undefined && method !== 'HEAD') assert.equal(bytes.length, 0, `${what} has a body`);
}

function readHeader(schema: object, text: string): unknown {
  return (schema as { type?: string }).type === 'integer' ? Number(text) : text;
}
