import { rootLocation } from '../domain/location.js';
import type { Principal } from '../domain/principal.js';
import { conflict, notFound } from '../domain/refusal.js';
import { countAdmins } from '../access/admins.js';
import { adminNeeds } from './needs.js';
import type { WriteOperation } from './operation.js';

export interface SetPrincipalStateInput {
  readonly principalId: string;
  readonly disabled: boolean;
}

/** Disables someone who leaves, or lets them in again. Nobody is deleted, so that records stay attributable. Admin. */
export const setPrincipalState: WriteOperation<SetPrincipalStateInput, Principal> = {
  kind: 'write',
  name: 'principal.set_state',
  needs: () => adminNeeds,
  note: ({ principalId, disabled }) => ({ target: principalId, detail: { disabled } }),
  run({ turn }, { principalId, disabled }) {
    const principal = turn.tables.principals.find(principalId);
    if (principal === undefined || principal.kind === 'operator') throw notFound();
    const before = countAdmins(turn.tables);
    turn.tables.principals.setDisabled(principalId, disabled ? (principal.disabledAt ?? turn.now) : null);
    requireAdmin(before, countAdmins(turn.tables));
    return turn.tables.principals.find(principalId) ?? principal;
  },
};

/**
 * A workspace that nobody but the operator administers yet has no last one to lose.
 * @param before how many could administer the workspace before the change
 * @param after and how many can with it
 * @throws Refusal CONFLICT `last_approver` when the change would leave nobody
 */
export function requireAdmin(before: number, after: number): void {
  if (before > 0 && after === 0) {
    throw conflict(
      'last_approver',
      'Nobody would be left who can administer the workspace. Make someone else approver of the root first.',
      { scope_id: rootLocation },
    );
  }
}
