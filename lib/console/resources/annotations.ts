import { toVersionRecord } from '../../records/document-record.js';
import { readLocation } from '../../api/resources/read-location.js';
import { answerJson, type Answer } from '../../api/answers/api-answer.js';
import type { RequestOf } from '../../api/requests/described-request.js';
import { route, type Route } from '../../api/route.js';
import {
  annotateDocument,
  type AnnotateDocumentInput,
  type Annotation,
} from '../../operations/history/annotate-document.js';

/** @throws Refusal INVALID_REQUEST `bad_location` */
function readAnnotate(request: RequestOf<'annotateDocument'>): AnnotateDocumentInput {
  const { version } = request.query;
  return { location: readLocation(request), versionId: version };
}

/** The description's `Annotation`. */
function presentAnnotation({ document, version, lines, writers, olderThan, isExact, why }: Annotation): Answer {
  const places = new Map(Array.from(writers.keys(), (sequence, place) => [sequence, place]));
  return answerJson(200, {
    location: document.location,
    version: toVersionRecord(version),
    lines: lines.map(({ line, lines: count, owner }) => ({
      line,
      lines: count,
      writer: owner === undefined ? null : (places.get(owner) ?? null),
    })),
    writers: Array.from(writers.values(), ({ version: wrote, operation, previousId }) => ({
      version: toVersionRecord(wrote),
      operation,
      previous: previousId,
    })),
    older_than: olderThan === null ? null : { version: toVersionRecord(olderThan.version), because: olderThan.why },
    is_exact: isExact,
    not_annotated_because: why,
  });
}

/** Who wrote each line of a document. */
export const annotationRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: '/annotations',
    operation: annotateDocument,
    read: readAnnotate,
    present: presentAnnotation,
  }),
];
