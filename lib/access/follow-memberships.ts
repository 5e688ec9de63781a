import type { Subject } from '../domain/grant.js';
import type { Tables } from '../sidecar/tables.js';

/** A membership that begins or ends. */
export interface MembershipChange {
  readonly groupId: string;
  readonly member: Subject;
  readonly begins: boolean;
}

/**
 * Every group that a subject is in, at any depth, each with the shortest way down to the subject: the group itself
 * first, the one of which the subject is a direct member last.
 * @param change counts as if it were made already
 */
export function followMemberships(
  tables: Tables,
  subject: Subject,
  change?: MembershipChange,
): Map<string, readonly string[]> {
  const ways = new Map<string, readonly string[]>();
  let level: { readonly subject: Subject; readonly way: readonly string[] }[] = [{ subject, way: [] }];
  while (level.length > 0) {
    const above: typeof level = [];
    for (const { subject: member, way } of level) {
      for (const id of groupsOf(tables, member, change)) {
        if (ways.has(id)) continue;
        const longer = [id, ...way];
        ways.set(id, longer);
        above.push({ subject: { type: 'group', id }, way: longer });
      }
    }
    level = above;
  }
  return ways;
}

function groupsOf({ groups }: Tables, member: Subject, change: MembershipChange | undefined): string[] {
  const stored = groups.groupsOf(member);
  if (change === undefined || change.member.type !== member.type || change.member.id !== member.id) return stored;
  const others = stored.filter((id) => id !== change.groupId);
  return change.begins ? [...others, change.groupId] : others;
}
