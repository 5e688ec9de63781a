import { parseLocation, type Location } from '../domain/location.js';
import { invalidRequest } from '../domain/refusal.js';
import { decodeLocation } from './parse-target.js';
import type { OpenRoute, Route } from './route.js';

/** A path that the table has, with its rows. */
export interface FoundPath<Row> {
  readonly path: string;
  /** Still percent-encoded; undefined where the path has no location in it. */
  readonly encodedLocation: string | undefined;
  readonly rows: ReadonlyMap<string, Row>;
}

const variable = '{location}';

/** Finds rows by path: exact ones first, then the one whose location takes the rest. Case counts, slashes too. */
export class RouteFinder<Row extends Pick<Route | OpenRoute, 'method' | 'path'>> {
  readonly #fixed = new Map<string, Map<string, Row>>();
  readonly #open: { readonly prefix: string; readonly path: string; readonly rows: Map<string, Row> }[] = [];

  constructor(routes: readonly Row[]) {
    for (const route of routes) {
      const rows = this.#rowsOf(route.path);
      if (rows.has(route.method)) throw new Error(`${route.method} ${route.path} is in the table twice.`);
      rows.set(route.method, route);
    }
  }

  find(path: string): FoundPath<Row> | undefined {
    const fixed = this.#fixed.get(path);
    if (fixed !== undefined) return { path, encodedLocation: undefined, rows: fixed };
    const open = this.#open.find(({ prefix }) => path.startsWith(prefix));
    if (open === undefined) return undefined;
    return { path: open.path, encodedLocation: path.slice(open.prefix.length), rows: open.rows };
  }

  #rowsOf(path: string): Map<string, Row> {
    if (!path.endsWith(variable)) {
      const rows = this.#fixed.get(path) ?? new Map<string, Row>();
      this.#fixed.set(path, rows);
      return rows;
    }
    const known = this.#open.find((each) => each.path === path);
    if (known !== undefined) return known.rows;
    const rows = new Map<string, Row>();
    this.#open.push({ prefix: path.slice(0, -variable.length), path, rows });
    return rows;
  }
}

/** @throws Refusal INVALID_REQUEST `method_not_allowed` */
export function chooseRow<Row>(found: FoundPath<Row>, method: string): Row {
  const row = found.rows.get(method);
  if (row === undefined) {
    const allowed = [...found.rows.keys()];
    throw invalidRequest('method_not_allowed', `This path takes ${allowed.join(', ')}.`, { allowed });
  }
  return row;
}

/**
 * The document's location out of the path; undefined where the path has none.
 * @throws Refusal INVALID_REQUEST `bad_location`
 */
export function locationOf(found: FoundPath<unknown>): Location | undefined {
  return found.encodedLocation === undefined ? undefined : parseLocation(decodeLocation(found.encodedLocation));
}
