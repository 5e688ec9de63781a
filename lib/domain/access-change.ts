import type { Location } from './checked-location.js';
import type { Role } from './role.js';

/** One effect of a rename or move on access: a subject, as granted, and its role before and after. */
export interface AccessChange {
  readonly subject: {
    readonly type: 'principal' | 'group';
    /** null for a group unknown to the caller. */
    readonly id: string | null;
    readonly displayName: string | null;
  };
  readonly fromRole: Role | null;
  readonly toRole: Role | null;
  /** The scope of the decisive grant: the one that gives the role, or gave it. */
  readonly via: { readonly scopeType: 'folder' | 'document'; readonly location: Location };
}

/** The subjects that gain and that lose by a rename or move. Only gains are a reason to refuse. */
export interface AccessReport {
  readonly gains: readonly AccessChange[];
  readonly losses: readonly AccessChange[];
  /** Whether some gains concern documents deleted at the new place, which an undelete could bring back. */
  readonly reachesDeleted: boolean;
  /** Names exactly this outcome; sent back to acknowledge it and no other. */
  readonly digest: string;
}
