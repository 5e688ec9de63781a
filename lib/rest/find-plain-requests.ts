import type { Description } from './description.js';
import { listParameters } from './list-parameters.js';

/**
 * Tells requests that leave nothing to check: without query and body, and without any header that the description
 * speaks of. Most reads are like that, and the validator takes as long over them as over others.
 *
 * @returns undefined where every request has to be checked: something is required, or has a default
 */
export function findPlainRequests(
  description: Description,
  path: string,
  method: string,
): ((headers: Readonly<Record<string, unknown>>) => boolean) | undefined {
  const operation = description.document.paths[path]?.[method.toLowerCase()] as object | undefined;
  if (operation === undefined || 'requestBody' in operation) return undefined;
  // The location is in the path, and has been parsed.
  const parameters = listParameters(description, path, method).filter((each) => each.in !== 'path');
  if (parameters.some((each) => each.required === true || each.schema?.default !== undefined)) return undefined;
  const headers = parameters.filter((each) => each.in === 'header').map((each) => each.name.toLowerCase());
  return (sent) => headers.every((name) => sent[name] === undefined);
}
