import type { IncomingMessage, ServerResponse } from 'node:http';
import type { CursorSealer } from '../../access/seal-cursor.js';
import type { Caller } from '../../domain/caller.js';
import type { Location } from '../../domain/location.js';
import type { Policy } from '../../domain/policy.js';
import type { Workspace } from '../../workspace/workspace.js';
import type { Body } from './take-body.js';

export type Method = 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** A request that has arrived, with the id of its answer. */
export interface Arrival {
  readonly id: string;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

/**
 * A request of a recognised caller, within its rate and of valid syntax. Its types come from the description
 * (described-request.ts).
 */
export interface CheckedRequest<Query = object, Json = unknown> {
  readonly method: Method;
  /** The route's path, as in the description. */
  readonly route: string;
  readonly workspace: Workspace;
  readonly caller: Caller;
  readonly policy: Policy;
  /** The document's location from the path; the root where the path has none. */
  readonly location: Location;
  /** The id in the path; '' where it has none. Nothing is known of it but its characters. */
  readonly pathId: string;
  /** As checked: converted to their types, with defaults. */
  readonly query: Query;
  readonly sent: {
    readonly path: string;
    readonly query: string;
    /** The parameters as they were sent, decoded. */
    readonly parameters: Readonly<Record<string, string>>;
  };
  header(name: string): string | undefined;
  readonly body: Body<Json>;
  readonly cursors: CursorSealer;
  /**
   * Gives back the request's place among those under way, for an answer that may come late. Whoever calls it counts the
   * request elsewhere.
   * @returns aborted when the connection ends before the answer has left
   */
  standAside(): AbortSignal;
  /**
   * For long work that has no reader once the client has left. The request keeps its place.
   * @returns aborted when the connection ends before the answer has left, or the request stands aside
   */
  departure(): AbortSignal;
  /** Counts work as so many requests more of the caller's rate. Called before the answer is sent. */
  charge(requests: number): void;
}

/** The JSON body of a route without other forms. The description has checked its fields. */
export function jsonOf<Json>({ body }: CheckedRequest<object, Json>): Json {
  if (body.form !== 'json') throw new Error('The body was not read as JSON.');
  return body.value;
}
