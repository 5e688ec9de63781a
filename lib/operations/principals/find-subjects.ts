import { foldSignInName } from '../../access/identities.js';
import type { Subject } from '../../domain/grant.js';
import type { PrincipalKind } from '../../domain/principal.js';
import type { ReadContext, ReadOperation } from '../operation.js';
import { adminNeeds } from '../needs.js';
import { foldName } from './fold-name.js';

export interface FindSubjectsInput {
  /** An id, a display name, or the name or e-mail address that a person signs in with. */
  readonly text: string;
  /** What it may be. */
  readonly types: readonly Subject['type'][];
}

/** A principal or group that a text may mean. */
export interface FoundSubject extends Subject {
  readonly displayName: string;
  readonly kind: PrincipalKind | 'group';
}

/**
 * The principals and groups that a text names. An id names one alone, whatever other names there are. Otherwise all
 * that have the name or sign in by it are found, so that the caller can refuse an ambiguous one. Admin.
 */
export const findSubjects: ReadOperation<FindSubjectsInput, readonly FoundSubject[]> = {
  kind: 'read',
  name: 'principal.find',
  needs: () => adminNeeds,
  note: ({ text }) => ({ target: text }),
  run(context, { text, types }) {
    const { principals, groups } = context.view.tables;
    const isWanted = ({ type }: FoundSubject): boolean => types.includes(type);
    const person = principals.find(text);
    const group = groups.find(text);
    const byId = [
      ...(person === undefined ? [] : [{ ...person, type: 'principal' as const }]),
      ...(group === undefined ? [] : [{ ...group, type: 'group' as const, kind: 'group' as const }]),
    ].filter(isWanted);
    if (byId.length > 0) return byId.map(pick);
    const name = foldName(text);
    const signingIn = findSigningIn(context, text);
    return [
      ...principals
        .list()
        .filter(({ id, displayName }) => id === signingIn || foldName(displayName) === name)
        .map((each) => ({ ...each, type: 'principal' as const })),
      ...groups
        .list()
        .filter(({ displayName }) => foldName(displayName) === name)
        .map((each) => ({ ...each, type: 'group' as const, kind: 'group' as const })),
    ]
      .filter(isWanted)
      .map(pick);
  },
};

const pick = ({ type, id, displayName, kind }: FoundSubject): FoundSubject => ({ type, id, displayName, kind });

/** The principal of this workspace that signs in by the name. */
export function findSigningIn({ workspace }: ReadContext, text: string): string | undefined {
  const people = workspace.origin.journal?.people;
  const identity = people?.identities.findByName(foldSignInName(text));
  if (people === undefined || identity === undefined) return undefined;
  const memberships = people.identities.heldBy(identity.id);
  return memberships.find((membership) => membership.workspace === workspace.name)?.principalId;
}
