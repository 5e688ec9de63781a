import type { Caller } from '../domain/caller.js';
import type { Membership } from '../domain/signed-in.js';
import type { ReadOperation } from '../operations/operation.js';
import { perform } from '../operations/perform.js';
import type { SignInHost } from './dependencies.js';

/** Records what somebody did in every workspace that they are in, before they are answered. */
export async function recordOwn<Input>(
  host: Pick<SignInHost, 'find'>,
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
