import { rootLocation } from '../domain/location.js';
import type { Tables } from '../sidecar/sidecar.js';

/** How many enabled principals are approver of the workspace root, directly or through groups. The operator not counted. */
export function countAdmins(tables: Tables): number {
  const admins = new Set<string>();
  const seen = new Set<string>();
  const pending = tables.grants
    .on({ type: 'folder', location: rootLocation })
    .filter((grant) => grant.role === 'approver')
    .map((grant) => grant.subject);
  for (let subject = pending.pop(); subject !== undefined; subject = pending.pop()) {
    if (subject.type === 'principal') {
      const principal = tables.principals.find(subject.id);
      if (principal !== undefined && principal.disabledAt === null && principal.kind !== 'connector') {
        admins.add(principal.id);
      }
    } else if (!seen.has(subject.id)) {
      seen.add(subject.id);
      pending.push(...tables.groups.membersOf(subject.id));
    }
  }
  return admins.size;
}
