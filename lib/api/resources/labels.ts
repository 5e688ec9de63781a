import type { Document } from '../../domain/document.js';
import { parseLocation } from '../../domain/location.js';
import { addLabels, removeLabels, setLabels } from '../../operations/documents/change-labels.js';
import { readDocument } from '../../operations/documents/read-document.js';
import { toLabelsRecord } from '../../records/label-record.js';
import { answerJson, type Answer } from '../answers/api-answer.js';
import { jsonOf } from '../requests/checked-request.js';
import { jsonPost, route, type Route } from '../route.js';
import { readLocation } from './read-location.js';

const answerLabels = (document: Document): Answer => answerJson(200, toLabelsRecord(document));

/** Labels of one document. Reading them reads the document without its content. */
export const labelRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: '/labels',
    operation: readDocument,
    read: (request) => ({ location: readLocation(request), withContent: false }),
    present: ({ document }) => answerLabels(document),
  }),
  route({
    ...jsonPost,
    path: '/labels',
    operation: addLabels,
    read(request) {
      const { location, labels } = jsonOf(request);
      return { location: parseLocation(location), labels };
    },
    present: answerLabels,
  }),
  route({
    method: 'PUT',
    path: '/labels',
    takes: ['json'],
    operation: setLabels,
    read: (request) => ({ location: readLocation(request), labels: jsonOf(request).labels }),
    present: answerLabels,
  }),
  route({
    method: 'DELETE',
    path: '/labels',
    operation: removeLabels,
    read: (request) => ({ location: readLocation(request), labels: [request.query.label] }),
    present: answerLabels,
  }),
];
