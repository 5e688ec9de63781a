import type { Refusal } from '../domain/refusal.js';
import { statusOf } from '../http/status-of.js';
import { retryMessage } from './retry-message.js';
import { UnservedRequest } from './unserved-request.js';

/** A refusal as git shows it: git prints the lines of a plain text behind `remote:`. */
export interface Problem {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly contentType: string;
  readonly text: string;
}

const plain = 'text/plain; charset=utf-8';
/** Errors of Git LFS (its API documentation, "Response Errors"). */
const lfsType = 'application/vnd.git-lfs+json';

/** Makes git ask the person, or its credential helper. */
const challenge = 'Basic realm="Cartulary", charset="UTF-8"';
const keyRequired = 'A valid key for git is required. Give it as the password, with any user name.';

const statusOfReason: Readonly<Record<string, number>> = {
  body_too_large: 413,
  unsupported_media_type: 415,
  git_missing: 501,
};

export function presentProblem(error: Refusal | UnservedRequest): Problem {
  if (error instanceof UnservedRequest) {
    const { message, allowed, isOfLfs } = error;
    if (isOfLfs) return { status: 404, headers: {}, contentType: lfsType, text: JSON.stringify({ message }) };
    if (allowed === undefined) return { status: 403, headers: {}, contentType: plain, text: message };
    return { status: 405, headers: { Allow: allowed }, contentType: plain, text: message };
  }
  const { code, details, retryAfter } = error;
  if (code === 'UNAUTHENTICATED') {
    return {
      status: statusOf(error),
      headers: { 'WWW-Authenticate': challenge },
      contentType: plain,
      text: keyRequired,
    };
  }
  const headers: Record<string, string> = retryAfter === undefined ? {} : { 'Retry-After': String(retryAfter) };
  const status = statusOfReason[details?.reason ?? ''] ?? statusOf(error);
  return { status, headers, contentType: plain, text: retryMessage(error) };
}
