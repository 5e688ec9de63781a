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
    turn.tables.principals.setDisabled(principalId, disabled ? (principal.disabledAt ?? turn.now) : null);
    requireAdmin(countAdmins(turn.tables));
    return turn.tables.principals.find(principalId) ?? principal;
  },
};

/** @throws Refusal CONFLICT `last_approver` when nobody would be left who can administer the workspace */
export function requireAdmin(left: number): void {
  if (left === 0) {
    throw conflict(
      'last_approver',
      'Nobody would be left who can administer the workspace. Make someone else approver of the root first.',
      { scope_id: rootLocation },
    );
  }
}
