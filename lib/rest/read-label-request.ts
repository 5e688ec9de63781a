import { parseLocation } from '../domain/location.js';
import type { ChangeLabelsInput } from '../operations/documents/change-labels.js';
import type { ReadDocumentInput } from '../operations/documents/read-document.js';
import { readPlace } from './read-history-request.js';
import type { CheckedRequest } from './checked-request.js';

/**
 * The document from the query; its labels come with it, its content does not.
 * @throws Refusal INVALID_REQUEST `bad_location`
 */
export function readLabelsRequest(request: CheckedRequest): ReadDocumentInput {
  return { location: readPlace(request), withContent: false };
}

/** The body LabelsAdd. */
export function readAddLabelsRequest({ body }: CheckedRequest): ChangeLabelsInput {
  const sent = body.form === 'json' ? body.value : { location: '', labels: [] };
  const { location, labels } = sent as { readonly location: string; readonly labels: readonly string[] };
  return { location: parseLocation(location), labels };
}

/** The body LabelsSet. */
export function readSetLabelsRequest(request: CheckedRequest): ChangeLabelsInput {
  const { labels } = (request.body.form === 'json' ? request.body.value : { labels: [] }) as {
    readonly labels: readonly string[];
  };
  return { location: readPlace(request), labels };
}

/**
 * The document and the one label from the query.
 * @throws Refusal INVALID_REQUEST `bad_location`
 */
export function readRemoveLabelRequest(request: CheckedRequest): ChangeLabelsInput {
  return { location: readPlace(request), labels: [(request.query as { readonly label: string }).label] };
}
