import type { SignInMethod } from '../../domain/signed-in.js';
import type { ReadOperation } from '../operation.js';

/*
 * What people do where they sign in belongs to the service and is kept there. Each workspace that they are in records
 * it, through the door as everything else: these operations change nothing themselves, and everyone may about themself.
 */

export interface SessionNote {
  readonly sessionId: string;
  readonly method: SignInMethod;
}

/** Somebody signed in. Their own. */
export const beginSession: ReadOperation<SessionNote, undefined> = {
  kind: 'read',
  name: 'session.begin',
  needs: () => [],
  note: ({ sessionId, method }) => ({ target: sessionId, detail: { method } }),
  run: () => undefined,
};

/** Somebody signed out, or ended a session elsewhere; `all` is every one of them. Their own. */
export const endSession: ReadOperation<{ readonly sessionId: string }, undefined> = {
  kind: 'read',
  name: 'session.end',
  needs: () => [],
  note: ({ sessionId }) => ({ target: sessionId }),
  run: () => undefined,
};

/** Somebody chose a password, and used up their link with that. Their own. */
export const setPassword: ReadOperation<{ readonly isFirst: boolean }, undefined> = {
  kind: 'read',
  name: 'password.set',
  needs: () => [],
  note: ({ isFirst }) => ({ detail: { first: isFirst } }),
  run: () => undefined,
};
