import { parseLocation, type Location } from '../domain/location.js';
import type { CompareVersionsInput } from '../operations/compare-versions.js';
import type { ListHistoryInput } from '../operations/list-history.js';
import { readPage } from './read-page.js';
import type { CheckedRequest } from './route.js';

/** The query parameter of routes about one document; the description requires it. */
export function readPlace({ query }: CheckedRequest): Location {
  return parseLocation((query as { readonly location: string }).location);
}

export function readHistoryRequest(request: CheckedRequest): ListHistoryInput {
  return { location: readPlace(request), ...readPage(request) };
}

export function readDiffRequest(request: CheckedRequest): CompareVersionsInput {
  const { from, to } = request.query as { readonly from?: string; readonly to?: string };
  return { location: readPlace(request), fromVersionId: from, toVersionId: to };
}
