import type { AccessChange } from '../domain/access-change.js';

/** The description's `AccessChange`. */
export function toAccessChangeRecord({ subject, fromRole, toRole, via }: AccessChange) {
  return {
    subject: { type: subject.type, id: subject.id, display_name: subject.displayName },
    from_role: fromRole,
    to_role: toRole,
    via: { scope_type: via.scopeType, scope_id: via.location },
  };
}
