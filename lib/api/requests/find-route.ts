import { parseLocation, type Location } from '../../domain/location.js';
import { invalidRequest } from '../../domain/refusal.js';
import { decodeLocation } from './parse-target.js';
import type { OpenRoute, Route } from '../route.js';

/** A path of the table, with its routes by method. */
export interface FoundPath<Found> {
  readonly path: string;
  /** Still percent-encoded; undefined where the path has no location in it. */
  readonly encodedLocation: string | undefined;
  /** The ids in the path, in their order. */
  readonly ids: readonly string[];
  readonly byMethod: ReadonlyMap<string, Found>;
}

const variable = '{location}';
const idVariable = /^\{[a-z]+\}$/;
/** Other texts are no ids, and a path with one is no path of the table. */
const plausibleId = /^[A-Za-z0-9_-]{1,64}$/;
/** Longer than each path that is looked at segment by segment. */
const maxPathLength = 512;

/** A path with ids among its segments. */
interface PathOfSegments<Found> {
  readonly path: string;
  readonly segments: readonly string[];
  readonly byMethod: Map<string, Found>;
}

/** The ids in a sent path; undefined where it is another path. */
function matchSegments(segments: readonly string[], sent: readonly string[]): string[] | undefined {
  if (sent.length !== segments.length) return undefined;
  const ids: string[] = [];
  for (const [index, segment] of segments.entries()) {
    const given = sent[index] ?? '';
    if (!idVariable.test(segment)) {
      if (given !== segment) return undefined;
    } else if (plausibleId.test(given)) ids.push(given);
    else return undefined;
  }
  return ids;
}

/**
 * Finds routes by path: exact ones first, then the route with a location at its end, then those with an id in them.
 * Case and slashes count.
 */
export class RouteFinder<Found extends Pick<Route | OpenRoute, 'method' | 'path'>> {
  readonly #fixed = new Map<string, Map<string, Found>>();
  readonly #ofSegments: PathOfSegments<Found>[] = [];
  readonly #open: { readonly prefix: string; readonly path: string; readonly byMethod: Map<string, Found> }[] = [];

  constructor(routes: readonly Found[]) {
    for (const route of routes) {
      const byMethod = this.#routesOf(route.path);
      if (byMethod.has(route.method)) throw new Error(`${route.method} ${route.path} is in the table twice.`);
      byMethod.set(route.method, route);
    }
  }

  find(path: string): FoundPath<Found> | undefined {
    const fixed = this.#fixed.get(path);
    if (fixed !== undefined) return { path, encodedLocation: undefined, ids: [], byMethod: fixed };
    const open = this.#open.find(({ prefix }) => path.startsWith(prefix));
    if (open === undefined) return this.#findBySegments(path);
    return { path: open.path, encodedLocation: path.slice(open.prefix.length), ids: [], byMethod: open.byMethod };
  }

  #findBySegments(path: string): FoundPath<Found> | undefined {
    if (path.length > maxPathLength) return undefined;
    const sent = path.split('/');
    for (const row of this.#ofSegments) {
      const ids = matchSegments(row.segments, sent);
      if (ids !== undefined) return { path: row.path, encodedLocation: undefined, ids, byMethod: row.byMethod };
    }
    return undefined;
  }

  #routesOf(path: string): Map<string, Found> {
    if (!path.endsWith(variable)) {
      const segments = path.split('/');
      if (segments.some((each) => idVariable.test(each))) return this.#routesOfSegments(path, segments);
      const byMethod = this.#fixed.get(path) ?? new Map<string, Found>();
      this.#fixed.set(path, byMethod);
      return byMethod;
    }
    const known = this.#open.find((each) => each.path === path);
    if (known !== undefined) return known.byMethod;
    const byMethod = new Map<string, Found>();
    this.#open.push({ prefix: path.slice(0, -variable.length), path, byMethod });
    return byMethod;
  }

  #routesOfSegments(path: string, segments: readonly string[]): Map<string, Found> {
    const known = this.#ofSegments.find((each) => each.path === path);
    if (known !== undefined) return known.byMethod;
    const byMethod = new Map<string, Found>();
    this.#ofSegments.push({ path, segments, byMethod });
    return byMethod;
  }
}

/** The methods of a path. HEAD comes with GET. */
export function methodsOf({ byMethod }: FoundPath<unknown>): string[] {
  const methods = [...byMethod.keys()].flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method]));
  return [...new Set(methods)];
}

/**
 * The route for a method. GET's route also answers HEAD.
 * @throws Refusal INVALID_REQUEST `method_not_allowed`
 */
export function chooseRoute<Found>(found: FoundPath<Found>, method: string): Found {
  const route = found.byMethod.get(method) ?? (method === 'HEAD' ? found.byMethod.get('GET') : undefined);
  if (route === undefined) {
    const allowed = methodsOf(found);
    throw invalidRequest('method_not_allowed', `This path takes ${allowed.join(', ')}.`, { allowed });
  }
  return route;
}

/**
 * The document's location from the path; undefined where the path has none.
 * @throws Refusal INVALID_REQUEST `bad_location`
 */
export function locationOf(found: FoundPath<unknown>): Location | undefined {
  return found.encodedLocation === undefined ? undefined : parseLocation(decodeLocation(found.encodedLocation));
}
