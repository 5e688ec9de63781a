import { isAnswered } from '../operations/idempotently.js';
import type { Operation } from '../operations/operation.js';
import { perform } from '../operations/perform.js';
import { withHeader, type Answer } from './answers/api-answer.js';
import { readRetry } from './requests/read-retry.js';
import { parseIdempotencyKey } from './requests/parse-idempotency-key.js';
import type { Arrival, CheckedRequest, Method } from './requests/checked-request.js';
import type { DescribedPath, RequestAt } from './requests/described-request.js';
import type { BodyForm } from './requests/take-body.js';

/**
 * A line of the table as written: the request, its operation, the reading of the request and the presentation of the
 * result. The method and the path give the request the types of their description.
 */
interface RouteDefinition<M extends Method, P extends DescribedPath, Input, Result, Prepared> {
  readonly method: M;
  /** Without the face's prefix; `{location}` takes the rest of the path, slashes included. */
  readonly path: P;
  /** The header required for any effect. */
  readonly requires?: 'Idempotency-Key' | 'If-Match';
  /** Whether an Idempotency-Key is taken without being required. */
  readonly mayBeRetried?: true;
  /** Forms of body it takes; none when left out. */
  readonly takes?: readonly BodyForm[];
  /** Whether a body can hold a document's content; every other body is small. */
  readonly carriesContent?: true;
  readonly operation: Operation<Input, Result, Prepared>;
  /** @throws Refusal INVALID_REQUEST for faults beyond the description's rules */
  readonly read: (request: RequestAt<M, P>) => Input;
  readonly present: (result: Result, request: RequestAt<M, P>) => Answer | Promise<Answer>;
}

/** The same with its types closed over, ready for use. */
export interface Route {
  /** Another route of the same method and path, which the request's headers ask for. */
  readonly variantFor?: (header: (name: string) => string | undefined) => Route | undefined;
  readonly method: Method;
  readonly path: string;
  readonly requires?: 'Idempotency-Key' | 'If-Match';
  readonly takes: readonly BodyForm[];
  readonly carriesContent: boolean;
  /**
   * Whether the request's key was used before; checked before its body is read.
   * @throws Refusal INVALID_REQUEST `bad_field` for an invalid key
   */
  isRetried(request: Pick<CheckedRequest, 'workspace' | 'caller' | 'header'>): boolean;
  /** The operation's name, for an unreadable request. */
  readonly action: string;
  /**
   * @returns a function that performs it
   * @throws Refusal INVALID_REQUEST
   */
  read(request: CheckedRequest): () => Promise<Answer>;
}

/** Common to every route that creates or does something by a JSON body. */
export const jsonPost = { method: 'POST', requires: 'Idempotency-Key', takes: ['json'] } as const;

/** A route for callers who are not recognised, and therefore without an operation. */
export interface OpenRoute {
  readonly method: Method;
  /** The whole path of a request. */
  readonly path: string;
  /** Its path in the description, where that differs. */
  readonly describedAs?: string;
  /** It reads the body itself, whatever its form, and has no query. */
  readonly takesBody?: true;
  /** @param ids those in the path, in their order */
  answerOpenly(arrival: Arrival, ids: readonly string[]): Answer | Promise<Answer>;
}

/** The same row below a path: what the description puts in front of all paths. */
export function placeBelow(prefix: string, row: Route): Route {
  const { variantFor } = row;
  const placed = { ...row, path: prefix + row.path };
  return variantFor === undefined
    ? placed
    : { ...placed, variantFor: (header) => placeVariant(prefix, variantFor(header)) };
}

const placeVariant = (prefix: string, variant: Route | undefined): Route | undefined =>
  variant === undefined ? undefined : placeBelow(prefix, variant);

/**
 * Makes a route of the table: reads the request, performs the operation, and presents the result. The operation gets
 * the request's Idempotency-Key where the route requires one.
 */
export function route<M extends Method, P extends DescribedPath, Input, Result, Prepared>(
  definition: RouteDefinition<M, P, Input, Result, Prepared>,
): Route {
  const { method, path, requires, takes = [], carriesContent = false, operation, read, present } = definition;
  const isRepeatable = (header: CheckedRequest['header']): boolean =>
    requires === 'Idempotency-Key' || (definition.mayBeRetried === true && header('idempotency-key') !== undefined);
  return {
    method,
    path,
    takes,
    carriesContent,
    ...(requires === undefined ? {} : { requires }),
    isRetried({ workspace, caller, header }) {
      if (!isRepeatable(header)) return false;
      const { answerTime, journal } = workspace;
      const key = parseIdempotencyKey(header('idempotency-key'));
      return isAnswered(journal.reader, caller, operation, key, answerTime.now(journal.reader));
    },
    action: operation.name,
    read(checked) {
      // Its syntax was checked against the description of this method and path.
      const request = checked as RequestAt<M, P>;
      const input = read(request);
      const retry = isRepeatable((name) => request.header(name)) ? readRetry(request) : undefined;
      return async () => {
        const { result, replayed } = await perform(request.workspace, request.caller, operation, input, retry);
        const presented = present(result, request);
        const answer = presented instanceof Promise ? await presented : presented;
        return replayed ? withHeader(answer, 'Idempotent-Replayed', 'true') : answer;
      };
    },
  };
}
