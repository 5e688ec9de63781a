import type { CursorSealer } from '../access/seal-cursor.js';
import type { CallerInterface } from '../domain/caller.js';
import type { Clock } from '../domain/clock.js';
import type { Asking, CallerDependencies, CallerNotes } from '../http/serve-exchange.js';
import type { Arrival } from './requests/checked-request.js';
import type { Description } from './requests/description.js';
import type { OpenRoute, Route } from './route.js';

/** The running service, as far as an API needs it. */
export interface ApiDependencies extends CallerDependencies {
  readonly clock: Clock;
  readonly cursors: CursorSealer;
}

/** Where a request goes: the path of its row, and how its caller is recognised. */
export interface Entry {
  /** The path as the rows have it. */
  readonly path: string;
  /** In front of the addresses in an answer: a proxy's path, and the part of the path that rows lack. */
  readonly prefix: string;
  /** @throws Refusal as the face recognises its callers */
  recognise(arrival: Arrival): Asking;
}

/** What sets one API apart from another. */
export interface ApiOptions extends CallerNotes {
  readonly face: CallerInterface & ('rest' | 'console');
  readonly routes: readonly Route[];
  /** Routes for callers who are not recognised, by the whole path of a request. */
  readonly openRoutes: readonly OpenRoute[];
  readonly description: Description;
  /**
   * Finds the way of a request that no open route takes.
   * @param path of the request, as sent
   * @returns undefined where nothing of this API is there
   */
  enter(path: string): Entry | undefined;
  /** How callers are recognised, for the header WWW-Authenticate (RFC 9110 §11.6.1). */
  readonly challenge: string;
  /** Who may keep an answer (RFC 9111 §5.2.2). */
  readonly cacheControl: `private, ${string}`;
  /** In the log, in front of the path of a row. */
  readonly logPrefix: string;
  /** Web origins whose pages may call; none by default. */
  readonly corsOrigins: readonly string[];
  /** Whether answers are checked against the description as well as requests. */
  readonly validateResponses: boolean;
}
