import type { HttpAnswer } from '../../egress/http-client.js';
import { readRetryAfter } from '../../egress/retry-after.js';
import { SourceFault } from '../source.js';

type Answered = Pick<HttpAnswer, 'status' | 'headers'>;

/** Why a folder cannot be listed, where the run cannot go on without it. */
export function faultOf(answer: Answered, now: number): SourceFault {
  const { status } = answer;
  const retryAfter = readRetryAfter(answer, now);
  const wait = retryAfter === undefined ? {} : { retryAfter };
  if (status === 401)
    return new SourceFault('auth', 'The source refuses the user name or the secret. Give it a new one.');
  if (status === 403) return new SourceFault('auth', 'This account may not list the folder of the source.');
  if (status === 404 || status === 410 || status === 409)
    return new SourceFault('not_found', 'The folder of the source does not exist. Check the address and the folder.');
  if (status === 429) return new SourceFault('rate', 'The source asks us to wait.', wait);
  if (status === 503) return new SourceFault('rate', 'The source is closed for a while, as for maintenance.', wait);
  if (status === 423) return new SourceFault('network', 'The folder of the source is locked. It is asked again later.');
  if (status >= 500)
    return new SourceFault('network', `The source failed with status ${status}. It is asked again later.`, wait);
  return new SourceFault('not_found', `This address does not speak WebDAV (status ${status}). Check it.`);
}

/** Nextcloud answers 503 for one storage that is away, too. In maintenance it says so, and others say how long. */
export function isClosed({ status, headers }: Answered): boolean {
  return status === 503 && ('retry-after' in headers || headers['x-nextcloud-maintenance-mode'] === '1');
}
