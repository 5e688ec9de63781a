import { makeIdentifier } from '../../domain/identifier.js';
import type { OAuthGrant } from '../../domain/oauth-grant.js';
import { unavailable } from '../../domain/refusal.js';
import type { Seat } from '../../domain/signed-in.js';
import type { Actor, OwnOperation } from '../../operations/operation.js';
import { endConsent } from '../../operations/principals/change-consent.js';
import { performOwn } from '../../operations/perform-own.js';
import type { OAuthDependencies } from './oauth-dependencies.js';

/** The person at the consent page, in one workspace. @param grantId the consent that they give */
export function answeringActor(
  host: OAuthDependencies,
  { workspace, principalId }: Seat,
  grantId: string | null,
): Actor {
  if (host.find(workspace) === undefined) throw unavailable();
  const requestId = makeIdentifier('req', host.randomness);
  return {
    workspace,
    caller: { principalId, kind: 'person', credentialId: grantId, interface: 'console', requestId },
  };
}

/**
 * Performs a change under a given consent.
 * @throws Refusal UNAVAILABLE, INTERNAL when it cannot be recorded now
 */
export async function performWithGrant<Input, Result>(
  { journal, randomness }: OAuthDependencies,
  { workspace, principalId, id }: OAuthGrant,
  operation: OwnOperation<Input, Result>,
  input: Input,
): Promise<Result> {
  const requestId = makeIdentifier('req', randomness);
  const caller = { principalId, kind: 'person', credentialId: id, interface: 'mcp', requestId } as const;
  return performOwn(journal, [{ workspace, caller }], operation, input);
}

/** Ends a consent with all its tokens. */
export function endGrant(host: OAuthDependencies, grant: OAuthGrant): Promise<void> {
  return performWithGrant(host, grant, endConsent, grant);
}
