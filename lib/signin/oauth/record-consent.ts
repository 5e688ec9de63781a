import type { Caller } from '../../domain/caller.js';
import { makeIdentifier } from '../../domain/identifier.js';
import type { OAuthGrant } from '../../domain/oauth-grant.js';
import { unavailable } from '../../domain/refusal.js';
import { endConsent, issueToken, type ConsentInput } from '../../operations/principals/change-consent.js';
import type { ReadOperation } from '../../operations/operation.js';
import { perform } from '../../operations/perform.js';
import type { TokenEvents } from './adapter.js';
import type { OAuthDependencies } from './dependencies.js';

/** Whom a record is about, and in which workspace it stands. */
export type RecordedPerson = Pick<OAuthGrant, 'workspace' | 'principalId'> & { readonly grantId: string | null };

/**
 * Puts something about a consent on the record of its workspace.
 * @throws Refusal UNAVAILABLE, INTERNAL when it cannot be recorded
 */
export async function recordConsent(
  host: OAuthDependencies,
  { workspace: name, principalId, grantId }: RecordedPerson,
  operation: ReadOperation<ConsentInput, void>,
  input: ConsentInput,
): Promise<void> {
  const workspace = host.find(name);
  if (workspace === undefined) throw unavailable();
  const caller: Caller = {
    principalId,
    kind: 'person',
    credentialId: grantId,
    interface: operation === issueToken || operation === endConsent ? 'mcp' : 'console',
    requestId: makeIdentifier('req', host.randomness),
  };
  await perform(workspace, caller, operation, input);
}

/** What the adapter tells, recorded. */
export function makeTokenEvents(host: OAuthDependencies): TokenEvents {
  const record = (operation: ReadOperation<ConsentInput, void>) => (grant: OAuthGrant) =>
    recordConsent(host, { ...grant, grantId: grant.id }, operation, grant);
  return { issued: record(issueToken), ended: record(endConsent) };
}
