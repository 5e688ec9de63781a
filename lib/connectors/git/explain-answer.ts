import { readRetryAfter } from '../../egress/retry-after.js';
import type { HttpAnswer } from '../../egress/http-client.js';
import { SourceFault } from '../source.js';

const rejected =
  'The source does not accept the user name and the password or token. Give a secret that may read the repository.';
const absent =
  'There is no repository at this address, or these credentials may not see it. Check the address and the secret.';
const noRepository =
  'At this address is no git repository that can be fetched. Use the address that the source shows for git clone.';

/** A server that hands out a repository as files, which `git clone` takes. */
export const plainFiles = (): SourceFault =>
  new SourceFault(
    'not_found',
    'This server hands out the repository as plain files (git’s “dumb” protocol). `git clone` takes that, a mirror does not: it needs smart HTTP, as git http-backend and the usual hosts of repositories speak it.',
  );

/**
 * What a server's answer to git means when it is not the one that git needs.
 * @param type the media type of the answer that git needs
 * @param upstream where it was asked
 * @param now milliseconds since 1970
 */
export function explainAnswer(answer: HttpAnswer, type: string, upstream: URL, now: number): SourceFault | undefined {
  const { status, headers } = answer;
  const retryAfter = readRetryAfter(answer, now);
  const options = retryAfter === undefined ? {} : { retryAfter };
  if (status === 200) {
    const [given = ''] = (headers['content-type'] ?? '').split(';');
    return given.trim().toLowerCase() === type ? undefined : new SourceFault('not_found', noRepository);
  }
  if (status === 429 || (status === 403 && retryAfter !== undefined))
    return new SourceFault('rate', 'The source gets too many requests. It is asked again later.', options);
  if (status === 401 || status === 403) return new SourceFault('auth', rejected);
  if (status >= 300 && status < 400) return new SourceFault('not_found', explainMove(headers.location, upstream));
  if (status === 404 || status === 410) return new SourceFault('not_found', absent);
  if (status >= 500 || status === 408)
    return new SourceFault(
      'network',
      `The source has trouble of its own (HTTP ${status}). It is asked again later.`,
      options,
    );
  return new SourceFault('not_found', noRepository);
}

function explainMove(location: string | undefined, upstream: URL): string {
  const target =
    location !== undefined && URL.canParse(location, upstream.href) ? new URL(location, upstream.href) : undefined;
  const isPlain = target !== undefined && target.origin === upstream.origin && target.pathname.length <= 200;
  const path = isPlain ? target.pathname.replace(/\/(?:info\/refs|git-upload-pack)$/, '') : undefined;
  const where = path === undefined ? 'another address' : `${upstream.origin}${path}`;
  return `The repository has moved to ${where}. Change the address of the connector if that is right.`;
}
