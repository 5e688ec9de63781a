import fc from 'fast-check';
import { makeObject, type Known, type Schema } from '../support/http/any-arguments.js';
import { readDescription } from '../../lib/api/requests/description.js';

type Json = Readonly<Record<string, unknown>>;

/** One HTTP request. */
interface Sent {
  readonly method: string;
  /** Path and query, percent-encoded. */
  readonly target: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** A route of the description, and the requests that a client may send to it: mostly words with a meaning there. */
export interface AnyRoute {
  /** Names of its parameters, wherever they go. */
  readonly parameters: readonly string[];
  /** Values of parameters by name. */
  readonly values: fc.Arbitrary<Json>;
  readonly body: fc.Arbitrary<unknown>;
  /** Puts the values where they go. */
  write(this: void, values: Json): Sent;
}

/** Percent-encodes the text's bytes: half of a surrogate pair as its three bytes, which are not UTF-8. */
export function encodePercent(text: string): string {
  return Array.from(text, (character) => {
    const code = character.codePointAt(0) ?? 0;
    const isHalf = code >= 0xd800 && code <= 0xdfff;
    const bytes = isHalf ? [0xed, ((code >> 6) & 0x3f) | 0x80, (code & 0x3f) | 0x80] : [...Buffer.from(character)];
    return bytes.map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join('');
  }).join('');
}

/** The part of a text that can stand in a header: a byte for each character, and no control character. */
export function asHeader(text: string): string {
  return Array.from(text, (character) => String.fromCharCode((character.codePointAt(0) ?? 0) & 0xff))
    .join('')
    .replace(/[\u0000-\u001f\u007f]/g, '_')
    .slice(0, 2000);
}

/** Puts a text in the place of one of the texts in a value, names of members among them. */
export function putText(value: unknown, at: number, text: string): unknown {
  let left = at;
  const visit = (inner: unknown): unknown => {
    if (typeof inner === 'string') return left-- === 0 ? text : inner;
    if (Array.isArray(inner)) return inner.map(visit);
    if (typeof inner !== 'object' || inner === null) return inner;
    const members = Object.entries(inner).map(([name, member]) => [name, visit(member)] as const);
    return Object.fromEntries(members.map(([name, member]) => [left-- === 0 ? text : name, member]));
  };
  return visit(value);
}

const { document } = readDescription('openapi.yaml');

/** A schema with all its references resolved; the first of alternatives. */
function resolve(schema: unknown): Schema {
  const { $ref, oneOf, anyOf, allOf, ...own } = (schema ?? {}) as Record<string, unknown>;
  if (typeof $ref === 'string') {
    const [kind = '', name = ''] = $ref.slice('#/components/'.length).split('/');
    return resolve((document.components[kind] as Json)[name]);
  }
  const parts = [
    ...((allOf ?? []) as unknown[]),
    ...[oneOf, anyOf].flatMap((each) => (each as unknown[] | undefined)?.[0] ?? []),
  ];
  const merged = parts
    .map(resolve)
    .reduce<Schema>(
      (whole, part) => ({ ...whole, ...part, properties: { ...whole.properties, ...part.properties } }),
      own as Schema,
    );
  const { type, properties, items } = merged;
  return {
    ...merged,
    ...(Array.isArray(type) ? { type: String(type[0]) } : {}),
    ...(properties === undefined
      ? {}
      : { properties: Object.fromEntries(Object.entries(properties).map(([name, each]) => [name, resolve(each)])) }),
    ...(items === undefined ? {} : { items: resolve(items) }),
  };
}

interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly schema: unknown;
}

interface DescribedRoute {
  readonly parameters?: readonly Json[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: unknown }>> };
}

const methods = ['get', 'head', 'post', 'put', 'delete'];

function parametersOf(...described: readonly (DescribedRoute | undefined)[]): Parameter[] {
  return described
    .flatMap((each) => each?.parameters ?? [])
    .map((each) => {
      const name = typeof each['$ref'] === 'string' ? each['$ref'].split('/').at(-1) : undefined;
      return (name === undefined ? each : (document.components['parameters'] as Json)[name]) as Parameter;
    });
}

/** Every route of the description that takes a key. */
export function listAnyRoutes(known: Known): AnyRoute[] {
  return Object.entries(document.paths).flatMap(([path, item]) =>
    methods
      .filter((method) => method in item && path.startsWith('/v1/'))
      .map((method) => describeRoute(method, path, item, known)),
  );
}

function describeRoute(method: string, path: string, item: Json, known: Known): AnyRoute {
  const route = item[method] as DescribedRoute;
  const parameters = parametersOf(item, route);
  const schema: Schema = {
    type: 'object',
    properties: Object.fromEntries(parameters.map((each) => [each.name, resolve(each.schema)])),
    required: parameters.filter((each) => each.in === 'path').map((each) => each.name),
  };
  const json = route.requestBody?.content['application/json']?.schema;
  return {
    parameters: parameters.map(({ name }) => name),
    values: makeObject(schema, known),
    body: json === undefined ? fc.constant(undefined) : makeObject(resolve(json), known),
    write(values) {
      const textOf = ({ name }: Parameter): string => {
        const value = values[name];
        return typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
      };
      const of = (place: Parameter['in']) =>
        parameters.filter((each) => each.in === place && (place === 'path' || each.name in values));
      const query = of('query').map((each) => `${each.name}=${encodePercent(textOf(each))}`);
      return {
        method: method.toUpperCase(),
        target:
          of('path').reduce((whole, each) => whole.replace(`{${each.name}}`, encodePercent(textOf(each))), path) +
          (query.length === 0 ? '' : `?${query.join('&')}`),
        headers: Object.fromEntries(of('header').map((each) => [each.name, asHeader(textOf(each))])),
      };
    },
  };
}
