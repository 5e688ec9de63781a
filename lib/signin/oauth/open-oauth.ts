import type { People } from '../../access/people.js';
import type { SignIn } from '../sign-in.js';
import { makeOAuthFace, type OAuthFace, type OAuthOptions } from './oauth-face.js';
import type { OAuthDependencies } from './oauth-dependencies.js';

/** The face, kept up while it runs. */
export interface RunningOAuth extends OAuthFace {
  close(): void;
}

interface Service extends Pick<OAuthDependencies, 'clock' | 'randomness' | 'limiter' | 'journal' | 'file' | 'find'> {
  readonly people: People;
}

/** Milliseconds between two searches for expired entries. */
const upkeepInterval = 10 * 60_000;

/**
 * OAuth for a running service, beside the sign-in of its people.
 * @throws Error when the keys in the service's file cannot be used
 */
export async function openOAuth(
  service: Service,
  { readSession, proof }: Pick<SignIn, 'readSession' | 'proof'>,
  options: OAuthOptions,
): Promise<RunningOAuth> {
  const { clock, randomness, limiter, journal, file, people } = service;
  const face = await makeOAuthFace(
    {
      clock,
      randomness,
      limiter,
      journal,
      file,
      readSession,
      proof,
      find: (name) => service.find(name),
      membershipsOf: (identityId) => people.identities.heldBy(identityId),
    },
    options,
  );
  let isClosed = false;
  const keepUp = async (): Promise<void> => {
    try {
      await face.keepUp();
    } catch (cause) {
      // Tried again the next time.
      if (!isClosed) options.log.error({ err: cause }, 'Expired tokens could not be dropped');
    }
  };
  const timer = setInterval(() => void keepUp(), upkeepInterval).unref();
  return {
    readAccessToken: face.readAccessToken,
    takes: (path) => face.takes(path),
    handle: (request, response) => face.handle(request, response),
    keepUp,
    rotateKeys: () => face.rotateKeys(),
    close() {
      isClosed = true;
      clearInterval(timer);
    },
  };
}
