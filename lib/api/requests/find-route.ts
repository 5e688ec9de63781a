import { parseLocation, type Location } from '../../domain/location.js';
import { invalidRequest } from '../../domain/refusal.js';
import { decodeLocation } from './parse-target.js';
import type { OpenRoute, Route } from '../route.js';

/** A path of the table, with its routes by method. */
export interface FoundPath<Found> {
  readonly path: string;
  /** Still percent-encoded; undefined where the path has no location in it. */
  readonly encodedLocation: string | undefined;
  /** The id in the path; undefined where it has none. */
  readonly pathId: string | undefined;
  readonly byMethod: ReadonlyMap<string, Found>;
}

const variable = '{location}';
const idVariable = '{id}';
/** Other texts are no ids, and a path with one is no path of the table. */
const plausibleId = /^[A-Za-z0-9_-]{1,64}$/;

/** A path with an id as one of its segments: the parts before and after it. */
interface PathAroundId<Found> {
  readonly path: string;
  readonly before: string;
  readonly after: string;
  readonly byMethod: Map<string, Found>;
}

/**
 * Finds routes by path: exact ones first, then the route with a location at its end, then those with an id in them.
 * Case and slashes count.
 */
export class RouteFinder<Found extends Pick<Route | OpenRoute, 'method' | 'path'>> {
  readonly #fixed = new Map<string, Map<string, Found>>();
  readonly #aroundIds: PathAroundId<Found>[] = [];
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
    if (fixed !== undefined) return { path, encodedLocation: undefined, pathId: undefined, byMethod: fixed };
    const open = this.#open.find(({ prefix }) => path.startsWith(prefix));
    if (open === undefined) return this.#findAroundId(path);
    const encodedLocation = path.slice(open.prefix.length);
    return { path: open.path, encodedLocation, pathId: undefined, byMethod: open.byMethod };
  }

  #findAroundId(sent: string): FoundPath<Found> | undefined {
    for (const { path, before, after, byMethod } of this.#aroundIds) {
      if (!sent.startsWith(before) || !sent.endsWith(after)) continue;
      const pathId = sent.slice(before.length, sent.length - after.length);
      if (plausibleId.test(pathId)) return { path, encodedLocation: undefined, pathId, byMethod };
    }
    return undefined;
  }

  #routesOf(path: string): Map<string, Found> {
    if (path.includes(idVariable)) return this.#routesAroundId(path);
    if (!path.endsWith(variable)) {
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

  #routesAroundId(path: string): Map<string, Found> {
    const known = this.#aroundIds.find((each) => each.path === path);
    if (known !== undefined) return known.byMethod;
    const byMethod = new Map<string, Found>();
    const [before = '', after = ''] = path.split(idVariable);
    this.#aroundIds.push({ path, before, after, byMethod });
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
