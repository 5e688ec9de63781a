import type { Author } from '../../domain/principal.js';
import type { Grant, Scope, Subject } from '../../domain/grant.js';
import { makeIdentifier } from '../../domain/identifier.js';
import { ancestorsOf, type Location } from '../../domain/location.js';
import { conflict, notFound } from '../../domain/refusal.js';
import { roleContains, type Role } from '../../domain/role.js';
import { findDocument, findDocumentId } from '../../view/locate.js';
import type { WriteContext } from '../../changes/write-context.js';
import type { View } from '../../view/view.js';
import { requireSubject } from '../principals/change-group.js';
import type { Need, WriteOperation } from '../operation.js';
import { adminsOf, requireAdmin } from '../principals/set-principal-state.js';
import type { Tables } from '../../sidecar/tables.js';

/** A grant as it is asked for: the scope by location, the subject by id. */
export interface GrantInput {
  readonly scopeType: 'folder' | 'document';
  readonly location: Location;
  readonly subject: Subject;
  readonly role: Role;
}

/** A grant as it is shown: its scope's location, and the names behind the ids. */
export interface GrantRecord {
  readonly id: string;
  readonly scopeType: 'folder' | 'document';
  readonly location: Location;
  readonly subject: Subject & { readonly displayName: string };
  readonly role: Role;
  readonly grantedBy: Author;
  readonly createdAt: number;
}

export interface GrantResult {
  readonly grant: GrantRecord;
  /** False when the very same grant stood there already. */
  readonly created: boolean;
  /** Of the document that the grant is on; null for a folder. */
  readonly documentNumber: number | null;
}

const needs = ({ location }: GrantInput) => [{ role: 'approver', location }] as const;

/** What it takes to see grants and to take them away: those on a deleted document wait with it. */
export function needsOnScope({ scopeType, location }: Pick<GrantInput, 'scopeType' | 'location'>): readonly Need[] {
  return [{ role: 'approver', location, deleted: scopeType === 'document' }];
}

/**
 * The scopes whose grants can be seen and taken away at a location: the folder's path; the document that lives there;
 * or where there is none of which the caller is approver, the documents that were deleted there and can come back.
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
 * A folder's scope is its path, whether or not anything lies there yet; a document's is the document itself.
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

function nameOfSubject(tables: Tables, subject: Subject): string {
  const found = subject.type === 'group' ? tables.groups.find(subject.id) : tables.principals.find(subject.id);
  return found?.displayName ?? subject.id;
}

function authorOf(tables: Tables, id: string): Author {
  const principal = tables.principals.find(id);
  return { id, kind: principal?.kind ?? 'person', displayName: principal?.displayName ?? id };
}

/** A grant as it is shown, with the place that the caller named rather than what it is stored by. */
export function toGrantRecord(
  tables: Tables,
  grant: Grant,
  input: Pick<GrantInput, 'scopeType' | 'location'>,
): GrantRecord {
  return {
    id: grant.id,
    scopeType: input.scopeType,
    location: input.location,
    subject: { ...grant.subject, displayName: nameOfSubject(tables, grant.subject) },
    role: grant.role,
    grantedBy: authorOf(tables, grant.grantedBy),
    createdAt: grant.createdAt,
  };
}

/** Gives a role to a principal or group on a folder or document. Approver there. */
export const createGrant: WriteOperation<GrantInput, GrantResult> = {
  kind: 'write',
  name: 'grant.create',
  needs,
  note,
  run(context, input) {
    const { transaction, author } = context;
    const { scope, documentNumber } = findScope(context, input);
    requireSubject(transaction.tables, input.subject);
    const same = transaction.tables.grants.findSame(scope, input.subject, input.role);
    if (same !== undefined)
      return { grant: toGrantRecord(transaction.tables, same, input), created: false, documentNumber };
    const grant: Grant = {
      id: makeIdentifier('grt', transaction.randomness),
      scope,
      subject: input.subject,
      role: input.role,
      grantedBy: author.id,
      createdAt: transaction.now,
    };
    transaction.tables.grants.insert(grant);
    return { grant: toGrantRecord(transaction.tables, grant, input), created: true, documentNumber };
  },
  documentNumber: ({ documentNumber }) => documentNumber,
};

/**
 * Takes a grant away; in force at the next request. From every document that was deleted there, if it is those that are
 * meant: whichever comes back, comes back without it. Approver there. @throws NOT_FOUND when there is no such grant
 */
export const revokeGrant: WriteOperation<GrantInput, GrantRecord> = {
  kind: 'write',
  name: 'grant.revoke',
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
    return toGrantRecord(tables, grant, input);
  },
};
