import type { Credential } from '../../domain/credential.js';
import { makePage, type Page } from '../../domain/page.js';
import type { Author, PrincipalKind } from '../../domain/principal.js';
import { notFound } from '../../domain/refusal.js';
import type { StoredCredential } from '../../sidecar/tables/credential-table.js';
import type { Tables } from '../../sidecar/tables.js';
import { adminNeeds } from '../needs.js';
import type { ReadOperation } from '../operation.js';

export interface ListCredentialsInput {
  /** Left out: the keys of all. */
  readonly principalId?: string | undefined;
  /** The end position of the page before; '' for the first page. */
  readonly after: string;
  readonly limit: number;
}

/** A key as people see it; never its secret. */
export interface ShownCredential extends Credential {
  readonly mintedBy: Author;
  /** Of what kind its owner is. */
  readonly owner: PrincipalKind;
  /** The beginning of the key's text, up to its secret. */
  readonly prefix: string;
}

/** A credential with the name of its maker, and without the hash of its secret. */
export function showCredential(
  { principals }: Tables,
  workspace: string,
  { secretHash: _, ...credential }: Credential & Partial<StoredCredential>,
): ShownCredential {
  const { kind = 'person', displayName = credential.createdBy } = principals.find(credential.createdBy) ?? {};
  const mintedBy = { id: credential.createdBy, kind, displayName };
  const owner = principals.find(credential.principalId)?.kind ?? 'person';
  return { ...credential, mintedBy, owner, prefix: `ck_${workspace}_${credential.id}_` };
}

/** Where a page of keys goes on. */
export const positionOf = ({ createdAt, id }: Pick<Credential, 'createdAt' | 'id'>): string => `${createdAt} ${id}`;

/** @returns undefined for the first page */
export function parsePosition(position: string): Pick<Credential, 'createdAt' | 'id'> | undefined {
  const [at = '', id = ''] = position.split(' ');
  return position === '' ? undefined : { createdAt: Number(at), id };
}

/** A principal's keys, or all, the newest first; never a secret. Admin. @throws Refusal NOT_FOUND */
export const listCredentials: ReadOperation<ListCredentialsInput, Page<ShownCredential>> = {
  kind: 'read',
  name: 'credential.list',
  needs: () => adminNeeds,
  note: ({ principalId }) => (principalId === undefined ? {} : { target: principalId }),
  run({ workspace, view: { tables } }, { principalId, after, limit }) {
    if (principalId !== undefined && tables.principals.find(principalId) === undefined) throw notFound();
    const found = tables.credentials.pageOf(principalId, parsePosition(after), limit + 1);
    const { items, next } = makePage(found, limit, positionOf);
    return { items: items.map((credential) => showCredential(tables, workspace.name, credential)), next };
  },
};
