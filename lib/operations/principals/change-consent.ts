import type { OAuthGrant } from '../../domain/oauth-grant.js';
import type { ReadOperation } from '../operation.js';

/*
 * What people let applications do, and what came of it. The consents themselves belong to the service, since a person
 * may be in several workspaces; these operations put them on the record of the workspace that they are about. Nothing is
 * needed for them: everyone may let an application act as themselves.
 */

/** What is asked for: which client, to be sent where, for what. */
export type ConsentInput = Pick<OAuthGrant, 'clientId' | 'clientName' | 'redirectHost' | 'scopes'> & {
  /** Absent where there is none, having been refused. */
  readonly id?: string;
};

const describe = ({ id, clientId, clientName, redirectHost, scopes }: ConsentInput) => ({
  target: clientId,
  detail: { ...(id === undefined ? {} : { id }), client_name: clientName, redirect_host: redirectHost, scopes },
});

function makeRecord(name: string): ReadOperation<ConsentInput, void> {
  return { kind: 'read', name, needs: () => [], note: describe, run: () => undefined };
}

/** A person lets a client act as them. Recorded before it is so. */
export const giveConsent = makeRecord('consent.give');

export const refuseConsent = makeRecord('consent.refuse');

/** A consent ends with all its tokens: given back, or because something that was used already came again. */
export const endConsent = makeRecord('consent.end');

/** An access token is handed out, for a code or in exchange for an older one. */
export const issueToken = makeRecord('token.issue');
