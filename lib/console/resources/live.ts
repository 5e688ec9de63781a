import { answerJson, type Answer } from '../../api/answers/api-answer.js';
import type { RequestOf } from '../../api/requests/described-request.js';
import { readFolder } from '../../api/resources/read-location.js';
import { route, type Route } from '../../api/route.js';
import { watchLocation, type Watched, type WatchLocationInput } from '../../operations/live/watch-location.js';
import { isOfOpened } from './opened-page.js';

const eventStream = 'text/event-stream';

function readWatching(request: RequestOf<'watchLocation'>): WatchLocationInput {
  const isStream = (request.header('accept') ?? '').includes(eventStream);
  const location = readFolder(request);
  return { location, form: isStream ? 'stream' : 'state', isOfPage: isOfOpened(request, location) };
}

function presentWatched({ state, stream }: Watched): Answer {
  if (stream === null) return answerJson(200, state);
  return {
    status: 200,
    // A proxy that gathers an answer before it passes it on would hold the events back.
    headers: { 'Cache-Control': 'no-store', 'X-Accel-Buffering': 'no' },
    body: { form: 'flow', mediaType: eventStream, open: stream.open, leave: stream.leave },
  };
}

/** What changes at the place that a page shows. */
export const liveRoutes: readonly Route[] = [
  route({ method: 'GET', path: '/live', operation: watchLocation, read: readWatching, present: presentWatched }),
];
