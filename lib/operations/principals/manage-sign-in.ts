import { foldSignInName } from '../../access/identities.js';
import type { People } from '../../access/people.js';
import type { NewLink } from '../../access/one-time-links.js';
import type { Caller } from '../../domain/caller.js';
import { conflict, notFound } from '../../domain/refusal.js';
import type { StoredSession } from '../../sidecar/tables/browser-session-table.js';
import { adminNeeds } from '../needs.js';
import { requireRecentProof } from '../require-recent-proof.js';
import { requireService } from '../require-service.js';
import type { ReadOperation, ServiceOperation } from '../operation.js';
import type { Tables } from '../../sidecar/tables.js';

interface OfPerson {
  readonly principalId: string;
}

export interface IssueLinkInput extends OfPerson {
  /** An e-mail address or a name. Left out: keeps the present one, or makes one from the display name. */
  readonly signInName?: string | undefined;
}

export interface IssuedLink extends NewLink {
  readonly principalId: string;
  readonly signInName: string;
  /** Whether there is no password so far. */
  readonly isFirst: boolean;
  /** The other workspaces where the name is known. Told to the operator alone, who has them all. */
  readonly elsewhere: readonly string[];
}

/**
 * Makes a link by which a person chooses a password, once. Earlier links stop working. Admin; in a
 * browser, after a sign-in of the last minutes.
 * @throws Refusal CONFLICT `sign_in_again`, `principal_disabled`, `not_yours_alone`, `name_taken`; NOT_FOUND
 */
export const issueLink: ServiceOperation<IssueLinkInput, IssuedLink> = {
  kind: 'service',
  name: 'link.issue',
  needs: () => adminNeeds,
  note: ({ principalId }) => ({ target: principalId }),
  run({ people, caller, now, workspace, view }, { principalId, signInName }) {
    const principal = requirePerson(view.tables, principalId);
    requireRecentProof(caller, now);
    if (principal.disabledAt !== null) {
      throw conflict('principal_disabled', 'The principal is disabled. Enable it before making a link for it.');
    }
    const { identities, links, signIns } = people;
    const present = identities.findOf(workspace, principalId);
    if (present !== undefined) requireOwn(people, caller, workspace, present.id);
    const isByName = signInName !== undefined && identities.findByName(foldSignInName(signInName)) !== undefined;
    if (caller.kind !== 'operator' && present === undefined && isByName) throw notYoursAlone();
    const identity = identities.provide(workspace, principalId, principal.displayName, signInName);
    return {
      ...links.issue({ workspace, principalId }),
      principalId,
      signInName: identity.signInName,
      isFirst: !signIns.hasPassword(workspace, principalId),
      elsewhere: caller.kind === 'operator' ? identities.elsewhere(identity.id, workspace) : [],
    };
  },
  noteResult: ({ expiresAt, isFirst }) => ({ detail: { expires_at: expiresAt, first: isFirst } }),
};

/** Ends a person's sign-in links of this workspace, so that they open nothing. Admin. @throws Refusal NOT_FOUND */
export const endLinks: ServiceOperation<OfPerson, boolean> = {
  kind: 'service',
  name: 'link.end',
  needs: () => adminNeeds,
  note: ({ principalId }) => ({ target: principalId }),
  run({ people, workspace, view }, { principalId }) {
    requirePerson(view.tables, principalId);
    if (!people.links.end({ workspace, principalId })) throw notFound();
    return true;
  },
};

/** A person's sessions. Admin. */
export const listSessions: ReadOperation<OfPerson, readonly StoredSession[]> = {
  kind: 'read',
  name: 'session.list',
  needs: () => adminNeeds,
  note: ({ principalId }) => ({ target: principalId }),
  run({ workspace, caller, view }, { principalId }) {
    requirePerson(view.tables, principalId);
    const { people } = requireService(workspace);
    const identity = people.identities.findOf(workspace.name, principalId);
    if (identity === undefined) return [];
    requireOwn(people, caller, workspace.name, identity.id);
    return people.signIns.sessionsOf(workspace.name, principalId);
  },
};

/** Signs a person out everywhere. @returns the number of sessions. Admin. */
export const endSessions: ServiceOperation<OfPerson, number> = {
  kind: 'service',
  name: 'session.end_all',
  needs: () => adminNeeds,
  note: ({ principalId }) => ({ target: principalId }),
  run({ people, caller, workspace, view }, { principalId }) {
    requirePerson(view.tables, principalId);
    const identity = people.identities.findOf(workspace, principalId);
    if (identity === undefined) return 0;
    requireOwn(people, caller, workspace, identity.id);
    return people.signIns.endSessions(workspace, principalId);
  },
};

const notYoursAlone = () =>
  conflict('not_yours_alone', 'They sign in to another workspace too: only the command line can do this.');

/**
 * An admin of one workspace gets no hold on another by a person who is in both. The operator has all workspaces.
 * @throws Refusal CONFLICT `not_yours_alone`
 */
function requireOwn({ identities }: People, { kind }: Caller, workspace: string, identityId: string): void {
  if (kind !== 'operator' && identities.isElsewhere(identityId, workspace)) throw notYoursAlone();
}

/** @throws Refusal NOT_FOUND */
function requirePerson(tables: Tables, principalId: string) {
  const principal = tables.principals.find(principalId);
  if (principal?.kind !== 'person') throw notFound();
  return principal;
}
