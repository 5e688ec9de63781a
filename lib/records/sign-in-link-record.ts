import { formatTime } from '../domain/clock.js';
import type { IssuedLink } from '../operations/principals/manage-sign-in.js';

/** The description's `SignInLink`. The link is a path of the service, whose address the reader knows. */
export function toSignInLinkRecord({ principalId, signInName, secret, expiresAt, isFirst }: IssuedLink) {
  return {
    principal: principalId,
    sign_in_name: signInName,
    path: `/signin/link/${secret}`,
    expires_at: formatTime(expiresAt),
    is_first: isFirst,
  };
}
