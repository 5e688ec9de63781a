import { rootLocation } from '../../domain/location.js';
import type { Principal } from '../../domain/principal.js';
import { conflict, notFound } from '../../domain/refusal.js';
import type { EndedSignIns } from '../../domain/signed-in.js';
import { countAdmins, type Admins } from '../../access/admins.js';
import type { WriteContext } from '../../changes/write-context.js';
import { endLeftSignIns, endSignIns, noteEnding } from '../../journal/end-sign-ins.js';
import { adminNeeds } from '../needs.js';
import type { WriteOperation } from '../operation.js';

export interface SetPrincipalStateInput {
  readonly principalId: string;
  readonly disabled: boolean;
}

/** The principal as it is now, and what that means for the ways in which it came in. */
export interface PrincipalState extends Principal {
  /** Keys that are neither revoked nor run out. They open nothing while it is disabled, and work again afterwards. */
  readonly keys: number;
  /** What ended for good with its being disabled; undefined where it was enabled. */
  readonly ended?: EndedSignIns | undefined;
}

/**
 * Disables a principal, or lets it in again. Principals are never deleted, so that records stay attributable. A
 * person's sessions, unused links and consents end for good: a browser or token from before opens nothing when the
 * person comes back. Keys work again then; an admin revokes those that should not (decision 0108). Admin.
 */
export const setPrincipalState: WriteOperation<SetPrincipalStateInput, PrincipalState> = {
  kind: 'write',
  name: 'principal.set_state',
  needs: () => adminNeeds,
  note: ({ principalId, disabled }) => ({ target: principalId, detail: { disabled } }),
  /** What an earlier disabling left to be ended ends before the person can come back. */
  async prepare({ workspace }) {
    const { journal } = workspace.origin;
    if (journal !== null) await endLeftSignIns(workspace, journal);
    return undefined;
  },
  run(context, { principalId, disabled }) {
    const { transaction, countSignIns } = context;
    const principal = transaction.tables.principals.find(principalId);
    if (principal === undefined || principal.kind === 'operator') throw notFound();
    const before = adminsOf(context);
    transaction.tables.principals.setDisabled(principalId, disabled ? (principal.disabledAt ?? transaction.now) : null);
    requireAdmin(before, adminsOf(context));
    const keys = transaction.tables.credentials
      .list(principalId)
      .filter(
        ({ revokedAt, expiresAt }) => revokedAt === null && (expiresAt === null || expiresAt > transaction.now),
      ).length;
    const ended = disabled ? countSignIns(principalId) : undefined;
    if (disabled) noteEnding(transaction, principalId);
    return { ...(transaction.tables.principals.find(principalId) ?? principal), keys, ended };
  },
  noteResult: ({ ended }) =>
    ended === undefined
      ? {}
      : { detail: { disabled: true, sessions_ended: ended.sessions, consents_ended: ended.consents } },
  finish(workspace, { principalId, disabled }) {
    const { journal } = workspace.origin;
    if (disabled && journal !== null) endSignIns(workspace, journal, principalId);
  },
};

/** Who administers the workspace as the turn has left it so far (decision 0067). */
export function adminsOf({ transaction, hasPassword }: WriteContext): Admins {
  return countAdmins(transaction.tables, { now: transaction.now, hasPassword });
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
      { scope: rootLocation },
    );
  }
}
