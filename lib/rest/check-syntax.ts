import type { NextFunction, Request, RequestHandler, Response } from 'express';
import { middleware } from 'express-openapi-validator';
import { describeOnePath, type Description } from './description.js';
import { explainInvalid } from './explain-invalid.js';
import { findPlainRequests } from './find-plain-requests.js';

type ApiSpec = Exclude<Parameters<typeof middleware>[0]['apiSpec'], string>;

/**
 * Checks requests of the table's paths against the description, and answers if that is asked for. Each path is made
 * ready when it is first asked for, so that a start does not wait for all of them.
 *
 * The rows have been found before, so a path or method that is not described never comes here.
 */
export class SyntaxChecker {
  readonly #description: Description;
  readonly #validateResponses: boolean;
  readonly #handlers = new Map<string, readonly RequestHandler[]>();
  readonly #plain = new Map<string, ReturnType<typeof findPlainRequests>>();

  constructor(description: Description, validateResponses: boolean) {
    this.#description = description;
    this.#validateResponses = validateResponses;
  }

  /**
   * @param onBadAnswer called when an answer turns out not to be as described, which is known only as it is sent
   * @throws Refusal INVALID_REQUEST naming the field
   */
  async check(
    path: string,
    request: Request,
    response: Response,
    onBadAnswer: (error: unknown) => void,
  ): Promise<void> {
    if (!this.#validateResponses && this.#isPlain(path, request)) return;
    for (const handler of this.#handlersOf(path)) {
      try {
        await runHandler(handler, request, response, onBadAnswer);
      } catch (error) {
        throw explainInvalid(error);
      }
    }
  }

  #isPlain(path: string, request: Request): boolean {
    if (request.body !== undefined || Object.keys(request.query).length > 0) return false;
    const row = `${request.method} ${path}`;
    if (!this.#plain.has(row)) this.#plain.set(row, findPlainRequests(this.#description, path, request.method));
    return this.#plain.get(row)?.(request.headers) ?? false;
  }

  #handlersOf(path: string): readonly RequestHandler[] {
    let handlers = this.#handlers.get(path);
    if (handlers === undefined) {
      handlers = middleware({
        apiSpec: describeOnePath(this.#description, path, this.#validateResponses) as unknown as ApiSpec,
        // The description is linted when it is built; checking it again would take time at every start.
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
