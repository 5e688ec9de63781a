import { findAdmins } from '../../access/admins.js';
import type { Subject } from '../../domain/grant.js';
import { notFound } from '../../domain/refusal.js';
import type { Page } from '../../domain/page.js';
import type { Group, Principal, PrincipalKind } from '../../domain/principal.js';
import type { Tables } from '../../sidecar/tables.js';
import type { Workspace } from '../../workspace/workspace.js';
import { adminNeeds } from '../needs.js';
import type { ReadOperation } from '../operation.js';
import { viewAsAdmin } from '../view-as-admin.js';
import { findLastSeen } from './find-last-seen.js';
import { foldLoosely } from './fold-name.js';
import { pageByName, type NamedPage } from './page-by-name.js';

export interface ListPrincipalsInput extends NamedPage {
  /** Leaves out all other kinds. */
  readonly kind?: Exclude<PrincipalKind, 'operator'> | undefined;
  /** A part of a display name or sign-in name, or an id. */
  readonly text?: string | undefined;
}

export interface ListedPrincipal extends Principal {
  /** Null for anyone who does not sign in here. */
  readonly signInName: string | null;
  /** Milliseconds since 1970, rounded down to the minute. Null for never. */
  readonly lastSeenAt: number | null;
  readonly isAdmin: boolean;
}

/** The people, agents and connectors by name, with the disabled ones. The operator is none of them. Admin. */
export const listPrincipals: ReadOperation<ListPrincipalsInput, Page<ListedPrincipal>> = {
  kind: 'read',
  name: 'principal.list',
  needs: () => adminNeeds,
  note: ({ kind, text }) => ({
    ...(text !== undefined && { target: text }),
    ...(kind !== undefined && { detail: { kind } }),
  }),
  async run(context, { kind, text, ...page }) {
    const { workspace } = context;
    const isNamed = matcher(text);
    const { items, next } = await pageByName(
      context,
      page,
      (tables, behind: Principal | undefined, most) => tables.principals.after(behind?.id ?? '', most),
      (_, principal) => {
        if (principal.kind === 'operator' || (kind !== undefined && principal.kind !== kind)) return undefined;
        const isWanted =
          isNamed(principal) || (text !== undefined && isNamed.within(findSignInName(workspace, principal) ?? ''));
        return isWanted ? principal : undefined;
      },
    );
    const { tables } = viewAsAdmin(context);
    const admins = findAdmins(tables);
    return { items: items.map((principal) => describe(workspace, tables, principal, admins)), next };
  },
};

/** Whether a text that was typed names something. Left out, it names everything. */
function matcher(text: string | undefined) {
  const part = foldLoosely(text ?? '').trim();
  const within = (name: string): boolean => foldLoosely(name).includes(part);
  const isNamed = ({ id, displayName }: { readonly id: string; readonly displayName: string }): boolean =>
    id === text || within(displayName);
  return Object.assign(isNamed, { within });
}

function findSignInName({ name, origin }: Workspace, { id, kind }: Principal): string | null {
  return kind === 'person' ? (origin.journal?.people.identities.findOf(name, id)?.signInName ?? null) : null;
}

function describe(
  workspace: Workspace,
  tables: Tables,
  principal: Principal,
  admins: ReadonlySet<string>,
): ListedPrincipal {
  return {
    ...principal,
    signInName: findSignInName(workspace, principal),
    lastSeenAt: findLastSeen(workspace, tables, principal.id),
    isAdmin: admins.has(principal.id),
  };
}

export interface ListGroupsInput extends NamedPage {
  readonly text?: string | undefined;
  /** Leaves out the groups that are members of others. */
  readonly outermost: boolean;
}

export interface ListedGroup extends Group {
  /** Whether other groups are members of it. */
  readonly hasGroups: boolean;
}

/** The groups by name. Admin. */
export const listGroups: ReadOperation<ListGroupsInput, Page<ListedGroup>> = {
  kind: 'read',
  name: 'group.list',
  needs: () => adminNeeds,
  note: ({ text, outermost }) => ({ ...(text !== undefined && { target: text }), detail: { outermost } }),
  async run(context, { text, outermost, ...page }) {
    const isNamed = matcher(text);
    const { items, next } = await pageByName(
      context,
      page,
      (tables, behind: Group | undefined, most) => tables.groups.after(behind?.id ?? '', most),
      ({ groups }, group) => {
        if (!isNamed(group)) return undefined;
        return outermost && groups.groupsOf({ type: 'group', id: group.id }).length > 0 ? undefined : group;
      },
    );
    const { tables } = viewAsAdmin(context);
    return { items: items.map((group) => ({ ...group, hasGroups: hasGroups(tables, group.id) })), next };
  },
};

/** Groups come first among the members. */
function hasGroups({ groups }: Tables, groupId: string): boolean {
  return groups.membersAfter(groupId, undefined, 1)[0]?.type === 'group';
}

export interface ListMembersInput extends NamedPage {
  readonly groupId: string;
  /** Leaves out members of the other type. */
  readonly type?: Subject['type'] | undefined;
}

export interface ListedMember extends Subject {
  readonly kind: PrincipalKind | 'group';
  readonly displayName: string;
  /** Milliseconds since 1970. Null for a group. */
  readonly disabledAt: number | null;
  /** Whether other groups are members of it. */
  readonly hasGroups: boolean;
}

/** The direct members of a group by name. Admin. @throws Refusal NOT_FOUND */
export const listMembers: ReadOperation<ListMembersInput, Page<ListedMember>> = {
  kind: 'read',
  name: 'group.members',
  needs: () => adminNeeds,
  note: ({ groupId }) => ({ target: groupId }),
  async run(context, { groupId, type, ...page }) {
    if (context.view.tables.groups.find(groupId) === undefined) throw notFound();
    return pageByName(
      context,
      page,
      (tables, behind: Subject | undefined, most) => tables.groups.membersAfter(groupId, behind, most),
      (tables, member) => (type === undefined || member.type === type ? describeMember(tables, member) : undefined),
    );
  },
};

function describeMember(tables: Tables, { type, id }: Subject): ListedMember {
  if (type === 'group') {
    const displayName = tables.groups.find(id)?.displayName ?? id;
    return { type, id, kind: 'group', displayName, disabledAt: null, hasGroups: hasGroups(tables, id) };
  }
  const { kind = 'person', displayName = id, disabledAt = null } = tables.principals.find(id) ?? {};
  return { type, id, kind, displayName, disabledAt, hasGroups: false };
}
