import { makeIdentifier } from '../../domain/identifier.js';
import type { Principal } from '../../domain/principal.js';
import { adminNeeds } from '../needs.js';
import type { WriteOperation } from '../operation.js';
import type { JudgedName } from './look-alikes.js';

export interface AddPrincipalInput {
  readonly displayName: string;
  readonly kind: 'person' | 'agent';
}

/** A new person or agent, without any reach yet. Admin. @throws Refusal INVALID_REQUEST `bad_field` for a look-alike */
export const addPrincipal: WriteOperation<AddPrincipalInput, Principal, JudgedName> = {
  kind: 'write',
  name: 'principal.add',
  needs: () => adminNeeds,
  note: ({ displayName, kind }) => ({ target: displayName, detail: { kind } }),
  prepare: async (context, { displayName }) => (await import('./look-alikes.js')).judgeName(context, displayName),
  run(context, { displayName, kind }, judged) {
    const { transaction } = context;
    judged.requireDistinct(context);
    const id = makeIdentifier('prn', transaction.randomness);
    const principal: Principal = { id, kind, displayName, createdAt: transaction.now, disabledAt: null };
    transaction.tables.principals.insert(principal);
    return principal;
  },
  noteResult: ({ id, kind }) => ({ detail: { id, kind } }),
};
