import type { Refusal } from '../domain/refusal.js';
import { say, type Reply } from '../http/send-reply.js';
import { statusOf } from '../http/status-of.js';
import { retryMessage } from './retry-message.js';
import { UnservedRequest } from './unserved-request.js';

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

/** A refusal as git shows it: git prints the lines of a plain text behind `remote:`. */
export function presentProblem(refusal: Refusal): Reply {
  if (refusal instanceof UnservedRequest) {
    const { message, allowed, isOfLfs } = refusal;
    if (isOfLfs) {
      return { status: 404, headers: { 'Content-Type': lfsType }, body: `${JSON.stringify({ message })}\n` };
    }
    return allowed === undefined ? say(403, message) : say(405, message, { Allow: allowed });
  }
  const { code, details, retryAfter } = refusal;
  if (code === 'UNAUTHENTICATED') return say(statusOf(refusal), keyRequired, { 'WWW-Authenticate': challenge });
  const headers: Record<string, string> = retryAfter === undefined ? {} : { 'Retry-After': String(retryAfter) };
  const status = statusOfReason[details?.reason ?? ''] ?? statusOf(refusal);
  return say(status, retryMessage(refusal), headers);
}
