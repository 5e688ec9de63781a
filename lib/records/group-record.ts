import { formatTime, formatTimeOrNull } from '../domain/clock.js';
import type { Group } from '../domain/principal.js';
import type { ListedGroup, ListedMember } from '../operations/principals/list-principals.js';

/** The description's `NamedGroup`. */
export function toGroupRecord({ id, displayName, createdAt }: Group) {
  return { id, display_name: displayName, created_at: formatTime(createdAt) };
}

/** The description's `ListedGroup`. */
export function toListedGroupRecord(group: ListedGroup) {
  return { ...toGroupRecord(group), has_groups: group.hasGroups };
}

/** The description's `Member`. */
export function toMemberRecord({ type, id, kind, displayName, disabledAt, hasGroups }: ListedMember) {
  return {
    type,
    id,
    kind,
    display_name: displayName,
    disabled_at: formatTimeOrNull(disabledAt),
    has_groups: hasGroups,
  };
}
