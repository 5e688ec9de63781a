import { apiOf, dataOf } from '../../api/client.ts';
import { contains, roles, type Role } from '../../design/roles.ts';
import type { Share, Sharing } from './share-queries.ts';

/** The parts of a grant that name it. */
export interface GrantName {
  readonly scope_type: 'folder' | 'document';
  readonly scope_id: string;
  readonly subject: { readonly type: 'principal' | 'group'; readonly id: string };
  readonly role: Role;
}

/** @param key the same for each try of the same thing */
export async function grant(
  workspace: string,
  { scope_type, scope_id, subject, role }: GrantName,
  key: string,
): Promise<void> {
  const { type, id } = subject;
  await dataOf(
    apiOf(workspace).POST('/grants', {
      params: { header: { 'Idempotency-Key': key } },
      body: { scope_type, scope_id, subject: { type, id }, role },
    }),
  );
}

export async function revoke(workspace: string, { scope_type, scope_id, subject, role }: GrantName): Promise<void> {
  const query = { scope_type, scope_id, subject_type: subject.type, subject_id: subject.id, role };
  await dataOf(apiOf(workspace).DELETE('/grants', { params: { query } }));
}

/** Gives a grant another role, in one step. @param key the same for each try of the same thing */
export async function changeRole(workspace: string, grantName: GrantName, toRole: Role, key: string): Promise<void> {
  const { scope_type, scope_id, subject, role } = grantName;
  const { type, id } = subject;
  await dataOf(
    apiOf(workspace).POST('/role-changes', {
      params: { header: { 'Idempotency-Key': key } },
      body: { scope_type, scope_id, subject: { type, id }, role, to_role: toRole },
    }),
  );
}

/** Whether a location is the folder or lies in it. */
export function isWithin(folder: string, location: string): boolean {
  return folder === '' || location === folder || location.startsWith(`${folder}/`);
}

/**
 * The role that the person keeps at the place when a grant there ends, or gets another role.
 * @param toRole left out: it ends
 * @returns undefined where it is no grant of the person; null where no role remains
 */
export function ownRoleAfter({ own_grants: own }: Sharing, share: Share, toRole?: Role): Role | null | undefined {
  const isIt = (grantName: Sharing['own_grants'][number]): boolean =>
    grantName.scope_type === share.scope_type &&
    grantName.scope_id === share.scope_id &&
    grantName.subject.id === share.subject.id &&
    grantName.role === share.role;
  if (!own.some(isIt)) return undefined;
  const left = own.filter((grantName) => !isIt(grantName)).map(({ role }) => role);
  if (toRole !== undefined) left.push(toRole);
  return roles.findLast((role) => left.some((each) => contains(each, role))) ?? null;
}
