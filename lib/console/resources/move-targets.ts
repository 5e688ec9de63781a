import { answerJson, type Answer } from '../../api/answers/api-answer.js';
import type { CheckedRequest } from '../../api/requests/checked-request.js';
import { readPage, sealPosition } from '../../api/resources/page-query.js';
import { readFolder } from '../../api/resources/read-location.js';
import { route, type Route } from '../../api/route.js';
import { listTargets, type Targets } from '../../operations/folders/list-targets.js';

/** The description's `TargetPage`. */
function presentTargets({ mayWrite, items, next }: Targets, request: CheckedRequest): Answer {
  return answerJson(200, {
    may_write: mayWrite,
    items: items.map((folder) => ({ location: folder.location, name: folder.name, may_write: folder.mayWrite })),
    next_cursor: next === null ? null : sealPosition(next, request),
  });
}

/** Where something can be moved to. */
export const moveTargetRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: '/move-targets',
    operation: listTargets,
    read: (request) => ({ location: readFolder(request), ...readPage(request) }),
    present: presentTargets,
  }),
];
