import type { OAuthGrant } from '../../domain/oauth-grant.js';
import type { EntryName } from '../../sidecar/tables/pending-record-table.js';
import type { OwnOperation } from '../operation.js';

/*
 * People's consents to applications. The consents belong to the service, since a person may be in several workspaces.
 * The workspace of a consent records its changes. Every person may let an application act as themselves.
 */

/** The request: the client, its redirect target and its purpose. */
export type ConsentInput = Pick<OAuthGrant, 'clientId' | 'clientName' | 'redirectHost' | 'scopes'> & {
  /** Absent if the person refused. */
  readonly id?: string;
};

/** What the record of a consent says. */
export const describeConsent = ({ id, clientId, clientName, redirectHost, scopes }: ConsentInput) => ({
  target: clientId,
  detail: { ...(id === undefined ? {} : { id }), client_name: clientName, redirect_host: redirectHost, scopes },
});

/** A person lets a client act as them. */
export const giveConsent: OwnOperation<OAuthGrant, void> = {
  kind: 'own',
  name: 'consent.give',
  note: describeConsent,
  run: ({ oauth }, grant) => oauth.insertGrant(grant),
};

/** A person refuses a client. Only the recorded answer is stored. */
export const refuseConsent: OwnOperation<ConsentInput, void> = {
  kind: 'own',
  name: 'consent.refuse',
  note: describeConsent,
  run: () => undefined,
};

/** A consent ends with all its tokens: it was withdrawn, or a token or code of it was used twice. */
export const endConsent: OwnOperation<OAuthGrant, void> = {
  kind: 'own',
  name: 'consent.end',
  note: describeConsent,
  run: ({ oauth, now }, { id }) => oauth.revokeGrant(id, now),
};

export interface IssueTokenInput {
  readonly grant: OAuthGrant;
  /** The exchanged code or refresh token. */
  readonly entry: EntryName;
}

/**
 * Issues an access token for a code or for a refresh token, which is used up. If the record cannot be made, the code or
 * token counts as unused again: the client sends it once more.
 * @returns whether this was the first use
 */
export const issueToken: OwnOperation<IssueTokenInput, boolean> = {
  kind: 'own',
  name: 'token.issue',
  note: ({ grant }) => describeConsent(grant),
  run({ oauth, now, keepUsed }, { entry }) {
    const isFirst = oauth.consume(entry.kind, entry.idHash, now);
    if (!isFirst) keepUsed(entry);
    return isFirst;
  },
  undo: ({ entry }, isFirst) => (isFirst ? entry : undefined),
};
