import type { BegunSession, NewSession } from '../../access/browser-sessions.js';
import { notFound } from '../../domain/refusal.js';
import type { OAuthGrant } from '../../domain/oauth-grant.js';
import type { SignedIn } from '../../domain/signed-in.js';
import type { Actor, OwnOperation } from '../operation.js';
import { endConsent } from './change-consent.js';

/*
 * People sign in to the service, and each of their workspaces records it.
 */

export interface BeginSessionInput extends NewSession {
  /** The browser's previous session, which ends. */
  readonly before: Pick<SignedIn, 'identityId' | 'sessionId'> | undefined;
}

/** A person signs in. Sessions beyond the maximum end. */
export const beginSession: OwnOperation<BeginSessionInput, BegunSession> = {
  kind: 'own',
  name: 'session.begin',
  note: () => ({}),
  run({ people, also }, { before, ...session }) {
    const begun = people.sessions.begin(session);
    if (before !== undefined) people.sessions.end(before.identityId, before.sessionId);
    for (const { id } of begun.gaveWay) also(endSession, { identityId: session.identityId, sessionId: id });
    return begun;
  },
  noteResult: (begun) => describeBegun(begun),
};

const describeBegun = ({ session: { id, method } }: BegunSession) => ({ target: id, detail: { method } });

export interface EndSessionInput {
  readonly identityId: string;
  /** `all` means every session. */
  readonly sessionId: string;
}

/** A person signs out, or ends a session elsewhere. @returns whether there was one */
export const endSession: OwnOperation<EndSessionInput, boolean> = {
  kind: 'own',
  name: 'session.end',
  note: ({ sessionId }) => ({ target: sessionId }),
  run: ({ people: { sessions } }, { identityId, sessionId }) =>
    sessionId === 'all' ? sessions.endAll(identityId) > 0 : sessions.end(identityId, sessionId),
  isChange: (hasEnded) => hasEnded,
};

export interface SetPasswordInput {
  /** The session that begins in the person's browser. */
  readonly session: BeginSessionInput;
  /** The secret of the link. */
  readonly link: string;
  readonly passwordHash: string;
  /** Whether the person had no password before. */
  readonly isFirst: boolean;
  /** The actors who record the end of a consent. */
  actorsOf(this: void, consent: OAuthGrant): readonly Actor[];
}

/**
 * A person chooses a password, and is signed in. This uses up the link and ends their other sessions and consents. It is
 * one change: whoever disables the person finds either an unused link or the new session, and ends it.
 * @throws Refusal NOT_FOUND when the link no longer works
 */
export const setPassword: OwnOperation<SetPasswordInput, BegunSession> = {
  kind: 'own',
  name: 'password.set',
  note: ({ isFirst }) => ({ detail: { first: isFirst } }),
  run(context, { session, link, passwordHash, actorsOf }) {
    const { people, also } = context;
    const ended = people.links.use(link, passwordHash);
    if (ended === undefined) throw notFound();
    for (const consent of ended) also(endConsent, consent, actorsOf(consent));
    const begun = beginSession.run(context, session);
    also({ name: beginSession.name, note: describeBegun }, begun);
    return begun;
  },
};
