import type { Author, PrincipalKind } from '../../domain/principal.js';
import type { Grant, Scope, Subject } from '../../domain/grant.js';
import { makeIdentifier } from '../../domain/identifier.js';
import { ancestorsOf, type Location } from '../../domain/location.js';
import { conflict, notFound } from '../../domain/refusal.js';
import { roleContains, type Role } from '../../domain/role.js';
import { findDocument, findDocumentId } from '../../view/locate.js';
import type { WriteContext } from '../../changes/write-context.js';
import type { View } from '../../view/view.js';
import { requireSubject } from '../principals/change-group.js';
import { requireNoConnector } from '../principals/require-no-connector.js';
import { requireProofAtRoot } from '../require-recent-proof.js';
import type { Need, WriteOperation } from '../operation.js';
import { adminsOf, requireAdmin } from '../principals/set-principal-state.js';
import type { Tables } from '../../sidecar/tables.js';

/** A requested grant: the scope by location, the subject by id. */
export interface GrantInput {
  readonly scopeType: 'folder' | 'document';
  readonly location: Location;
  readonly subject: Subject;
  readonly role: Role;
}

/** A grant for display: its scope's location, and the names behind the ids. */
export interface NamedGrant {
  readonly id: string;
  readonly scopeType: 'folder' | 'document';
  readonly location: Location;
  readonly subject: Subject & { readonly displayName: string; readonly kind: PrincipalKind | 'group' };
  readonly role: Role;
  readonly grantedBy: Author;
  readonly createdAt: number;
}

export interface GrantResult {
  readonly grant: NamedGrant;
  /** False when the very same grant already existed. */
  readonly created: boolean;
  /** The document of the grant. Null for a folder. */
  readonly documentNumber: number | null;
}

const needs = ({ location }: GrantInput) => [{ role: 'approver', location }] as const;

/** The needs for seeing and revoking grants. Grants on a deleted document count, because they return with it. */
export function needsOnScope({ scopeType, location }: Pick<GrantInput, 'scopeType' | 'location'>): readonly Need[] {
  return [{ role: 'approver', location, deleted: scopeType === 'document' }];
}

/**
 * The scopes with grants to see and revoke at a location. Each is the folder's path, or the live document there.
 * Without a live document of which the caller is approver, they are the deleted documents that can return.
 * @throws Refusal NOT_FOUND
 */
export function findScopes(
  { tables, reach }: View,
  { scopeType, location }: Pick<GrantInput, 'scopeType' | 'location'>,
): readonly Scope[] {
  if (scopeType === 'folder') return [{ type: 'folder', location }];
  const mayShare = (id: string): boolean => roleContains(reach.roleOn(id, location), 'approver');
  const live = [findDocumentId(tables, location)].filter((id) => id !== undefined).filter(mayShare);
  const documentIds =
    live.length > 0
      ? live
      : tables.documents
          .deletedAt(location)
          .map(({ id }) => id)
          .filter(mayShare);
  if (documentIds.length === 0) throw notFound();
  return documentIds.map((documentId) => ({ type: 'document', documentId }));
}

const note = ({ scopeType, location, subject, role }: GrantInput) => ({
  target: location,
  detail: { scope_type: scopeType, subject, role },
});

/**
 * A folder's scope is its path, even if the folder does not exist yet. A document's is the document itself.
 * @throws Refusal NOT_FOUND; CONFLICT `name_taken` for a folder grant where a document lives on the path
 */
function findScope(
  { view, transaction }: WriteContext,
  { scopeType, location }: GrantInput,
): { readonly scope: Scope; readonly documentNumber: number | null } {
  if (scopeType === 'document') {
    const document = view.document(location);
    if (document === undefined) throw notFound();
    return { scope: { type: 'document', documentId: document.id }, documentNumber: document.number };
  }
  for (const place of [...ancestorsOf(location), location]) {
    if (place !== '' && findDocument(transaction.tables, place) !== undefined) {
      throw conflict('name_taken', `A document lives at "${place}". Grant on the document, or on a folder.`, {
        location: place,
      });
    }
  }
  return { scope: { type: 'folder', location }, documentNumber: null };
}

function describeSubject(tables: Tables, { type, id }: Subject): NamedGrant['subject'] {
  if (type === 'group') return { type, id, displayName: tables.groups.find(id)?.displayName ?? id, kind: 'group' };
  const { displayName, kind } = authorOf(tables, id);
  return { type, id, displayName, kind };
}

function authorOf(tables: Tables, id: string): Author {
  const principal = tables.principals.find(id);
  return { id, kind: principal?.kind ?? 'person', displayName: principal?.displayName ?? id };
}

/** A grant for display, with the place named by the caller rather than the stored scope. */
export function nameGrant(tables: Tables, grant: Grant, input: Pick<GrantInput, 'scopeType' | 'location'>): NamedGrant {
  return {
    id: grant.id,
    scopeType: input.scopeType,
    location: input.location,
    subject: describeSubject(tables, grant.subject),
    role: grant.role,
    grantedBy: authorOf(tables, grant.grantedBy),
    createdAt: grant.createdAt,
  };
}

/**
 * Grants a role to a principal or group on a folder or document. Approver there; in a browser, at the root, after a
 * sign-in of the last minutes.
 */
export const createGrant: WriteOperation<GrantInput, GrantResult> = {
  kind: 'write',
  name: 'grant.create',
  needs,
  note,
  run(context, input) {
    const { transaction, author, caller } = context;
    const { scope, documentNumber } = findScope(context, input);
    requireSubject(transaction.tables, input.subject);
    requireProofAtRoot(caller, input, transaction.now);
    requireNoConnector(transaction.tables, input.subject, 'It writes in its mirror alone, and takes no role.');
    const same = transaction.tables.grants.findSame(scope, input.subject, input.role);
    if (same !== undefined)
      return { grant: nameGrant(transaction.tables, same, input), created: false, documentNumber };
    const grant: Grant = {
      id: makeIdentifier('grt', transaction.randomness),
      scope,
      subject: input.subject,
      role: input.role,
      grantedBy: author.id,
      createdAt: transaction.now,
    };
    transaction.tables.grants.insert(grant);
    return { grant: nameGrant(transaction.tables, grant, input), created: true, documentNumber };
  },
  documentNumber: ({ documentNumber }) => documentNumber,
};

/**
 * Revokes a grant, from the next request on. For deleted documents, it revokes the grant on each one deleted there, so
 * that a restored document returns without it. Approver there. @throws NOT_FOUND when there is no such grant
 */
export const revokeGrant: WriteOperation<GrantInput, NamedGrant> = {
  kind: 'write',
  name: 'grant.revoke',
  worksWhenLow: true,
  needs: needsOnScope,
  note,
  run(context, input) {
    const { tables } = context.transaction;
    const scopes = findScopes(context.view, input);
    const same = scopes.flatMap((scope) => tables.grants.findSame(scope, input.subject, input.role) ?? []);
    const [grant] = same;
    if (grant === undefined) throw notFound();
    const isOnRoot = input.scopeType === 'folder' && input.location === '';
    const before = isOnRoot ? adminsOf(context) : undefined;
    for (const { id } of same) tables.grants.delete(id);
    if (before !== undefined) requireAdmin(before, adminsOf(context));
    return nameGrant(tables, grant, input);
  },
};
