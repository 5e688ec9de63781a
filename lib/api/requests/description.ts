import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import type * as Yaml from 'yaml';

type Json = Readonly<Record<string, unknown>>;

/** An API's description: its text, and the same parsed. */
export interface Description {
  readonly text: string;
  readonly document: Json & {
    readonly paths: Readonly<Record<string, Json>>;
    readonly components: Json;
  };
}

const remembered = new Map<string, Description>();

/**
 * Reads a description, once in the life of the process.
 * @param name of a file in the folder `schema`, which lies beside the sources and, in the built package, one folder
 * further up
 */
export function readDescription(name: string): Description {
  const description = remembered.get(name) ?? readFile(name);
  remembered.set(name, description);
  return description;
}

function readFile(name: string): Description {
  const places = [`../../../schema/${name}`, `../../../../schema/${name}`];
  const files = places.map((place) => fileURLToPath(new URL(place, import.meta.url)));
  const file = files.find((each) => existsSync(each));
  if (file === undefined) throw new Error(`The API description is missing: ${files.join(', ')}`);
  const text = readFileSync(file, 'utf8');
  return { text, document: readParsed(name, text) ?? parseYaml(text) };
}

/**
 * What the build has parsed (bin/build-descriptions.mjs). Parsing takes a third of a start.
 * @returns undefined where that is not of this text
 */
function readParsed(name: string, text: string): Description['document'] | undefined {
  const file = new URL(`../../../parsed/${name}.json`, import.meta.url);
  if (!existsSync(file)) return undefined;
  const parsed = JSON.parse(readFileSync(file, 'utf8')) as Description;
  return parsed.text === text ? parsed.document : undefined;
}

/** Its parser is loaded only where it is needed. */
function parseYaml(text: string): Description['document'] {
  const { parse } = createRequire(import.meta.url)('yaml') as typeof Yaml;
  return parse(text, { maxAliasCount: -1 }) as Description['document'];
}

/**
 * A copy of the description for the validator, with one path only, and each reference replaced by its target. The
 * validator prepares its whole input and tries path after path in each request. It compiles a pattern for each path it
 * tries, and the schema behind each reference only to look at it. The copy has the validator's form of a location at
 * the end of a path (`{location}*`). It lets queries hold reserved characters such as the slashes of a location.
 */
export function describeOnePath({ document }: Description, path: string, withResponses: boolean): Json {
  const written = document.paths[path];
  if (written === undefined) throw new Error(`The description has no path ${path}.`);
  const described = 'get' in written ? { head: written['get'], ...written } : written;
  const without = new Set(['example', 'examples', ...(withResponses ? [] : ['responses'])]);
  return {
    ...document,
    servers: [{ url: '/' }],
    components: {},
    paths: { [path.replace(/\{location\}$/, '{location}*')]: copyWithout(described, without, document.components) },
  };
}

/**
 * A deep copy without the members of these names, and with the targets of references in their places. No reference
 * leads back to itself. Queries may hold reserved characters.
 */
function copyWithout(value: unknown, names: ReadonlySet<string>, components: Json): unknown {
  if (Array.isArray(value)) return value.map((each) => copyWithout(each, names, components));
  if (value === null || typeof value !== 'object') return value;
  const { $ref, ...own } = value as Json;
  const kept = Object.entries(typeof $ref === 'string' ? own : value).filter(([name]) => !names.has(name));
  const copy = Object.fromEntries(kept.map(([name, inner]) => [name, copyWithout(inner, names, components)]));
  if (typeof $ref !== 'string') return copy['in'] === 'query' ? { ...copy, allowReserved: true } : copy;
  const target = copyWithout(findReferenced(components, $ref), names, components);
  return kept.length === 0 ? target : { ...copy, allOf: [target] };
}

/** What `#/components/schemas/Name` and its like name. */
function findReferenced(components: Json, reference: string): unknown {
  const [kind = '', name = ''] = reference.slice('#/components/'.length).split('/');
  return (components[kind] as Json)[name];
}

/** A method of a path. HEAD is GET where it is not described itself. */
export function findOperation(item: Json, method: string): object | undefined {
  const name = method.toLowerCase();
  return (item[name] ?? (name === 'head' ? item['get'] : undefined)) as object | undefined;
}

/** A parameter as the description has it. */
interface Parameter {
  readonly $ref?: string;
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly schema?: { readonly default?: unknown };
}

/** The described parameters of a path's method, in the description's order; empty where it is not described. */
export function listParameters({ document }: Description, path: string, method: string): Parameter[] {
  const item = document.paths[path] ?? {};
  const operation = (findOperation(item, method) ?? {}) as Readonly<Record<string, unknown>>;
  return [item, operation]
    .flatMap(({ parameters }) => (parameters ?? []) as readonly Parameter[])
    .map((each) => resolve(document.components, each));
}

function resolve(components: Readonly<Record<string, unknown>>, parameter: Parameter): Parameter {
  if (parameter.$ref === undefined) return parameter;
  const name = parameter.$ref.slice('#/components/parameters/'.length);
  return (components['parameters'] as Readonly<Record<string, Parameter>>)[name] ?? parameter;
}

/** The names of a route's query parameters, for a refusal of an unknown one. */
export function nameQueryParameters(description: Description, path: string, method: string): string[] {
  return listParameters(description, path, method)
    .filter((each) => each.in === 'query')
    .map(({ name }) => name);
}
