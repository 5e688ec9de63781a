import type { Grant } from '../../domain/grant.js';
import { makeIdentifier } from '../../domain/identifier.js';
import { rootLocation } from '../../domain/location.js';
import { notFound } from '../../domain/refusal.js';
import type { Role } from '../../domain/role.js';
import { requireProofAtRoot } from '../require-recent-proof.js';
import type { WriteOperation } from '../operation.js';
import { adminsOf, requireAdmin } from '../principals/set-principal-state.js';
import { findScopes, nameGrant, type GrantInput, type GrantResult } from './change-grant.js';

/** The grant as it is, and its new role. */
export interface ChangeRoleInput extends GrantInput {
  readonly toRole: Role;
}

/**
 * Gives a grant another role in one step: no subject loses access in between, and the last admin stays one. Approver
 * there.
 * @throws Refusal NOT_FOUND when there is no such grant; CONFLICT `last_approver`
 */
export const changeRole: WriteOperation<ChangeRoleInput, GrantResult> = {
  kind: 'write',
  name: 'grant.change_role',
  needs: ({ location }) => [{ role: 'approver', location }],
  note: ({ scopeType, location, subject, role, toRole }) => ({
    target: location,
    detail: { scope_type: scopeType, subject, role, to_role: toRole },
  }),
  run(context, input) {
    const { transaction, view, author, caller } = context;
    const { tables, now, randomness } = transaction;
    const { location, scopeType, subject, role, toRole } = input;
    const documentNumber = scopeType === 'document' ? view.document(location)?.number : null;
    if (documentNumber === undefined) throw notFound();
    const [scope] = findScopes(view, input);
    const old = scope === undefined ? undefined : tables.grants.findSame(scope, subject, role);
    if (old === undefined) throw notFound();
    requireProofAtRoot(caller, input, now);
    if (role === toRole) return { grant: nameGrant(tables, old, input), created: false, documentNumber };
    const before = scopeType === 'folder' && location === rootLocation ? adminsOf(context) : undefined;
    const same = tables.grants.findSame(old.scope, subject, toRole);
    const id = makeIdentifier('grt', randomness);
    const grant: Grant = same ?? { ...old, id, role: toRole, grantedBy: author.id, createdAt: now };
    tables.grants.delete(old.id);
    if (same === undefined) tables.grants.insert(grant);
    if (before !== undefined) requireAdmin(before, adminsOf(context));
    return { grant: nameGrant(tables, grant, input), created: same === undefined, documentNumber };
  },
  documentNumber: ({ documentNumber }) => documentNumber,
};
