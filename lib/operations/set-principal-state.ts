import { rootLocation } from '../domain/location.js';
import type { Principal } from '../domain/principal.js';
import { conflict, notFound } from '../domain/refusal.js';
import { countAdmins, type Admins } from '../access/admins.js';
import type { Pen } from '../workspace/pen.js';
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
  run(pen, { principalId, disabled }) {
    const { turn } = pen;
    const principal = turn.tables.principals.find(principalId);
    if (principal === undefined || principal.kind === 'operator') throw notFound();
    const before = adminsOf(pen);
    turn.tables.principals.setDisabled(principalId, disabled ? (principal.disabledAt ?? turn.now) : null);
    requireAdmin(before, adminsOf(pen));
    return turn.tables.principals.find(principalId) ?? principal;
  },
};

/** Who administers the workspace as the turn has left it so far (decision 0067). */
export function adminsOf({ turn, hasPassword }: Pen): Admins {
  return countAdmins(turn.tables, { now: turn.now, hasPassword });
}

/**
 * A workspace that nobody but the operator administers yet has no last one to lose.
 * @param before who could administer the workspace before the change
 * @param after and who can with it
 * @throws Refusal CONFLICT `last_approver` when the change would leave nobody
 */
export function requireAdmin(before: Admins, after: Admins): void {
  const isDeserted = before.appointed > 0 && after.appointed === 0;
  if (isDeserted || (before.admitted > 0 && after.admitted === 0)) {
    throw conflict(
      'last_approver',
      'Nobody would be left who can sign in and administer the workspace. Make someone else approver of the root first, with a key or a password.',
      { scope_id: rootLocation },
    );
  }
}
