import { readDescription, type Description } from '../api/requests/description.js';

type Json = Readonly<Record<string, unknown>>;

const shared = 'openapi.yaml';

let remembered: Description | undefined;

/**
 * Reads schema/console.yaml, once in the life of the process, and takes in what it refers to in schema/openapi.yaml:
 * whole paths, and components. In the result every reference stays within the description.
 */
export function readConsoleDescription(): Description {
  remembered ??= describe();
  return remembered;
}

function describe(): Description {
  const { text, document } = readDescription('console.yaml');
  const other = readDescription(shared).document;
  const paths = Object.entries(document.paths).map(([path, item]) => {
    const reference = item['$ref'];
    return [path, typeof reference === 'string' ? findPath(other.paths, reference) : (draw(item) as Json)] as const;
  });
  const components = mergeComponents(withConflict(other.components), draw(document.components) as Json);
  return { text, document: { ...document, paths: Object.fromEntries(paths), components } };
}

/** @param reference `openapi.yaml#/paths/~1v1~1documents` */
function findPath(paths: Description['document']['paths'], reference: string): Json {
  const start = `${shared}#/paths/`;
  const path = reference.slice(start.length).replaceAll('~1', '/').replaceAll('~0', '~');
  const item = reference.startsWith(start) ? paths[path] : undefined;
  if (item === undefined) throw new Error(`schema/console.yaml refers to ${reference}, which is not there.`);
  return item;
}

/** A copy whose references to components of the other file lead to those of this one. */
function draw(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(draw);
  if (value === null || typeof value !== 'object') return value;
  const entries = Object.entries(value).map(([name, inner]) => [
    name,
    name === '$ref' && typeof inner === 'string' ? inner.replace(/^openapi\.yaml#/, '#') : draw(inner),
  ]);
  return Object.fromEntries(entries) as unknown;
}

function mergeComponents(theirs: Json, ours: Json): Json {
  const merged: Record<string, Json> = { ...(theirs as Record<string, Json>) };
  for (const [kind, added] of Object.entries(ours) as [string, Json][]) {
    const known = merged[kind] ?? {};
    const twice = Object.keys(added).find((name) => name in known);
    if (twice !== undefined) throw new Error(`Both descriptions have a component ${kind}/${twice}.`);
    merged[kind] = { ...known, ...added };
  }
  return merged;
}

/** Paths that both faces have can also ask a person to sign in again: only in a browser is a proof of identity old. */
function withConflict(theirs: Json): Json {
  const copy = structuredClone(theirs) as {
    readonly schemas: {
      readonly ConflictError: {
        readonly properties: {
          readonly error: {
            readonly properties: { readonly details: { readonly anyOf: { readonly $ref: string }[] } };
          };
        };
      };
    };
  };
  const { details } = copy.schemas.ConflictError.properties.error.properties;
  details.anyOf.push({ $ref: '#/components/schemas/SignInAgainDetails' });
  return copy;
}
