import { rootLocation } from '../../domain/location.js';
import type { Principal } from '../../domain/principal.js';
import { conflict, notFound } from '../../domain/refusal.js';
import type { EndedSignIns } from '../../domain/signed-in.js';
import { countAdmins, type Admins } from '../../access/admins.js';
import type { WriteContext } from '../../changes/write-context.js';
import { endLeftSignIns, endSignIns, noteEnding } from '../../journal/end-sign-ins.js';
import { adminNeeds } from '../needs.js';
import type { WriteOperation } from '../operation.js';
import { requireRecentProof } from '../require-recent-proof.js';
import { requireNoConnector } from './require-no-connector.js';

export interface SetPrincipalStateInput {
  readonly principalId: string;
  readonly disabled: boolean;
}

/** The principal's present state, and the effect on its keys and sign-ins. */
export interface PrincipalState extends Principal {
  /** Keys neither revoked nor expired. They open nothing while it is disabled, and work again afterwards. */
  readonly keys: number;
  /** Sign-ins ended for good when it was disabled. Undefined when it was enabled. */
  readonly ended?: EndedSignIns | undefined;
}

/**
 * Disables or enables a principal. Principals are never deleted, so that records stay attributable. A person's
 * sessions, unused links and consents end for good: a browser or token from before opens nothing when the person
 * returns. Keys work again then. An admin revokes those that should not (decision 0067). Admin; in a
 * browser, after a sign-in of the last minutes.
 */
export const setPrincipalState: WriteOperation<SetPrincipalStateInput, PrincipalState> = {
  kind: 'write',
  name: 'principal.set_state',
  worksWhenLow: true,
  needs: () => adminNeeds,
  note: ({ principalId, disabled }) => ({ target: principalId, detail: { disabled } }),
  /** The unfinished work of an earlier disabling ends before the person can return. */
  async prepare({ workspace }) {
    const { journal } = workspace.origin;
    if (journal !== null) await endLeftSignIns(workspace, journal);
    return undefined;
  },
  run(context, { principalId, disabled }) {
    const { transaction, countSignIns } = context;
    const principal = transaction.tables.principals.find(principalId);
    if (principal === undefined || principal.kind === 'operator') throw notFound();
    requireRecentProof(context.caller, transaction.now);
    const subject = { type: 'principal', id: principalId } as const;
    requireNoConnector(transaction.tables, subject, 'Pause, resume or disconnect it instead.');
    const before = adminsOf(context);
    transaction.tables.principals.setDisabled(principalId, disabled ? (principal.disabledAt ?? transaction.now) : null);
    requireAdmin(before, adminsOf(context));
    const keys = transaction.tables.credentials
      .list(principalId)
      .filter(
        ({ revokedAt, expiresAt }) => revokedAt === null && (expiresAt === null || expiresAt > transaction.now),
      ).length;
    // Repeated for a principal that is disabled already, it ends nothing: their sign-ins are of other workspaces now.
    const isNew = disabled && principal.disabledAt === null;
    const ended = isNew ? countSignIns(principalId) : { sessions: 0, consents: 0 };
    if (isNew) noteEnding(transaction, principalId);
    return { ...(transaction.tables.principals.find(principalId) ?? principal), keys, ...(disabled && { ended }) };
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

/** The workspace's admins after the transaction's changes so far (decision 0067). */
export function adminsOf({ transaction, hasPassword }: WriteContext): Admins {
  return countAdmins(transaction.tables, { now: transaction.now, hasPassword });
}

/**
 * A workspace administered only by the operator has no last admin to lose.
 * @param before the possible admins before the change
 * @param after the possible admins after it
 * @throws Refusal CONFLICT `last_approver` when the change would leave no admin
 */
export function requireAdmin(before: Admins, after: Admins): void {
  const isDeserted = before.appointed > 0 && after.appointed === 0;
  if (isDeserted || (before.admitted > 0 && after.admitted === 0)) {
    throw conflict(
      'last_approver',
      'Nobody would be left who can sign in and administer the workspace. Make someone else approver of the root first, with a key for REST or a password.',
      { scope: rootLocation },
    );
  }
}
