import type { AccessChange } from '../../domain/access-change.js';

/** The description's `AccessChange`. */
export function presentAccessChange({ subject, fromRole, toRole, via }: AccessChange): object {
  return {
    subject: { type: subject.type, id: subject.id, display_name: subject.displayName },
    from_role: fromRole,
    to_role: toRole,
    via: { scope_type: via.scopeType, scope_id: via.location },
  };
}
