import type { Description } from './description.js';

/** A parameter as the description has it. */
interface Parameter {
  readonly $ref?: string;
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly schema?: { readonly default?: unknown };
}

/** What the description says that a method of a path takes, in its order; nothing where it is not described. */
export function listParameters({ document }: Description, path: string, method: string): Parameter[] {
  const item = document.paths[path] ?? {};
  const operation = (item[method.toLowerCase()] ?? {}) as Readonly<Record<string, unknown>>;
  return [item, operation]
    .flatMap(({ parameters }) => (parameters ?? []) as readonly Parameter[])
    .map((each) => resolve(document.components, each));
}

function resolve(components: Readonly<Record<string, unknown>>, parameter: Parameter): Parameter {
  if (parameter.$ref === undefined) return parameter;
  const name = parameter.$ref.slice('#/components/parameters/'.length);
  return (components['parameters'] as Readonly<Record<string, Parameter>>)[name] ?? parameter;
}

/** The names of a route's query parameters, for those who sent another one. */
export function nameQueryParameters(description: Description, path: string, method: string): string[] {
  return listParameters(description, path, method)
    .filter((each) => each.in === 'query')
    .map(({ name }) => name);
}
