import { makeIdentifier } from '../../domain/identifier.js';
import type { Principal } from '../../domain/principal.js';
import { adminNeeds } from '../needs.js';
import type { WriteOperation } from '../operation.js';

export interface AddPrincipalInput {
  readonly displayName: string;
  readonly kind: 'person' | 'agent';
}

/** A new person or agent, without any reach yet. Admin. */
export const addPrincipal: WriteOperation<AddPrincipalInput, Principal> = {
  kind: 'write',
  name: 'principal.add',
  needs: () => adminNeeds,
  note: ({ displayName, kind }) => ({ target: displayName, detail: { kind } }),
  run({ transaction }, { displayName, kind }) {
    const id = makeIdentifier('prn', transaction.randomness);
    const principal: Principal = { id, kind, displayName, createdAt: transaction.now, disabledAt: null };
    transaction.tables.principals.insert(principal);
    return principal;
  },
  noteResult: ({ id, kind }) => ({ detail: { id, kind } }),
};
