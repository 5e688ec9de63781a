import { formatTime, formatTimeOrNull } from '../domain/clock.js';
import type { Principal } from '../domain/principal.js';
import type { ListedPrincipal } from '../operations/principals/list-principals.js';
import type { PrincipalState } from '../operations/principals/set-principal-state.js';
import type { ShownMembership, ShownPrincipal } from '../operations/principals/show-subject.js';

/** The description's `AccessPrincipal`. */
export function toPrincipalRecord({ id, kind, displayName, createdAt, disabledAt }: Principal) {
  return {
    id,
    kind,
    display_name: displayName,
    created_at: formatTime(createdAt),
    disabled_at: formatTimeOrNull(disabledAt),
  };
}

/** The description's `ListedPrincipal`. */
export function toListedPrincipalRecord(principal: ListedPrincipal) {
  return {
    ...toPrincipalRecord(principal),
    sign_in_name: principal.signInName,
    last_seen_at: formatTimeOrNull(principal.lastSeenAt),
    is_admin: principal.isAdmin,
  };
}

/** The description's `GroupMembership`. */
export function toMembershipRecord({ id, displayName, createdAt, way }: ShownMembership) {
  return {
    id,
    display_name: displayName,
    created_at: formatTime(createdAt),
    way: way.map((group) => ({ id: group.id, display_name: group.displayName })),
  };
}

/** The description's `PrincipalDetails`. */
export function toShownPrincipalRecord(principal: ShownPrincipal) {
  return {
    ...toListedPrincipalRecord(principal),
    has_password: principal.hasPassword,
    is_elsewhere: principal.isElsewhere,
    groups: principal.groups.map(toMembershipRecord),
  };
}

/** The description's `PrincipalState`: with what ended. */
export function toStateRecord(state: PrincipalState) {
  const { ended, keys } = state;
  return {
    ...toPrincipalRecord(state),
    keys,
    ...(ended !== undefined && { sessions_ended: ended.sessions, consents_ended: ended.consents }),
  };
}
