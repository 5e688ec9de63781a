import type { Location } from './checked-location.js';
import type { Role } from './role.js';

/** One line of what a rename or move does to access: a subject, as granted, and its role before and after. */
export interface AccessChange {
  readonly subject: {
    readonly type: 'principal' | 'group';
    /** null for a group that the caller may not know. */
    readonly id: string | null;
    readonly displayName: string | null;
  };
  readonly fromRole: Role | null;
  readonly toRole: Role | null;
  /** The grant's scope that makes the difference: the one that gives the role, or gave it. */
  readonly via: { readonly scopeType: 'folder' | 'document'; readonly location: Location };
}

/** Who gains and who loses by a rename or move. Only gains are a reason to refuse. */
export interface AccessReport {
  readonly gains: readonly AccessChange[];
  readonly losses: readonly AccessChange[];
  /** Whether some of the gains are of what was deleted at the new place, and could come back there. */
  readonly reachesDeleted: boolean;
  /** Names exactly this outcome; sent back to acknowledge it and no other. */
  readonly digest: string;
}
