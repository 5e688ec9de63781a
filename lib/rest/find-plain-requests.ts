import type { Description } from './description.js';

interface Parameter {
  readonly $ref?: string;
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly schema?: { readonly default?: unknown };
}

/**
 * Tells requests that leave nothing to check: without query and body, and without any header that the description
 * speaks of. Most reads are like that, and the validator takes as long over them as over others.
 *
 * @returns undefined where every request has to be checked: something is required, or has a default
 */
export function findPlainRequests(
  { document }: Description,
  path: string,
  method: string,
): ((headers: Readonly<Record<string, unknown>>) => boolean) | undefined {
  const item = document.paths[path] ?? {};
  const operation = item[method.toLowerCase()] as Readonly<Record<string, unknown>> | undefined;
  if (operation === undefined || 'requestBody' in operation) return undefined;
  const all = [item, operation].flatMap(({ parameters }) => (parameters ?? []) as readonly Parameter[]);
  // The location is in the path, and has been parsed.
  const parameters = all.map((each) => resolve(document.components, each)).filter((each) => each.in !== 'path');
  if (parameters.some((each) => each.required === true || each.schema?.default !== undefined)) return undefined;
  const headers = parameters.filter((each) => each.in === 'header').map((each) => each.name.toLowerCase());
  return (sent) => headers.every((name) => sent[name] === undefined);
}

function resolve(components: Readonly<Record<string, unknown>>, parameter: Parameter): Parameter {
  if (parameter.$ref === undefined) return parameter;
  const name = parameter.$ref.slice('#/components/parameters/'.length);
  return (components['parameters'] as Readonly<Record<string, Parameter>>)[name] ?? parameter;
}
