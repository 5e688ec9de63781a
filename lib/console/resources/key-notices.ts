import { answerJson } from '../../api/answers/api-answer.js';
import { jsonOf } from '../../api/requests/checked-request.js';
import { presentKey } from '../../api/resources/keys.js';
import { route, type Route } from '../../api/route.js';
import { acknowledgeKeys, listKeyNotices } from '../../operations/credentials/own-keys.js';
import { repeatablePost } from './principals.js';

/** What a person is told of keys that somebody else made for them. A key cannot say for its owner that they know. */
export const keyNoticeRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: '/key-notices',
    operation: listKeyNotices,
    read: () => ({}),
    present: (keys, request) => answerJson(200, { items: keys.map((key) => presentKey(key, request)) }),
  }),
  route({
    ...repeatablePost,
    path: '/key-acknowledgements',
    operation: acknowledgeKeys,
    read: (request) => ({ credentialIds: jsonOf(request).keys }),
    present: ({ left }) => answerJson(200, { left }),
  }),
];
