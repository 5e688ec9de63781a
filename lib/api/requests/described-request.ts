import type { CheckedRequest } from './checked-request.js';
import type { operations, paths } from './described.js';

/** Types of the requests of the description (bin/make-types.mjs). What it renames, its readers have to rename. */

/** The parameters of an operation's query; no member where it has none. */
type Query<Operation> = Operation extends { parameters: { query?: infer Parameters } }
  ? [NonNullable<Parameters>] extends [never]
    ? object
    : NonNullable<Parameters>
  : object;

/** The JSON body of an operation; undefined where it has none. */
type Json<Operation> = Operation extends { requestBody?: { content: { 'application/json': infer Body } } }
  ? Body
  : undefined;

type Request<Operation> = CheckedRequest<Query<Operation>, Json<Operation>>;

/** A checked request of the operation with this id. */
export type RequestOf<Id extends keyof operations> = Request<operations[Id]>;

/** A checked request of a method and a path. */
export type RequestAt<Method extends string, Path extends keyof paths> = Request<
  paths[Path][Lowercase<Method> & keyof paths[Path]]
>;

/** The query of the operation with this id. */
export type QueryOf<Id extends keyof operations> = Query<operations[Id]>;

/** The JSON body of the operation with this id. */
export type BodyOf<Id extends keyof operations> = Json<operations[Id]>;

/** Every described path, without what a face has in front of it. */
export type DescribedPath = keyof paths;
