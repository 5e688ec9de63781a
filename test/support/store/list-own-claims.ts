import { claimsKeptFor, type OwnClaim } from '../../../lib/domain/claim.js';
import { findOwnClaims } from '../../../lib/operations/claims/list-claims.js';
import type { ReadOperation } from '../../../lib/operations/operation.js';

/**
 * The caller's own claims, and those lost within the last week, as an operation of the tests. A brief names only as
 * many as fit into its bounds.
 */
export const listOwnClaims: ReadOperation<{ readonly limit: number }, readonly OwnClaim[]> = {
  kind: 'read',
  name: 'claim.list_own',
  needs: () => [],
  note: () => ({}),
  run: (context, { limit }) => findOwnClaims(context, context.view.now - claimsKeptFor, limit),
};
