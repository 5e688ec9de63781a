import type { paths } from './described.js';

/** Types of the requests and answers of a path of the description. */

type Verb = 'get' | 'put' | 'post' | 'delete' | 'patch';
export type Method = Uppercase<Verb>;

/** The operation of a method and path. */
export type OperationOf<M extends Method, P extends keyof paths> = paths[P][Lowercase<M> & keyof paths[P]];

/** The paths of a method. */
export type PathOf<M extends Method> = {
  [P in keyof paths]: OperationOf<M, P> extends { responses: unknown } ? P : never;
}[keyof paths];

type ParameterOf<Operation, In extends 'query' | 'path'> = Operation extends { parameters: infer All }
  ? In extends keyof All
    ? All[In]
    : never
  : never;

export type QueryOf<Operation> = NonNullable<ParameterOf<Operation, 'query'>>;

export type BodyOf<Operation> = Operation extends { requestBody?: infer Body }
  ? NonNullable<Body> extends { content: { 'application/json': infer Sent } }
    ? Sent
    : never
  : never;

type Json<Answer> = Answer extends { content: { 'application/json': infer Value } } ? Value : never;

/** The JSON of a success. */
export type AnswerOf<Operation> = Operation extends { responses: infer Answers }
  ? { [Status in keyof Answers]: Status extends 200 | 201 | 202 ? Json<Answers[Status]> : never }[keyof Answers]
  : never;

/** The item of a list. */
export type ItemOf<Operation> = AnswerOf<Operation> extends { items: (infer Item)[] } ? Item : never;

type Member<Name extends string, Value> = [Value] extends [never]
  ? object
  : object extends Value
    ? { readonly [Key in Name]?: Value }
    : { readonly [Key in Name]: Value };

/** What every request takes. */
export interface RequestOptions {
  /** Ends the request, and every wait for a further attempt. */
  readonly signal?: AbortSignal | undefined;
}

/** What every write takes. */
export interface WriteOptions extends RequestOptions {
  /**
   * The name of this write, so that a program that begins again after a crash does nothing twice. Left out: a random
   * one, made once for all attempts.
   */
  readonly idempotencyKey?: string | undefined;
  /** The ETag that must still be the current one; `*` for any. */
  readonly ifMatch?: string | undefined;
}

/** Everything that an operation takes. */
export type InputOf<Operation> = Member<'query', QueryOf<Operation>> &
  Member<'path', NonNullable<ParameterOf<Operation, 'path'>>> &
  Member<'body', BodyOf<Operation>> &
  WriteOptions;
