import type { Location } from './location.js';
import type { Role } from './role.js';

/** The holder of a grant: a principal, or a group and with it all its present members. */
export interface Subject {
  readonly type: 'principal' | 'group';
  readonly id: string;
}

/** The object of a grant: a folder with all below it, kept by path, or one document, kept by identity. */
export type Scope =
  { readonly type: 'folder'; readonly location: Location } | { readonly type: 'document'; readonly documentId: string };

export interface Grant {
  readonly id: string;
  readonly scope: Scope;
  readonly subject: Subject;
  readonly role: Role;
  readonly grantedBy: string;
  /** Milliseconds since 1970. */
  readonly createdAt: number;
}
