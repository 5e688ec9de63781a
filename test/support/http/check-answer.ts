import assert from 'node:assert/strict';
import type { IncomingHttpHeaders } from 'node:http';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { findOperation, type Description } from '../../../lib/api/requests/description.js';

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

const schemaOf = (name: string): object => ({ $ref: `#/components/schemas/${name}` });

/** By status. Each schema is one object for good, so that it is compiled once. */
const errorSchemas: Readonly<Record<number, object>> = {
  400: schemaOf('InvalidRequestError'),
  401: schemaOf('UnauthenticatedError'),
  404: schemaOf('NotFoundError'),
  409: schemaOf('ConflictError'),
  429: schemaOf('RateLimitedError'),
  500: schemaOf('InternalError'),
  503: schemaOf('UnavailableError'),
};

/** Checks answers against the description of an API: their status, headers and body. */
export class AnswerChecker {
  readonly #description: Description['document'];
  readonly #ajv = new Ajv2020({ strict: false, allErrors: true });
  readonly #compiled = new Map<object, ValidateFunction>();

  constructor({ document }: Description) {
    this.#description = document;
    addFormats.default(this.#ajv);
    // Only so that references into the description resolve; it is no schema itself.
    this.#ajv.addSchema({ $id: 'openapi', components: document.components });
  }

  /** @param answer whose target is as the description has it; undescribed ones must have the one shape of errors */
  check(answer: JudgedAnswer): void {
    const { method, target, status, headers, bytes } = answer;
    const what = `${method} ${target.slice(0, 100)} → ${status}`;
    const requestId = headers['x-request-id'];
    assert.match(String(requestId), /^req_[0-9a-z]{20}$/, what);
    const isJson = String(headers['content-type']).startsWith('application/json');
    const body: unknown = isJson && bytes.length > 0 ? JSON.parse(bytes.toString()) : undefined;
    // The raw form at a document's address is the file at the other.
    const isRaw = headers['content-disposition'] !== undefined;
    const responses = this.#describedResponses(method, isRaw ? target.replace('/documents/', '/files/') : target);
    const given = responses?.[String(status)];
    const described = given === undefined ? undefined : this.#resolve(given);
    // It refuses nothing: its answer is the state of the service.
    const isState = target === '/v1/ready' && status === 503;
    if (status >= 400 && !isState) {
      assert.ok(isJson, `${what}: an error is always JSON`);
      if (method !== 'HEAD') {
        assert.equal((body as { error: { request_id: string } }).error.request_id, requestId, what);
        const schema = errorSchemas[status];
        assert.ok(schema, `${what}: there is no code with this status`);
        // A described refusal can have reasons of its own, and is checked against its description below.
        if (described === undefined) this.#validate(schema, body, what);
      }
    }
    if (responses === undefined) {
      assert.ok(status >= 400 || status === 204, `${what}: what is not described was answered`);
      return;
    }
    // An unknown or malformed path below a described one is a bad location, which is described.
    const response = described;
    assert.ok(response, `${what}: the description knows no such status here`);
    for (const [name, reference] of Object.entries(response.headers ?? {})) {
      const header = this.#resolve(reference);
      const sent = headers[name.toLowerCase()];
      if (sent === undefined) assert.notEqual(header.required, true, `${what}: the header ${name} is missing`);
      else this.#validate(header.schema, readHeader(header.schema, String(sent)), `${what}: the header ${name}`);
    }
    const schema = isJson ? response.content?.['application/json']?.schema : undefined;
    if (schema !== undefined && method !== 'HEAD') this.#validate(schema, body, what);
    if (response.content === undefined && method !== 'HEAD') assert.equal(bytes.length, 0, `${what} has a body`);
  }

  #validate(schema: object, value: unknown, what: string): void {
    let check = this.#compiled.get(schema);
    if (check === undefined) {
      check = this.#ajv.compile(rebase(schema) as object);
      this.#compiled.set(schema, check);
    }
    assert.ok(
      check(value),
      `${what} is not as described: ${this.#ajv.errorsText(check.errors)}\n${JSON.stringify(value)}`,
    );
  }

  #resolve<Value>(value: Value): Value {
    const reference = (value as { $ref?: string }).$ref;
    if (reference === undefined) return value;
    const found = reference
      .split('/')
      .slice(1)
      .reduce<unknown>((at, name) => (at as Record<string, unknown>)[name], this.#description);
    return this.#resolve(found as Value);
  }

  #describedResponses(method: string, target: string): Record<string, Response> | undefined {
    const path = target.split('?')[0] ?? '';
    const [base] = /^(?:\/v1)?\/(?:documents|files|texts|images|reader)\//.exec(path) ?? [];
    const template = base === undefined ? nameIds(path) : `${base}{location}`;
    const operation = findOperation(this.#description.paths[template === '/v1/' ? '/v1' : template] ?? {}, method) as
      { responses: Record<string, Response> } | undefined;
    return operation?.responses;
  }
}

/** The path as the description has it, with names in place of ids. */
function nameIds(path: string): string {
  const ofHook = /^\/v1\/hooks\/[\w-]+\/[\w-]+$/.test(path) ? '/v1/hooks/{workspace}/{id}' : undefined;
  return ofHook ?? path.replace(/^((?:\/v1)?\/(?:connectors|keys|webhooks|audit\/verifications)\/)[\w-]+/, '$1{id}');
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

function readHeader(schema: object, text: string): unknown {
  return (schema as { type?: string }).type === 'integer' ? Number(text) : text;
}
