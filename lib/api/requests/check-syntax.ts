import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import express, { type Express, type NextFunction, type Request, type RequestHandler, type Response } from 'express';
import { middleware } from 'express-openapi-validator';
import {
  describeOnePath,
  findOperation,
  listParameters,
  nameQueryParameters,
  type Description,
} from './description.js';
import { explainInvalid } from './explain-invalid.js';
import type { Target } from './parse-target.js';
import { nameForm, type Body } from './take-body.js';
import library from 'express-openapi-validator/dist/framework/openapi.schema.validator.js';

type ApiSpec = Exclude<Parameters<typeof middleware>[0]['apiSpec'], string>;

/** A request as it is checked. */
export interface Unchecked {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** The route's path, as in the description. */
  readonly path: string;
  readonly target: Target;
  readonly parameters: Readonly<Record<string, string>>;
  readonly body: Body;
  /** Called when an answer differs from the description, which shows only when it is sent. */
  readonly onBadAnswer: (error: unknown) => void;
}

/** Takes every description as it is. */
class AnyDescription {
  validate(): { errors: [] } {
    return { errors: [] };
  }
}

skipDescriptionCheck();

/** One for each description, with and without checks of answers: preparing a path takes long, and keeps no state. */
const checkers = new WeakMap<Description, Map<boolean, SyntaxChecker>>();

/** The checker of a description, which all faces of the process share. */
export function findChecker(description: Description, validateResponses: boolean): SyntaxChecker {
  const ofDescription = checkers.get(description) ?? new Map<boolean, SyntaxChecker>();
  checkers.set(description, ofDescription);
  const checker = ofDescription.get(validateResponses) ?? new SyntaxChecker(description, validateResponses);
  ofDescription.set(validateResponses, checker);
  return checker;
}

/**
 * Checks requests of the table's paths against the description, and answers when configured. Each path is prepared at
 * its first request, so a start does not wait for all of them.
 *
 * The validator is made for Express. It gets a copy of what it reads of a request, because Express gives a request
 * another prototype, and Node's later work on it then takes twice as long. Only to check answers as well, the request
 * and its response become Express's.
 *
 * The route was found before, so an undescribed path or method never comes here.
 */
class SyntaxChecker {
  readonly #description: Description;
  readonly #validateResponses: boolean;
  readonly #express = createExpress();
  readonly #handlers = new Map<string, readonly RequestHandler[]>();
  readonly #plain = new Map<string, ReturnType<typeof findPlainRequests>>();

  constructor(description: Description, validateResponses: boolean) {
    this.#description = description;
    this.#validateResponses = validateResponses;
  }

  /**
   * @returns the query's parameters converted to their types, with defaults; at once for a request with nothing to check
   * @throws Refusal INVALID_REQUEST naming the field
   */
  check(unchecked: Unchecked): Record<string, unknown> | Promise<Record<string, unknown>> {
    const query: Record<string, unknown> = { ...unchecked.parameters };
    return !this.#validateResponses && this.#isPlain(unchecked) ? query : this.#validate(unchecked, query);
  }

  async #validate(unchecked: Unchecked, query: Record<string, unknown>): Promise<Record<string, unknown>> {
    const { request, response } = this.#validateResponses
      ? await dress(this.#express, unchecked)
      : copyForCheck(this.#express, unchecked);
    Object.defineProperty(request, 'query', { value: query, writable: true, configurable: true });
    for (const handler of this.#handlersOf(unchecked.path)) {
      try {
        await runHandler(handler, request, response, unchecked.onBadAnswer);
      } catch (error) {
        const sent = { query, body: unchecked.body.form === 'json' ? unchecked.body.value : undefined };
        throw explainInvalid(error, () => this.nameParameters(unchecked.path, request.method), sent);
      }
    }
    return query;
  }

  /** The names of a route's query parameters. */
  nameParameters(path: string, method: string): readonly string[] {
    return nameQueryParameters(this.#description, path, method);
  }

  #isPlain({ request, path, target, body }: Unchecked): boolean {
    if (body.form !== 'none' || target.query !== '') return false;
    const method = request.method ?? '';
    const route = `${method} ${path}`;
    if (!this.#plain.has(route)) this.#plain.set(route, findPlainRequests(this.#description, path, method));
    return this.#plain.get(route)?.(request.headers) ?? false;
  }

  #handlersOf(path: string): readonly RequestHandler[] {
    let handlers = this.#handlers.get(path);
    if (handlers === undefined) {
      handlers = middleware({
        apiSpec: describeOnePath(this.#description, path, this.#validateResponses) as unknown as ApiSpec,
        // The description is linted when it is built; another check would take time at every start.
        validateApiSpec: false,
        validateRequests: { coerceTypes: false, allowUnknownQueryParameters: false },
        validateResponses: this.#validateResponses,
        validateSecurity: false,
        validateFormats: true,
        fileUploader: false,
      });
      this.#handlers.set(path, handlers);
    }
    return handlers;
  }
}

/**
 * Recognises requests with nothing to check: no query, no body, and none of the headers in the description. Most reads
 * are of this kind, and the validator takes as long over them as over others.
 *
 * @returns undefined where every request has to be checked: something is required, or has a default
 */
function findPlainRequests(
  description: Description,
  path: string,
  method: string,
): ((headers: Readonly<Record<string, unknown>>) => boolean) | undefined {
  const operation = findOperation(description.document.paths[path] ?? {}, method);
  if (operation === undefined || 'requestBody' in operation) return undefined;
  // The location is in the path, and has been parsed.
  const parameters = listParameters(description, path, method).filter((each) => each.in !== 'path');
  if (parameters.some((each) => each.required === true || each.schema?.default !== undefined)) return undefined;
  const headers = parameters.filter((each) => each.in === 'header').map((each) => each.name.toLowerCase());
  return (sent) => headers.every((name) => sent[name] === undefined);
}

/** An application that only makes requests and responses of Express's kind. */
function createExpress(): Express {
  const app = express();
  app.disable('x-powered-by');
  app.enable('case sensitive routing');
  app.enable('strict routing');
  app.set('query parser', false);
  // The validator wraps this method: it checks an answer in its JSON form, and sends it by the method set here.
  app.response.json = function json(this: Response, value?: unknown): Response {
    const text = JSON.stringify(value);
    this.setHeader('Content-Type', 'application/json; charset=utf-8');
    this.setHeader('Content-Length', Buffer.byteLength(text));
    this.end(this.req.method === 'HEAD' ? '' : text, 'utf8');
    return this;
  };
  app.use((request, response) => {
    const { proceed } = response.locals as Locals;
    proceed({ request, response });
  });
  return app;
}

interface Dressed {
  readonly request: Request;
  readonly response: Response;
}

interface Locals {
  readonly proceed: (dressed: Dressed) => void;
}

/** What the validator reads of a request. */
function copyForCheck(app: Express, { request, response, target, body }: Unchecked): Dressed {
  const copy = {
    app,
    method: request.method,
    baseUrl: '',
    path: target.path,
    originalUrl: addressOf(target),
    headers: describeBody({ ...request.headers }, body),
    params: {},
    body: body.form === 'json' ? body.value : undefined,
  };
  return { request: copy as unknown as Request, response: response as Response };
}

/** Makes the request and its response into Express's, and the request readable for the validator. */
async function dress(app: Express, { request, response, target, body }: Unchecked): Promise<Dressed> {
  const dressed = await new Promise<Dressed>((proceed) => {
    const locals: Locals = { proceed };
    app(request, Object.assign(response, { locals }));
  });
  dressed.request.originalUrl = addressOf(target);
  describeBody(request.headers, body);
  if (body.form === 'json') dressed.request.body = body.value;
  return dressed;
}

/** The validator reads the target itself, and knows only its usual form. */
function addressOf(target: Target): string {
  return target.query === '' ? target.path : `${target.path}?${target.query}`;
}

/** Names the form of the body by which the validator finds its schema. */
function describeBody(headers: IncomingHttpHeaders, body: Body): IncomingHttpHeaders {
  if (body.form === 'none') delete headers['content-type'];
  else headers['content-type'] = nameForm(body.form);
  return headers;
}

function runHandler(
  handler: RequestHandler,
  request: Request,
  response: Response,
  onBadAnswer: (error: unknown) => void,
): Promise<void> {
  return new Promise((resolve, reject) => {
    let isDone = false;
    const next: NextFunction = (error?: unknown) => {
      if (isDone) {
        if (error !== undefined) onBadAnswer(error);
        return;
      }
      isDone = true;
      if (error === undefined) resolve();
      else reject(error instanceof Error ? error : new Error('The validator failed.', { cause: error }));
    };
    void handler(request, response, next);
  });
}

/**
 * Keeps the validator from compiling OpenAPI's own schema. It does so for each path that it prepares, also when it is
 * told not to check the description (`validateApiSpec: false`, express-openapi-validator 5.6.2, framework/index.js).
 * That takes 70 to 140 ms of the first request for the path, and nothing asks the result. The linter checks the
 * description instead, when it is built.
 */
function skipDescriptionCheck(): void {
  library.OpenAPISchemaValidator = AnyDescription as unknown as typeof library.OpenAPISchemaValidator;
}
