import type { Caller } from '../domain/caller.js';
import type { Membership } from '../domain/signed-in.js';
import { Refusal } from '../domain/refusal.js';
import type { ReadOperation } from '../operations/operation.js';
import { perform } from '../operations/perform.js';
import type { SignInDependencies } from './dependencies.js';

/** Records what somebody did in every workspace that they are in, before they are answered. */
export async function recordOwn<Input>(
  host: Pick<SignInDependencies, 'find'>,
  memberships: readonly Pick<Membership, 'workspace' | 'principalId'>[],
  requestId: string,
  operation: ReadOperation<Input, unknown>,
  input: Input,
): Promise<void> {
  for (const { workspace: name, principalId } of memberships) {
    const workspace = host.find(name);
    if (workspace === undefined) continue;
    const caller: Caller = { principalId, kind: 'person', credentialId: null, interface: 'console', requestId };
    await perform(workspace, caller, operation, input);
  }
}

/** The status of a page that tells of a refusal. */
export function statusOf(error: unknown): number {
  if (!(error instanceof Refusal)) return 500;
  const statuses = {
    NOT_FOUND: 404,
    INVALID_REQUEST: 400,
    CONFLICT: 409,
    RATE_LIMITED: 429,
    UNAVAILABLE: 503,
    INTERNAL: 500,
    UNAUTHENTICATED: 401,
  };
  return statuses[error.code];
}
