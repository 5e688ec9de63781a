import { ancestorsOf, compareText, type Location } from '../../domain/location.js';
import { makePage, type Page } from '../../domain/page.js';
import { findScopes, needsOnScope, nameGrant, type GrantInput, type NamedGrant } from './change-grant.js';
import type { ReadOperation } from '../operation.js';

export interface ListGrantsInput extends Pick<GrantInput, 'scopeType' | 'location'> {
  /** Whether to list grants on the folders above too. */
  readonly inherited: boolean;
  /** The end position of the page before; '' for the first page. */
  readonly after: string;
  readonly limit: number;
}

export interface ListedGrant extends NamedGrant {
  /** The folder above with the grant. Undefined for a grant on the scope itself. */
  readonly inheritedFrom?: Location;
}

/** Sorts by place, the root first, and within a place by id. */
function positionOf(grant: ListedGrant): string {
  const depth = grant.inheritedFrom === undefined ? 9999 : ancestorsOf(grant.inheritedFrom).length;
  return `${String(depth).padStart(4, '0')} ${grant.id}`;
}

/**
 * The grants on a scope and, on request, those on the folders above, which reach it as well. An approver may know the
 * readers of its place, and the ancestor that grants it. Without a live document, a document's scope is the deleted
 * ones: their grants wait, and can be revoked. Approver there.
 */
export const listGrants: ReadOperation<ListGrantsInput, Page<ListedGrant>> = {
  kind: 'read',
  name: 'grant.list',
  needs: needsOnScope,
  note: ({ scopeType, location, inherited }) => ({ target: location, detail: { scope_type: scopeType, inherited } }),
  run(context, input) {
    const { tables } = context.view;
    const own = findScopes(context.view, input)
      .flatMap((scope) => tables.grants.on(scope))
      .toSorted((a, b) => compareText(a.id, b.id))
      .map((grant) => nameGrant(tables, grant, input));
    const above = (input.inherited ? ancestorsOf(input.location) : []).flatMap((location) =>
      tables.grants.on({ type: 'folder', location }).map((grant) => ({
        ...nameGrant(tables, grant, { scopeType: 'folder', location }),
        inheritedFrom: location,
      })),
    );
    const following = [...above, ...own].filter((grant) => positionOf(grant) > input.after);
    return makePage(following.slice(0, input.limit + 1), input.limit, positionOf);
  },
};
