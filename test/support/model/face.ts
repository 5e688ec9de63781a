import type { Subject } from '../../../lib/domain/grant.js';
import type { Role } from '../../../lib/domain/role.js';
import type { MessageBox } from '../../../lib/operations/messages/list-messages.js';

/** A caller's question; every face can ask it in its own way. */
export type Question =
  | { readonly does: 'read' | 'undelete' | 'create-folder'; readonly path: string }
  | { readonly does: 'read-version'; readonly path: string; readonly version: string }
  | { readonly does: 'create'; readonly path: string }
  | { readonly does: 'update' | 'delete'; readonly path: string; readonly ifMatch: string }
  | { readonly does: 'list' | 'list-folders' | 'browse' | 'trash'; readonly folder: string; readonly limit: number }
  | { readonly does: 'export'; readonly folder: string }
  | { readonly does: 'search'; readonly query: string; readonly folder: string; readonly limit: number }
  | { readonly does: 'rename'; readonly path: string; readonly name: string; readonly acknowledged: boolean }
  | { readonly does: 'move'; readonly path: string; readonly folder: string; readonly acknowledged: boolean }
  | { readonly does: 'history' | 'comments'; readonly path: string; readonly limit: number }
  | { readonly does: 'diff' | 'labels' | 'claim' | 'comment'; readonly path: string }
  | { readonly does: 'claims'; readonly folder: string; readonly limit: number }
  | { readonly does: 'comment-on-passage'; readonly path: string; readonly mention: string }
  | { readonly does: 'restore' | 'break-claim'; readonly path: string }
  | { readonly does: 'delete-folder' | 'undelete-folder'; readonly folder: string }
  | { readonly does: 'preview-revert' | 'revert'; readonly folder: string; readonly principal: string }
  | { readonly does: 'readers'; readonly path: string; readonly limit: number }
  | { readonly does: 'release' | 'claim-and-release' | 'resource'; readonly path: string }
  | { readonly does: 'resources' }
  /** `since`: milliseconds before now; left out: the last brief. */
  | { readonly does: 'brief'; readonly folder: string; readonly limit: number; readonly since?: number | undefined }
  | { readonly does: 'send'; readonly to: readonly string[]; readonly about?: string | undefined }
  | { readonly does: 'mail'; readonly box: MessageBox; readonly about?: string | undefined; readonly limit: number }
  | { readonly does: 'list-grants'; readonly path: string; readonly scope: 'folder' | 'document' }
  | {
      readonly does: 'grant' | 'revoke';
      readonly path: string;
      readonly scope: 'folder' | 'document';
      readonly subject: Subject;
      readonly role: Role;
    };

/** Asks and returns the whole answer as text; for a list all pages, each with its end. */
export interface Face {
  ask(question: Question): Promise<string>;
}

/** Asks and returns the whole answer as text; for a list all pages, each with its end. */
export interface Face {
  ask(question: Question): Promise<string>;
}
