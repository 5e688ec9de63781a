import { answerJson, noContent } from '../../api/answers/api-answer.js';
import { route, type Route } from '../../api/route.js';
import { endOwnConsent, listOwnConsents } from '../../operations/principals/own-consents.js';
import { toApplicationRecord } from '../../records/consent-record.js';

/** The applications that act for the person. */
export const applicationRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: '/applications',
    operation: listOwnConsents,
    read: () => ({}),
    present: (consents) => answerJson(200, { items: consents.map(toApplicationRecord) }),
  }),
  route({
    method: 'DELETE',
    path: '/applications/{id}',
    operation: endOwnConsent,
    read: ({ pathId }) => ({ consentId: pathId }),
    present: () => noContent,
  }),
];
